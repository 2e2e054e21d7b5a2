"""The first objective of the count-based network, supervised: predict the new hits of every sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.features.encoding import Signals
from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.learner import LossInput
from memsum_train.learning.signals import summary_targets
from memsum_train.paper.episodes import index_reference
from memsum_train.policy.counted.extractor import UNIGRAM
from memsum_train.policy.counted.network import CountedEncoded, pad
from memsum_train.rouge.search import NGrams, new_hits

_HITS, _GAIN, _EPISODE = 4.0, 0.5, 0.5  # weights of the three losses
_WORDS, _PAIRS = 2.0, 6.0  # weights of the cross-entropies of salience
_SHARPNESS = 10.0  # of the softmax of gains per word
_LEAST_WORDS = 8  # that a gain is divided by: a short sentence is no bargain
_USUAL_WORDS, _MOST_WORDS = 20, 40  # a sentence counts by its words, up to a point
_OFF_EPISODE = 0.5  # share of the states that are not of an episode
_NOISE = 1.5  # by which states near the network's own differ from them


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
    usual = math.exp(signals.expected) / max(15.0, float(document.text.lengths.mean()))
    count = min(int(rng.integers(max(2, int(1.5 * usual)) + 1)), sentences - 1)
    noisy = first[:sentences] + _NOISE * rng.gumbel(size=sentences)
    extracted = np.argsort(-noisy)[:count].astype(np.int64)
    return SampledState(number, extracted, new_hits(ngrams, extracted), nothing)


def _log_softmax(x: Tensor, segment: Tensor, allowed: Tensor, segments: int) -> Tensor:
    """Normalize within each segment, over what is allowed; elsewhere the values mean nothing, and are finite."""
    x = x.float().masked_fill(~allowed, -1e4)
    largest = torch.full((segments,), -1e4, device=x.device).scatter_reduce(0, segment, x.detach(), "amax")
    x = x - largest[segment]
    totals = torch.zeros(segments, device=x.device).index_add(0, segment, x.exp())
    return x - totals.clamp(min=1e-30).log()[segment]
