"""What goes into the policy: a batch of documents, and how far their episodes have come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from memsum.text.signals import Signals


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
    places: Tensor  # (B · N,) row of each sentence in the concatenated buckets; padding points to row 0
    mask: Tensor  # (B, N) true where there is a sentence
    positions: Tensor  # (B, N) index of each sentence in its document
    signals: Sequence[Signals] | None = None  # of each document, where the policy reads them

    @property
    def lengths(self) -> Tensor:
        """Number of sentences of each document."""
        return self.mask.sum(dim=1)

    def gather(self, name: str) -> Tensor:
        """A field of the buckets' sentences, in their documents' order (B, N, …); padding has that of the first."""
        rows = torch.cat([getattr(bucket, name) for bucket in self.buckets])[self.places]
        return rows.view(*self.mask.shape, *rows.shape[1:])

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        if self.mask.device == device:
            return self
        buckets = [
            SentenceBucket(b.words.to(device), b.mask.to(device), b.lengths.to(device), b.features.to(device))
            for b in self.buckets
        ]
        rest = (self.places.to(device), self.mask.to(device), self.positions.to(device))
        return Batch(self.words.to(device), buckets, *rest, self.signals)


@dataclass(frozen=True)
class State:
    """How far the episodes have come: what remains to choose from, and what was extracted, in order."""

    remaining: Tensor  # (B, N) true for sentences that can be chosen
    extracted: Tensor  # (B, E) positions, in order of extraction
    taken: Tensor  # (B, E) true where `extracted` is filled

    @classmethod
    def start(cls, mask: Tensor) -> State:
        """Before the first extraction."""
        empty = torch.zeros(len(mask), 0, dtype=torch.long, device=mask.device)
        return cls(mask, empty, empty.bool())

    def extract(self, choice: Tensor, active: Tensor) -> State:
        """Move the chosen sentences (B,) of the active episodes (B,) from what remains to what was extracted."""
        chosen = torch.zeros_like(self.remaining).scatter_(1, choice[:, None], active[:, None])
        return State(
            self.remaining & ~chosen,
            torch.cat([self.extracted, choice[:, None]], dim=1),
            torch.cat([self.taken, active[:, None]], dim=1),
        )
