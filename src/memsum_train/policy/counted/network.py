"""The count-based network: states of sentences are computed once per document, a step only counts what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.features.encoding import Signals
from memsum.features.novelty import Novelty, stop_inputs
from memsum_train.paper.model import StopScores
from memsum_train.policy.batch import Batch, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.counted.extractor import CountedExtractor, look_ahead
from memsum_train.policy.counted.salience import Odds, refined_signals
from memsum_train.policy.network import Network, StepScores


@dataclass(frozen=True)
class CountedEncoded:
    """Hidden states of sentences, and what their documents' histories count with."""

    states: Tensor  # (B, N, HIDDEN)
    lengths: Tensor  # (B, N) words of the sentences
    mask: Tensor  # (B, N) true where there is a sentence
    signals: Sequence[Signals]  # of each document, with its contextual salience
    odds: Sequence[Odds]  # that this salience follows from, with gradients


class CountedNetwork(Network[CountedEncoded]):
    """Local and context encoder, and an extractor that reads counts instead of an encoded history."""

    def __init__(self, config: PolicyConfig, *inputs: Any) -> None:
        super().__init__(config, *inputs)
        self.extractor = CountedExtractor(config)
        self._has_history = True

    def encode(self, batch: Batch) -> CountedEncoded:
        local, context = self.read(batch)
        features, lengths = batch.gather("features"), batch.gather("lengths")
        signals = pad([document.values for document in batch.signals], batch.mask.shape[1]).to(features.device)
        states = self.extractor.read(local, context, features, signals)
        odds = self.extractor.salience(states, batch.signals)
        if self.extractor.columns is not None:
            states = self._with_columns(states, batch)
        return CountedEncoded(states, lengths.float(), batch.mask, refined_signals(batch.signals, odds), odds)

    def _with_columns(self, states: Tensor, batch: Batch) -> Tensor:
        layers = self.extractor.columns
        full = states.new_zeros(*batch.mask.shape, states.shape[-1] + 1)
        if layers is None or batch.columns is None:  # nothing but the words is known of these documents
            full[..., :-1] = states
            return full
        device = states.device
        columns, ngrams = batch.columns.to(device), tuple(part.to(device) for part in batch.ngrams)
        document = torch.arange(len(states), device=device)[:, None].expand(batch.mask.shape)[batch.mask]
        full[batch.mask] = layers(states[batch.mask], columns, torch.ones_like(columns), document, ngrams)
        return full

    def step(self, encoded: CountedEncoded, state: State) -> StepScores:
        histories = [
            document.novelty().after(extracted[taken].tolist() if self._has_history else ())
            for document, extracted, taken in zip(encoded.signals, state.extracted, state.taken, strict=True)
        ]
        novelty = pad([history.features() for history in histories], encoded.mask.shape[1]).to(encoded.states.device)
        judgment = self.extractor(encoded.states, novelty, encoded.lengths)
        if self.extractor.stop is None:
            return StepScores(judgment.logits)
        progress = torch.from_numpy(np.stack(list(map(progress_of, histories, encoded.signals))))
        inputs = look_ahead(progress.to(encoded.states.device), judgment, encoded.lengths, state.remaining)
        return StopScores(judgment.logits, self.extractor.stop(inputs))

    def disable_history(self) -> None:
        self._has_history = False


def progress_of(history: Novelty, signals: Signals) -> NDArray[np.float32]:
    """Return how far a document's summary is, (STOP,)."""
    return stop_inputs(history, signals.expected, signals.spread)


def pad(rows: Sequence[NDArray[np.float32]], longest: int) -> Tensor:
    """Pad documents' arrays (N, F) to one tensor (B, longest, F)."""
    padded = np.zeros((len(rows), longest, rows[0].shape[1]), np.float32)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return torch.from_numpy(padded)
