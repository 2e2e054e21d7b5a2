"""What a counting policy learns from: every sentence of a state, not only the one that an episode takes next.

A state of an episode is drawn, half of the time from a high-ROUGE episode and otherwise near those the policy itself
gets into. The reference then tells of every remaining sentence how many of its words and pairs of words would be new
hits. The policy learns these shares (a cross-entropy per word), to prefer sentences by their gain per word (a softmax
of it), and to go on with the episode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.corpus.episodes import index_reference
from memsum.errors import TrainingError
from memsum.policy import Batch, Encoded, Policy
from memsum.policy.counted import UNIGRAM, CountedExtractor
from memsum.rouge.search import NGrams, new_hits
from memsum.text.signals import Signals
from memsum.training.config import TrainingConfig
from memsum.training.data import Document

_HITS, _GAIN, _EPISODE = 4.0, 0.5, 0.5  # weights of the three losses
_SHARPNESS = 10.0  # of the softmax of gains per word
_LEAST_WORDS = 8  # that a gain is divided by: scraps of a few words are no bargain
_USUAL_WORDS, _MOST_WORDS = 20, 40  # a sentence counts by its words, up to a point
_OFF_EPISODE = 0.5  # share of the states that are not of an episode
_NOISE = 1.5  # by which states near the policy's own differ from them


@dataclass(frozen=True)
class _State:
    """A state, what each sentence would bring in it, and which sentences its episode would still take."""

    document: int
    extracted: NDArray[np.int64]
    hits: NDArray[np.int32]  # (N, 2)
    follow: NDArray[np.int64]


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """The sum over the documents of the mean loss of some states of each."""
    return hits_loss(policy, policy.encode(batch), documents, generators, config.states or 2)


def hits_loss(
    policy: Policy,
    encoded: Encoded,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    states_each: int,
) -> Tensor:
    """The same of documents that are encoded already."""
    extractor = counting(policy)
    first = _first_logits(extractor, encoded)
    states = [
        _draw(number, document, ngrams, signals, first[number], rng)
        for number, (document, signals, rng) in enumerate(zip(documents, encoded.signals, generators, strict=True))
        if (ngrams := reference_ngrams(document)) is not None
        for _ in range(states_each)
    ]
    if not states or encoded.states is None or encoded.lengths is None:
        return encoded.local.sum() * 0
    longest = encoded.mask.shape[1]
    device = encoded.states.device
    sizes = [len(state.hits) for state in states]
    flat = np.concatenate(
        [state.document * longest + np.arange(size) for state, size in zip(states, sizes, strict=True)]
    )
    segment = torch.from_numpy(np.repeat(np.arange(len(states)), sizes)).to(device)
    rows = torch.from_numpy(flat).to(device)
    novelty = np.concatenate(
        [encoded.signals[s.document].novelty().after(s.extracted.tolist()).features() for s in states]
    )
    words = encoded.lengths.reshape(-1)[rows]
    judgement = extractor(
        encoded.states.reshape(longest * len(encoded.mask), -1).index_select(0, rows),
        torch.from_numpy(novelty).to(device),
        words,
    )
    remaining = np.ones(len(flat), bool)
    follow = np.zeros(len(flat), np.float32)
    begin = 0
    for state, size in zip(states, sizes, strict=True):
        remaining[begin + state.extracted] = False
        follow[begin + state.follow] = 1 / max(1, len(state.follow))
        begin += size
    left = torch.from_numpy(remaining).to(device)
    hits = torch.from_numpy(np.concatenate([state.hits for state in states]).astype(np.float32)).to(device)

    shares = (hits / words[:, None].clamp(min=1)).clamp(max=1)
    weight = (words.clamp(max=_MOST_WORDS) / _USUAL_WORDS) * left
    known = F.binary_cross_entropy_with_logits(judgement.hits, shares, reduction="none").mean(dim=1)
    known = (known * weight).sum() / weight.sum().clamp(min=1) * 2
    gains = (UNIGRAM * hits[:, 0] + hits[:, 1]) / words.clamp(min=_LEAST_WORDS)
    with torch.no_grad():
        wanted = _log_softmax(_SHARPNESS * gains, segment, left, len(states)).exp() * left
    preferred = -(wanted * _log_softmax(judgement.gain, segment, left, len(states))).sum() / len(states)
    aims = torch.from_numpy(follow).to(device)
    followed = -(aims * _log_softmax(judgement.logits, segment, left, len(states))).sum() / aims.sum().clamp(min=1)
    return (_HITS * known + _GAIN * preferred + _EPISODE * followed) * len(documents)


def counting(policy: Policy) -> CountedExtractor:
    """The policy's extractor, which must be one that counts."""
    if not isinstance(policy.extractor, CountedExtractor):
        raise TrainingError("This objective teaches a policy whose history is counted.", "Use --history counted.")
    return policy.extractor


def reference_ngrams(document: Document) -> NGrams | None:
    """What the document's sentences share with its summary."""
    if document.wording is None:
        raise ValueError("The corpus was encoded without its wording.")
    return index_reference(document.wording.text, document.wording.summary)


@torch.no_grad()
def _first_logits(extractor: CountedExtractor, encoded: Encoded) -> NDArray[np.float32]:
    """The scores (B, N) before the first extraction, about as they would be without it."""
    if encoded.states is None or encoded.lengths is None:
        raise ValueError("The documents were encoded without signals.")
    longest = encoded.mask.shape[1]
    novelty = np.zeros((len(encoded.mask), longest, extractor.novelty.in_features), np.float32)
    for row, signals in enumerate(encoded.signals):
        features = signals.novelty().features()
        novelty[row, : len(features)] = features
    logits = extractor(encoded.states, torch.from_numpy(novelty).to(encoded.states.device), encoded.lengths).logits
    first: NDArray[np.float32] = logits.float().cpu().numpy()
    return first


def _draw(
    number: int,
    document: Document,
    ngrams: NGrams,
    signals: Signals,
    first: NDArray[np.float32],
    rng: np.random.Generator,
) -> _State:
    sentences = len(document.text)
    nothing = np.empty(0, np.int64)
    if rng.random() >= _OFF_EPISODE and len(document.episodes):
        episode = rng.permutation(document.episodes[int(rng.integers(len(document.episodes)))])
        time = int(rng.integers(len(episode) + 1))
        return _State(number, episode[:time], new_hits(ngrams, episode[:time]), episode[time:])
    usual = math.exp(signals.expected) / max(15.0, float(document.text.lengths.mean()))
    count = min(int(rng.integers(max(2, int(1.5 * usual)) + 1)), sentences - 1)
    noisy = first[:sentences] + _NOISE * rng.gumbel(size=sentences)
    extracted = np.argsort(-noisy)[:count].astype(np.int64)
    return _State(number, extracted, new_hits(ngrams, extracted), nothing)


def _log_softmax(x: Tensor, segment: Tensor, allowed: Tensor, segments: int) -> Tensor:
    """Within each segment, over what is allowed; elsewhere the values mean nothing, and are finite."""
    x = x.float().masked_fill(~allowed, -1e4)
    largest = torch.full((segments,), -1e4, device=x.device).scatter_reduce(0, segment, x.detach(), "amax")
    x = x - largest[segment]
    totals = torch.zeros(segments, device=x.device).index_add(0, segment, x.exp())
    return x - totals.clamp(min=1e-30).log()[segment]
