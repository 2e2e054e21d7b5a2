"""How much of what readers must know a summary has, on documents with keys.

    python benchmarks/readers.py KEYS.jsonl FOLDER [--model default] [--against MODEL] [--sentences 7]
    python benchmarks/readers.py KEYS.jsonl FOLDER --kinds-left-out --model RUN/phases/tuning [--corpora CORPUS...]

KEYS.jsonl has a key for each document in FOLDER: the points that a reader must know, with the sentences that convey
them, and sentences that make poor quotes (`memsum_train.corpus.keys`). Prints, by kind and in all, the share of the
points that summaries of exactly so many sentences and of the model's own length convey, and the share of poor quotes,
with 95 % bootstrap intervals over documents, beside Lead and LexRank of as many words, as Markdown. With
--kinds-left-out, a model that has not learned from keys yet learns from them six times, each time without a group of
kinds, and quotes documents of these kinds.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memsum.arrays import F64
from memsum.document import Document, read_document
from memsum.features.source_text import SourceText
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.select import Selection
from memsum.summary import count_words
from memsum_train.corpus.keys import Key, read_keys
from memsum_train.evaluation.baselines import lexrank_ranking
from memsum_train.learning.config import TargetSettings
from memsum_train.learning.data import sample_corpus
from memsum_train.learning.targets import extractor_of, fit_policy, play, read_example, read_key
from memsum_train.policy.folder import load_policy, new_policy
from memsum_train.report.statistics import estimate_mean

GROUPS = [
    set(kinds.split())
    for kinds in (
        "blog article newsletter opinion thread essay explainer",
        "guide readme howto health local slides office practical techdoc",
        "news announcement call release security letter incident brief",
        "policy manual contract governance standard legal-guide",
        "minutes lesson textbook chapter decision proposal history meeting",
    )
]  # and all others


@dataclass(frozen=True)
class Keyed:
    """A document and its key."""

    key: Key
    document: Document


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
    episode = Selection(runtime, source).episode()
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


def group_of(kind: str) -> int:
    return next((number for number, kinds in enumerate(GROUPS) if kind in kinds), len(GROUPS))


def leave_kinds_out(model: Path, documents: Sequence[Keyed], corpora: Sequence[Path], count: int) -> list[Score]:
    """Return the scores of documents by what those of other kinds, and documents of corpora, have taught."""
    runtime, (policy, encoder, _), settings = Runtime.load(model, threads=1), load_policy(model), TargetSettings()
    lessons = [read_key(runtime, one.key, SourceText.of_documents([one.document])) for one in documents]
    examples = [
        read_example(runtime, path.name, example.source)
        for path in corpora
        for example in sample_corpus(path, settings.documents // len(corpora), settings.temperature, settings.seed)
    ]
    groups = np.array([group_of(one.key.kind) for one in documents])
    scores: dict[int, Score] = {}
    for group in np.unique(groups).tolist():
        network = new_policy(replace(policy.config, columns=True), encoder, settings.seed)
        network.load_state_dict(policy.state_dict(), strict=False)
        extractor = extractor_of(network)
        learned = [lesson for lesson, own in zip(lessons, groups, strict=True) if own != group]
        fit_policy(extractor, learned, examples, settings)
        for number in np.flatnonzero(groups == group).tolist():
            rows, lesson = play(extractor, lessons[number].view, count), lessons[number]
            assert lesson.points is not None
            assert lesson.poor is not None
            points = float(lesson.points[rows].any(axis=0).mean())
            scores[number] = Score(points, float(lesson.poor[rows].mean()), len(rows))
    return [scores[number] for number in range(len(documents))]


def summarize(model: str, documents: Sequence[Keyed], sentences: int) -> dict[str, list[Score]]:
    runtime = Runtime.load(find_model(model).folder)
    scores: dict[str, list[Score]] = {}
    for keyed in documents:
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
    parser.add_argument("--kinds-left-out", action="store_true", help="learn from the keys of other kinds")
    parser.add_argument(
        "--corpora", type=Path, nargs="*", default=[], help="with sentences, as corpus build writes them"
    )
    arguments = parser.parse_args()
    documents = [Keyed(key, read_document(arguments.folder / key.file)) for key in read_keys(arguments.keys)]
    if arguments.kinds_left_out:
        left_out = leave_kinds_out(Path(arguments.model), documents, arguments.corpora, arguments.sentences)
        scores: dict[str, list[Score]] = {f"kinds left out, {arguments.sentences} quotes": left_out}
    else:
        scores = summarize(arguments.model, documents, arguments.sentences)
    if arguments.against:
        others = summarize(arguments.against, documents, arguments.sentences)
        scores |= {name: own for name, own in others.items() if name not in scores}
    print(table(scores, [keyed.key.kind for keyed in documents]))


if __name__ == "__main__":
    main()
