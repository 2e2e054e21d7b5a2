"""Input of a network: a batch of documents, and the states of their episodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.features.columns import NGrams
from memsum.features.encoding import EncodedText, Signals

D = TypeVar("D")

_BUCKET_WORDS = 4_096  # words of a bucket, padding included: large enough to keep the cores busy, small in memory


def move(parts: D, device: torch.device) -> D:
    """Return a dataclass with its tensors on a device."""
    tensors = {name: value.to(device) for name, value in vars(parts).items() if isinstance(value, Tensor)}
    return replace(parts, **tensors)  # type: ignore[type-var]


@dataclass(frozen=True)
class SentenceBucket:
    """Sentences of about one length, from any document of the batch."""

    words: Tensor  # (S, W) rows of the batch's distinct words, 0 is padding
    mask: Tensor  # (S, W) true where there is a word
    lengths: Tensor  # (S,) tokens to read: words, and padding that belongs to the sentence
    features: Tensor  # (S, F)


@dataclass(frozen=True)
class Batch:
    """Documents of about one number of sentences; their sentences lie in buckets sorted by length."""

    words: Tensor  # (U,) ids of the distinct words, the padding's first
    buckets: Sequence[SentenceBucket]
    rows: Tensor  # (B · N,) row of each sentence in the concatenated buckets; padding points to row 0
    mask: Tensor  # (B, N) true where there is a sentence
    positions: Tensor  # (B, N) index of each sentence in its document
    signals: Sequence[Signals] = ()  # of each document, if it was encoded with signals
    columns: Tensor | None = None  # (R, C) of all documents one after the other, if the policy reads them
    ngrams: tuple[Tensor, ...] = ()  # buckets, rows and shares of theirs

    @property
    def lengths(self) -> Tensor:
        return self.mask.sum(dim=1)

    def gather(self, name: str) -> Tensor:
        """Put a field of the buckets' sentences into their documents (B, N, …); padding has that of the first."""
        rows = torch.cat([getattr(bucket, name) for bucket in self.buckets])[self.rows]
        return rows.view(*self.mask.shape, *rows.shape[1:])

    def to(self, device: torch.device) -> Batch:
        if self.mask.device == device:
            return self
        ngrams = tuple(part.to(device) for part in self.ngrams)
        return replace(move(self, device), buckets=[move(bucket, device) for bucket in self.buckets], ngrams=ngrams)


def collate(texts: Sequence[EncodedText]) -> Batch:
    """Put the documents' sentences into buckets sorted by length."""
    lengths = np.concatenate([text.lengths for text in texts])
    features = np.concatenate([text.features for text in texts])
    distinct, numbers = np.unique(np.concatenate([[0], *(text.ids for text in texts)]), return_inverse=True)
    words = numbers[1:]  # the first is the padding
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    buckets, low = [], 0
    while low < len(order):
        high = low + 1
        while high < len(order) and (high + 1 - low) * lengths[order[high]] <= _BUCKET_WORDS:
            high += 1
        buckets.append(_bucket(words, starts, lengths, features, order[low:high]))
        low = high

    sentences = [len(text) for text in texts]
    mask = np.arange(max(sentences))[None, :] < np.array(sentences)[:, None]
    rows, positions = np.zeros((2, *mask.shape), np.int64)
    rows[mask] = np.argsort(order, kind="stable")  # where in the buckets each sentence of the flat order went
    positions[mask] = np.concatenate([text.indices for text in texts])
    where, inside, offsets = (torch.from_numpy(array) for array in (rows.ravel(), mask, positions))
    signals = [text.signals for text in texts if text.signals is not None]
    columns, ngrams = _columns(texts)
    return Batch(torch.from_numpy(distinct), buckets, where, inside, offsets, signals, columns, ngrams)


def _columns(texts: Sequence[EncodedText]) -> tuple[Tensor | None, tuple[Tensor, ...]]:
    known = [(text.columns, text.ngrams) for text in texts if text.columns is not None and text.ngrams is not None]
    if len(known) < len(texts):
        return None, ()
    columns, ngrams = zip(*known, strict=True)
    joined = join_ngrams(ngrams, np.cumsum([0, *map(len, columns)]))
    return torch.from_numpy(np.concatenate(columns)), joined


def join_ngrams(ngrams: Sequence[NGrams], starts: NDArray[np.int64]) -> tuple[Tensor, ...]:
    """Join the n-grams of documents whose sentences stand one after the other, each from its start."""
    moved = [own._replace(rows=own.rows + start) for own, start in zip(ngrams, starts, strict=False)]
    return tuple(torch.from_numpy(np.concatenate(part)) for part in zip(*moved, strict=True))


def _bucket(
    words: NDArray[np.int64],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    features: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> SentenceBucket:
    here = lengths[rows]
    inside = np.arange(here.max())[None, :] < here[:, None]
    padded = np.zeros(inside.shape, np.int64)
    padded[inside] = words[np.repeat(starts[rows] - np.cumsum(here) + here, here) + np.arange(here.sum())]
    return SentenceBucket(*map(torch.from_numpy, (padded, padded != 0, here, features[rows])))


def micro_batches(indices: Sequence[int], sentences: NDArray[np.int64], most: int) -> Iterator[list[int]]:
    """Cut a batch so that no part holds more than `most` sentences, padding included."""
    part: list[int] = []
    for index in sorted(indices, key=lambda i: int(sentences[i])):
        if part and (len(part) + 1) * int(sentences[index]) > most:
            yield part
            part = []
        part.append(index)
    if part:
        yield part


@dataclass(frozen=True)
class State:
    """States of episodes: what remains to choose from, and what was extracted, in order."""

    remaining: Tensor  # (B, N) true for sentences that can be chosen
    extracted: Tensor  # (B, E) positions, in order of extraction
    taken: Tensor  # (B, E) true where `extracted` is filled

    @classmethod
    def start(cls, mask: Tensor) -> State:
        empty = torch.zeros(len(mask), 0, dtype=torch.long, device=mask.device)
        return cls(mask, empty, empty.bool())

    def to(self, device: torch.device) -> State:
        return move(self, device)

    def extract(self, choice: Tensor, active: Tensor) -> State:
        """Move the chosen sentences (B,) of the active episodes (B,) from what remains to what was extracted."""
        chosen = torch.zeros_like(self.remaining).scatter_(1, choice[:, None], active[:, None])
        return State(
            self.remaining & ~chosen,
            torch.cat([self.extracted, choice[:, None]], dim=1),
            torch.cat([self.taken, active[:, None]], dim=1),
        )
