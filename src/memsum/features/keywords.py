"""Keywords: the words and runs of words of a document that the model expects in a human summary of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.english.stem import singular
from memsum.english.stop_words import NO_TERMS
from memsum.features.counts import Counts
from memsum.features.salience import Salience
from memsum.text import Vocabulary

MOST = 10
_WORDS, _PAIRS = 150, 80  # candidates: the most salient
_RARE = 0.55  # least weight of a word that can be a term; "two" and "year" have less
_OF_PAIRS = 2.0  # score of a pair against a word of the same probability
_TIED = 0.3  # share of a word's occurrences in a longer term that make it a part of that term
_MODIFIES = 0.75  # share of a word's occurrences before another term from which on it is half a term
_SHORT = 3  # letters
_SPELLED = 12  # sentences that show how a term is written


Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A term as the document writes it, how salient it is, how often it occurs, and in which sentences."""

    text: str
    score: float
    count: int
    sentences: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        sentences = list(self.sentences)
        return {"text": self.text, "score": round(self.score, 3), "count": self.count, "sentences": sentences}


@dataclass
class _Term:
    """A run of words while it is judged; `words` are without the plural's ending."""

    words: tuple[str, ...]
    score: float = 0.0
    forms: Counter[Rows] = field(default_factory=Counter)  # the same term in the document's words

    @property
    def count(self) -> int:
        return self.forms.total()


@dataclass(frozen=True)
class KeywordFinder:
    """Holds what finding a document's keywords takes, and nothing else of its encoding."""

    counts: Counts
    salience: Salience
    ids: NDArray[np.int32]  # (T,) of the counted words
    vocabulary: Vocabulary
    sentences: Sequence[str]  # that were counted
    numbers: NDArray[np.int64]  # of these sentences among all

    def find(self, most: int = MOST) -> tuple[Keyword, ...]:
        words = [self.vocabulary.words[word] for word in np.unique(self.ids).tolist()]
        candidates = _Candidates(self.counts, self.salience, words)
        chosen = _choose(candidates.terms(), most)
        numbered = list(zip(self.numbers.tolist(), self.sentences, strict=True))
        return tuple(candidates.keyword(term, numbered) for term in chosen)


class _Candidates:
    """Words and runs of up to four that may be terms. A rare word may be made of pieces: `gli~ ~ben`."""

    def __init__(self, counts: Counts, salience: Salience, words: Sequence[str]) -> None:
        self._counts, self._salience, self._words = counts, salience, words
        self._worth = salience.words * counts.weights
        # How often each word goes on in a further piece.
        pieces = np.array([word[0] == "~" for word in words], bool)
        goes_on = counts.pairs.frequencies * pieces[counts.pairs.second]
        self._continued = np.bincount(counts.pairs.first, goes_on, len(words))
        is_term = np.array([self._is_allowed(row) for row in range(len(words))], bool)
        before = counts.pairs.frequencies * is_term[counts.pairs.second]
        self._modifies = np.bincount(counts.pairs.first, before, len(words)) / np.maximum(counts.frequencies, 1)

    def terms(self) -> list[_Term]:
        counts, pairs, worth = self._counts, self._counts.pairs, self._worth
        best = np.argsort(-worth, kind="stable")[:_WORDS].tolist()
        allowed = [row for row in best if self._is_allowed(row)]
        found: dict[tuple[str, ...], _Term] = {}
        for row in allowed:
            if counts.frequencies[row] > 1 or self._words[row].endswith("s"):
                self._add(found, (row,), float(worth[row]), int(counts.frequencies[row]))
        is_allowed = np.zeros(len(worth), bool)
        is_allowed[allowed] = True
        numbers = np.flatnonzero(is_allowed[pairs.first] & is_allowed[pairs.second])
        weights = counts.weights[pairs.first[numbers]] + counts.weights[pairs.second[numbers]]
        scores = np.minimum(1, _OF_PAIRS / 2 * self._salience.pairs[numbers] * weights)
        order = np.argsort(-scores, kind="stable")[:_PAIRS]
        scored = dict(zip(numbers[order].tolist(), scores[order].tolist(), strict=True))
        for number, score in scored.items():
            two = int(pairs.first[number]), int(pairs.second[number])
            self._add(found, two, score, int(pairs.frequencies[number]))
        for run, count in self._runs(np.array(list(scored), np.int64)).items():
            rows = (int(pairs.first[run[0]]), *(int(pairs.second[number]) for number in run))
            self._add(found, rows, sum(scored[number] for number in run) / len(run), count)
        return [term for term in found.values() if term.count > 1 and _stands_alone(term.words)]

    def keyword(self, term: _Term, sentences: Sequence[tuple[int, str]]) -> Keyword:
        """Return a term as the document mostly writes it."""
        found = sorted(self.sentences(term))
        form = " ".join(self._spell(term.forms.most_common(1)[0][0]))
        pattern = re.compile(
            r"\b(?:\w{2,20}-)?" + r"[\W_]{1,3}".join(map(re.escape, form.split())) + r"\b", re.IGNORECASE
        )
        spellings: Counter[str] = Counter()
        for index in found[:_SPELLED]:
            # The first word of a sentence has a capital that is not its own.
            spellings.update(
                " ".join(match[0].split()) for match in pattern.finditer(sentences[index][1]) if match.start()
            )
        spelling = spellings.most_common(1)[0][0] if spellings else form
        return Keyword(spelling, term.score, term.count, tuple(sentences[index][0] for index in found))

    def sentences(self, term: _Term) -> set[int]:
        return {index for rows in term.forms for index in self._sentences_of(rows)}

    def _is_allowed(self, row: int) -> bool:
        word = self._words[row]
        if "~" in word:
            return word.strip("~").isalpha()
        return bool(self._counts.weights[row] >= _RARE) and _may_be_term(word)

    def _add(self, found: dict[tuple[str, ...], _Term], rows: Rows, score: float, count: int) -> None:
        if self._modifies[rows[-1]] >= _MODIFIES:
            return  # half a term
        first, last = self._words[rows[0]], self._words[rows[-1]]
        if first[0] == "~" or last[-1] == "~" or ("~" in last and self._continued[rows[-1]] >= count):
            return  # half a word
        spelled = self._spell(rows)
        key = (*spelled[:-1], singular(spelled[-1]))
        term = found.setdefault(key, _Term(key))
        term.score = max(term.score, score)
        term.forms[rows] += count

    def _spell(self, rows: Rows) -> tuple[str, ...]:
        return tuple(" ".join(self._words[row] for row in rows).replace(" ~", "").replace("~", "").split())

    def _runs(self, chosen: NDArray[np.int64]) -> Counter[tuple[int, ...]]:
        """Count the runs of two and three overlapping pairs that are all chosen."""
        pairs = self._counts.pairs
        is_chosen = np.zeros(len(pairs.first), bool)
        is_chosen[chosen] = True
        goes_on = is_chosen[pairs.number]
        runs: Counter[tuple[int, ...]] = Counter()
        for size in (2, 3):
            ends = len(pairs.number) - size + 1
            follows = pairs.sentence[:ends] == pairs.sentence[size - 1 :]
            for step in range(size):
                follows = follows & goes_on[step : ends + step]
            numbers = (pairs.number[step : ends + step][follows].tolist() for step in range(size))
            runs.update(zip(*numbers, strict=True))
        return runs

    def _sentences_of(self, rows: Rows) -> list[int]:
        counts = self._counts
        hits = counts.rows[: len(counts.rows) - len(rows) + 1] == rows[0]
        for step, row in enumerate(rows[1:], 1):
            hits = hits & (counts.rows[step : len(hits) + step] == row)
        found: list[int] = np.unique(counts.sentences[: len(hits)][hits]).tolist()
        return found


def _choose(terms: list[_Term], most: int) -> list[_Term]:
    """Choose the best terms; a longer term takes the place of its parts if it is not rare among them."""
    chosen: list[_Term] = []
    for term in sorted(terms, key=lambda term: (-term.score, -term.count, term.words)):
        if len(chosen) >= most:
            break
        parts = [other for other in chosen if _contains(term, other)]
        if all(term.count >= _TIED * part.count for part in parts):
            for part in parts:
                chosen.remove(part)
                term.score = max(term.score, part.score)
        if not any(_is_near(term, other) for other in chosen):
            chosen.append(term)
    return sorted(chosen, key=lambda term: (-term.score, -term.count, term.words))


def _contains(longer: _Term, shorter: _Term) -> bool:
    return f" {' '.join(_parts(shorter))} " in f" {' '.join(_parts(longer))} "


def _is_near(first: _Term, second: _Term) -> bool:
    """Tell whether terms are near copies: one in the other, both with one beginning, or one where the other ends.

    Those that only end alike, such as wild bees and honey bees, are two.
    """
    one, other = _parts(first), _parts(second)
    sizes = range(1, min(len(one), len(other)))
    return (
        _contains(first, second)
        or _contains(second, first)
        or one[0] == other[0]
        or any(one[-size:] == other[:size] or other[-size:] == one[:size] for size in sizes)
    )


def _parts(term: _Term) -> list[str]:
    """Return the words of a term, those with hyphens apart, without the plural's ending."""
    return [singular(part) for word in term.words for part in word.split("-") if part]


def _may_be_term(word: str) -> bool:
    return len(word) >= _SHORT and word[0].isalpha() and word not in NO_TERMS


def _stands_alone(words: tuple[str, ...]) -> bool:
    """Tell whether words may be a term: a single one is no adverb and no participle."""
    return len(words) > 1 or (_may_be_term(words[0]) and not words[0].endswith(("ly", "ed", "ing")))
