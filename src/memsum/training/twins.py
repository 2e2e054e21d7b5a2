"""Twins: a document also teaches with some of its sentences said twice, to the letter or nearly.

What a policy must learn from its extractions is not to take the same again. Documents that say little twice hardly
teach it, so some are shown with copies: half of them with a copy of every sentence, which teaches fastest, the others
with copies above all of sentences worth extracting; right behind the originals or anywhere else. Half of the copies are
edited: words left out, clauses in another order, numbers written otherwise. The episode takes one of the two at random,
so that only the history tells which one is left.

Documents are word ids here. A clause is what stands between two commas or semicolons. A number written otherwise is
another id of the vocabulary: `3` and `three`, and of larger numbers, whose digits the tokenizer does not keep, another
shape: `#.#` and `#.##`, `#,###` and `####`.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from memsum.text.encoding import EncodedText, TextEncoder
from memsum.training.data import Document

_WHOLE = 0.5  # share of the documents of which every sentence is copied
_MOST = 0.5  # of the others: share of all sentences that are copied, at most
_WORTHY = (0.3, 1.0)  # the same of those of the episode, from and to
_EDITED = 0.5  # share of the copies that are edited
_EACH = 0.6  # chance of each of the three edits
_LOST = (0.05, 0.35)  # share of the words that are left out, from and to
_REST = 3  # words that are left, at least
_SEPARATORS = (",", ";")
_SPELLED = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

Ids = NDArray[np.int32]


class Twins:
    """Copies sentences, knowing the vocabulary."""

    def __init__(self, encoder: TextEncoder) -> None:
        vocabulary = encoder.vectors.vocabulary
        self._separators = [vocabulary[mark] for mark in _SEPARATORS if mark in vocabulary]
        self._otherwise = np.arange(len(vocabulary), dtype=np.int32)
        for number, word in enumerate(vocabulary.words):
            other = write_otherwise(word)
            if other is not None and other in vocabulary:
                self._otherwise[number] = vocabulary[other]

    def copy(self, document: Document, rng: np.random.Generator) -> Document:
        """Draw an episode and copy sentences; `alike` knows which are copies of which."""
        which = int(rng.integers(len(document.episodes)))
        episode, number = document.episodes[which], len(document.text)
        if rng.random() < _WHOLE:
            chances = np.ones(number)
        else:
            chances = np.full(number, rng.uniform(0, _MOST))
            chances[episode] = rng.uniform(*_WORTHY)
        copied = np.flatnonzero(rng.random(number) < chances)
        beside = rng.random() < 0.5
        places = copied + 0.5 if beside else rng.uniform(-0.5, number - 0.5, len(copied))
        order = np.argsort(np.append(np.arange(number), places), kind="stable")
        words = [document.text.sentence(i) for i in range(number)]
        words += [self.edit(words[i], rng) if rng.random() < _EDITED else words[i] for i in copied]
        alike = np.append(document.meanings, document.meanings[copied])[order]
        lengths = np.array([len(words[i]) for i in order], np.int64)
        ids, starts = np.concatenate([words[i] for i in order]), np.cumsum(lengths) - lengths
        marks = document.text.marks
        if marks is not None:
            marks = np.concatenate([marks, marks[copied]])[order]
        text = EncodedText.unread(ids, starts, marks, document.text.title)
        moved = np.argsort(order, kind="stable")[episode]  # to the copies they come when states are drawn
        return Document(text, [moved], document.rewards[which : which + 1], alike=alike)

    def edit(self, words: Ids, rng: np.random.Generator) -> Ids:
        """Say a sentence a little otherwise; if there is no clause and no number to change, without some words."""
        shortens, moves, rewrites = rng.random(3) < _EACH
        edited = words
        if rewrites:
            edited = self._otherwise[edited]
        if moves:
            edited = self._move_clause(edited, rng)
        if shortens or np.array_equal(edited, words):
            lost = max(1, int(rng.uniform(*_LOST) * len(edited)))
            kept = np.sort(rng.permutation(len(edited))[lost:])
            edited = edited[kept] if len(kept) >= _REST else edited
        return edited

    def _move_clause(self, words: Ids, rng: np.random.Generator) -> Ids:
        """Put what stands before one of the commas behind the rest, but before the last word, the full stop."""
        body, end = words[:-1], words[-1:]
        commas = np.flatnonzero(np.isin(body[1:-1], self._separators)) + 1
        if not len(commas):
            return words
        comma = int(rng.choice(commas))
        return np.concatenate([body[comma + 1 :], body[comma : comma + 1], body[:comma], end])


def write_otherwise(word: str) -> str | None:
    """Another way to write a number, as the tokenizer leaves it; None for what is no number."""
    if word in _SPELLED:
        return str(_SPELLED.index(word))
    if word.isdecimal() and int(word) < len(_SPELLED):
        return _SPELLED[int(word)]
    if re.fullmatch(r"#+\.#+", word):
        return word + "#" if word.endswith(".#") else word[:-1]
    if re.fullmatch(r"#{1,3}(,###)+", word):
        return word.replace(",", "")
    if re.fullmatch(r"#{4,}", word):
        return f"{int(word.replace('#', '1')):,}".replace("1", "#")
    return None
