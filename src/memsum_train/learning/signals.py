"""Fitting of signals: salience (which words and pairs of words of a document a human summary has) and expected length.

Both are small networks, fitted in a minute; `memsum.features.salience` and `memsum.features.expected_length` run them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.arrays import F32, I32
from memsum.errors import TrainingError
from memsum.features.counts import WordStatistics
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import KNOWN, LengthModel, describe
from memsum.features.salience import (
    PAIR_FEATURES,
    WORD_FEATURES,
    SalienceModel,
    pair_features,
    word_features,
)
from memsum_train.corpus.records import Example
from memsum_train.learning.data import sample_corpus

Report = Callable[[str, int, int], None]  # what is done, how much of it, and of how much (0: nobody knows)

FEWEST = 50  # documents to learn from
# Documents to learn salience and lengths from, and the temperature that mixes their sources. Of salience, more passes
# over the same documents tell as much as more documents. Lengths differ by source and year, and take more.
_SALIENCE_DOCUMENTS = (3_000, 0.5)
_SALIENCE_SHOWN = 24_000  # documents in all passes
_MOST_PASSES = 12  # over a small corpus; more were not tried
LENGTH_DOCUMENTS = (16_000, 0.75)
_MEANINGS = 24
_PAIRS = 24
_DOCUMENTS = 8  # per update
_RATE = 3e-3
_SCALE = 1 / 3  # word vectors have components of about 1; so they start as loud as the other inputs
_PAIR_WEIGHT = 3.0  # pairs are rarer in summaries, and their loss smaller
# Expected length.
_LENGTH_HIDDEN = 64
_LENGTH_DROPOUT = 0.2
_LENGTH_EPOCHS = 15
_LENGTH_UPDATES = 600
_LENGTH_BATCH = 128
_LENGTH_RATE = 2e-3
_LENGTH_DECAY = 0.1
_LENGTH_UNKNOWN = 0.15  # share of the documents that are shown without sections, title and years
_HELD_OUT = 0.1  # share of the documents that tell how far off the prediction is
_DEVIATION = 1.4826  # of a normal distribution, in median absolute deviations
_PRIOR = 10  # documents that a model's former experience counts for when it is corrected


def counter(report: Report, what: str, total: int) -> Callable[[int], None]:
    """Return what reports how much of something is done, when it is called with how much more."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        report(what, done, total)

    return advance


def learn_signals(
    encoder: TextEncoder, train: Path, folder: Path, *, seed: int = 0, report: Report = lambda what, done, total: None
) -> None:
    """Learn which words matter and how long summaries are, and keep it in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    report("reading the corpus", 0, 0)
    examples = sample_corpus(train, *_SALIENCE_DOCUMENTS, seed)
    passes = max(1, min(_MOST_PASSES, round(_SALIENCE_SHOWN / max(1, len(examples)))))
    advance = counter(report, "learning which words matter", (1 + passes) * len(examples))
    fit_salience(examples, encoder, seed, advance, passes).save(folder)
    report("reading the corpus", 0, 0)
    examples = sample_corpus(train, *LENGTH_DOCUMENTS, seed)
    lengths = measure_lengths(examples, encoder, counter(report, "measuring summaries", len(examples)))
    report("learning how long summaries are", 0, 0)
    fit_length(lengths, seed).save(folder)


def open_signals(encoder: TextEncoder, folder: Path) -> None:
    """Give an encoder what was learned in a folder."""
    encoder.salience = SalienceModel.load(folder, len(encoder.vectors.vocabulary))
    encoder.length = LengthModel.load(folder, encoder)


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

    counts: WordStatistics
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
            counts, distinct = encoder.count(text)
            targets = summary_targets(counts, distinct, encoder.summary_ids(example.summary))
            lessons.append(_Lesson(counts, distinct, *map(torch.from_numpy, (word_features(counts), *targets))))
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(lessons)) for _ in range(passes)])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _SalienceNetwork(encoder.vectors.dimension)
        optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE)
        for seen, index in enumerate(order, start=1):
            advance(1)
            lesson = lessons[index]
            odds = network.words(torch.from_numpy(encoder.vectors.lookup(lesson.distinct)), lesson.features)
            loss = F.binary_cross_entropy_with_logits(odds, lesson.in_summary)
            if len(lesson.pairs_in_summary):
                pairs = network.pairs(torch.from_numpy(pair_features(lesson.counts, odds.detach().numpy())))
                loss = loss + _PAIR_WEIGHT * F.binary_cross_entropy_with_logits(pairs, lesson.pairs_in_summary)
            (loss / _DOCUMENTS).backward()  # type: ignore[no-untyped-call]
            if seen % _DOCUMENTS == 0:
                for group in optimizer.param_groups:
                    group["lr"] = _RATE * (1.01 - seen / len(order))
                optimizer.step()
                optimizer.zero_grad()
    with torch.no_grad():
        table = network.meanings(torch.from_numpy(encoder.vectors.dense()) * _SCALE).numpy()
    scales = (np.abs(table).max(axis=0) / 127 + 1e-12).astype(np.float32)
    layers = ((network.word, network.word_out), (network.pair, network.pair_out))
    weights = [part for hidden, out in layers for part in (hidden.weight, hidden.bias, out.weight[0], out.bias)]
    parts = [weight.detach().numpy().copy() for weight in weights]
    return SalienceModel(np.rint(table / scales).astype(np.int8), scales, *parts)


def summary_targets(counts: WordStatistics, distinct: I32, summary: I32) -> tuple[F32, F32]:
    """Mark which of a document's distinct words, and which of its pairs, a summary has: (U,), (Q,).

    The summary is the ids of its words, with -1 between sentences.
    """
    size = len(distinct)
    rank = np.minimum(np.searchsorted(distinct, summary), size - 1)
    rows = np.where(distinct[rank] == summary, rank, -1)
    words = np.zeros(size, np.float32)
    words[rows[rows >= 0]] = 1
    inside = (rows[:-1] >= 0) & (rows[1:] >= 0)
    said = rows[:-1][inside] * size + rows[1:][inside]
    return words, np.isin(counts.pairs.first * size + counts.pairs.second, said).astype(np.float32)


# --- expected length -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lengths:
    """Documents, described, and the logarithms of their summaries' lengths."""

    descriptions: F32  # (D, F)
    logarithms: F32  # (D,)

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
    unseen = Lengths(lengths.descriptions[held_out], lengths.logarithms[held_out])
    expected, spread = _expect(trial, unseen)
    overconfidence = np.sqrt(np.square((unseen.logarithms - expected) / spread).mean())
    return replace(model, spread=model.spread * np.float32(overconfidence))


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
    blank = LengthModel(x.mean(axis=0), x.std(axis=0) + np.float32(1e-6), *(np.zeros(0, np.float32),) * 5)
    unknown = x.copy()  # as if neither sections nor title nor years were known
    unknown[:, -KNOWN:] = 0
    unknown[:, -KNOWN] = 1
    inputs, hidden = (torch.from_numpy(blank.standardize(part)) for part in (x, unknown))
    mean = float(y.mean())
    targets = torch.from_numpy(y - mean)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        body = nn.Sequential(nn.Linear(inputs.shape[1], _LENGTH_HIDDEN), nn.ReLU(), nn.Dropout(_LENGTH_DROPOUT))
        head = nn.Linear(_LENGTH_HIDDEN, 2)  # expectation, logarithm of the spread
        parameters = [*body.parameters(), *head.parameters()]
        optimizer = torch.optim.AdamW(parameters, lr=_LENGTH_RATE, weight_decay=_LENGTH_DECAY)
        epochs = max(_LENGTH_EPOCHS, _LENGTH_UPDATES * _LENGTH_BATCH // len(inputs))
        for epoch in range(epochs):
            for group in optimizer.param_groups:
                group["lr"] = _LENGTH_RATE * (1 - epoch / epochs)
            order = torch.randperm(len(inputs))
            for low in range(0, len(order), _LENGTH_BATCH):
                batch = order[low : low + _LENGTH_BATCH]
                optimizer.zero_grad()
                shown = torch.where(torch.rand(len(batch), 1) < _LENGTH_UNKNOWN, hidden[batch], inputs[batch])
                expected, spread = head(body(shown)).unbind(1)
                spread = spread.clamp(-2.5, 1)
                nn.functional.gaussian_nll_loss(expected, targets[batch], (2 * spread).exp()).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
    weight, bias = (_array(parameter) for parameter in body.parameters())
    out, out_bias = _array(head.weight), _array(head.bias)
    spread, spread_out = np.exp(out_bias[1:]), out[1]
    return LengthModel(blank.centre, blank.scale, weight, bias, out[0], out_bias[:1] + mean, spread, spread_out)


def _array(parameter: Tensor) -> F32:
    array: F32 = parameter.detach().numpy().copy()
    return array


def _expect(model: LengthModel, lengths: Lengths) -> tuple[F32, F32]:
    expected = np.array([model.expect(description) for description in lengths.descriptions], np.float32)
    return expected[:, 0], expected[:, 1]
