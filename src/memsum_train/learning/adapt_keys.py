"""Adapting a model to what its user would quote: from documents with keys, as `memsum_train.corpus.keys` reads them.

The documents judge as well: in turn, a third of them is summarized by a model that has learned from the others. What is
written has learned from all. It takes seconds, so an interrupted adaptation begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memsum.document import read_document
from memsum.errors import TrainingError
from memsum.features.reader_value import READER_FILE, ReaderModel
from memsum.features.source_text import SourceText
from memsum.files import hold_folder
from memsum.model import ModelConfig
from memsum.model.runtime import Runtime
from memsum.model.verify import update_manifest
from memsum_train.corpus.keys import Key
from memsum_train.corpus.records import Example
from memsum_train.learning.adapt import FEWEST, MINUTES, Adaptation, Clock, Report, Scores
from memsum_train.learning.reader import Keyed, adapt_reader, keyed_features
from memsum_train.policy.export import export_model

MEASURES = ("points",)
_FOLDS = 3
_READING = 0.5  # share of the budget in which documents are read
_NEAR, _STEPS = 5.0, 10  # log-odds by which documents may be more unlike everyday ones, and how finely that is tried
_UNLIKE = 0.25  # share of the documents that may be more unlike
_TRUST = 10  # documents that a model's former number of quotes counts for


@dataclass(frozen=True)
class _Document:
    key: Key
    source: SourceText
    keyed: Keyed


def read_sources(keys: Sequence[Key], folder: Path) -> list[tuple[Key, SourceText]]:
    """Read the documents of keys; one that cannot be found or has none of its key's sentences is an error."""
    sources = []
    for key in keys:
        source = SourceText.of_documents([read_document(folder / key.file)])
        if not key.conveyed(source.sentences).any():
            raise TrainingError(
                f"{folder / key.file} has none of the sentences of its key {key.name}.",
                "A point lists sentences of its document under any_of, word by word.",
            )
        sources.append((key, source))
    return sources


def key_examples(sources: Sequence[tuple[Key, SourceText]]) -> list[Example]:
    """Return documents with the sentences of their keys as summaries, one for each point."""
    examples = []
    for key, source in sources:
        conveyed = key.conveyed(source.sentences)
        rows = sorted({int(column.argmax()) for column in conveyed.T if column.any()})
        summary = tuple(source.sentences[row] for row in rows)
        examples.append(Example(tuple(source.sentences), summary, id=key.name, extra={"source": key.kind}))
    return examples


def values_readers(sources: Sequence[tuple[Key, SourceText]], model: Path) -> bool:
    """Return whether a model can choose sentences of these documents by their value to a reader.

    It does so where a document is written like those it was keyed for; most of these must be, or nearly.
    """
    if ModelConfig.load(model).reader is None:
        return False
    runtime = Runtime.load(model, threads=1)
    some = sources[:: math.ceil(len(sources) / FEWEST)]
    keyed = [keyed_features(key, source, runtime) for key, source in some]
    return runtime.reader is not None and _read_so(runtime.reader, keyed) is not None


def _read_so(reader: ReaderModel, keyed: Sequence[Keyed]) -> ReaderModel | None:
    """Return a reader that takes most of these documents for everyday ones; None if they are too unlike those."""
    for step in range(_STEPS + 1):
        bias = reader.style_bias.copy()
        bias[0] += np.float32(step * _NEAR / _STEPS)  # of everyday documents, the first kind
        nearer = replace(reader, style_bias=bias)
        shares = [nearer.everyday(one.style, len(one.points)) for one in keyed]
        if np.quantile(shares, _UNLIKE) > 0.5:
            return nearer
    return None


def adapt_to_keys(
    sources: Sequence[tuple[Key, SourceText]],
    model: Path,
    output: Path,
    *,
    minutes: float = MINUTES,
    seed: int = 0,
    report: Report = lambda what, left: None,
) -> Adaptation:
    """Adapt what sentences are worth to readers; if held-out documents get no better quotes, it stays as it was."""
    if len(sources) < FEWEST:
        raise TrainingError(f"Adapting needs at least {FEWEST} documents with keys; there are {len(sources)}.")
    clock = Clock(60 * minutes)
    with hold_folder(output):
        runtime = Runtime.load(model, threads=1)
        own = runtime.reader
        if own is None:
            raise TrainingError("The model does not value sentences for readers.", "Use the model default.")
        documents = []
        for number, (key, source) in enumerate(sources, start=1):
            report(f"reading and judging the model as it is: document {number} of {len(sources)}", clock.left)
            documents.append(_Document(key, source, keyed_features(key, source, runtime)))
            if clock.spent > _READING * clock.budget and len(documents) >= FEWEST:
                break
        before = np.array([[_points(document, runtime)] for document in documents])
        after = np.zeros((len(documents), 1))
        fold = np.random.default_rng(seed).permutation(len(documents)) % _FOLDS
        for number in range(_FOLDS):
            report(f"learning from two thirds, judging the others: part {number + 1} of {_FOLDS}", clock.left)
            learned = [one.keyed for one, own_fold in zip(documents, fold, strict=True) if own_fold != number]
            runtime.reader = adapt_reader(_read_so(own, learned) or own, learned, seed)
            for row in np.flatnonzero(fold == number).tolist():
                after[row] = _points(documents[row], runtime)
        report("learning from all documents", clock.left)
        quotes = float(np.mean([len(document.key.points) for document in documents]))
        result = Adaptation(MEASURES, Scores(before, quotes), Scores(after, quotes), len(documents))
        if not output.samefile(model):
            export_model(model, output, "int8")
        if result.kept:
            learned = [document.keyed for document in documents]
            _write(adapt_reader(_read_so(own, learned) or own, learned, seed), documents, output)
        return result


def _points(document: _Document, runtime: Runtime) -> float:
    """Return the share of a key's points that as many quotes convey."""
    key, source = document.key, document.source
    episode = runtime.encode(source).episode()
    episode.extend(len(key.points))
    rows = np.searchsorted(source.numbers, episode.choices).tolist()
    quotes = [source.sentences[row] for row in rows]
    return float(key.conveyed(quotes).any(axis=0).mean()) if quotes else 0.0


def _write(reader: ReaderModel, documents: Sequence[_Document], output: Path) -> None:
    """Write what was learned, and how many sentences one would have picked, into a model folder."""
    config = ModelConfig.load(output)
    settings = config.reader
    assert settings is not None  # noqa: S101
    usual = [settings.quotes * len(document.source.sentences) ** settings.growth for document in documents]
    ratios = [math.log(len(document.key.points) / count) for document, count in zip(documents, usual, strict=True)]
    factor = math.exp(np.median(ratios) * len(ratios) / (len(ratios) + _TRUST))
    reader.save(output)
    update_manifest(output, READER_FILE)
    training = {**config.training, "adapted": {"keys": len(documents)}}
    replace(config, reader=replace(settings, quotes=settings.quotes * factor), training=training).save(output)
