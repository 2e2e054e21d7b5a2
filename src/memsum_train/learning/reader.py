"""Learn what sentences are worth to readers of everyday documents, from documents with keys.

Two networks of one hidden layer are fitted side by side, and shipped as one of both. A document's loss is the
cross-entropy of "conveys a point" and, for each point, that of one of its sentences against all that convey none;
important points weigh more, and poor quotes count as several sentences. A multinomial regression tells how everyday
documents are written from how others are.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from memsum.arrays import F32, Bools, standardize
from memsum.document import read_document
from memsum.errors import ModelError
from memsum.features.encoding import EncodedText, Signals
from memsum.features.reader_value import (
    BUCKETS,
    Features,
    ReaderModel,
    Sentences,
    chapter_size,
    describe_style,
    reader_features,
)
from memsum.features.source_text import Outline, SourceText
from memsum.languages.low_value import low_value
from memsum.languages.needs_context import needs_context
from memsum.model.runtime import Runtime
from memsum.text import tokenize
from memsum_train.corpus.keys import Key
from memsum_train.corpus.records import Example

TEXTBOOKS = "textbooks"
# Shares of the value for readers in the decision in brief, usual and very long documents of a kind: so much that human
# summaries are matched as well as by the network alone, or better.
_EVERYDAY = 1.0, 1.0, 1.0
_SHARES = {
    "proposals": (0.3, 0.25, 1.0),
    "textbooks": (0.3, 0.3, 0.3),
    "meetings": (1.0, 0.0, 0.0),
    "stories": (1.0, 0.0, 0.0),
    "bills": (0.0, 0.0, 0.0),
}
_OTHER_SHARES = 0.75, 0.0, 0.0
_NETWORKS, _HIDDEN = 2, 64
_EPOCHS, _BATCH = 10, 12
_FEW, _GENTLE = 4, 0.5  # documents per update, and share of the learning rates, when a model is adapted
_RATE, _GRAM_RATE = 2e-3, 1e-2
_DECAY = 0.05
_INPUT_DROPOUT, _DROPOUT = 0.5, 0.3
_BASE = -1.3  # log-odds that a sentence conveys a point
_EACH, _POINTS = 1.5, 0.5  # weights of the two losses
_RANKS = 1.3, 0.7  # weights of the first and of the last point
_POOR = 16.0  # sentences that a poor quote counts as
_FLOOR = -1e4
_SAME = 1e-3  # standard deviation of a feature
_STYLE_DECAY = 3e-4


@dataclass(frozen=True)
class Keyed:
    """A document's features and its key."""

    features: Features
    style: F32
    points: Bools  # (N, P)
    poor: Bools  # (N,)


def read_keyed(key: Key, folder: Path, runtime: Runtime) -> Keyed:
    """Read a document as the model does, and find its key's sentences."""
    return keyed_features(key, SourceText.of_documents([read_document(folder / key.file)]), runtime)


def keyed_features(key: Key, source: SourceText, runtime: Runtime) -> Keyed:
    """Describe a document as the model reads it, and find its key's sentences."""
    text, style = _read(source, runtime)
    texts = [source.sentences[index] for index in text.indices.tolist()]
    read = Sentences(
        texts, text, _signals(text).values, source.outline[text.indices], low_value(texts), needs_context(texts)
    )
    features = reader_features(read, runtime.reader_words)
    return Keyed(features, style, key.conveyed(texts), key.low_value(texts))


class Chapter(NamedTuple):
    """A chapter of a textbook with the human summaries of its sections."""

    book: str
    size: float  # `chapter_size` of its sections
    words: float  # logarithm of those of the summary


def read_chapter(example: Example) -> Chapter:
    """Measure a chapter and its summary; the number at the end of its id is that of the chapter in its book."""
    sections = Outline.of_headings(example.sections or [None] * len(example.text)).main
    book = str(example.id).rpartition("-")[0]
    return Chapter(book, chapter_size(sections), math.log(sum(len(tokenize(sentence)) for sentence in example.summary)))


def read_style(example: Example, runtime: Runtime) -> F32:
    """Describe how a document of a corpus is written."""
    return _read(SourceText.of_sentences(example.text, example.sections, example.title), runtime)[1]


def _read(source: SourceText, runtime: Runtime) -> tuple[EncodedText, F32]:
    text = runtime.encoder.encode(source.sentences, source.sections, source.title)
    signals = _signals(text)
    return text, describe_style(text, signals.values, signals.counts.directions, runtime.reader_words)


def _signals(text: EncodedText) -> Signals:
    if text.signals is None:
        raise ModelError("The model reads no signals, so it cannot learn what sentences are worth to readers.")
    return text.signals


def fit_reader(
    keyed: Sequence[Keyed], others: Mapping[str, Sequence[F32]], chapters: Sequence[Chapter] = (), seed: int = 0
) -> ReaderModel:
    """Fit a model to documents with keys; `others` are the styles of other kinds of documents, by kind.

    The `chapters` are of the kind `TEXTBOOKS`.
    """
    values = np.concatenate([_in_context(document.features) for document in keyed])
    centre, scale = _moments(values)
    networks = _fit_values(keyed, centre, scale, seed)
    with torch.no_grad():
        return ReaderModel(
            centre,
            scale,
            _array(networks.hidden.transpose(1, 2).flatten(0, 1)),
            _array(networks.hidden_bias.flatten()),
            _array(networks.out.flatten() / _NETWORKS),
            _array(networks.linear.mean(dim=0)[:, 0]),
            _array(networks.bias.mean().reshape(1)),
            _array(networks.grams.mean(dim=1)),
            *_fit_styles([document.style for document in keyed], others),
            _fit_chapters(chapters),
        )


def _in_context(features: Features) -> F32:
    return np.concatenate(list(features.in_context()))


def _moments(values: F32) -> tuple[F32, F32]:
    """Return mean and standard deviation; what is the same everywhere tells nothing, and stays near 0."""
    deviation = values.std(axis=0)
    return values.mean(axis=0), np.where(deviation < _SAME, np.float32(1), deviation)


def _array(tensor: Tensor) -> F32:
    return np.ascontiguousarray(tensor.numpy(), np.float32)


class _Networks(nn.Module):
    """Several networks at once, (E, …) each."""

    def __init__(self, features: int) -> None:
        """Begin anew, with random weights."""
        super().__init__()
        self.hidden = nn.Parameter(torch.randn(_NETWORKS, features, _HIDDEN) / math.sqrt(features))
        self.hidden_bias = nn.Parameter(torch.zeros(_NETWORKS, 1, _HIDDEN))
        self.out = nn.Parameter(0.5 * torch.randn(_NETWORKS, _HIDDEN, 1) / math.sqrt(_HIDDEN))
        self.linear = nn.Parameter(0.02 * torch.randn(_NETWORKS, features, 1))
        self.bias = nn.Parameter(torch.full((_NETWORKS, 1), _BASE))
        self.grams = nn.Parameter(torch.zeros(BUCKETS, _NETWORKS))

    @classmethod
    def of(cls, model: ReaderModel) -> _Networks:
        """Go on from a model, as a single network."""
        networks = cls(len(model.centre))
        networks.hidden = nn.Parameter(torch.tensor(model.hidden.T)[None])
        networks.hidden_bias = nn.Parameter(torch.tensor(model.hidden_bias)[None, None])
        networks.out = nn.Parameter(torch.tensor(model.out)[None, :, None])
        networks.linear = nn.Parameter(torch.tensor(model.linear)[None, :, None])
        networks.bias = nn.Parameter(torch.tensor(model.bias)[None])
        networks.grams = nn.Parameter(torch.tensor(model.grams)[:, None])
        return networks

    def forward(self, x: Tensor, grams: Tensor, rows: Tensor, weights: Tensor) -> Tensor:
        """Rate sentences (N, F), of which n-gram g is of sentence `rows[g]`: (E, N)."""
        x = functional.dropout(x.expand(len(self.bias), -1, -1), _INPUT_DROPOUT)
        hidden = functional.dropout(functional.relu(x @ self.hidden + self.hidden_bias), _DROPOUT)
        added = functional.embedding(grams, self.grams) * weights[:, None]
        of_grams = torch.zeros(x.shape[1], len(self.bias)).index_add(0, rows, added)
        return (hidden @ self.out + x @ self.linear)[..., 0] + self.bias + of_grams.T


def adapt_reader(model: ReaderModel, keyed: Sequence[Keyed], seed: int = 0) -> ReaderModel:
    """Go on from a model with a few dozen documents more; how documents are written stays as it is."""
    torch.manual_seed(seed)
    networks = _Networks.of(model)
    _learn_values(networks, keyed, model.centre, model.scale, seed, gently=True)
    with torch.no_grad():
        return replace(
            model,
            hidden=_array(networks.hidden[0].T),
            hidden_bias=_array(networks.hidden_bias[0, 0]),
            out=_array(networks.out[0, :, 0]),
            linear=_array(networks.linear[0, :, 0]),
            bias=_array(networks.bias[0]),
            grams=_array(networks.grams[:, 0]),
        )


def _fit_values(keyed: Sequence[Keyed], centre: F32, scale: F32, seed: int) -> _Networks:
    torch.manual_seed(seed)
    networks = _Networks(len(centre))
    _learn_values(networks, keyed, centre, scale, seed)
    return networks


def _learn_values(
    networks: _Networks, keyed: Sequence[Keyed], centre: F32, scale: F32, seed: int, *, gently: bool = False
) -> None:
    """Teach networks what sentences are worth; gently, in small batches, if they know much already."""
    order = np.random.default_rng(seed)
    inputs = [_inputs(document.features, centre, scale) for document in keyed]
    others = [weight for name, weight in networks.named_parameters() if name != "grams"]
    size, share, decay = (_FEW, _GENTLE, 0.0) if gently else (_BATCH, 1.0, _DECAY)
    rates = [share * _RATE, share * _GRAM_RATE]
    groups = [{"params": others, "lr": rates[0]}, {"params": [networks.grams], "lr": rates[1]}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.99), weight_decay=decay)
    steps = _EPOCHS * math.ceil(len(keyed) / size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps + 1)
    for _ in range(_EPOCHS):
        permutation = order.permutation(len(keyed))
        for low in range(0, len(keyed), size):
            batch = permutation[low : low + size].tolist()
            loss = torch.stack([_loss(networks(*inputs[index]), keyed[index]) for index in batch]).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()


def _inputs(features: Features, centre: F32, scale: F32) -> tuple[Tensor, ...]:
    """Return the standardized features and the n-grams of a document, those of its headings with every sentence."""
    grams, rows = features.all_grams()
    numbers = np.bincount(rows, minlength=len(features.runs))
    weights = (1 / np.sqrt(numbers))[rows].astype(np.float32)
    x = standardize(_in_context(features), centre, scale)
    return torch.from_numpy(x), torch.from_numpy(grams), torch.from_numpy(rows), torch.from_numpy(weights)


def _loss(ratings: Tensor, document: Keyed) -> Tensor:
    """Return the loss of ratings (E, N), summed over the networks."""
    points, poor = torch.from_numpy(document.points), torch.from_numpy(document.poor)
    points = points[:, points.any(dim=0)]
    conveys = points.any(dim=1)
    weights = torch.where(poor & ~conveys, _POOR, 1.0)
    each = functional.binary_cross_entropy_with_logits(
        ratings, conveys.float().expand_as(ratings), weights.expand_as(ratings)
    )
    if not points.shape[1]:
        return len(ratings) * _EACH * each
    best = torch.where(points, ratings[..., None], _FLOOR).logsumexp(dim=1)  # (E, P)
    rest = torch.where(conveys, _FLOOR, ratings + weights.log()).logsumexp(dim=1, keepdim=True)
    ranks = torch.linspace(*_RANKS, points.shape[1])
    found = (ranks * (torch.logaddexp(best, rest) - best)).mean(dim=1).sum()
    return len(ratings) * _EACH * each + _POINTS * found


def _fit_styles(everyday: Sequence[F32], others: Mapping[str, Sequence[F32]]) -> tuple[F32, F32, F32, F32, F32, F32]:
    """Return centre and scale of all styles, weights and biases of each kind, its shares, and whether it is a textbook.

    It is a multinomial regression in which everyday documents weigh as much as all others, and these alike.
    """
    kinds = {"everyday": everyday, **others}
    values = np.stack([style for styles in kinds.values() for style in styles])
    centre, scale = _moments(values)
    x = torch.from_numpy(standardize(values, centre, scale)).double()
    sizes = torch.tensor([len(styles) for styles in kinds.values()])
    kind = torch.repeat_interleave(torch.arange(len(kinds)), sizes)
    weight = torch.tensor([0.5, *(0.5 / len(others) for _ in others)], dtype=torch.float64)
    weights = weight[kind] / sizes[kind]
    linear = torch.zeros(len(kinds), x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([linear], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        odds = x @ linear[:, :-1].T + linear[:, -1]
        loss = weights @ functional.cross_entropy(odds, kind, reduction="none")
        loss = loss + _STYLE_DECAY * linear[:, :-1].square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    fitted = linear.detach()
    shares = [_EVERYDAY, *(_SHARES.get(name, _OTHER_SHARES) for name in others)]
    is_textbook = [name == TEXTBOOKS for name in kinds]
    return (
        centre,
        scale,
        _array(fitted[:, :-1]),
        _array(fitted[:, -1]),
        np.ascontiguousarray(np.transpose(shares), np.float32),
        np.array(is_textbook, np.float32),
    )


def _fit_chapters(chapters: Sequence[Chapter]) -> F32:
    """Return the mean logarithm of a summary's words less that of the sections' sizes; all books weigh alike."""
    books: dict[str, list[float]] = defaultdict(list)
    for chapter in chapters:
        books[chapter.book].append(chapter.words - chapter.size)
    return np.array([np.mean([np.mean(own) for own in books.values()]) if books else 0.0], np.float32)
