"""The objectives of the count-based network: supervised, the new hits of every sentence; then on-policy, what scores
best, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.arrays import F32
from memsum.features.encoding import Signals
from memsum.features.novelty import PAIRS_SAID
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.learner import LossInput
from memsum_train.learning.signals import summary_targets
from memsum_train.paper.episodes import index_reference
from memsum_train.policy.counted import UNIGRAM, CountedEncoded, CountedExtractor, look_ahead, pad, progress_of
from memsum_train.rouge.kernels import NGrams, hits_along, new_hits

_HITS, _GAIN, _EPISODE = 4.0, 0.5, 0.5  # weights of the three losses
_WORDS, _PAIRS = 2.0, 6.0  # weights of the cross-entropies of salience
_SHARPNESS = 10.0  # of the softmax of gains per word
_LEAST_WORDS = 8  # that a gain is divided by: a short sentence is no bargain
_USUAL_WORDS, _MOST_WORDS = 20, 40  # a sentence counts by its words, up to a point
_OFF_EPISODE = 0.5  # share of the states that are not of an episode
_NOISE = 1.5  # by which states near the network's own differ from them
# Of self_play.
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
class SampledState:
    """A state of a document, the new hits of each of its sentences, and what its episode would still take."""

    document: int
    extracted: NDArray[np.int64]
    hits: NDArray[np.int32]  # (N, 2)
    upcoming: NDArray[np.int64]


def ngram_gain_loss(given: LossInput) -> Tensor:
    """Learn from every sentence of a state, not only the one that an episode takes next; the sum over the documents.

    A state of an episode is drawn, half of the time from a high-ROUGE episode and otherwise near those the network
    itself gets into. The reference then gives the number of words and pairs of words of every remaining sentence that
    would be new hits. The network learns these shares (a cross-entropy per word), to prefer sentences by their gain per
    word (a softmax of it), and to go on with the episode.
    """
    return encoded_loss(given, given.policy.encode(given.batch), given.config.states or 2)


def encoded_loss(given: LossInput, encoded: CountedEncoded, states_each: int) -> Tensor:
    """Compute `ngram_gain_loss` of documents that are encoded already."""
    extractor, documents = given.policy.extractor, given.documents
    with torch.no_grad():  # the scores (B, N) before the first extraction
        novelty = pad([signals.novelty().features() for signals in encoded.signals], encoded.mask.shape[1])
        logits = extractor(encoded.states, novelty.to(encoded.states.device), encoded.lengths).logits
    first: NDArray[np.float32] = logits.float().cpu().numpy()
    states = [
        sample_state(number, document, ngrams, signals, first[number], rng)
        for number, (document, signals, rng) in enumerate(
            zip(documents, encoded.signals, given.generators, strict=True)
        )
        if (ngrams := reference_ngrams(document)) is not None
        for _ in range(states_each)
    ]
    if not states:
        return encoded.states.sum() * 0
    longest = encoded.mask.shape[1]
    device = encoded.states.device
    sizes = [len(state.hits) for state in states]
    flat = np.concatenate(
        [state.document * longest + np.arange(size) for state, size in zip(states, sizes, strict=True)]
    )
    segment = torch.from_numpy(np.repeat(np.arange(len(states)), sizes)).to(device)
    rows = torch.from_numpy(flat).to(device)
    counted = np.concatenate(
        [encoded.signals[s.document].novelty().after(s.extracted.tolist()).features() for s in states]
    )
    words = encoded.lengths.reshape(-1)[rows]
    judgment = extractor(
        encoded.states.reshape(longest * len(encoded.mask), -1).index_select(0, rows),
        torch.from_numpy(counted).to(device),
        words,
    )
    remaining = np.ones(len(flat), bool)
    upcoming = np.zeros(len(flat), np.float32)
    begin = 0
    for state, size in zip(states, sizes, strict=True):
        remaining[begin + state.extracted] = False
        upcoming[begin + state.upcoming] = 1 / max(1, len(state.upcoming))
        begin += size
    left = torch.from_numpy(remaining).to(device)
    hits = torch.from_numpy(np.concatenate([state.hits for state in states]).astype(np.float32)).to(device)

    shares = (hits / words[:, None].clamp(min=1)).clamp(max=1)
    weight = (words.clamp(max=_MOST_WORDS) / _USUAL_WORDS) * left
    known = F.binary_cross_entropy_with_logits(judgment.hits, shares, reduction="none").mean(dim=1)
    known = (known * weight).sum() / weight.sum().clamp(min=1) * 2
    gains = (UNIGRAM * hits[:, 0] + hits[:, 1]) / words.clamp(min=_LEAST_WORDS)
    with torch.no_grad():
        wanted = _log_softmax(_SHARPNESS * gains, segment, left, len(states)).exp() * left
    preferred = -(wanted * _log_softmax(judgment.gain, segment, left, len(states))).sum() / len(states)
    aims = torch.from_numpy(upcoming).to(device)
    imitated = -(aims * _log_softmax(judgment.logits, segment, left, len(states))).sum() / aims.sum().clamp(min=1)
    total = _HITS * known + _GAIN * preferred + _EPISODE * imitated
    return total * len(documents) + _salience_loss(encoded, documents)


def _salience_loss(encoded: CountedEncoded, documents: Sequence[EncodedDocument]) -> Tensor:
    """Compare contextual salience with the words and pairs of words that the summaries have; the sum."""
    total = encoded.states.new_zeros(())
    for document, signals, odds in zip(documents, encoded.signals, encoded.odds, strict=True):
        summary = document.reference.summary_ids
        targets = summary_targets(signals.counts, np.unique(document.text.ids), summary)
        for of, said, weight in zip(odds, targets, (_WORDS, _PAIRS), strict=True):
            if len(said):
                wanted = torch.from_numpy(said).to(of.device)
                total = total + weight * F.binary_cross_entropy_with_logits(of, wanted)
    return total


def reference_ngrams(document: EncodedDocument) -> NGrams | None:
    """Index what the document's sentences share with its summary."""
    return index_reference(document.reference.text, document.reference.summary)


def sample_state(
    number: int,
    document: EncodedDocument,
    ngrams: NGrams,
    signals: Signals,
    first: NDArray[np.float32],
    rng: np.random.Generator,
) -> SampledState:
    """Draw a state of a high-ROUGE episode, or one near those the network itself gets into."""
    sentences = len(document.text)
    nothing = np.empty(0, np.int64)
    if rng.random() >= _OFF_EPISODE and len(document.episodes):
        episode = rng.permutation(document.episodes[int(rng.integers(len(document.episodes)))])
        time = int(rng.integers(len(episode) + 1))
        return SampledState(number, episode[:time], new_hits(ngrams, episode[:time]), episode[time:])
    extracted = draw_near(first[:sentences], signals, document.text.lengths, rng)
    return SampledState(number, extracted, new_hits(ngrams, extracted), nothing)


def draw_near(first: F32, signals: Signals, lengths: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a state near those that a network gets into, which rates the sentences so at first."""
    usual = math.exp(signals.expected) / max(15.0, float(lengths.mean()))
    count = min(int(rng.integers(max(2, int(1.5 * usual)) + 1)), len(first) - 1)
    return np.argsort(-(first + _NOISE * rng.gumbel(size=len(first))))[:count].astype(np.int64)


def _log_softmax(x: Tensor, segment: Tensor, allowed: Tensor, segments: int) -> Tensor:
    """Normalize within each segment, over what is allowed; elsewhere the values mean nothing, and are finite."""
    x = x.float().masked_fill(~allowed, -1e4)
    largest = torch.full((segments,), -1e4, device=x.device).scatter_reduce(0, segment, x.detach(), "amax")
    x = x - largest[segment]
    totals = torch.zeros(segments, device=x.device).index_add(0, segment, x.exp())
    return x - totals.clamp(min=1e-30).log()[segment]


# --- self_play -----------------------------------------------------------------------------------------------------


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
