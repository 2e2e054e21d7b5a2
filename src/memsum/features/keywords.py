"""Keywords: the words and runs of words of a document that the model expects in a human summary of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.features.counts import WordStatistics
from memsum.features.salience import Salience
from memsum.languages.stem import singular, stem
from memsum.languages.stop_words import BEFORE_NOUNS, BEFORE_OTHERS, NO_PARTS, NO_TERMS, STOP_WORDS
from memsum.text import Vocabulary

MOST = 10
_WORDS, _PAIRS = 150, 80  # candidates: the most salient
_RARE = 0.55  # least weight of a word that can be a term; "two" and "year" have less
_OF_PAIRS = 2.0  # score of a pair against a word of the same probability
_TO = 0.3  # that a "to" before several words is that of a verb, not one of "response to"
_TIED = 0.3  # share of a word's occurrences in a longer term that make it a part of that term
_MODIFIES = 0.75  # share of a word's occurrences before another term from which on it is half a term
_SHORT = 3  # letters
_READ = 24  # sentences that show how a term is written and used
_ALWAYS = 0.7  # share of a term's occurrences beside the same word from which on this word is a part of it
_LONGEST = 4  # words
_LONGEST_NAME = 6  # likewise, where all but small ones have capitals
_ALIKE = 6  # letters that words begin with, and two thirds of the shorter one, if they are forms of one word
_ABBREVIATED = 3  # letters of a word that stand for it
_PARTICIPLE = re.compile(r"(?!(?:.?s|sp|br|f|n|w|bl|kn|str)?(?:eed|bed|hed|red|led)$)[a-z]{3,}ed")
_ADJECTIVE = re.compile(r"[a-z]+(?:al|ive|ous|able|ible|ic|ary|ful|less|ent|ant|lel)|human")
_ADVERB = re.compile(r"(?!fami|assemb|ear|supp|anoma|rep|month|week|year|dai|elder|friend|monopo|po|f|app)[a-z]{3,}ly")
_DASHES = "‐-–-"
_DASH = re.compile(f"[{_DASHES}]")
_GAP = 3  # characters between words; with more there is an "of"
_NAME = re.compile(r"\b[A-Z][\w'’-]*$")
_BEFORE = re.compile(r"(?P<word>[\w'’-]{1,40}|[^\w\s])(?P<gap>\s{0,3})$")
_AFTER = re.compile(r"(?P<gap>['’]s\s|\s(?:of|and|for)\s(?:the\s)?(?=[A-Z])|\s{0,3})(?P<word>[\w'’-]{1,40}|[^\w\s])")


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
    text: str = ""
    sentences: list[int] = field(default_factory=list)
    whole: int | None = None  # how often it occurs with the words that it has nearly always beside it

    @property
    def count(self) -> int:
        return self.forms.total() if self.whole is None else max(self.whole, len(self.sentences))


def find_keywords(
    counts: WordStatistics,
    salience: Salience,
    ids: NDArray[np.int32],
    vocabulary: Vocabulary,
    sentences: Sequence[str],
    numbers: NDArray[np.int64],
    most: int = MOST,
) -> tuple[Keyword, ...]:
    """Find the keywords of sentences, whose `ids` (T,) were counted, and which have these `numbers` among all."""
    words = [vocabulary.words[word] for word in np.unique(ids).tolist()]
    candidates = _Candidates(counts, salience, words)
    terms = _choose(candidates.terms(), most, lambda term: candidates.read(term, sentences))
    named = numbers.tolist()
    return tuple(
        Keyword(term.text, term.score, term.count, tuple(named[index] for index in term.sentences)) for term in terms
    )


class _Candidates:
    """Words and runs of up to four that may be terms. A rare word may be made of pieces: `gli~ ~ben`."""

    def __init__(self, counts: WordStatistics, salience: Salience, words: Sequence[str]) -> None:
        self._counts, self._salience, self._words = counts, salience, words
        self._worth = salience.words * counts.weights
        self._known = frozenset(words)
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

    def read(self, term: _Term, sentences: Sequence[str]) -> bool:
        """Read how the document writes a term, whole; tell whether it uses it as one."""
        found = sorted({index for rows in term.forms for index in self._sentences_of(rows)})
        form = " ".join(self._spell(term.forms.most_common(1)[0][0]))
        pattern = re.compile(
            rf"(?<![.@/{_DASHES}])\b(?:\w{{2,20}}[{_DASHES}])?"
            + r"[\W_]{1,3}".join(map(re.escape, form.split()))
            + rf"\b(?![.@/{_DASHES}]\w)",
            re.IGNORECASE,
        )
        uses = [
            _Use(sentences[index], *match.span())
            for index in found[:_READ]
            for match in pattern.finditer(sentences[index])
        ]
        term.sentences = found
        term.text = form
        if not uses or not _names(term.words, uses):
            return False
        whole = _whole(uses)
        # The first word of a sentence has a capital that is not its own.
        written = Counter(" ".join(use.text.split()) for use in whole if use.start) or Counter(
            " ".join(use.text.split()) for use in whole
        )
        term.text = written.most_common(1)[0][0]
        words = term.text.lower().split()
        if len(words) == 1 and _DASH.split(words[0])[0] in STOP_WORDS:
            return False  # "on-demand" says how
        if len(words) > len(term.words):
            term.words = (*words[:-1], singular(words[-1]))
            written_so = term.text.lower()
            term.sentences = [index for index in found if written_so in " ".join(sentences[index].lower().split())]
            term.whole = len(whole)
        return _stands_alone(term.words)

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
        last = spelled[-1]
        key = (*spelled[:-1], last[:-1] if last.endswith("s") and last[:-1] in self._known else singular(last))
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


@dataclass(frozen=True)
class _Use:
    """An occurrence of a term in a sentence."""

    sentence: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.sentence[self.start : self.end]

    @property
    def before(self) -> str:
        """Return the word or mark before it, in lower case; nothing where it begins the sentence."""
        found = _BEFORE.search(self.sentence, max(0, self.start - 50), self.start)
        return found["word"].lower() if found else ""

    @property
    def after(self) -> str:
        found = _AFTER.match(self.sentence, self.end)
        return found["word"].lower() if found else ""

    def longer(self, *, left: bool) -> _Use | None:
        """Return the occurrence with the word beside it; none where a mark or a word without a topic is there."""
        if left:
            found = _BEFORE.search(self.sentence, max(0, self.start - 50), self.start)
        else:
            found = _AFTER.match(self.sentence, self.end)
        if found is None or not found["gap"] or not _may_be_part(found["word"].lower()):
            return None
        if len(found["gap"]) > _GAP and not _NAME.search(self.text):
            return None
        return _Use(self.sentence, found.start(), self.end) if left else _Use(self.sentence, self.start, found.end())


def _names(words: tuple[str, ...], uses: Sequence[_Use]) -> bool:
    """Tell whether the document uses a term as a noun: after "the" and "of" rather than after "to" and "is"."""
    if _PARTICIPLE.fullmatch(words[-1]) or any(map(_ADVERB.fullmatch, words)):
        return False
    if any(use.start and use.text[0].isupper() for use in uses):
        return True
    nouns = others = modifiers = 0.0
    for use in uses:
        before, after = use.before, use.after
        is_last = not after or not after[0].isalnum() or after in STOP_WORDS
        nouns += before in BEFORE_NOUNS and is_last
        if before in BEFORE_OTHERS or (not before and after in BEFORE_NOUNS):
            others += _TO if before == "to" and len(words) > 1 else 1
        modifiers += not is_last
    is_adjective = len(words) == 1 and _ADJECTIVE.fullmatch(words[0]) and modifiers > nouns
    return nouns >= others and not is_adjective


def _whole(uses: list[_Use]) -> list[_Use]:
    """Return the occurrences of the term that this one is nearly always a part of."""
    for left in (True, True, False, False, False):
        grown = [longer for use in uses if (longer := use.longer(left=left))]
        words = Counter(" ".join(use.text.lower().split()) for use in grown)
        text, count = words.most_common(1)[0] if words else ("", 0)
        longest = _LONGEST_NAME if all(_NAME.search(use.text) for use in grown) else _LONGEST
        if count > 1 and count >= _ALWAYS * len(uses) and len(text.split()) <= longest:
            uses = [use for use in grown if " ".join(use.text.lower().split()) == text]
    return uses


def _choose(terms: list[_Term], most: int, read: Callable[[_Term], bool]) -> list[_Term]:
    """Choose the best terms that are used as such; a longer one takes the place of its parts if it is not rare."""
    chosen: list[_Term] = []
    for term in sorted(terms, key=lambda term: (-term.score, -term.count, term.words)):
        if len(chosen) >= most:
            break
        if not read(term):
            continue
        parts = [other for other in chosen if _is_part(other, term) or _stands_for(other, term)]
        if all(term.count >= _TIED * part.count or _stands_for(part, term) for part in parts):
            for part in parts:
                chosen.remove(part)
                term.score = max(term.score, part.score)
        if not any(_is_near(term, other) for other in chosen):
            chosen.append(term)
    return sorted(chosen, key=lambda term: (-term.score, -term.count, term.words))


def _is_part(shorter: _Term, longer: _Term) -> bool:
    return len(_parts(shorter)) < len(_parts(longer)) and _contains(longer, shorter)


def _contains(longer: _Term, shorter: _Term) -> bool:
    return f" {' '.join(_parts(shorter))} " in f" {' '.join(_parts(longer))} "


def _is_near(first: _Term, second: _Term) -> bool:
    """Tell whether terms are near copies: one in the other, both with one beginning, or one where the other ends.

    Those that only end alike, such as wild bees and honey bees, are two. A single word is a near copy of a term with
    another form of it.
    """
    one, other = _parts(first), _parts(second)
    sizes = range(1, min(len(one), len(other)))
    return (
        _contains(first, second)
        or _contains(second, first)
        or _stands_for(first, second)
        or _stands_for(second, first)
        or "".join(one) == "".join(other)
        or bool(set(pairwise(one)) & set(pairwise(other)))
        or one[0] == other[0]
        or any(one[-size:] == other[:size] or other[-size:] == one[:size] for size in sizes)
        or (1 in (len(one), len(other)) and any(_are_forms(word, another) for word in one for another in other))
        or (len(one) == len(other) > 1 and all(map(_abbreviates, one, other)))
    )


def _stands_for(short: _Term, long: _Term) -> bool:
    """Tell whether a term is the initials of another."""
    initials = "".join(word[0] for word in long.words)
    return len(initials) > 1 and short.words == (initials,)


def _are_forms(one: str, other: str) -> bool:
    """Tell whether stems are those of forms of one word, such as "contributor" and "contribution"."""
    alike = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other or (alike >= _ALIKE and 3 * alike >= 2 * min(len(one), len(other)))


def _abbreviates(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _ABBREVIATED and long.startswith(short)


def _parts(term: _Term) -> list[str]:
    """Return the stems of a term's words, those with hyphens apart."""
    return [stem(part) for word in term.words for part in word.split("-") if part]


def _may_be_term(word: str) -> bool:
    return len(word) >= _SHORT and word[0].isalpha() and word not in NO_TERMS


def _may_be_part(word: str) -> bool:
    """Tell whether a word beside a term may belong to it."""
    return (
        len(word) >= _SHORT
        and word.replace("-", "").isalpha()
        and word not in NO_PARTS
        and not _PARTICIPLE.fullmatch(word)
        and not _ADVERB.fullmatch(word)
    )


def _stands_alone(words: tuple[str, ...]) -> bool:
    """Tell whether words may be a term: a single one is no adverb and no participle."""
    return len(words) > 1 or (_may_be_term(words[0]) and not words[0].endswith(("ly", "ed", "ing")))
