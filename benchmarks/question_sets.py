"""Questions with known answers, of three forms of files, as sentences of the documents they were asked about.

- spans: JSONL with `text`, and `questions` with `question` and `spans` of characters (COVID-QA, PolicyQA);
- passages: JSONL with `paragraphs`, and `questions` with `query`, `answer` or `answers`, and `relevant`, the first and
  last paragraph of each passage that the answer was written from (QMSum, SQuALITY);
- keys: JSONL with `file`, `kind`, `questions` with `question` and `any_of`, sentences that answer it, and
  `unanswerable` questions; the files are in the folder `documents` beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from memsum.arrays import Bools
from memsum.document import Document, read_document
from memsum.jsonl import read_lines
from memsum.query.passages import Passages


@dataclass(frozen=True)
class Asked:
    """A question, the sentences that answer it, if that is known, and answers in other words, if there are any."""

    text: str
    relevant: Bools | None  # (passages,)
    answers: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """A document as it was read, and what is asked about it."""

    source: str
    document: Document
    passages: Passages
    asked: list[Asked]
    unanswerable: list[str]


def read_cases(path: Path, documents: int | None = None) -> Iterator[Case]:
    """Read questions of any of the three forms."""
    for number, line in enumerate(read_lines(path)):
        if number == documents:
            return
        record = line.parse()
        if "file" in record:
            yield _keys(record, path.parent / "documents")
        elif "paragraphs" in record:
            yield _passages(record)
        else:
            yield _spans(record)


def _spans(record: dict[str, Any]) -> Case:
    document = read_document(record["text"])
    passages = Passages.of([document])
    starts = np.array([passage.sentence.start for passage in passages.members])
    ends = np.array([passage.sentence.end for passage in passages.members])
    asked = []
    for question in record["questions"]:
        relevant = np.zeros(len(passages), bool)
        for start, end in question["spans"]:
            shared = np.minimum(ends, end) - np.maximum(starts, start)
            relevant |= 2 * shared >= np.minimum(ends - starts, end - start)
        if relevant.any():
            asked.append(Asked(question["question"], relevant))
    return Case(record["source"], document, passages, asked, [])


def _passages(record: dict[str, Any]) -> Case:
    paragraphs = record["paragraphs"]
    starts = list(accumulate((len(paragraph) + 2 for paragraph in paragraphs), initial=0))
    document = read_document("\n\n".join(paragraphs))
    passages = Passages.of([document])
    places = np.array([bisect_right(starts, passage.sentence.start) - 1 for passage in passages.members])
    asked = []
    for question in record["questions"]:
        answers = question["answers"] if "answers" in question else [question["answer"]]
        relevant = None
        if "relevant" in question:
            spans = [(first <= places) & (places <= last) for first, last in question["relevant"]]
            relevant = np.any(spans, axis=0)
        if relevant is None or relevant.any():
            asked.append(Asked(question["query"], relevant, answers))
    return Case(record["source"], document, passages, asked, [])


def _keys(record: dict[str, Any], folder: Path) -> Case:
    document = read_document(folder / record["file"])
    passages = Passages.of([document])
    asked = []
    for question in record["questions"]:
        relevant = [any(same(text, answer) for answer in question["any_of"]) for text in passages.texts]
        asked.append(Asked(question["question"], np.array(relevant, bool)))
    return Case(record["kind"], document, passages, asked, record["unanswerable"])


def same(quote: str, sentence: str) -> bool:
    """Tell whether one contains the other, or they share four fifths of the shorter one's words."""
    short, long = sorted((re.findall(r"\w+", text.lower()) for text in (quote, sentence)), key=len)
    if not short:
        return False
    if f" {' '.join(short)} " in f" {' '.join(long)} ":
        return True
    return len(short) >= 6 and len(set(short) & set(long)) >= 0.8 * len(set(short))
