"""The second objective of the count-based network, on-policy: reinforce what scores best, and learn when to stop."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.features.encoding import Signals
from memsum.features.novelty import PAIRS_SAID
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.learner import LossInput
from memsum_train.learning.objectives.ngram_gain import encoded_loss, reference_ngrams
from memsum_train.policy.counted.extractor import CountedExtractor, look_ahead
from memsum_train.policy.counted.network import CountedEncoded, progress_of
from memsum_train.rouge.search import NGrams, hits_along

_CANDIDATES = 60  # sentences that are drawn from: what scores lower at first is noise
_TEMPERATURE = 0.5
_LONGEST = 1.8  # times the expected words
_STATES = 4  # of an episode whose choices are reinforced
_SPREAD = 0.02  # typical difference of two episodes' scores
_CHOICES, _STOPS, _ANCHOR = 0.1, 15.0, 0.3  # weights of the three losses
_LSUM = 0.92  # ROUGE-Lsum is about so much of ROUGE-1
# Penalties for what readers mind and ROUGE does not: short sentences, and those of which much was said before.
_SHORT, _SHORT_WORDS = 0.004, 8
_AGAIN, _AGAIN_SHARE = 0.008, 0.4


@dataclass(frozen=True)
class Rollout:
    """An episode that the network has played beyond the length of a summary, and the score of each of its prefixes."""

    choices: list[int]  # among the candidates
    novelty: list[NDArray[np.float32]]  # (C, F) before each choice
    stops: Tensor  # (T, …) inputs of the stop after each choice
    scores: NDArray[np.float64]  # (T,) of what is extracted after each choice


def self_play_loss(given: LossInput) -> Tensor:
    """Let the network play, score what it extracts by the reference, and reinforce what did better than the rest.

    Several episodes of each document are drawn from the network, and go on for longer than a summary would. Their
    prefixes are scored one by one, so the stop learns without guessing: the expected score of an episode under the
    network's own probabilities of stopping after each sentence is a sum that can be differentiated. The choices are
    reinforced by how much higher that expectation is than in the document's other episodes (REINFORCE with the
    leave-one-out baseline). The loss of `ngram_gain` is the anchor that keeps the network from forgetting what it has
    learned with supervision.
    """
    extractor, encoded = given.policy.extractor, given.policy.encode(given.batch)
    total = _ANCHOR * encoded_loss(given, encoded, 1)
    was_training = extractor.training
    extractor.eval()  # what plays and what learns is the network as it will be used
    for row, (document, rng) in enumerate(zip(given.documents, given.generators, strict=True)):
        ngrams = reference_ngrams(document)
        if ngrams is not None and len(document.text) > 1:
            total = total + _document_loss(extractor, encoded, row, ngrams, rng, given.config)
    extractor.train(was_training)
    return total


def _document_loss(
    extractor: CountedExtractor,
    encoded: CountedEncoded,
    row: int,
    ngrams: NGrams,
    rng: np.random.Generator,
    config: TrainingConfig,
) -> Tensor:
    number = int(encoded.mask[row].sum())
    states, lengths = encoded.states[row, :number], encoded.lengths[row, :number]
    first = extractor(states.detach(), torch.from_numpy(encoded.signals[row].novelty().features()), lengths).logits
    candidates = first.topk(min(_CANDIDATES, number)).indices.sort().values
    states, lengths = states[candidates], lengths[candidates]
    sentences = candidates.numpy()
    # The last rollout is the network's own best one: it is there for the stop, as it will be used.
    rollouts = [
        _roll_out(extractor, encoded.signals[row], states.detach(), lengths, sentences, ngrams, drawn_by, config)
        for drawn_by in [rng] * config.samples + [None]
    ]
    values, total = [], states.new_zeros(())
    for rollout in rollouts:
        survival, value = _expected_score(extractor, rollout)
        total = total - _STOPS * value / len(rollouts)
        values.append((float(value.detach()), survival))
    drawn = np.array([value for value, _ in values[:-1]])
    better = (drawn - (drawn.sum() - drawn) / (len(drawn) - 1)) / _SPREAD
    for rollout, advantage, (_, survival) in zip(rollouts, better.tolist(), values, strict=False):
        times = rng.choice(len(rollout.choices), min(_STATES, len(rollout.choices)), replace=False)
        weight = advantage * len(rollout.choices) / len(times) / config.samples
        for_choices = _log_choices(extractor, states, lengths, rollout, times)
        total = total - _CHOICES * weight * (for_choices * survival[times]).sum()
    return total


@torch.no_grad()
def _roll_out(
    extractor: CountedExtractor,
    signals: Signals,
    states: Tensor,
    lengths: Tensor,
    sentences: NDArray[np.int64],
    ngrams: NGrams,
    rng: np.random.Generator | None,
    config: TrainingConfig,
) -> Rollout:
    """Extract candidates until there are more than enough words; at random if there is a generator."""
    history = signals.novelty()
    remaining = torch.ones(1, len(sentences), dtype=torch.bool)
    choices: list[int] = []
    novelty: list[NDArray[np.float32]] = []
    stops: list[Tensor] = []
    most = min(config.max_sentences, len(sentences))
    enough = _LONGEST * math.exp(signals.expected)
    while True:
        features = history.features()[sentences]
        judgment = extractor(states[None], torch.from_numpy(features)[None], lengths[None])
        if choices:
            progress = torch.from_numpy(progress_of(history, signals))[None]
            ahead = remaining if remaining.any() else torch.ones_like(remaining)
            stops.append(look_ahead(progress, judgment, lengths[None], ahead)[0])
        if len(choices) == most or history.words >= enough:
            break
        logits = judgment.logits[0].numpy() / _TEMPERATURE
        if rng is not None:
            logits = logits + rng.gumbel(size=len(logits))
        choice = int(np.where(remaining[0].numpy(), logits, -np.inf).argmax())
        novelty.append(features)
        choices.append(choice)
        remaining[0, choice] = False
        history.extract(int(sentences[choice]))
    along = hits_along(ngrams, sentences[choices])
    unigrams = 2 * along[:, 0] / (along[:, 2] + ngrams.totals[0])
    bigrams = 2 * along[:, 1] / np.maximum(along[:, 3] + ngrams.totals[1], 1)
    short = lengths[choices].numpy() < _SHORT_WORDS
    again = np.array([seen[choice, PAIRS_SAID] > _AGAIN_SHARE for seen, choice in zip(novelty, choices, strict=True)])
    penalties = np.cumsum(_SHORT * short + _AGAIN * again)
    return Rollout(choices, novelty, torch.stack(stops), ((1 + _LSUM) * unigrams + bigrams) / 3 - penalties)


def _expected_score(extractor: CountedExtractor, rollout: Rollout) -> tuple[Tensor, Tensor]:
    """Return the probability that each choice is made at all (T,), and the expected score; at the end, one stops."""
    if extractor.stop is None:
        return torch.ones(len(rollout.choices)), torch.tensor(float(rollout.scores[-1]))
    stop = extractor.stop(rollout.stops).sigmoid()
    stop = torch.cat([stop[:-1], torch.ones(1)])
    survival = torch.cat([torch.ones(1), (1 - stop[:-1]).cumprod(dim=0)])
    value = (survival * stop * torch.from_numpy(rollout.scores).float()).sum()
    return survival.detach(), value


def _log_choices(
    extractor: CountedExtractor, states: Tensor, lengths: Tensor, rollout: Rollout, times: NDArray[np.int64]
) -> Tensor:
    """Return log π of some of the choices, with gradients."""
    novelty = torch.from_numpy(np.stack([rollout.novelty[time] for time in times]))
    logits = extractor(states.expand(len(times), *states.shape), novelty, lengths.expand(len(times), -1)).logits
    gone = torch.zeros(logits.shape, dtype=torch.bool)
    for row, time in enumerate(times):
        gone[row, rollout.choices[:time]] = True
    log_choice = (logits / _TEMPERATURE).masked_fill(gone, -1e4).log_softmax(dim=1)
    chosen: Tensor = log_choice[torch.arange(len(times)), torch.tensor([rollout.choices[time] for time in times])]
    return chosen
