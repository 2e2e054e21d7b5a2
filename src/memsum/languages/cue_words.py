"""Cue words and marks of a sentence as inputs of the network: citations, aims, findings, connectives, fragments.

The network reads bags of words, and the tokenizer leaves citations out. So it cannot see how a sentence begins and
ends, nor that it reports the work of others, of which human summaries quote a tenth as often as of the document's
own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import lengths_of
from memsum.languages import read_groups
from memsum.text.vocabulary import Vocabulary

Ints = NDArray[np.integer[Any]]

# Each begins with a character that few others are, and looks behind from there: found four times as fast.
_CITATION = re.compile(
    r"@xcite|\[\s?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,30}\s?\]|et al\b(?<=\bet al)"
    r"|\([^()]{0,60}\b(?:19|20)\d\d[a-z]?\s?\)|\.(?<=[a-z]\.)\d{1,2}\b"
)

_YEAR = re.compile(r"(?<![\d.,$])(?:19[5-9]|20[0-4])\d(?![\d%]|[.,]\d)")

_FILE = "english/cue_words"
_ANYWHERE, _FIRST = read_groups(_FILE, "anywhere"), read_groups(_FILE, "first")
WORDING = (*_ANYWHERE, *_FIRST, "question", "unfinished", "begins small", "cites", "short")
_SHORT = 6  # words

# Groups of words by which a sentence shows what it is to a reader: a duty, a decision, a default, a greeting.
FOR_READERS, FIRST_FOR_READERS = read_groups(_FILE, "for readers"), read_groups(_FILE, "first for readers")


def mark_wording(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return what the tokens no longer show, (N, 3): citations, a beginning in lower case, the latest year named.

    Years count in centuries from 1900; 0 is none.
    """
    marks = []
    for sentence in sentences:
        may_cite = "[" in sentence or "(" in sentence or "et al" in sentence or "@x" in sentence
        years = _YEAR.findall(sentence) if "19" in sentence or "20" in sentence else ()
        year = (int(max(years)) - 1900) / 100 if years else 0.0
        marks.append((may_cite and _CITATION.search(sentence) is not None, sentence[:1].islower(), year))
    return np.array(marks, np.float32).reshape(-1, 3)


class CueWords:
    """The cue words of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._anywhere = mark_words(vocabulary, _ANYWHERE.values())
        self._first = mark_words(vocabulary, _FIRST.values())
        self._questions = mark_words(vocabulary, ["?"])
        self._ends = mark_words(vocabulary, [". ? ! ” )"])

    def signals(self, ids: Ints, starts: Ints, marks: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return (N, WORDING) for sentences whose words lie one after the other; `marks` come from `mark_wording`."""
        number = len(starts)
        lengths = lengths_of(starts, len(ids))
        last = ids[starts + lengths - 1]
        columns = np.empty((number, len(WORDING)), np.float32)
        flags = np.bitwise_or.reduceat(self._anywhere[ids], starts)
        for bit in range(len(_ANYWHERE)):
            columns[:, bit] = flags >> bit & 1
        flags = self._first[ids[starts]]
        for bit in range(len(_FIRST)):
            columns[:, len(_ANYWHERE) + bit] = flags >> bit & 1
        columns[:, -5] = self._questions[last]
        columns[:, -4] = 1 - self._ends[last]
        columns[:, -3] = marks[:, 1]
        columns[:, -2] = marks[:, 0]
        columns[:, -1] = lengths < _SHORT
        return columns


def mark_words(vocabulary: Vocabulary, groups: Iterable[str]) -> NDArray[np.int64]:
    """Return for each word of the vocabulary the groups that it belongs to, one bit each."""
    classes = np.zeros(len(vocabulary), np.int64)
    for bit, words in enumerate(groups):
        for word in words.split():
            if word in vocabulary:
                classes[vocabulary[word]] |= 1 << bit
    return classes
