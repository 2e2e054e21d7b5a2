"""How much of what readers must know a summary has, on everyday documents with keys.

    python benchmarks/readers.py KEYS.jsonl FOLDER [--model default] [--against MODEL] [--sentences 7] [--folds 5]

KEYS.jsonl has a key for each document in FOLDER: the points that a reader must know, with the sentences that convey
them, and sentences that make poor quotes (`memsum_train.corpus.keys`). Prints, by kind and in all, the share of the
points that summaries of exactly so many sentences and of the model's own length convey, and the share of poor quotes,
with 95 % bootstrap intervals over documents, beside Lead and LexRank of as many words, as Markdown. With --folds, what
the model has learned from keys is learned anew for each fold from the other folds, and only their own are summarized.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memsum.arrays import F64
from memsum.document import Document, read_document
from memsum.features.reader_value import ReaderModel
from memsum.features.source_text import SourceText
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.summary import count_words
from memsum_train.corpus.keys import Key, read_keys
from memsum_train.evaluation.baselines import lexrank_ranking
from memsum_train.learning.reader import Keyed as KeyedFeatures
from memsum_train.learning.reader import fit_reader, read_keyed
from memsum_train.report.statistics import estimate_mean


@dataclass(frozen=True)
class Keyed:
    """A document, its key, and the model of the fold that it is held out of, if it is."""

    key: Key
    document: Document
    reader: ReaderModel | None = None


@dataclass(frozen=True)
class Score:
    """What the quotes of one document convey."""

    points: float
    poor: float
    quotes: int


def score(key: Key, quotes: Sequence[str]) -> Score:
    poor = float(key.low_value(quotes).mean()) if quotes else 0.0
    return Score(float(key.conveyed(quotes).any(axis=0).mean()), poor, len(quotes))


def choose(runtime: Runtime, source: SourceText, sentences: int | None) -> list[str]:
    """Return the quotes of the model, in order of extraction."""
    stop = runtime.config.stop
    episode = runtime.encode(source).episode()
    count = sentences or episode.length(stop.threshold, stop.max_sentences, max(1, episode.minimum))
    episode.extend(count)
    return [source.sentences[int(np.searchsorted(source.numbers, number))] for number in episode.choices[:count]]


def within(ranking: Sequence[int], sentences: Sequence[str], words: int) -> list[str]:
    """Return the first sentences of a ranking, until they have so many words."""
    chosen: list[str] = []
    for index in ranking:
        chosen.append(sentences[index])
        if sum(map(count_words, chosen)) >= words:
            break
    return chosen


def fold_readers(keys: Sequence[Key], folder: Path, runtime: Runtime, folds: int) -> list[ReaderModel]:
    """Fit, for each document, what its fold's complement teaches."""
    keyed = [read_keyed(key, folder, runtime) for key in keys]
    fold = np.random.default_rng(7).permutation(len(keyed)) % folds
    models = [
        fit_like(runtime, [one for one, number in zip(keyed, fold, strict=True) if number != held_out])
        for held_out in range(folds)
    ]
    return [models[number] for number in fold.tolist()]


def fit_like(runtime: Runtime, keyed: Sequence[KeyedFeatures]) -> ReaderModel:
    """Fit what documents with keys teach; how kinds of documents are recognized stays the model's own."""
    fitted, own = fit_reader(keyed, {}), runtime.reader
    if own is None:
        return fitted
    return replace(
        fitted,
        style_centre=own.style_centre,
        style_scale=own.style_scale,
        style=own.style,
        style_bias=own.style_bias,
        shares=own.shares,
        textbooks=own.textbooks,
        chapter=own.chapter,
    )


def play(model: str, documents: Sequence[Keyed], sentences: int) -> dict[str, list[Score]]:
    runtime = Runtime.load(find_model(model).folder)
    scores: dict[str, list[Score]] = {}
    for keyed in documents:
        if keyed.reader is not None:
            runtime.reader = keyed.reader
        source = SourceText.of_documents([keyed.document])
        exactly = choose(runtime, source, sentences)
        words = sum(map(count_words, exactly))
        texts = list(source.sentences)
        systems = {
            f"{model}, {sentences} quotes": exactly,
            f"{model}, own length": choose(runtime, source, None),
            "LexRank, as many words": within(lexrank_ranking(texts), texts, words),
            "Lead, as many words": within(range(len(texts)), texts, words),
        }
        for name, quotes in systems.items():
            scores.setdefault(name, []).append(score(keyed.key, quotes))
    return scores


def cell(values: F64) -> str:
    interval = estimate_mean(values)
    return f"{values.mean():.3f} ({interval.low:.3f}–{interval.high:.3f})"


def table(scores: Mapping[str, Sequence[Score]], kinds: Sequence[str]) -> str:
    lines = ["| system | points covered | poor quotes | quotes |", "|---|---:|---:|---:|"]
    for name, own in scores.items():
        points, poor = (np.array([getattr(one, field) for one in own]) for field in ("points", "poor"))
        lines.append(f"| {name} | {cell(points)} | {cell(poor)} | {np.mean([one.quotes for one in own]):.1f} |")
    first = next(iter(scores))
    lines += ["", f"| {first}, by kind | documents | points covered | poor quotes |", "|---|---:|---:|---:|"]
    for kind in sorted(set(kinds)):
        own = [one for one, of in zip(scores[first], kinds, strict=True) if of == kind]
        points, poor = (np.array([getattr(one, field) for one in own]) for field in ("points", "poor"))
        lines.append(f"| {kind} | {len(own)} | {points.mean():.3f} | {poor.mean():.3f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--against", help="another model")
    parser.add_argument("--sentences", type=int, default=7)
    parser.add_argument("--folds", type=int, default=0, help="cross-validate on documents the model was trained on")
    arguments = parser.parse_args()
    keys = list(read_keys(arguments.keys))
    readers: Sequence[ReaderModel | None] = [None] * len(keys)
    if arguments.folds:
        runtime = Runtime.load(find_model(arguments.model).folder)
        readers = fold_readers(keys, arguments.folder, runtime, arguments.folds)
    documents = [
        Keyed(key, read_document(arguments.folder / key.file), reader)
        for key, reader in zip(keys, readers, strict=True)
    ]
    scores = play(arguments.model, documents, arguments.sentences)
    if arguments.against:
        other = [replace(keyed, reader=None) for keyed in documents]
        scores |= {
            name: own for name, own in play(arguments.against, other, arguments.sentences).items() if name not in scores
        }
    print(table(scores, [keyed.key.kind for keyed in documents]))


if __name__ == "__main__":
    main()
