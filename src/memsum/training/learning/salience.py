"""Fitting of salience: which words and pairs of words of a document a human summary has.

A small network, fitted in a minute; `memsum.features.salience` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.errors import TrainingError
from memsum.features.counts import Counts
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.salience import (
    PAIR_FEATURES,
    WORD_FEATURES,
    SalienceModel,
    pair_features,
    summary_targets,
    word_features,
)
from memsum.training.corpus.records import Example

FEWEST = 50  # documents to learn from
_MEANINGS = 24
_PAIRS = 24
_DOCUMENTS = 8  # per update
_RATE = 3e-3
_SCALE = 1 / 3  # word vectors have components of about 1; so they start as loud as the other inputs
_PAIR_WEIGHT = 3.0  # pairs are rarer in summaries, and their loss smaller


class _SalienceNetwork(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.meanings = nn.Linear(width, _MEANINGS, bias=False)
        self.word = nn.Linear(WORD_FEATURES, _MEANINGS)
        self.word_out = nn.Linear(_MEANINGS, 1)
        self.pair = nn.Linear(PAIR_FEATURES, _PAIRS)
        self.pair_out = nn.Linear(_PAIRS, 1)

    def words(self, vectors: Tensor, features: Tensor) -> Tensor:
        odds: Tensor = self.word_out(F.relu(self.meanings(vectors * _SCALE) + self.word(features)))
        return odds[:, 0]

    def pairs(self, features: Tensor) -> Tensor:
        odds: Tensor = self.pair_out(F.relu(self.pair(features)))
        return odds[:, 0]


@dataclass(frozen=True)
class _Lesson:
    """The words of a document as they are counted, and which of them its summary has."""

    counts: Counts
    distinct: NDArray[np.int32]
    features: Tensor  # of the words
    in_summary: Tensor
    pairs_in_summary: Tensor


def fit_salience(
    examples: Sequence[Example],
    encoder: TextEncoder,
    seed: int = 0,
    advance: Callable[[int], None] = lambda done: None,
    passes: int = 1,
) -> SalienceModel:
    """Fit a model in some passes over the examples, each in another random order.

    `advance` is called once per example when it is read, and once in each pass.
    """
    if len(examples) < FEWEST:
        raise TrainingError(f"Learning which words matter takes at least {FEWEST} documents, not {len(examples)}.")
    lessons = []
    for example in examples:
        advance(1)
        text = encoder.encode(example.text, example.sections, example.title)
        if len(text):
            lessons.append(_read(text, example, encoder))
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(lessons)) for _ in range(passes)])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _SalienceNetwork(encoder.vectors.dimension)
        optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE)
        for seen, index in enumerate(order, start=1):
            advance(1)
            loss = _salience_loss(network, lessons[index], encoder)
            (loss / _DOCUMENTS).backward()  # type: ignore[no-untyped-call]
            if seen % _DOCUMENTS == 0:
                for group in optimizer.param_groups:
                    group["lr"] = _RATE * (1.01 - seen / len(order))
                optimizer.step()
                optimizer.zero_grad()
    return _salience_model(network, encoder)


def _read(text: EncodedText, example: Example, encoder: TextEncoder) -> _Lesson:
    counts, distinct = encoder.count(text)
    targets = summary_targets(counts, distinct, encoder.summary_ids(example.summary))
    return _Lesson(counts, distinct, *map(torch.from_numpy, (word_features(counts), *targets)))


def _salience_loss(network: _SalienceNetwork, lesson: _Lesson, encoder: TextEncoder) -> Tensor:
    odds = network.words(torch.from_numpy(encoder.vectors.lookup(lesson.distinct)), lesson.features)
    loss = F.binary_cross_entropy_with_logits(odds, lesson.in_summary)
    if len(lesson.pairs_in_summary):
        pairs = network.pairs(torch.from_numpy(pair_features(lesson.counts, odds.detach().numpy())))
        loss = loss + _PAIR_WEIGHT * F.binary_cross_entropy_with_logits(pairs, lesson.pairs_in_summary)
    return loss


@torch.no_grad()
def _salience_model(network: _SalienceNetwork, encoder: TextEncoder) -> SalienceModel:
    table = network.meanings(torch.from_numpy(encoder.vectors.dense()) * _SCALE).numpy()
    scales = (np.abs(table).max(axis=0) / 127 + 1e-12).astype(np.float32)
    parts = [parameter.detach().numpy().copy() for name in ("word", "pair") for parameter in _parameters(network, name)]
    return SalienceModel(np.rint(table / scales).astype(np.int8), scales, *parts)


def _parameters(network: _SalienceNetwork, name: str) -> list[Tensor]:
    hidden, out = getattr(network, name), getattr(network, f"{name}_out")
    return [hidden.weight, hidden.bias, out.weight[0], out.bias]
