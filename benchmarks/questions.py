"""How well memsum answers questions, beside BM25 and the cosine of sentence embeddings.

    python benchmarks/questions.py QUESTIONS... [--documents N] [--per-document N]

Each file has questions with known answers, in one of the forms of `question_sets`. Where answers are short: how often
one is among the first one and three quotes. Where they are long passages: the share of ten quotes that lie in them.
Also how often no answer is found, for questions that have one, for those that the keys call unanswerable, and for the
questions of another document of the file. Each mean has a 95 % bootstrap interval over questions. Ranks are those of
`memsum`'s own order, whether an answer was found or not.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum.languages.stem import stem
from memsum.query.embedder import load_embedder
from memsum.query.index import EnglishIndex
from memsum.query.passages import Passages
from memsum.query.question import Question, split_words
from memsum_train.report.statistics import estimate_mean
from question_sets import Case, read_cases

QUOTES = 10
LONG = 10  # sentences of an answer on average from which it is a passage
K1, B = 1.2, 0.75
SYSTEMS = ("memsum", "BM25", "cosine")

Rows = dict[str, dict[str, list[float]]]


class Baselines:
    """Sentences of one document in order of their likeness to a question, by the means of others."""

    def __init__(self, passages: Passages) -> None:
        self._words = [Counter(stem(word) for word in split_words(text)) for text in passages.texts]
        self._lengths = np.array([max(1, words.total()) for words in self._words])
        self._spread = Counter(word for words in self._words for word in words)
        self._embedder = load_embedder()
        self._vectors = self._embedder.encode([self._embedder.wordpiece.encode(text) for text in passages.texts])

    def bm25(self, question: str) -> NDArray[np.float64]:
        number = len(self._words)
        scores = np.zeros(number)
        for word in {stem(word) for word in split_words(question)}:
            rarity = np.log(1 + (number - self._spread[word] + 0.5) / (self._spread[word] + 0.5))
            counts = np.array([own[word] for own in self._words])
            scores += rarity * counts * (K1 + 1) / (counts + K1 * (1 - B + B * self._lengths / self._lengths.mean()))
        return scores

    def cosine(self, question: str) -> NDArray[np.float64]:
        vector = self._embedder.encode([self._embedder.wordpiece.encode(question)])[0]
        return np.asarray(np.einsum("nd,d->n", self._vectors, vector), np.float64)


def measure(cases: Sequence[Case], per_document: int | None) -> Rows:
    """Ask every question; the rows are measures, with a value per question for each system."""
    rows: Rows = defaultdict(lambda: defaultdict(list))
    for number, case in enumerate(cases):
        asked = [one for one in case.asked if one.relevant is not None]
        if not asked or not len(case.passages):
            continue
        if per_document is not None:
            asked = [
                asked[place] for place in np.linspace(0, len(asked) - 1, min(per_document, len(asked))).astype(int)
            ]
        index, baselines = EnglishIndex(case.passages), Baselines(case.passages)
        for one in asked:
            relevance = index.rate(Question.of(one.text))
            scores = {
                "memsum": relevance.scores,
                "BM25": baselines.bm25(one.text),
                "cosine": baselines.cosine(one.text),
            }
            for system, own in scores.items():
                hits = one.relevant[np.argsort(-own, kind="stable")]
                rows["answer in the first"][system].append(float(hits[:1].any()))
                rows["answer in the first three"][system].append(float(hits[:3].any()))
                rows[f"share of {QUOTES} quotes"][system].append(float(hits[:QUOTES].mean()))
            rows["no answer found"]["memsum"].append(float(not relevance.found))
        for text in case.unanswerable:
            found = index.rate(Question.of(text)).found
            rows["no answer found, unanswerable"]["memsum"].append(float(not found))
        other = cases[(number + len(cases) // 2) % len(cases)]
        for stranger in other.asked[:2] if other is not case else ():
            found = index.rate(Question.of(stranger.text)).found
            rows["no answer found, of another document"]["memsum"].append(float(not found))
    lengths = [one.relevant.sum() for case in cases for one in case.asked if one.relevant is not None]
    unused = (
        ["answer in the first", "answer in the first three"]
        if np.mean(lengths) > LONG
        else [f"share of {QUOTES} quotes"]
    )
    return {name: systems for name, systems in rows.items() if name not in unused}


def show(path: Path, cases: Sequence[Case], rows: Rows) -> None:
    print(f"\n{path.name}: {len(cases)} documents\n\n| | questions | {' | '.join(SYSTEMS)} |")
    print("|---|---:|" + "---:|" * len(SYSTEMS))
    for name, systems in rows.items():
        cells = []
        for system in SYSTEMS:
            estimate = estimate_mean(systems[system]) if systems.get(system) else None
            interval = estimate and f"{estimate.low:.3f}–{estimate.high:.3f}"
            cells.append("" if estimate is None else f"{estimate.mean:.3f} ({interval})")
        print(f"| {name} | {len(systems['memsum'])} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--per-document", type=int, help="questions of each document, evenly chosen")
    options = parser.parse_args()
    for path in options.questions:
        cases = list(read_cases(path, options.documents))
        show(path, cases, measure(cases, options.per_document))


if __name__ == "__main__":
    main()
