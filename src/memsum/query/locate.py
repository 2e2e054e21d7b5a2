"""Quotes of others, looked up in a document: are they really there, word for word?

Words are compared as a reader compares them: case, accents, ligatures, hyphens at line ends, white space, quotation
marks and markup do not count; numbers, signs, units and negations always do. A quote that is not there word for word is
aligned with the stretch that shares most of its words, so that the difference can be read.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np

from memsum.arrays import I64
from memsum.document.document import RUNNING, Block, Document, Sentence
from memsum.document.source import Source, load_stream, open_document, with_abstract
from memsum.query.located import Change, LocatedQuote, Occurrence, Status

_ORDER: tuple[Status, ...] = ("exact", "same words", "edited", "not found")

_JOIN = r"[\u00ad\u200b-\u200d\u2060\ufeff]+|[-‐‑\u00ad]\s{0,3}"  # within a word: invisible marks, hyphens at line ends
_LETTERS = r"[^\W\d_\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
# Accents, and the vowels of Indic scripts, Thai, Lao, Tibetan, Burmese and Khmer, which are no letters to `re`.
_MARKS = (
    r"[\u0300-\u036f\u0900-\u0963\u0981-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b57\u0b82-\u0bcd\u0c00-\u0c56"
    r"\u0c81-\u0cd6\u0d00-\u0d4d\u0d81-\u0ddf\u0e31-\u0e4e\u0eb1-\u0ecd\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3]*"
)
# A number with what changes it: a sign, a currency, a percentage; a character that needs no spaces around it; a word;
# powers, indices and fractions; comparisons, currencies, a plus between words and the ends of "C++" and "C#".
_WORD = re.compile(
    r"(?:(?<![\w.,)\]])[-−–+])?[$€£¥₹]?(?:(?<!\w)\.)?\d+(?:[.,:/]\d+)*[%‰°]?|[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    rf"|{_LETTERS}{_MARKS}(?:(?:{_JOIN}|['’ʼ](?={_LETTERS}))?{_LETTERS}{_MARKS})*[+#]*"
    r"|[⁰¹²³⁴-⁹₀-₉½¼¾]+|[%‰°€£¥₹<>=≤≥±×÷√]|(?<=\d )\$|\$(?= \d)|(?<=[\w)] )\+|(?<=[\w)])\+"
)
_CITATION = re.compile(r"\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,20}\]")
_REFERENCE = re.compile(rf"{_CITATION.pattern}|\]\([^()\s]{0, 2000}\)")  # of literature, and the target of a link
_DROPPED = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff\u0300-\u036f\s\-‐‑]+")
_GAP = re.compile(r"\[\s{0,3}(?:\.{3}|…)\s{0,3}\]|\(\s{0,3}(?:\.{3}|…)\s{0,3}\)|(?:\.\s?){3}|…")
_OMITTED = re.compile(r"^\[?\s{0,3}(?:…|\.{3})\s{0,3}\]?|\[?\s{0,3}(?:…|\.{3,4})\s{0,3}\]?$")
_UNITS = re.compile(r"[mM](?:[AJNVW]|Hz|Pa|eV)|Mg")  # of which the case tells milli from mega
_BITS = re.compile(r"[kKMGT]i?b")  # and no bytes
_NUMERIC = frozenset("0123456789.,:/+-")
_NEGATIONS = frozenset("no not non nor never nicht kein keine nie ohne ne pas sans ni senza sin não nem".split())  # noqa: SIM905

_MOST_OCCURRENCES = 100  # of one quote that are reported
_MOST_TRIES = 1_000  # to find them: in "a a a a …" a quote stands nearly everywhere
_LONGEST = 1_000  # words of a quote that are aligned; a longer one is there word for word, or not found
_LONGEST_PASSAGE = 2_000  # characters
_MOST_GAPS = 50
_REFERENCE_BEHIND = 30  # characters behind the last word in which a reference belongs to it
_CHANGED, _SKIPPED = 3, 2  # costs of a word of the quote that differs, and of one of the document that it leaves out
_CANDIDATES = 4  # stretches of the document that a quote is aligned with
_COMMON = 200  # occurrences from which on a pair of words says nothing about where a quote is from
_ALIKE = 0.6  # share of a quote's words that an edited one has in common with the document
_JOINED = 0.85  # share of its words from which a part of a quote is from one passage
_PART = 4  # words of each part of a quote that is joined from several passages


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text as they are compared, and their offsets in it."""

    text: str
    keys: list[str]
    starts: I64
    ends: I64

    @classmethod
    def of(cls, text: str) -> _Words:
        """Read the words of a text; references to literature and targets of links are none."""
        found: list[tuple[int, int]] = []
        at = 0
        for low, high in [*(match.span() for match in _REFERENCE.finditer(text)), (len(text), len(text))]:
            found += [match.span() for match in _WORD.finditer(text, at, low)]
            at = high
        bounds = np.array(found, np.int64).reshape(-1, 2)
        return cls(text, [_fold(text[start:end]) for start, end in found], bounds[:, 0], bounds[:, 1])

    def within(self, blocks: Sequence[Block]) -> _Words:
        """Return the words of some blocks, which are in order."""
        ends = np.array([block.end for block in blocks], np.int64)
        starts = np.array([block.start for block in blocks], np.int64)
        at = np.searchsorted(ends, self.starts, "right")
        kept = np.flatnonzero((at < len(ends)) & (starts[np.minimum(at, len(ends) - 1)] <= self.starts))
        return _Words(self.text, [self.keys[i] for i in kept.tolist()], self.starts[kept], self.ends[kept])

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, part: slice) -> _Words:
        return _Words(self.text, self.keys[part], self.starts[part], self.ends[part])

    def raw(self, first: int, stop: int) -> str:
        """Return the text from one word to before another."""
        return self.text[self.starts[first] : self.ends[stop - 1]] if first < stop else ""


@lru_cache(1 << 15)
def _fold(word: str) -> str:
    """Return a word without case, accents, ligatures, hyphens and marks that nobody sees."""
    if not word[0].isalpha():
        return word.replace("−", "-").replace("–", "-")
    if _UNITS.fullmatch(word) or _BITS.fullmatch(word):
        return f"{word}its" if word[-1] == "b" else word
    if not word.isascii():
        word = unicodedata.normalize("NFKD", word).replace("’", "'").replace("ʼ", "'")
    return _DROPPED.sub("", word.casefold())


def locate(source: Source, quotes: str | Iterable[str], *, language: str | None = None) -> list[LocatedQuote]:
    """Tell of each quote if a document has it: word for word, with other words, or not at all, and where.

    The source is a text (a str), a file (a Path, bytes, or a file object), a Document, or a list of sentences. One
    quote is given as a str, several as a list.
    """
    locator = QuoteLocator(with_abstract(open_document(load_stream(source), language)))
    return [locate_in([locator], quote) for quote in ([quotes] if isinstance(quotes, str) else quotes)]


def locate_in(locators: Sequence[QuoteLocator], quote: str) -> LocatedQuote:
    """Look a quote up in several documents: all that have it, or the one that it differs least from."""
    found = [locator.locate(quote) for locator in locators]
    best = min(found, key=lambda one: (_ORDER.index(one.status), len(one.changes)))
    if not best.is_found:
        return best
    return replace(best, occurrences=tuple(place for one in found if one.is_found for place in one.occurrences))


class QuoteLocator:
    """Looks quotes up in one document, whose words are indexed once."""

    def __init__(self, document: Document, source: str | None = None) -> None:
        """Index a document; `source` is its name among several."""
        self._document = document
        self._source = source
        words = _Words.of(document.text)
        self._indices = [_Index(words)]
        running = [block for block in document.blocks if block.kind in RUNNING]
        if running and len(running) < len(document.blocks):
            # A sentence may go on behind a footer or a caption.
            self._indices.append(_Index(words.within(running)))
        known = {sentence.start: (sentence, -1) for sentence in document.abstract}
        known |= {sentence.start: (sentence, index) for index, sentence in enumerate(document.sentences)}
        self._sentences = [known[start] for start in sorted(known)]
        self._starts = sorted(known)

    def locate(self, quote: str) -> LocatedQuote:
        """Look one quote up."""
        text = _unwrapped(quote)
        words = _Words.of(text)
        if not len(words):
            return LocatedQuote(quote, "not found", note="There are no words in this quote.")
        if exact := list(self._exact(text, words)):
            return LocatedQuote(quote, "exact", tuple(exact))
        same = (index.span(*found) for index in self._indices for found in index.find(words))
        if places := list(dict.fromkeys(same)):
            return self._with_references(quote, text, places)
        pieces = [piece for piece in _GAP.split(text) if _WORD.search(piece)]
        if 1 < len(pieces) <= _MOST_GAPS:
            return self._in_order(quote, pieces)
        if len(words) > _LONGEST or len(pieces) > _MOST_GAPS:
            note = f"Quotes of more than {_LONGEST:,} words or {_MOST_GAPS} gaps are looked up only word for word."
            return LocatedQuote(quote, "not found", note=note)
        return self._approximate(quote, words)

    def _exact(self, text: str, words: _Words) -> Iterator[Occurrence]:
        whole, theirs, at, count = self._document.text, self._indices[0].words, -1, 0
        for _ in range(_MOST_TRIES):
            at = whole.find(text, at + 1)
            if at < 0 or count == _MOST_OCCURRENCES:
                break
            first, stop = (
                int(np.searchsorted(theirs.ends, at, "right")),
                int(np.searchsorted(theirs.starts, at + len(text))),
            )
            # A word, a number or its sign is not cut: in "12.5 %" there is no "2.5" and no "12".
            is_whole = first < stop and theirs.starts[first] >= at and theirs.ends[stop - 1] <= at + len(text)
            if is_whole and theirs.keys[first:stop] == words.keys:
                yield self._occurrence(at, at + len(text))
                at, count = at + len(text) - 1, count + 1

    def _with_references(self, quote: str, text: str, places: Sequence[tuple[int, int]]) -> LocatedQuote:
        """Return a quote of the same words: references such as [12] may be left out, but not be others."""
        own = {found.start(): found.group() for found in _CITATION.finditer(text)}
        behind = self._document.text
        theirs = [_CITATION.findall(behind, start, end + _REFERENCE_BEHIND) for start, end in places]
        fine = [place for place, known in zip(places, theirs, strict=True) if _bare(own.values()) <= _bare(known)]
        found = tuple(self._occurrence(*place) for place in (fine or places)[:_MOST_OCCURRENCES])
        if fine:
            return LocatedQuote(quote, "same words", found)
        shift = quote.find(text)
        wrong = [(start, one) for start, one in own.items() if not _bare([one]) <= _bare(theirs[0])]
        changes = [Change(shift + start, one, " ".join(theirs[0])) for start, one in wrong]
        return LocatedQuote(quote, "edited", found[:1], tuple(changes))

    def _in_order(self, quote: str, pieces: Sequence[str]) -> LocatedQuote:
        """Look up the parts of a quote with gaps: each stands behind the one before, or they are out of order."""
        parts = [self.locate(piece) for piece in pieces]
        status = max((part.status for part in parts), key=_ORDER.index)
        chosen: list[Occurrence] = []
        is_ordered = True
        for number, part in enumerate(parts):
            behind = tuple(one for one in part.occurrences if not chosen or one.start >= chosen[-1].end)
            is_ordered &= bool(behind) or not part.occurrences
            parts[number] = replace(part, occurrences=(behind or part.occurrences)[:1])
            chosen += parts[number].occurrences
        missing = sum(part.status == "not found" for part in parts)
        note = None
        if missing:
            note = f"{missing} of its {len(parts)} parts {'is' if missing == 1 else 'are'} not in the document."
        elif not is_ordered:
            note = "Its parts stand in another order in the document."
            status = "edited"
        return LocatedQuote(quote, status, tuple(chosen), parts=tuple(parts), note=note)

    def _approximate(self, quote: str, words: _Words) -> LocatedQuote:
        """Align a quote with what it shares most words with, or find the passages it was joined from."""
        found = self._align(words)
        if found is not None and not found.changes:
            return self._with_references(quote, words.text, [(found.start, found.end)])
        if found is not None and found.share < _JOINED and (parts := self._joined(words, found)):
            places = tuple(part.occurrences[0] for part in parts)
            note = f"Joined from {len(parts)} passages of the document."
            return LocatedQuote(quote, "edited", places, parts=tuple(parts), note=note)
        if found is None or found.share < _ALIKE:
            return LocatedQuote(quote, "not found")
        shift = quote.find(words.text)
        changes = tuple(replace(change, start=shift + change.start) for change in found.changes)
        return LocatedQuote(quote, "edited", (self._occurrence(found.start, found.end),), changes)

    def _align(self, words: _Words) -> _Alignment | None:
        found = [alignment for index in self._indices for alignment in index.align(words)]
        return max(found, key=lambda alignment: alignment.share, default=None)

    def _joined(self, words: _Words, whole: _Alignment, depth: int = 3) -> list[LocatedQuote]:
        """Return the parts of a quote that come from several passages, in its order; none if some come from nowhere."""
        cut = whole.cut()
        if cut is None or not depth:
            return []
        parts: list[LocatedQuote] = []
        for low, high in pairwise(sorted({0, *cut, len(words)})):
            own = words[low:high]
            found = self._align(own) if high - low >= _PART else None
            if found is None:
                return []
            if found.share >= _JOINED:
                status: Status = "edited" if found.changes else "same words"
                start = int(own.starts[0])
                changes = tuple(replace(change, start=change.start - start) for change in found.changes)
                parts.append(
                    LocatedQuote(words.raw(low, high), status, (self._occurrence(found.start, found.end),), changes)
                )
            elif (low, high) != cut and (inner := self._joined(own, found, depth - 1)):
                parts += inner
            else:
                return []
        return parts

    def _occurrence(self, start: int, end: int) -> Occurrence:
        """Return what is known of a stretch of the document's text."""
        document = self._document
        low = max(bisect_right(self._starts, start) - 1, 0)
        own = [pair for pair in self._sentences[low : bisect_left(self._starts, end)] if pair[0].end > start]
        around: list[Sentence] | list[Block] = [sentence for sentence, _ in own]
        if not own:
            first = bisect_right(document.blocks, start, key=lambda block: block.end)
            around = [*document.blocks[first : bisect_left(document.blocks, end, key=lambda block: block.start)]]
        low, high = (min(around[0].start, start), max(around[-1].end, end)) if around else (start, end)
        if high - low > _LONGEST_PASSAGE:
            low, high = start, end
        boxes = document.boxes(start, end)
        return Occurrence(
            document.text[start:end],
            start,
            end,
            document.text[low:high],
            tuple(index for _, index in own if index >= 0),
            boxes[0].page if boxes else None,
            around[0].section if around else None,
            around[0].speaker if around else None,
            boxes,
            self._source,
        )


@dataclass(frozen=True, slots=True)
class _Alignment:
    """A quote beside a stretch of the document."""

    start: int
    end: int
    share: float  # of the words that both have
    changes: tuple[Change, ...]
    matched: tuple[bool, ...]  # of the quote's words

    def cut(self) -> tuple[int, int] | None:
        """Return the part of the quote, a whole beginning, end or middle, that this place explains best."""
        gains = np.where(self.matched, 1, -1)
        sums = np.concatenate([[0], np.cumsum(gains)])
        lowest = np.minimum.accumulate(sums)
        stop = int((sums - lowest).argmax())
        first = int(np.flatnonzero(sums[: stop + 1] == lowest[stop])[-1])
        first, stop = (0 if first < _PART else first), (len(gains) if len(gains) - stop < _PART else stop)
        return (first, stop) if stop - first >= _PART and stop - first < len(gains) else None


class _Index:
    """The words of a document: as one string without gaps for what is the same, by pairs for what is alike."""

    def __init__(self, words: _Words) -> None:
        self.words = words
        self._squeezed = "".join(words.keys)
        self._bounds = np.cumsum([0, *map(len, words.keys)], dtype=np.int64)
        numbers: dict[str, int] = {}
        self._ids = np.array([numbers.setdefault(key, len(numbers)) for key in words.keys], np.int64)
        self._numbers = numbers
        pairs = self._ids[:-1] * len(numbers) + self._ids[1:] if len(words) > 1 else self._ids[:0]
        self._order = np.argsort(pairs, kind="stable")
        self._pairs = pairs[self._order]
        self._by_word = np.argsort(self._ids, kind="stable")
        self._sorted_ids = self._ids[self._by_word]

    def span(self, first: int, stop: int) -> tuple[int, int]:
        """Return the offsets of some neighboring words."""
        return int(self.words.starts[first]), int(self.words.ends[stop - 1])

    def find(self, words: _Words) -> list[tuple[int, int]]:
        """Return where the same words stand, however they are divided, as ranges of words."""
        wanted, own = "".join(words.keys), _edges(words.keys)
        found: list[tuple[int, int]] = []
        at = -1
        for _ in range(_MOST_TRIES):
            at = self._squeezed.find(wanted, at + 1)
            if at < 0 or len(found) == _MOST_OCCURRENCES:
                break
            first, stop = (int(np.searchsorted(self._bounds, edge)) for edge in (at, at + len(wanted)))
            if self._bounds[first] != at or self._bounds[stop] != at + len(wanted):
                continue
            theirs = set((self._bounds[first + 1 : stop + 1] - at).tolist())
            if own == theirs or _is_only_spaced(wanted, own, theirs):
                found.append((first, stop))
                at += len(wanted) - 1
        return found

    def align(self, words: _Words) -> Iterator[_Alignment]:
        """Align a quote with the stretches that share most pairs of words with it."""
        ids = np.array([self._numbers.get(key, -1) for key in words.keys], np.int64)
        for begin in self._candidates(ids):
            margin = 4 + len(ids) // 3
            low, high = max(begin - margin, 0), min(begin + len(ids) + 2 * margin, len(self._ids))
            yield self._beside(words, ids, low, high)

    def _candidates(self, ids: I64) -> list[int]:
        """Return words of the document where the quote may begin, the likeliest first."""
        known = (ids[:-1] >= 0) & (ids[1:] >= 0)
        pairs = ids[:-1] * len(self._numbers) + ids[1:]
        votes: Counter[int] = Counter()
        width = max(4, len(ids) // 3)
        places = _places(self._pairs, self._order, pairs, np.flatnonzero(known))
        for place in places or _places(self._sorted_ids, self._by_word, ids, np.flatnonzero(ids >= 0)):
            votes[place // width] += 1
        both = {cell: count + votes.get(cell + 1, 0) for cell, count in votes.items()}
        best = sorted(both, key=lambda cell: (-both[cell], cell))[:_CANDIDATES]
        return [cell * width for cell in best]

    def _beside(self, words: _Words, ids: I64, low: int, high: int) -> _Alignment:
        """Align all words of a quote with some of a stretch of the document, at the least number of changed words."""
        theirs, columns = self._ids[low:high], np.arange(high - low + 1)
        costs = np.zeros((len(ids) + 1, len(columns)), np.int32)
        for row, word in enumerate(ids, 1):
            above = costs[row - 1]
            cheapest = above + _CHANGED
            cheapest[1:] = np.minimum(cheapest[1:], above[:-1] + _CHANGED * (theirs != word))
            costs[row] = np.minimum.accumulate(cheapest - _SKIPPED * columns) + _SKIPPED * columns
        column = int(costs[-1].argmin())
        if column + 1 < len(columns) and costs[-1, column + 1] == costs[-1, column] and not self._ends(low + column):
            column += 1  # the last word was changed rather than added
        row, steps = len(ids), []
        while row:
            is_same = column > 0 and theirs[column - 1] == ids[row - 1]
            if column and costs[row, column] == costs[row - 1, column - 1] + _CHANGED * (not is_same):
                row, column = row - 1, column - 1
                steps.append((row, column, "same" if is_same else "both"))
            elif costs[row, column] == costs[row - 1, column] + _CHANGED:
                row -= 1
                steps.append((row, column, "quote"))
            else:
                column -= 1
                steps.append((row, column, "document"))
        return self._compare(words, low, steps[::-1])

    def _ends(self, word: int) -> bool:
        """Tell if a sentence ends before a word."""
        words = self.words
        return 0 < word < len(words) and bool(
            re.search(r"[.!?\n]", words.text[words.ends[word - 1] : words.starts[word]])
        )

    def _compare(self, words: _Words, low: int, steps: Sequence[tuple[int, int, str]]) -> _Alignment:
        """Return the changes between a quote and the document from the steps of their alignment."""
        matched = np.zeros(len(words), bool)
        matched[[row for row, _, kind in steps if kind == "same"]] = True
        columns = [low + column for _, column, kind in steps if kind != "quote"]
        if not columns:
            return _Alignment(0, 0, 0.0, (Change(0, words.raw(0, len(words)), ""),), tuple(matched))
        changes: list[Change] = []
        ours: list[int] = []
        theirs: list[int] = []
        for row, column, kind in [*steps, (len(words), 0, "same")]:
            if kind == "same":
                if (ours or theirs) and not self._is_same(words, ours, theirs):
                    before = int(words.ends[row - 1]) if row else 0
                    start = int(words.starts[ours[0]]) if ours else before
                    quoted = words.raw(ours[0], ours[-1] + 1) if ours else ""
                    changes.append(Change(start, quoted, self.words.raw(theirs[0], theirs[-1] + 1) if theirs else ""))
                ours, theirs = [], []
            else:
                ours += [row] if kind != "document" else []
                theirs += [low + column] if kind != "quote" else []
        share = float(matched.sum()) / max(len(words), len(columns))
        return _Alignment(*self.span(columns[0], columns[-1] + 1), share, tuple(changes), tuple(matched.tolist()))

    def _is_same(self, words: _Words, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Tell if some words are only divided in another way."""
        mine, other = [words.keys[i] for i in ours], [self.words.keys[i] for i in theirs]
        whole = "".join(mine)
        return whole == "".join(other) and _is_only_spaced(whole, _edges(mine), _edges(other))


def _edges(keys: Sequence[str]) -> set[int]:
    """Return where words end in a text without gaps."""
    return set(accumulate(map(len, keys)))


def _places(sorted_keys: I64, order: I64, keys: I64, rows: I64) -> list[int]:
    """Return, for each row of a quote whose key is not too common, the words where the quote would begin."""
    lows, highs = (np.searchsorted(sorted_keys, keys[rows], side) for side in ("left", "right"))
    found: list[int] = []
    for row, low, high in zip(rows.tolist(), lows.tolist(), highs.tolist(), strict=True):
        if high - low <= _COMMON:
            found += (order[low:high] - row).tolist()
    return found


def _bare(references: Iterable[str]) -> set[str]:
    return {"".join(one.split()) for one in references}


def _is_only_spaced(text: str, own: set[int], theirs: set[int]) -> bool:
    """Tell if words are divided in two ways that say the same: no number is cut, no "not" is made or lost."""
    for edge in own ^ theirs:
        if text[edge - 1] in _NUMERIC and text[edge] in _NUMERIC:
            return False
    for edges, other in ((own, theirs), (theirs, own)):
        for low, high in pairwise(sorted({0, *edges})):
            if text[low:high] in _NEGATIONS and not (low in {0, *other} and high in other):
                return False
    return True


def _unwrapped(quote: str) -> str:
    """Return a quote without quotation marks around it, and marks of markup and omission at its ends."""
    bare = _OMITTED.sub("", quote.strip().strip("\"'“”„‟«»‹›‘’‚`*_ \n\t")).strip()
    return bare or quote.strip()
