"""On-policy learning of a counting policy: it plays, the reference judges, and what did better than the rest is
reinforced.

Several episodes of each document are drawn from the policy, and go on for longer than a summary would. Their prefixes
are judged one by one, so the stop learns without guessing: the expected score of an episode under the policy's own
probabilities of stopping after each sentence is a sum that can be differentiated. The choices are reinforced by how
much higher that expectation is than in the document's other episodes (REINFORCE with the leave-one-out baseline). The
loss of `hits` is the anchor that keeps the policy from forgetting what it has learned with supervision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.policy import Batch, Encoded, Policy
from memsum.policy.counted import CountedExtractor, look_ahead
from memsum.rouge.search import NGrams, hits_along
from memsum.text.novelty import PAIRS_SAID, stop_inputs
from memsum.training.config import TrainingConfig
from memsum.training.data import Document
from memsum.training.objectives.hits import counting, hits_loss, reference_ngrams

_CANDIDATES = 60  # sentences that are drawn from: what scores lower at first is noise
_TEMPERATURE = 0.5
_LONGEST = 1.8  # times the expected words
_STATES = 4  # of an episode whose choices are reinforced
_SPREAD = 0.02  # typical difference of two episodes' scores
_CHOICES, _STOPS, _ANCHOR = 0.1, 15.0, 0.3  # weights of the three losses
_LSUM = 0.92  # ROUGE-Lsum is about so much of ROUGE-1
# What a reader minds and ROUGE does not: each scrap of a few words, and each sentence of which much was said before.
_SCRAP, _SCRAP_WORDS = 0.004, 8
_AGAIN, _AGAIN_SHARE = 0.008, 0.4


@dataclass(frozen=True)
class _Episode:
    choices: list[int]  # among the candidates
    novelty: list[NDArray[np.float32]]  # (C, F) before each choice
    stops: Tensor  # (T, …) inputs of the stop after each choice
    scores: NDArray[np.float64]  # (T,) of what is extracted after each choice


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """The sum over the documents of the losses of choosing and stopping, and the anchor."""
    extractor = counting(policy)
    encoded = policy.encode(batch)
    total = _ANCHOR * hits_loss(policy, encoded, documents, generators, 1)
    was_training = extractor.training
    extractor.eval()  # what plays and what learns is the policy as it will be used
    for row, (document, rng) in enumerate(zip(documents, generators, strict=True)):
        ngrams = reference_ngrams(document)
        if ngrams is not None and len(document.text) > 1:
            total = total + _document_loss(extractor, encoded, row, ngrams, rng, config)
    extractor.train(was_training)
    return total


def _document_loss(
    extractor: CountedExtractor,
    encoded: Encoded,
    row: int,
    ngrams: NGrams,
    rng: np.random.Generator,
    config: TrainingConfig,
) -> Tensor:
    if encoded.states is None or encoded.lengths is None:
        raise ValueError("The documents were encoded without signals.")
    number = int(encoded.mask[row].sum())
    states, lengths = encoded.states[row, :number], encoded.lengths[row, :number]
    first = extractor(states.detach(), torch.from_numpy(encoded.signals[row].novelty().features()), lengths).logits
    candidates = first.topk(min(_CANDIDATES, number)).indices.sort().values
    states, lengths = states[candidates], lengths[candidates]
    places = candidates.numpy()
    # The last episode is the policy's own best one: it is there for the stop, as it will be used.
    episodes = [
        _play(extractor, encoded, row, states.detach(), lengths, places, ngrams, rng if draw else None, config)
        for draw in [True] * config.samples + [False]
    ]
    values, total = [], states.new_zeros(())
    for episode in episodes:
        survival, value = _expected_score(extractor, episode)
        total = total - _STOPS * value / len(episodes)
        values.append((float(value.detach()), survival))
    drawn = np.array([value for value, _ in values[:-1]])
    better = (drawn - (drawn.sum() - drawn) / (len(drawn) - 1)) / _SPREAD
    for episode, advantage, (_, survival) in zip(episodes, better.tolist(), values, strict=False):
        times = rng.choice(len(episode.choices), min(_STATES, len(episode.choices)), replace=False)
        weight = advantage * len(episode.choices) / len(times) / config.samples
        for_choices = _log_choices(extractor, states, lengths, episode, times)
        total = total - _CHOICES * weight * (for_choices * survival[times]).sum()
    return total


@torch.no_grad()
def _play(
    extractor: CountedExtractor,
    encoded: Encoded,
    row: int,
    states: Tensor,
    lengths: Tensor,
    places: NDArray[np.int64],
    ngrams: NGrams,
    rng: np.random.Generator | None,
    config: TrainingConfig,
) -> _Episode:
    """Extract candidates until there are more than enough words; at random if there is a generator."""
    signals = encoded.signals[row]
    memory = signals.novelty()
    remaining = torch.ones(1, len(places), dtype=torch.bool)
    choices: list[int] = []
    novelty: list[NDArray[np.float32]] = []
    stops: list[Tensor] = []
    most = min(config.max_sentences, len(places))
    enough = _LONGEST * math.exp(signals.expected)
    while True:
        features = memory.features()[places]
        judgement = extractor(states[None], torch.from_numpy(features)[None], lengths[None])
        if choices:
            progress = torch.from_numpy(stop_inputs(memory, signals.expected, signals.spread))[None]
            ahead = remaining if remaining.any() else torch.ones_like(remaining)
            stops.append(look_ahead(progress, judgement, lengths[None], ahead)[0])
        if len(choices) == most or memory.words >= enough:
            break
        logits = judgement.logits[0].numpy() / _TEMPERATURE
        if rng is not None:
            logits = logits + rng.gumbel(size=len(logits))
        choice = int(np.where(remaining[0].numpy(), logits, -np.inf).argmax())
        novelty.append(features)
        choices.append(choice)
        remaining[0, choice] = False
        memory.extract(int(places[choice]))
    along = hits_along(ngrams, places[choices])
    unigrams = 2 * along[:, 0] / (along[:, 2] + ngrams.totals[0])
    bigrams = 2 * along[:, 1] / np.maximum(along[:, 3] + ngrams.totals[1], 1)
    scraps = lengths[choices].numpy() < _SCRAP_WORDS
    again = np.array([seen[choice, PAIRS_SAID] > _AGAIN_SHARE for seen, choice in zip(novelty, choices, strict=True)])
    minded = np.cumsum(_SCRAP * scraps + _AGAIN * again)
    return _Episode(choices, novelty, torch.stack(stops), ((1 + _LSUM) * unigrams + bigrams) / 3 - minded)


def _expected_score(extractor: CountedExtractor, episode: _Episode) -> tuple[Tensor, Tensor]:
    """The probability that each choice is made at all (T,), and the expected score; at the end, one stops."""
    if extractor.stop is None:
        return torch.ones(len(episode.choices)), torch.tensor(float(episode.scores[-1]))
    stop = extractor.stop(episode.stops).sigmoid()
    stop = torch.cat([stop[:-1], torch.ones(1)])
    survival = torch.cat([torch.ones(1), (1 - stop[:-1]).cumprod(dim=0)])
    value = (survival * stop * torch.from_numpy(episode.scores).float()).sum()
    return survival.detach(), value


def _log_choices(
    extractor: CountedExtractor, states: Tensor, lengths: Tensor, episode: _Episode, times: NDArray[np.int64]
) -> Tensor:
    """log π of some of the choices, with gradients."""
    novelty = torch.from_numpy(np.stack([episode.novelty[time] for time in times]))
    logits = extractor(states.expand(len(times), *states.shape), novelty, lengths.expand(len(times), -1)).logits
    gone = torch.zeros(logits.shape, dtype=torch.bool)
    for row, time in enumerate(times):
        gone[row, episode.choices[:time]] = True
    log_choice = (logits / _TEMPERATURE).masked_fill(gone, -1e4).log_softmax(dim=1)
    chosen: Tensor = log_choice[torch.arange(len(times)), torch.tensor([episode.choices[time] for time in times])]
    return chosen
