"""Learn the choice of sentences in any language from English documents with human summaries, and from keys.

No feature knows a word of English, so what is learned holds for other languages. In each round the present choice is
played on all documents; in some states of each episode every sentence is rated by the words and pairs of words of the
human summary that it would newly say, per word (or by the points that it would newly convey), and the network learns
these ratings, as far as they differ within a document. Headings, paragraphs and titles are hidden in some documents,
because many have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from memsum.arrays import F32, F64, I64, Bools, Floats
from memsum.document import Document, read_document
from memsum.document.build import DocumentBuilder
from memsum.features.language_free import DYNAMIC, STATIC, NeutralMemory, NeutralText, static_features
from memsum.features.source_text import Outline, SourceText
from memsum.jsonl import read_lines
from memsum.model.neutral import NeutralModel
from memsum_train.corpus.keys import Key, read_keys
from memsum_train.corpus.sources import sentences_of

_HIDDEN = 32
_LONGEST = 600  # sentences
_ROUNDS, _EPOCHS, _BATCH, _RATE, _DECAY = 3, 8, 48, 3e-3, 0.02
_STATES = 3  # of each document and round
_SHORT = 4  # words that are added to a sentence's own before its gain is divided by them
_MOST = 4.0  # gain of a sentence, of the mean
_OF_KEYS = 0.3  # weight of documents with keys: few of their sentences convey a point
_UNDIVIDED, _UNTITLED = 0.4, 0.3  # shares of the documents without headings and paragraphs, and without a title


def fit_neutral(
    corpora: Sequence[Path],
    out: Path,
    *,
    keys: tuple[Path, Path] | None = None,
    limit: int = 600,
    seed: int = 0,
    report: Callable[[str], None] = print,
) -> None:
    """Learn from at most `limit` documents of each corpus, and write the model after each round.

    A corpus is `*.jsonl[.zst]` with "title", "abstract" and "sections" of paragraphs; `keys` are a file with the points
    that readers must know, and the folder of their documents.
    """
    random = np.random.default_rng(seed)
    reads: list[_Read] = []
    for path in corpora:
        before = len(reads)
        for document, summary in _documents(path, limit):
            text = _view(document, random)
            if text is not None and summary:
                reads.append(_Read(text, static_features(text), _Gains(text, summary)))
        report(f"{path.name}: {len(reads) - before} documents")
    if keys:
        before = len(reads)
        for key in read_keys(keys[0]):
            text = _view(read_document(keys[1] / key.file), random)
            if text is not None:
                reads.append(_Read(text, static_features(text), _Points(text, key)))
        report(f"{keys[0].name}: {len(reads) - before} documents")
    model: NeutralModel | None = None
    states: list[_State] = []
    for number in range(_ROUNDS):
        for index, read in enumerate(reads):
            for dynamic, left, gains in _play(read, model, random):
                states.append(_State(index, dynamic, left, *_compare(read, left, gains)))
        report(f"round {number + 1}: {len(states)} states")
        model = _fit(reads, states, seed, report)
        model.save(out)


class _Gains:
    """The words and pairs of words of a human summary that each sentence of a text would newly say."""

    def __init__(self, text: NeutralText, summary: Sequence[str]) -> None:
        rows, terms = text.find(summary)
        count = len(text)
        wanted = np.bincount(terms[terms >= 0], minlength=text.size).astype(np.float64)
        self.words = len(terms)
        self._of_words = _Hits(text.rows, text.terms, count, wanted, len(terms))
        # Pairs of neighboring stems of the summary, as the text numbers them.
        inside = text.rows[1:] == text.rows[:-1]
        keys = (text.terms[:-1] * text.size + text.terms[1:])[inside]
        distinct, number = np.unique(keys, return_inverse=True)
        is_pair = rows[1:] == rows[:-1]
        known = is_pair & (terms[1:] >= 0) & (terms[:-1] >= 0)
        said = (terms[:-1] * text.size + terms[1:])[known]
        index = np.minimum(np.searchsorted(distinct, said), max(len(distinct) - 1, 0))
        is_said = distinct[index] == said if len(distinct) else np.zeros(len(said), bool)
        wanted = np.bincount(index[is_said], minlength=len(distinct)).astype(np.float64)
        self._of_pairs = _Hits(text.rows[:-1][inside], number, count, wanted, int(is_pair.sum()))
        self._cost = text.lengths + _SHORT

    def rate(self, extracted: Sequence[int]) -> F64:
        """Return the gain of each sentence, per word."""
        gain = self._of_words.new(extracted) + self._of_pairs.new(extracted)
        return gain / self._cost


class _Hits:
    def __init__(self, rows: I64, terms: I64, count: int, wanted: F64, total: int) -> None:
        width = max(len(wanted), 1)
        keys, self._counts = np.unique(rows * width + terms, return_counts=True)
        self._rows, self._terms = np.divmod(keys, width)
        self._size, self._wanted, self._total = count, wanted, max(total, 1)

    def new(self, extracted: Sequence[int]) -> F64:
        here = np.isin(self._rows, list(extracted))
        said = np.bincount(self._terms[here], self._counts[here], len(self._wanted))
        left = np.maximum(self._wanted - said, 0)
        hits = np.minimum(self._counts, left[self._terms])
        return np.bincount(self._rows, hits, self._size) / self._total


class _Points:
    """The points of a key that each sentence would newly convey."""

    def __init__(self, text: NeutralText, key: Key) -> None:
        self._conveyed: Bools = key.conveyed(text.sentences)
        self._poor = key.low_value(text.sentences)
        self._worth = np.linspace(1.3, 0.7, self._conveyed.shape[1])
        self._cost = np.sqrt(text.lengths + 2 * _SHORT)
        self.words = int(text.lengths.mean() * (len(self._worth) + 1))

    def rate(self, extracted: Sequence[int]) -> F64:
        """Return the worth of what each sentence newly conveys."""
        known = self._conveyed[list(extracted)].any(axis=0)
        gain = self._conveyed @ np.where(known, 0.1, self._worth)
        return np.asarray(np.where(self._poor & (gain == 0), 0, gain + 0.02) / self._cost)


@dataclass(frozen=True)
class _Read:
    """A document's features and what its sentences gain."""

    text: NeutralText
    static: F32
    gains: _Gains | _Points


def _documents(path: Path, limit: int) -> Iterator[tuple[Document, list[str]]]:
    """Yield the documents of a corpus with their human summaries."""
    for line in islice(read_lines(path), limit):
        record = cast("dict[str, Any]", line.parse())
        builder = DocumentBuilder()
        builder.add("title", record["title"] or "")
        last = None
        for section in record["sections"]:
            for level, name in enumerate((section["title"], section["heading"]), 1):
                if name and name != last:
                    builder.add("heading", name, level=level)
                    last = name
            for paragraph in section["paragraphs"]:
                builder.add("paragraph", paragraph)
        yield builder.build(format="jsonl", language="en"), sentences_of(record["abstract"])


def _view(document: Document, random: np.random.Generator) -> NeutralText | None:
    """Read a document as the choice does, sometimes without its structure and title."""
    if not 5 <= len(document.sentences) <= _LONGEST:
        return None
    source = SourceText.of_documents([document])
    outline = source.outline
    if random.random() < _UNDIVIDED:
        outline = Outline.of_headings([None] * len(source.sentences))
    return NeutralText(source.sentences, outline, None if random.random() < _UNTITLED else source.title)


def _play(read: _Read, model: NeutralModel | None, random: np.random.Generator) -> Iterator[tuple[F32, Bools, F64]]:
    """Yield states of an episode: dynamic features, which sentences remain, and their gains."""
    text, gains = read.text, read.gains
    mean = max(float(text.lengths.mean()), 1)
    most = min(max(2, round(1.3 * gains.words / mean)), len(text) - 1, 40)
    wanted = (
        {0, *random.integers(1, most + 1, _STATES - 1).tolist()}
        if random.random() < 0.7
        else {*random.integers(1, most + 1, _STATES).tolist()}
    )
    memory = NeutralMemory(text)
    prepared = model.prepare(read.static) if model is not None else None
    left = np.ones(len(text), bool)
    state: list[int] = []
    for step in range(most + 1):
        dynamic = memory.features()
        if step in wanted:
            yield dynamic, left.copy(), gains.rate(state)
        if model is None or prepared is None:
            rank, near = read.static[:, STATIC.index("early rank")], dynamic[:, DYNAMIC.index("nearest")]
            ratings: Floats = rank + np.log1p(-np.minimum(near, 0.99)) + 0.3 * random.normal(size=len(text))
        else:
            ratings = model.rate(prepared, dynamic)
        chosen = int(np.where(left, ratings, -np.inf).argmax())
        left[chosen] = False
        state.append(chosen)
        memory.extract([chosen])


class _Network(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(features, _HIDDEN)
        self.out = nn.Linear(_HIDDEN, 1, bias=False)
        self.linear = nn.Linear(features, 1, bias=False)
        nn.init.normal_(self.linear.weight, std=0.02)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.dropout(x, 0.1, self.training)
        hidden = nn.functional.dropout(torch.relu(self.hidden(x)), 0.2, self.training)
        ratings: Tensor = (self.out(hidden) + self.linear(x))[:, 0]
        return ratings


@dataclass(frozen=True)
class _State:
    read: int
    dynamic: F32
    left: Bools
    wanted: F32  # (R,) gains of those that remain, less their mean
    weights: F32  # (R,) of each in the loss


def _fit(reads: Sequence[_Read], states: Sequence[_State], seed: int, report: Callable[[str], None]) -> NeutralModel:
    """Train a network on states: the squared difference of its ratings, less their mean, from the gains."""
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    static = np.concatenate([read.static for read in reads])
    dynamic = np.concatenate([state.dynamic for state in states])
    centre = np.concatenate([static.mean(axis=0), dynamic.mean(axis=0)])
    scale = np.concatenate([static.std(axis=0), dynamic.std(axis=0)])
    scale = np.where(scale < 1e-3, 1, scale).astype(np.float32)
    network = _Network(len(centre))
    steps = _EPOCHS * math.ceil(len(states) / _BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps + 1)
    for epoch in range(_EPOCHS):
        losses = []
        permutation = order.permutation(len(states))
        for low in range(0, len(states), _BATCH):
            batch = [states[index] for index in permutation[low : low + _BATCH]]
            x = np.concatenate(
                [np.concatenate([reads[one.read].static, one.dynamic], axis=1)[one.left] for one in batch]
            )
            x = np.clip((x - centre) / scale, -4, 4).astype(np.float32)
            group = torch.from_numpy(np.repeat(np.arange(len(batch)), [int(one.left.sum()) for one in batch]))
            wanted = torch.from_numpy(np.concatenate([one.wanted for one in batch]))
            weights = torch.from_numpy(np.concatenate([one.weights for one in batch]))
            ratings = network(torch.from_numpy(x))
            whole = torch.zeros(len(batch)).index_add(0, group, weights)
            mean = torch.zeros(len(batch)).index_add(0, group, weights * ratings) / whole
            loss = (weights * (ratings - mean[group] - wanted).square()).sum() / len(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        report(f"  epoch {epoch + 1}: {np.mean(losses):.4f}")
    network.eval()
    layers = (network.hidden.weight.T, network.hidden.bias, network.out.weight[0], network.linear.weight[0])
    arrays = [np.ascontiguousarray(layer.detach().numpy(), np.float32) for layer in layers]
    return NeutralModel(centre.astype(np.float32), scale, *arrays)


def _compare(read: _Read, left: Bools, gains: F64) -> tuple[F32, F32]:
    """Return the gains of what remains, of their mean and less it, and the weight of each sentence: short ones vary."""
    gains, lengths = gains[left], read.text.lengths[left]
    weights = np.minimum(lengths / max(float(lengths.mean()), 1), 1.5) + 0.1
    relative = np.minimum(gains / max(float(np.average(gains, weights=weights)), 1e-9), _MOST)
    relative -= np.average(relative, weights=weights)
    weights *= (_OF_KEYS if isinstance(read.gains, _Points) else 1) / weights.sum()
    return relative.astype(np.float32), weights.astype(np.float32)
