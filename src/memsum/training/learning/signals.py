"""Learning the signals: which words matter and how long summaries are, from the human summaries of a corpus.

Two small networks, fitted in a minute and in seconds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.errors import TrainingError
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import KNOWN, LengthModel, describe
from memsum.features.salience import (
    PAIR_FEATURES,
    WORD_FEATURES,
    SalienceModel,
    pair_features,
    summary_targets,
    word_features,
)
from memsum.files import write_atomically
from memsum.text.vectors import fingerprint
from memsum.training.corpus.records import Example, read_corpus
from memsum.training.learning.data import Advance
from memsum.training.learning.distributed import World

FEWEST = 50  # documents to learn from
# Documents to learn salience from, sources mixed by the root of their size: twice as many tell hardly more. Lengths
# differ by source and year, and take more.
MOST, MIXED = 6_000, 0.5
MOST_LENGTHS, MIXED_LENGTHS = 16_000, 0.75
# Salience.
_MEANINGS = 24
_PAIRS = 24
_DOCUMENTS = 8  # per update
_SALIENCE_RATE = 3e-3
_SCALE = 1 / 3  # word vectors have components of about 1; so they start as loud as the other inputs
_PAIR_WEIGHT = 3.0  # pairs are rarer in summaries, and their loss smaller
# Length.
_HIDDEN = 64
_DROPOUT = 0.2
_EPOCHS = 15
_FEWEST_UPDATES = 600
_LENGTH_BATCH = 128
_LENGTH_RATE = 2e-3
_DECAY = 0.1
_HIDING = 0.15  # share of the documents of which sections, title and years are hidden
_HELD_OUT = 0.1  # share of the documents that tell how far off the prediction is
_DEVIATION = 1.4826  # of a normal distribution, in median absolute deviations
_PRIOR = 10  # documents that a model's former experience counts for when it is corrected

Floats = NDArray[np.float32]


def learn_signals(
    encoder: TextEncoder,
    train: Path,
    folder: Path,
    world: World,
    *,
    seed: int = 0,
    advance: Advance = lambda what: None,
) -> None:
    """Teach an encoder that reads signals which words matter and how long summaries are, unless it knows already.

    What was learned is kept in the training's folder, for the other processes and for resuming.
    """
    if not encoder.settings.signals or encoder.salience:
        return
    place, stamp = folder / "signals", folder / "signals" / "learned.json"
    key = json.dumps({"train": train.name, "bytes": train.stat().st_size, "vectors": fingerprint(encoder.vectors)})
    if world.is_main and not (stamp.exists() and stamp.read_text() == key):
        place.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        examples = sample_corpus(train, MOST, MIXED, seed, advance)
        fit_salience(examples, encoder, seed, lambda done: advance("learning which words matter")).save(place)
        examples = sample_corpus(train, MOST_LENGTHS, MIXED_LENGTHS, seed, advance)
        lengths = measure_lengths(examples, encoder, lambda done: advance("learning how long summaries are"))
        fit_length(lengths, seed).save(place)
        write_atomically(stamp, key.encode())
    world.barrier()
    encoder.salience = SalienceModel.load(place, len(encoder.vectors.vocabulary))
    encoder.length = LengthModel.load(place, encoder)


def sample_corpus(
    path: Path, most: int, temperature: float, seed: int, advance: Advance = lambda what: None
) -> list[Example]:
    """At most so many examples, a source of n documents by n ** temperature, so that none is drowned and none empty."""
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[int]] = {}
    for number, example in enumerate(read_corpus(path, advance)):
        by_source.setdefault(str(example.extra.get("source", "")), []).append(number)
    sizes = {source: len(numbers) ** temperature for source, numbers in by_source.items()}
    kept: set[int] = set()
    for source, numbers in by_source.items():
        share = min(len(numbers), math.ceil(most * sizes[source] / sum(sizes.values())))
        kept.update(rng.choice(numbers, share, replace=False).tolist())
    return [example for number, example in enumerate(read_corpus(path)) if number in kept]


# --- salience --------------------------------------------------------------------------------------------------------


class _SalienceNetwork(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.meanings = nn.Linear(width, _MEANINGS, bias=False)
        self.word = nn.Linear(WORD_FEATURES, _MEANINGS)
        self.word_out = nn.Linear(_MEANINGS, 1)
        self.pair = nn.Linear(PAIR_FEATURES, _PAIRS)
        self.pair_out = nn.Linear(_PAIRS, 1)

    def words(self, vectors: Tensor, features: Tensor) -> Tensor:
        """Log-odds (U,) of words."""
        odds: Tensor = self.word_out(F.relu(self.meanings(vectors * _SCALE) + self.word(features)))
        return odds[:, 0]

    def pairs(self, features: Tensor) -> Tensor:
        """Log-odds (Q,) of pairs."""
        odds: Tensor = self.pair_out(F.relu(self.pair(features)))
        return odds[:, 0]


def fit_salience(
    examples: Sequence[Example], encoder: TextEncoder, seed: int = 0, advance: Callable[[int], None] = lambda done: None
) -> SalienceModel:
    """Fit a model in one pass over the examples, in random order."""
    if len(examples) < FEWEST:
        raise TrainingError(f"Learning which words matter takes at least {FEWEST} documents, not {len(examples)}.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _SalienceNetwork(encoder.vectors.dimension)
        optimizer = torch.optim.AdamW(network.parameters(), lr=_SALIENCE_RATE)
        for seen, index in enumerate(np.random.default_rng(seed).permutation(len(examples)), start=1):
            advance(1)
            example = examples[index]
            text = encoder.encode(example.text, example.sections, example.title)
            if not len(text):
                continue
            (_salience_loss(network, text, example, encoder) / _DOCUMENTS).backward()  # type: ignore[no-untyped-call]
            if seen % _DOCUMENTS == 0:
                for group in optimizer.param_groups:
                    group["lr"] = _SALIENCE_RATE * (1.01 - seen / len(examples))
                optimizer.step()
                optimizer.zero_grad()
    return _salience_model(network, encoder)


def _salience_loss(network: _SalienceNetwork, text: EncodedText, example: Example, encoder: TextEncoder) -> Tensor:
    counts, distinct = encoder.count(text)
    in_summary, pairs_in_summary = summary_targets(counts, distinct, encoder.summary_ids(example.summary))
    vectors = torch.from_numpy(encoder.vectors.lookup(distinct))
    odds = network.words(vectors, torch.from_numpy(word_features(counts)))
    loss = F.binary_cross_entropy_with_logits(odds, torch.from_numpy(in_summary))
    if len(pairs_in_summary):
        pairs = network.pairs(torch.from_numpy(pair_features(counts, odds.detach().numpy())))
        loss = loss + _PAIR_WEIGHT * F.binary_cross_entropy_with_logits(pairs, torch.from_numpy(pairs_in_summary))
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


# --- length ----------------------------------------------------------------------------------------------------------


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
        optimizer = torch.optim.AdamW(parameters, lr=_LENGTH_RATE, weight_decay=_DECAY)
        epochs = max(_EPOCHS, _FEWEST_UPDATES * _LENGTH_BATCH // len(inputs))
        for epoch in range(epochs):
            for group in optimizer.param_groups:
                group["lr"] = _LENGTH_RATE * (1 - epoch / epochs)
            order = torch.randperm(len(inputs))
            for low in range(0, len(order), _LENGTH_BATCH):
                batch = order[low : low + _LENGTH_BATCH]
                optimizer.zero_grad()
                shown = torch.where(torch.rand(len(batch), 1) < _HIDING, hidden[batch], inputs[batch])
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
    """Descriptions of documents of which neither sections nor title nor years are known."""
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
    """How many times its own spread a model is off, on documents that it has not seen."""
    part = Lengths(lengths.descriptions[rows], lengths.logarithms[rows])
    expected, spread = _expect(model, part)
    return np.float32(np.sqrt(np.square((part.logarithms - expected) / spread).mean()))
