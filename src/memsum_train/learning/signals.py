"""Fitting of the expected length: how long a human summary of a document is.

A small network, fitted in seconds; `memsum.features.expected_length` runs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import KNOWN, LengthModel, describe
from memsum.training.corpus.records import Example

FEWEST = 50  # documents to learn from
_HIDDEN = 64
_DROPOUT = 0.2
_EPOCHS = 15
_FEWEST_UPDATES = 600
_BATCH = 128
_RATE = 2e-3
_DECAY = 0.1
_UNKNOWN = 0.15  # share of the documents that are shown without sections, title and years
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
        text = encoder.encode(example.text, example.sections, example.title)
        summary = encoder.encode(example.summary)
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
    trial, model = _fit_length(lengths, learned, seed), _fit_length(lengths, order, seed)
    return replace(model, spread=model.spread * _overconfidence(trial, lengths, held_out))


def correct_length(model: LengthModel, lengths: Lengths) -> LengthModel:
    """Correct a model by how much longer or shorter the summaries of some other documents are.

    By medians: collections have a few summaries that are whole papers or half a line, and one of a hundred would tell.
    """
    expected, spread = _expect(model, lengths)
    errors = lengths.logarithms - expected
    trust = len(errors) / (len(errors) + _PRIOR)
    middle = np.median(errors)
    factor = _DEVIATION * np.median(np.abs(errors - middle) / spread)
    wider = np.float32(math.sqrt(trust * factor**2 + 1 - trust))
    shift = np.float32(trust * middle)
    return replace(model, out_bias=model.out_bias + shift, spread=model.spread * wider)


def _fit_length(lengths: Lengths, rows: NDArray[np.int64], seed: int) -> LengthModel:
    x, y = lengths.descriptions[rows], lengths.logarithms[rows]
    blank = LengthModel(*_moments(x), *(np.zeros(0, np.float32),) * 5)
    inputs, hidden = (torch.from_numpy(blank.standardise(part)) for part in (x, _without_known(x)))
    mean = float(y.mean())
    targets = torch.from_numpy(y - mean)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        body = nn.Sequential(nn.Linear(inputs.shape[1], _HIDDEN), nn.ReLU(), nn.Dropout(_DROPOUT))
        head = nn.Linear(_HIDDEN, 2)  # expectation, logarithm of the spread
        parameters = [*body.parameters(), *head.parameters()]
        optimizer = torch.optim.AdamW(parameters, lr=_RATE, weight_decay=_DECAY)
        epochs = max(_EPOCHS, _FEWEST_UPDATES * _BATCH // len(inputs))
        for epoch in range(epochs):
            for group in optimizer.param_groups:
                group["lr"] = _RATE * (1 - epoch / epochs)
            order = torch.randperm(len(inputs))
            for low in range(0, len(order), _BATCH):
                batch = order[low : low + _BATCH]
                optimizer.zero_grad()
                shown = torch.where(torch.rand(len(batch), 1) < _UNKNOWN, hidden[batch], inputs[batch])
                expected, spread = head(body(shown)).unbind(1)
                spread = spread.clamp(-2.5, 1)
                nn.functional.gaussian_nll_loss(expected, targets[batch], (2 * spread).exp()).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
    weight, bias = (_array(parameter) for parameter in body.parameters())
    out, out_bias = _array(head.weight), _array(head.bias)
    return replace(
        blank,
        hidden=weight,
        hidden_bias=bias,
        out=out[0],
        out_bias=out_bias[:1] + mean,
        spread=np.exp(out_bias[1:]),
        spread_out=out[1],
    )


def _without_known(x: Floats) -> Floats:
    """Describe the documents as if neither sections nor title nor years were known."""
    x = x.copy()
    x[:, -KNOWN:] = 0
    x[:, -KNOWN] = 1
    return x


def _moments(x: Floats) -> tuple[Floats, Floats]:
    return x.mean(axis=0), x.std(axis=0) + np.float32(1e-6)


def _array(parameter: Tensor) -> Floats:
    array: Floats = parameter.detach().numpy().copy()
    return array


def _expect(model: LengthModel, lengths: Lengths) -> tuple[Floats, Floats]:
    expected = np.array([model.expect(description) for description in lengths.descriptions], np.float32)
    return expected[:, 0], expected[:, 1]


def _overconfidence(model: LengthModel, lengths: Lengths, rows: NDArray[np.int64]) -> np.float32:
    """Return how many times its own spread a model is off, on documents that it has not seen."""
    part = Lengths(lengths.descriptions[rows], lengths.logarithms[rows])
    expected, spread = _expect(model, part)
    return np.float32(np.sqrt(np.square((part.logarithms - expected) / spread).mean()))
