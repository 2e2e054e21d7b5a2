"""Learning how long summaries are: a small network, fitted in seconds to the human summaries of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from memsum.corpus.records import Example
from memsum.errors import TrainingError
from memsum.text.encoding import TextEncoder
from memsum.text.length import LengthModel, describe

FEWEST = 50  # documents to learn from
_HIDDEN = 64
_DROPOUT = 0.2
_EPOCHS = 15
_FEWEST_UPDATES = 600
_BATCH = 128
_RATE = 2e-3
_DECAY = 0.1
_HELD_OUT = 0.1  # share of the documents that tell how far off the prediction is
_DEVIATION = 1.4826  # of a normal distribution, in median absolute deviations
_PRIOR = 10  # documents that a model's former experience counts for when it is corrected

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Lengths:
    """Documents, described, and the logarithms of their summaries' lengths."""

    descriptions: Floats  # (D, F)
    logarithms: Floats  # (D,)

    def __len__(self) -> int:
        return len(self.logarithms)


def measure_lengths(
    examples: Iterable[Example], encoder: TextEncoder, advance: Callable[[int], None] = lambda done: None
) -> Lengths:
    """Describe documents and measure their summaries, both in words as the encoder counts them."""
    descriptions, words = [], []
    for example in examples:
        advance(1)
        text, summary = encoder.encode(example.text), encoder.encode(example.summary)
        if len(text) and len(summary):
            descriptions.append(describe(text, encoder))
            words.append(len(summary.ids))
    return Lengths(np.array(descriptions, np.float32), np.log(np.array(words, np.float32)))


def fit_length(lengths: Lengths, seed: int = 0) -> LengthModel:
    """Fit a model; how far off it is, is measured on documents it did not learn from."""
    if len(lengths) < FEWEST:
        raise TrainingError(f"Learning how long summaries are takes at least {FEWEST} documents, not {len(lengths)}.")
    order = np.random.default_rng(seed).permutation(len(lengths))
    held_out, learned = np.split(order, [max(10, round(_HELD_OUT * len(order)))])
    trial = _fit(lengths, learned, seed)
    return replace(_fit(lengths, order, seed), spread=_spread(trial, lengths, held_out))


def correct_length(model: LengthModel, lengths: Lengths) -> LengthModel:
    """Correct a model by how much longer or shorter the summaries of some other documents are.

    By medians: collections have a few summaries that are whole papers or half a line, and one of a hundred would tell.
    """
    errors = lengths.logarithms - _expect(model, lengths)
    trust = len(errors) / (len(errors) + _PRIOR)
    middle = np.median(errors)
    spread = _DEVIATION * np.median(np.abs(errors - middle))
    variance = trust * spread**2 + (1 - trust) * model.spread**2
    shift = np.float32(trust * middle)
    return replace(model, out_bias=model.out_bias + shift, spread=np.sqrt(variance).astype(np.float32))


def _fit(lengths: Lengths, rows: NDArray[np.int64], seed: int) -> LengthModel:
    x, y = lengths.descriptions[rows], lengths.logarithms[rows]
    blank = LengthModel(*_moments(x), *(np.zeros(0, np.float32),) * 5)
    inputs = torch.from_numpy(blank.standardise(x))
    mean = float(y.mean())
    targets = torch.from_numpy(y - mean)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = nn.Sequential(
            nn.Linear(inputs.shape[1], _HIDDEN), nn.ReLU(), nn.Dropout(_DROPOUT), nn.Linear(_HIDDEN, 1)
        )
        optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
        epochs = max(_EPOCHS, _FEWEST_UPDATES * _BATCH // len(inputs))
        for epoch in range(epochs):
            for group in optimizer.param_groups:
                group["lr"] = _RATE * (1 - epoch / epochs)
            order = torch.randperm(len(inputs))
            for low in range(0, len(order), _BATCH):
                batch = order[low : low + _BATCH]
                optimizer.zero_grad()
                nn.functional.mse_loss(network(inputs[batch])[:, 0], targets[batch]).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
    hidden, hidden_bias, out, out_bias = (_array(parameter) for parameter in network.parameters())
    return replace(blank, hidden=hidden, hidden_bias=hidden_bias, out=out[0], out_bias=out_bias + mean)


def _moments(x: Floats) -> tuple[Floats, Floats]:
    return x.mean(axis=0), x.std(axis=0) + np.float32(1e-6)


def _array(parameter: Tensor) -> Floats:
    array: Floats = parameter.detach().numpy().copy()
    return array


def _expect(model: LengthModel, lengths: Lengths) -> Floats:
    return np.array([model.expect(description) for description in lengths.descriptions], np.float32)


def _spread(model: LengthModel, lengths: Lengths, rows: NDArray[np.int64]) -> Floats:
    part = Lengths(lengths.descriptions[rows], lengths.logarithms[rows])
    spread: Floats = np.sqrt(np.square(part.logarithms - _expect(model, part)).mean(keepdims=True))
    return spread
