"""How well summaries about a question answer it, beside BM25, cosine and the plain summary.

    python benchmarks/questions.py QUESTIONS.jsonl.zst [--model default] [--documents N] [--swap] [--fit]

One document per line: `paragraphs`, and `questions` with `query`, one `answer` or several `answers` (lists of
paragraphs), and, if known, `relevant`: the first and last paragraph of each passage that the answer was written from.
Two measures, each beside the paired difference to memsum's with a 95 % bootstrap interval over questions: the share of
ten quotes that lie in the relevant passages; and ROUGE-1 / 2 / Lsum F1 of the answer, the best of several, where memsum
decides how long an answer is and the others are cut to as many words. With --swap, how often nothing is found for the
questions, and for those about other documents. With --fit, learns the weights of `memsum.query.relevance` and prints
them.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum import Summarizer
from memsum.arrays import unit
from memsum.document import Document, read_document
from memsum.document.sentences import split_sentences
from memsum.jsonl import read_lines
from memsum.query.question import Question
from memsum.reading import Reading
from memsum.summary import count_words
from memsum.text import tokenize
from memsum.training.report.statistics import paired_bootstrap
from memsum.training.rouge import score_many
from questions_fit import fit

QUOTES = 10
ROWS, F1 = (0, 1, 3), 2  # ROUGE-1, ROUGE-2, ROUGE-Lsum
K1, B = 1.2, 0.75
UNFOUND = 60  # words of the others' answers where memsum finds nothing
SYSTEMS = ("memsum", "BM25", "BM25 of the topic's words", "cosine", "plain summary")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question about a document."""

    source: str
    query: str
    answers: list[list[str]]
    relevant: NDArray[np.bool_] | None  # of each sentence


@dataclass(frozen=True)
class Case:
    """A document as it was read, and what is asked about it."""

    document: Document
    asked: list[Asked]

    @property
    def sentences(self) -> list[str]:
        return [sentence.text for sentence in self.document.sentences]


def read_cases(path: Path, most: int | None) -> Iterator[Case]:
    for number, line in enumerate(read_lines(path)):
        if number == most:
            return
        record: dict[str, Any] = line.parse()
        paragraphs = record["paragraphs"]
        starts = list(accumulate((len(paragraph) + 2 for paragraph in paragraphs), initial=0))
        document = read_document("\n\n".join(paragraphs))
        places = np.array([bisect_right(starts, sentence.start) - 1 for sentence in document.sentences])
        asked = []
        for question in record["questions"]:
            relevant = None
            if "relevant" in question:
                spans = [(first <= places) & (places <= last) for first, last in question["relevant"]]
                relevant = np.any(spans, axis=0)
            answers = question["answers"] if "answers" in question else [question["answer"]]
            answers = [[line for paragraph in answer for line in lines_of(paragraph)] for answer in answers]
            if relevant is None or relevant.any():
                asked.append(Asked(record["source"], question["query"], answers, relevant))
        yield Case(document, asked)


def lines_of(paragraph: str) -> list[str]:
    return [paragraph[start:end] for start, end in split_sentences(paragraph, "en")]


class Rankings:
    """Sentences of one document in order of their likeness to a question, by the means of others."""

    def __init__(self, sentences: Sequence[str], summarizer: Summarizer) -> None:
        self._words = [Counter(word for word in tokenize(sentence) if word[0].isalnum()) for sentence in sentences]
        self._lengths = np.array([max(1, words.total()) for words in self._words])
        self._spread = Counter(word for words in self._words for word in words)
        self._encoder = summarizer.runtime.encoder
        self._means = unit(np.stack([self._mean(tokenize(sentence)) for sentence in sentences]))

    def bm25(self, words: Sequence[str]) -> list[int]:
        number = len(self._words)
        scores = np.zeros(number)
        for word in set(words):
            rarity = np.log(1 + (number - self._spread[word] + 0.5) / (self._spread[word] + 0.5))
            counts = np.array([own[word] for own in self._words])
            scores += rarity * counts * (K1 + 1) / (counts + K1 * (1 - B + B * self._lengths / self._lengths.mean()))
        return [int(i) for i in np.argsort(-scores, kind="stable")]

    def cosine(self, words: Sequence[str]) -> list[int]:
        return [int(i) for i in np.argsort(-(self._means @ unit(self._mean(words))), kind="stable")]

    def _mean(self, words: Sequence[str]) -> NDArray[np.float32]:
        ids = np.array(self._encoder.vectors.vocabulary.encode(words), np.int64)
        return np.asarray(self._encoder.weights[ids] @ self._encoder.vectors.lookup(ids), np.float32)


def orders(case: Case, asked: Asked, reading: Reading, rankings: Rankings) -> dict[str, list[int]]:
    """The sentences that each system would quote first."""
    words = [word for word in tokenize(asked.query) if word[0].isalnum()]
    topic = Question.of(asked.query)
    kept = [word for word, weight in zip(topic.words, topic.weights, strict=True) if weight == 1]
    many = min(len(case.document.sentences), 60)
    plain = reading.summarize(sentences=many, order="extraction", context=False)
    return {
        "BM25": rankings.bm25(words),
        "BM25 of the topic's words": rankings.bm25(kept or words),
        "cosine": rankings.cosine(words),
        "plain summary": [quote.index for quote in plain],
    }


def cut(order: Sequence[int], sentences: Sequence[str], words: int) -> list[int]:
    """The first of an order that come nearest to a number of words."""
    chosen: list[int] = []
    total = 0
    for index in order:
        own = count_words(sentences[index])
        if chosen and abs(total + own - words) > abs(total - words):
            break
        chosen.append(index)
        total += own
    return sorted(chosen)


def score(chosen: Sequence[tuple[Asked, list[str]]]) -> Floats:
    """(questions, 3): the best over a question's answers."""
    pairs = [(number, said, answer) for number, (asked, said) in enumerate(chosen) for answer in asked.answers]
    scores = score_many([said for _, said, _ in pairs], [answer for _, _, answer in pairs])[:, ROWS, F1]
    best = np.zeros((len(chosen), len(ROWS)))
    np.maximum.at(best, [number for number, _, _ in pairs], 100 * scores)
    return best


def difference(own: Floats, other: Floats) -> str:
    compared = paired_bootstrap(own, other)
    return f"{compared.difference:+.3g} ({compared.low:+.3g} to {compared.high:+.3g})"


def compare(cases: Sequence[Case], summarizer: Summarizer) -> None:
    shares: dict[str, list[float]] = {name: [] for name in SYSTEMS}
    said: dict[str, list[tuple[Asked, list[str]]]] = {name: [] for name in SYSTEMS}
    lengths = []
    for case in cases:
        sentences = case.sentences
        reading = summarizer.read(case.document)
        rankings = Rankings(sentences, summarizer)
        for asked in case.asked:
            answer = reading.summarize(about=asked.query, context=False)
            words = sum(count_words(quote.text) for quote in answer)
            lengths.append((asked.source, words, np.mean([count_words(" ".join(one)) for one in asked.answers])))
            said["memsum"].append((asked, [quote.text for quote in answer]))
            others = orders(case, asked, reading, rankings)
            for name, order in others.items():
                chosen = cut(order, sentences, words or UNFOUND)
                said[name].append((asked, [sentences[i] for i in chosen]))
            if asked.relevant is not None:
                ten = reading.summarize(about=asked.query, sentences=QUOTES, context=False)
                others["memsum"] = [quote.index for quote in ten]
                for name in SYSTEMS:
                    shares[name].append(float(asked.relevant[others[name][:QUOTES]].sum()) / QUOTES)
    sources = list(dict.fromkeys(source for source, _, _ in lengths))
    print(
        f"\n| system | relevant of {QUOTES} quotes ({len(shares['memsum'])} questions) | memsum's share is higher by |"
    )
    print("|---|---:|---:|")
    for name in SYSTEMS:
        apart = "" if name == "memsum" else difference(np.array(shares["memsum"]), np.array(shares[name]))
        print(f"| {name} | {np.mean(shares[name]):.3f} | {apart} |")
    for source in sources:
        of_source = np.array([own == source for own, _, _ in lengths])
        words = [np.mean([row[column] for row in lengths if row[0] == source]) for column in (1, 2)]
        print(f"\n{source}: {of_source.sum()} questions, answers of {words[0]:.0f} words, people's of {words[1]:.0f}\n")
        print(
            "| system | R-1 | R-2 | R-Lsum | memsum's R-1 is higher by | R-2 | R-Lsum |\n" + "|---" + "|---:" * 6 + "|"
        )
        scores = {name: score(said[name])[of_source] for name in SYSTEMS}
        for name, own in scores.items():
            apart = ["", "", ""]
            if name != "memsum":
                apart = [difference(scores["memsum"][:, i], own[:, i]) for i in range(3)]
            print(f"| {name} | {' | '.join(f'{mean:.2f}' for mean in own.mean(axis=0))} | {' | '.join(apart)} |")


def swap(cases: Sequence[Case], summarizer: Summarizer) -> None:
    """Ask each document its own questions, and those of the one that follows half of all documents later."""
    found: dict[str, list[bool]] = {}
    for number, case in enumerate(cases):
        reading = summarizer.read(case.document)
        other = cases[(number + len(cases) // 2) % len(cases)]
        for asked in case.asked:
            found.setdefault("its own questions", []).append(reading.summarize(about=asked.query, sentences=1).found)
        for asked in other.asked:
            kind = "the same" if case.asked and asked.source == case.asked[0].source else "another"
            name = f"questions about another document of {kind} kind"
            found.setdefault(name, []).append(reading.summarize(about=asked.query, sentences=1).found)
    print("\n| asked | questions | nothing found |\n|---|---:|---:|")
    for name, flags in found.items():
        print(f"| {name} | {len(flags)} | {1 - np.mean(flags):.1%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    summarizer = Summarizer.load(options.model, threads=1)
    cases = list(read_cases(options.questions, options.documents))
    if options.fit:
        fit(cases, summarizer)
    elif options.swap:
        swap(cases, summarizer)
    else:
        compare(cases, summarizer)


if __name__ == "__main__":
    main()
