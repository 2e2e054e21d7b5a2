"""Features of sentences that need no words of a language: where they stand, what they share, what was said so far."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, F64, I64, Bools
from memsum.features.characters import UPPER, Characters, hash_stems, mark_low_value
from memsum.features.expected_length import expect_words
from memsum.features.reader_value import Segments
from memsum.features.source_text import Outline
from memsum.languages.section_names import KINDS, section_kind
from memsum.text.tfidf import TfIdf

_CITES = re.compile(r"\[\d[\d,;\s–-]*\]|[(（][^()（）]{0,80}\b(?:19|20)\d\d[a-z]?[^()（）]{0,20}[)）]")
_ADDRESS = re.compile(r"https?:|www\.|@\w")
_ROUNDS, _DAMPING = 4, 0.85  # of a random walk; share of its steps that go on to a similar sentence
_TOPICS = 30  # stems that a document speaks of most
_EARLY = 4.0  # restart bias towards the beginning: the first sentence against the last, less one
_TITLE = 2.0  # and towards words of the title
_SHORT = 6  # stems; a shorter sentence says little, however central they are
_BREVITY = 0.3  # power of a sentence's words that its centrality is divided by
_ENGLISH, _ENGLISH_SHARE = "the and that this with which from are be", 0.08  # words, and how many tell a sentence
_OTHER_LETTERS = 3  # Latin letters that say as much as one of another script
_EDGE = 0.1  # share of a document that is its beginning, or its end
_APART = 0.8  # paragraphs per sentence from which on sentences merely stand on lines of their own
_MARKS = (
    "number", "percent", "bracket", "question", "exclamation", "colon", "semicolon", "quotation", "cites", "symbols",
    "address", "dash",
)  # fmt: skip
_SECTION_KINDS = tuple(kind for kind in KINDS if kind not in ("unknown", "other"))
STATIC = (
    "position", "position squared", "early", "first", "last", "from the start", "from the end",
    "in section", "first of section", "last of section", "section position", "first section", "last section",
    "sections", "section size", "first of paragraph", "last of paragraph", "paragraph size", "paragraphs", "item",
    "items", "spoken",
    "rank", "early rank", "centroid", "section centroid", "frequency", "topics", "topic share", "pairs again",
    "before", "after", "like the first", "like the beginning", "like the end",
    "rank order", "early rank order", "centroid order", "frequency order", "topic order", "length order",
    "title", "title share", "heading", "headings",
    "length", "short", "long", "words", "commas", "capitals", "begins small", "low value", "rare", "only here",
    *_MARKS,
    *(f"section: {kind}" for kind in _SECTION_KINDS),
    "size", "mean length", "numbers of all", "has title",
)  # fmt: skip
_COLUMN = {name: column for column, name in enumerate(STATIC)}


class NeutralText:
    """The stems of N sentences of one or several documents, and what is seen of each."""

    def __init__(self, sentences: Sequence[str], outline: Outline, title: str | None) -> None:
        self.sentences = sentences
        self.outline = outline
        self.title = title
        names = [title or "", _ENGLISH, *(heading or "" for heading in outline.headings)]
        rows, hashes = hash_stems([*sentences, *names])
        end = int(np.searchsorted(rows, len(sentences)))
        self.rows = rows[:end]
        self._hashes, self.terms = np.unique(hashes[:end], return_inverse=True)
        self._names = len(names), rows[end:] - len(sentences), hashes[end:]
        self.lengths = np.bincount(self.rows, minlength=len(sentences))
        self.size = len(self._hashes)
        self.weights = TfIdf.weigh(self.rows, self.terms, len(sentences), counted=False)

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def is_divided(self) -> bool:
        """Tell whether there are sections."""
        return _distinct(self.outline.sections) > 1

    @cached_property
    def has_paragraphs(self) -> bool:
        """Tell whether there are paragraphs: not as many as sections, and not as many as sentences."""
        paragraphs = _distinct(self.outline.paragraphs)
        return _distinct(self.outline.sections) < paragraphs < _APART * len(self)

    @cached_property
    def characters(self) -> Characters:
        return Characters(self.sentences)

    @cached_property
    def low_value(self) -> Bools:
        return mark_low_value(self.characters, self.lengths)

    @cached_property
    def foreign(self) -> Bools:
        """Sentences in another script than most, or in English where most are not, such as what was not translated."""
        latin = self.characters.latin
        others = _OTHER_LETTERS * (self.characters.letters - latin)
        is_latin = latin > others
        if others.sum() > latin.sum():
            return is_latin
        wanted = np.zeros(self.size)
        wanted[self.named[1]] = 1
        is_english = weights_of(self, wanted) >= np.maximum(2, _ENGLISH_SHARE * self.lengths)
        is_part = len(self) > 2 * np.count_nonzero(is_english)
        return np.asarray(~is_latin | (is_english & is_part))

    @cached_property
    def pairs(self) -> tuple[I64, I64, int]:
        """Sentence and number of each pair of neighbouring stems, and how many are distinct."""
        inside = self.rows[1:] == self.rows[:-1]
        keys = (self.terms[:-1] * max(self.size, 1) + self.terms[1:])[inside]
        distinct, number = np.unique(keys, return_inverse=True)
        return self.rows[:-1][inside], number, len(distinct)

    @cached_property
    def topics(self) -> F64:
        """Weights of the stems that the document speaks of most, (T,)."""
        counts = np.bincount(self.terms, minlength=self.size)
        values = counts * np.log(len(self) / np.maximum(self.weights.spread, 1) + 1e-9)
        values = np.where(counts > 1, np.maximum(values, 0), 0.0)
        least = np.partition(values, -_TOPICS)[-_TOPICS] if len(values) > _TOPICS else 0.0
        return np.where(values >= least, values, 0.0)

    @cached_property
    def rarity(self) -> F64:
        """Weight of each stem: rare ones weigh more, (T,)."""
        return np.asarray(np.log1p(len(self) / np.maximum(self.weights.spread, 1)), np.float64)

    @cached_property
    def symbols(self) -> F64:
        """Share of each sentence's characters that are symbols, (N,)."""
        return self.characters.symbols / np.maximum(self.characters.lengths, 1)

    @cached_property
    def expected(self) -> float:
        """How many stems a human summary has."""
        return expect_words(self.lengths, self.symbols)

    @cached_property
    def walk(self) -> Walk:
        return Walk(self.weights)

    @cached_property
    def likeness(self) -> F64:
        """Sums of each sentence's cosines with all others, with the first, the beginning and the end, (4, N)."""
        index, edge = np.arange(len(self)), max(1, round(_EDGE * len(self)))
        groups = np.stack([index >= 0, index == 0, index < edge, index >= len(self) - edge])
        return self.walk.step(groups.astype(np.float64))

    @cached_property
    def ranks(self) -> tuple[F64, F64]:
        """Centrality of each sentence, 1 on average, by walks that restart anywhere, or early and at title words."""
        count = len(self)
        title = self.named[0]
        shared = weights_of(self, np.bincount(title, minlength=self.size) / max(len(title), 1))
        early = 1 + _EARLY * np.linspace(1, 0, count) ** 2
        starts = np.stack([np.ones(count), early * (1 + _TITLE * shared)])
        starts /= starts.sum(axis=1, keepdims=True)
        degrees = self.likeness[0] + 1e-9
        go_on, restart = _DAMPING / degrees, (1 - _DAMPING) * starts
        rank = restart + _DAMPING / max(degrees.sum(), 1e-9) * degrees  # where walks that never restart would be
        for _ in range(_ROUNDS):
            rank = restart + self.walk.step(rank * go_on)
        return rank[0] * count, rank[1] * count

    def plain_ranks(self) -> F64:
        """Return the logarithm of each sentence's centrality, per word; a walk restarts early and at title words."""
        fullness = np.minimum(1, np.bincount(self.weights.rows, minlength=len(self)) / _SHORT)
        return np.log(self.ranks[1] * fullness / np.maximum(self.lengths, 1) ** _BREVITY + 1e-6)

    @cached_property
    def named(self) -> tuple[I64, I64, list[I64]]:
        """Stems of the title, of some English words, and of each heading, that the sentences have too, each once."""
        count, rows, hashes = self._names
        terms = self._number(hashes)
        is_known = terms >= 0
        keys = np.unique(rows[is_known] * max(self.size, 1) + terms[is_known])
        rows, terms = np.divmod(keys, max(self.size, 1))
        title, english, *headings = np.split(terms, np.searchsorted(rows, np.arange(1, count)))
        return title, english, headings

    def find(self, texts: Sequence[str]) -> tuple[I64, I64]:
        """Return for each stem of other texts the text that it is in, and its number; -1 if no sentence has it."""
        rows, hashes = hash_stems(texts)
        return rows, self._number(hashes)

    def _number(self, hashes: NDArray[np.uint64]) -> I64:
        if not self.size:
            return np.full(len(hashes), -1)
        index = np.minimum(np.searchsorted(self._hashes, hashes), self.size - 1)
        return np.where(self._hashes[index] == hashes, index, -1)


def _distinct(numbers: I64) -> int:
    """Count distinct numbers, which only grow."""
    return int(np.count_nonzero(np.diff(numbers))) + 1 if len(numbers) else 0


class Walk:
    """Steps of several random walks at once from sentence to sentence, through the stems that they share."""

    def __init__(self, weights: TfIdf) -> None:
        shared = np.flatnonzero(weights.spread > 1)  # the others lead nowhere
        number = np.full(len(weights.spread) + 1, -1)
        number[shared] = np.arange(len(shared))
        kept = np.flatnonzero(number[weights.terms] >= 0)
        rows, values, terms = weights.rows[kept], weights.values[kept], number[weights.terms[kept]]
        counts = np.bincount(rows, minlength=weights.size)
        self._itself = np.bincount(rows, values**2, weights.size)
        if (alone := np.flatnonzero(counts == 0)).size:  # what shares no stem has one of no weight: no row is empty
            at = np.searchsorted(rows, alone)
            rows, values, terms = (
                np.insert(rows, at, alone),
                np.insert(values, at, 0.0),
                np.insert(terms, at, len(shared)),
            )
            counts = np.maximum(counts, 1)
        by_term = np.argsort(terms.astype(np.int32), kind="stable")
        self._terms, self._values = terms, values
        self._rows_by_term, self._values_by_term = rows[by_term], values[by_term]
        spread = np.append(weights.spread[shared], alone.size) if alone.size else weights.spread[shared]
        self._term_starts, self._starts = np.cumsum(spread) - spread, np.cumsum(counts) - counts

    def step(self, shares: F64) -> F64:
        """Multiply the matrix of cosines, without its diagonal, by shares (W, N)."""
        if not len(self._starts):
            return shares
        of_terms = self._values_by_term * shares.take(self._rows_by_term, axis=1)
        through = np.add.reduceat(of_terms, self._term_starts, axis=1)
        of_rows = np.add.reduceat(self._values * through.take(self._terms, axis=1), self._starts, axis=1)
        return np.maximum(0, of_rows - self._itself * shares)


def static_features(text: NeutralText) -> F32:
    """Return what is seen of each sentence before anything is extracted, (N, STATIC)."""
    count, outline = len(text), text.outline
    if not count:
        return np.zeros((0, len(STATIC)), np.float32)
    place = np.arange(count)
    position = (place + 0.5) / count
    columns: dict[str, F64 | F32 | Bools | float] = {
        "position": position,
        "position squared": position**2,
        "early": 1 / (1 + place),
        "first": place == 0,
        "last": place == count - 1,
        "from the start": np.log1p(place),
        "from the end": np.log1p(count - 1 - place),
        "item": outline.items,
        "items": outline.items.sum() / count,
        "spoken": outline.spoken,
        "size": math.log(count),
        "mean length": math.log(max(len(text.terms) / count, 1)),
        "has title": float(len(text.named[0]) > 0),
    }
    if text.is_divided:
        columns |= _of_sections(Segments.of(outline.sections))
    if text.has_paragraphs:
        columns |= _of_paragraphs(Segments.of(outline.paragraphs))
    if any(outline.headings):
        kinds = np.array(
            [section_kind(heading, in_any_language=True) if heading else 0 for heading in outline.headings]
        )
        of_sentence = kinds[outline.sections]
        columns |= {f"section: {kind}": of_sentence == KINDS.index(kind) for kind in _SECTION_KINDS}
    columns |= _shared(text) | _named(text) | _written(text)
    features = np.zeros((count, len(STATIC)), np.float32)
    for name, values in columns.items():
        features[:, _COLUMN[name]] = values
    return features


def _of_sections(sections: Segments) -> dict[str, F64 | F32 | Bools | float]:
    """Return where sentences stand in their sections, and these in the document."""
    number = len(sections.first)
    return {
        "in section": (sections.position + 0.5) / sections.size,
        "first of section": sections.position == 0,
        "last of section": sections.position == sections.size - 1,
        "section position": (sections.run + 0.5) / number,
        "first section": sections.run == 0,
        "last section": sections.run == number - 1,
        "sections": math.log(number),
        "section size": np.log(sections.size),
    }


def _of_paragraphs(paragraphs: Segments) -> dict[str, F64 | F32 | Bools | float]:
    """Return where sentences stand in their paragraphs."""
    return {
        "first of paragraph": paragraphs.position == 0,
        "last of paragraph": paragraphs.position == paragraphs.size - 1,
        "paragraph size": np.log(paragraphs.size),
        "paragraphs": 1.0,
    }


def _order(values: F64 | I64) -> F64:
    """Return the share of values that each is greater than, 0 to 1."""
    return np.searchsorted(np.sort(values), values, side="left") / max(len(values) - 1, 1)


def _shared(text: NeutralText) -> dict[str, F64]:
    """Return what sentences share with the document, its parts and their neighbours."""
    count, weights, rows = len(text), text.weights, text.rows
    rank, early = text.ranks
    with_all, with_first, with_beginning, with_end = text.likeness
    edge = max(1, round(_EDGE * count))
    lengths, stems = np.maximum(text.lengths, 1), np.maximum(np.bincount(weights.rows, minlength=count), 1)
    centroid = (with_all + 1) / (math.sqrt(with_all.sum() + count) + 1e-9)
    frequency = np.bincount(rows, np.log(np.bincount(text.terms, minlength=text.size))[text.terms], count) / lengths
    topics = weights_of(text, text.topics)
    of_pairs, pair, distinct = text.pairs
    again = np.bincount(of_pairs, (np.bincount(pair, minlength=distinct) > 1)[pair], count)
    beside = np.zeros(count + 1)
    beside[1:count] = _beside(weights, count)
    return {
        "rank": np.log(rank + 1e-3),
        "early rank": np.log(early + 1e-3),
        "centroid": centroid,
        "section centroid": _section_centroids(text),
        "frequency": frequency,
        "topics": np.log1p(topics),
        "topic share": topics / lengths,
        "pairs again": again / lengths,
        "before": beside[:count],
        "after": beside[1:],
        "like the first": np.concatenate([[1.0], with_first[1:]]),
        "like the beginning": with_beginning / (math.sqrt(with_beginning[:edge].sum() + edge) + 1e-9),
        "like the end": with_end / (math.sqrt(with_end[-edge:].sum() + edge) + 1e-9),
        "rank order": _order(rank),
        "early rank order": _order(early),
        "centroid order": _order(centroid),
        "frequency order": _order(frequency),
        "topic order": _order(topics),
        "length order": _order(text.lengths),
        "rare": weights_of(text, np.log(count / weights.spread)) / stems,
        "only here": weights_of(text, weights.spread == 1) / stems,
    }


def weights_of(text: NeutralText, values: F64 | Bools) -> F64:
    """Sum up the values (T,) of each sentence's distinct stems: (N,)."""
    return np.asarray(np.bincount(text.weights.rows, values[text.weights.terms], len(text)), np.float64)


def _section_centroids(text: NeutralText) -> F64:
    """Return the mean cosine of each sentence with the others of its section."""
    weights = text.weights
    if not text.is_divided:
        return np.asarray(text.likeness[0] / max(len(text) - 1, 1), np.float64)
    sections = Segments.of(text.outline.sections)
    size = len(weights.spread)
    keys = sections.run[weights.rows] * max(size, 1) + weights.terms
    distinct, index = np.unique(keys, return_inverse=True)
    total = np.bincount(index, weights.values, len(distinct))
    summed = np.bincount(weights.rows, weights.values * total[index], weights.size)
    return np.asarray(np.maximum(summed - 1, 0) / np.maximum(sections.size - 1, 1), np.float64)


def _beside(weights: TfIdf, count: int) -> F64:
    """Return the cosine of each sentence with the next, (N - 1,)."""
    size = max(len(weights.spread), 1)
    keys = weights.rows * size + weights.terms
    index = np.minimum(np.searchsorted(keys, keys + size), max(len(keys) - 1, 0))
    is_shared = keys[index] == keys + size if len(keys) else np.zeros(0, bool)
    products = np.where(is_shared, weights.values * weights.values[index] if len(keys) else 0.0, 0.0)
    return np.asarray(np.bincount(weights.rows, products, count), np.float64)[: count - 1]


def _named(text: NeutralText) -> dict[str, F64]:
    """Return what sentences share with the title, their own heading, and all headings."""
    count, weights, sections, rarity = len(text), text.weights, text.outline.sections, text.rarity
    title, _, headings = text.named
    of_title = np.zeros(text.size)
    of_title[title] = rarity[title]
    shared = weights_of(text, of_title)
    whole = np.maximum(weights_of(text, rarity), 1e-9)
    own, of_any = np.zeros(count), np.zeros(count)
    if any(map(len, headings)):
        of_headings = np.zeros(text.size)
        of_headings[np.concatenate(headings)] = 1
        of_any = weights_of(text, of_headings * rarity) / whole
        # The stems of each heading, as pairs of section and stem: a sentence shares those of its own.
        keys = np.concatenate([number * text.size + heading for number, heading in enumerate(headings)])
        sums = np.array([rarity[heading].sum() for heading in headings])
        is_own = np.isin(sections[weights.rows] * text.size + weights.terms, keys)
        own += np.bincount(weights.rows, rarity[weights.terms] * is_own, count)
        own /= np.maximum(sums[sections], 1e-9)
    return {
        "title": shared / max(float(of_title.sum()), 1e-9),
        "title share": shared / whole,
        "heading": own,
        "headings": of_any,
    }


def _written(text: NeutralText) -> dict[str, F64]:
    """Return how sentences are written: length, marks, capitals."""
    sentences, lengths, characters = text.sentences, text.lengths, text.characters
    mean = max(len(text.terms) / max(len(text), 1), 1)
    letters = np.maximum(characters.lengths, 1)
    counts = characters.marks
    marks = {name: np.minimum(counts[name], 3) for name in counts if name in _MARKS}
    capitals = characters.count(UPPER) / letters
    numbers = characters.numbers
    may_cite = np.flatnonzero((marks["bracket"] > 0) & (numbers > 0))
    has_links = any(part in characters.joined for part in ("@", "http", "www"))
    may_link = range(len(sentences)) if has_links else ()
    return {
        **marks,
        "number": np.minimum(numbers, 3),
        "cites": _count(_CITES, sentences, may_cite.tolist()),
        "address": _count(_ADDRESS, sentences, may_link),
        "dash": np.minimum(characters.dashes, 3),
        "symbols": text.symbols,
        "length": np.log(np.maximum(lengths, 1) / mean),
        "short": np.maximum(0, 1 - lengths / (0.5 * mean)),
        "long": np.maximum(0, lengths / mean - 1.5),
        "words": np.log1p(lengths),
        "commas": np.log1p(counts["commas"]),
        "capitals": capitals - capitals.sum() / max(len(sentences), 1),
        "begins small": np.array([sentence[:1].islower() for sentence in sentences], np.float64),
        "low value": text.low_value.astype(np.float64),
        "numbers of all": np.full(len(sentences), np.count_nonzero(numbers) / max(len(sentences), 1)),
    }


def _count(pattern: re.Pattern[str], sentences: Sequence[str], rows: Sequence[int]) -> F64:
    """Count a pattern, up to three times, in some of the sentences."""
    counts = np.zeros(len(sentences))
    for row in rows:
        counts[row] = min(len(pattern.findall(sentences[row])), 3)
    return counts


DYNAMIC = (
    "words said", "nearest", "pairs said", "topics newly said", "gap", "follows", "precedes",
    "section quoted", "paragraph quoted", "nothing yet", "progress",
)  # fmt: skip


class NeutralMemory:
    """What was extracted, in numbers for each sentence."""

    def __init__(self, text: NeutralText) -> None:
        self._text = text
        count = len(text)
        self._said = np.zeros(text.size)  # rarity of the stems that were said
        self._topics = text.topics.copy()  # weight of the topics that were not
        self._said_pairs = np.zeros(text.pairs[2])
        self._stems = np.maximum(weights_of(text, text.rarity), 1e-9)
        self._all_topics = max(float(self._topics.sum()), 1e-9)
        self._pairs = np.maximum(np.bincount(text.pairs[0], minlength=count), 1)
        self._rows = np.arange(count)
        self._sections = np.zeros(int(text.outline.sections.max(initial=0)) + 1)
        self._paragraphs = np.zeros(int(text.outline.paragraphs.max(initial=0)) + 1)
        self._columns = {name: np.zeros(count) for name in DYNAMIC}
        self._columns["nothing yet"][:] = 1
        self._columns["topics newly said"] = weights_of(text, self._topics) / self._all_topics
        self._words = 0

    @cached_property
    def _bounds(self) -> tuple[I64, I64]:
        """Where the stems and the pairs of each sentence begin."""
        ends = np.arange(len(self._text) + 1)
        return np.searchsorted(self._text.rows, ends), np.searchsorted(self._text.pairs[0], ends)

    def extract(self, rows: Iterable[int]) -> None:
        """Take note of rows that are extracted."""
        text, columns = self._text, self._columns
        row = None
        for row in rows:
            stems, pairs = (slice(own[row], own[row + 1]) for own in self._bounds)
            self._said[text.terms[stems]] = text.rarity[text.terms[stems]]
            self._topics[text.terms[stems]] = 0
            self._said_pairs[text.pairs[1][pairs]] = 1
            np.maximum(columns["nearest"], text.weights.cosines(row), out=columns["nearest"])
            np.maximum(columns["gap"], 1 / (1 + np.abs(self._rows - row)), out=columns["gap"])
            columns["follows"][row + 1 : row + 2] = 1
            columns["precedes"][max(row - 1, 0) : row] = 1
            self._sections[text.outline.sections[row]] += 1
            self._paragraphs[text.outline.paragraphs[row]] += 1
            self._words += int(text.lengths[row])
        if row is None:
            return
        of_pairs, pair, _ = text.pairs
        columns["words said"] = weights_of(text, self._said) / self._stems
        columns["topics newly said"] = weights_of(text, self._topics) / self._all_topics
        columns["pairs said"] = np.bincount(of_pairs, self._said_pairs[pair], len(text)) / self._pairs
        if text.is_divided:
            columns["section quoted"] = np.log1p(self._sections)[text.outline.sections]
        if text.has_paragraphs:
            columns["paragraph quoted"] = np.minimum(self._paragraphs, 2)[text.outline.paragraphs]
        columns["nothing yet"][:] = 0
        columns["progress"][:] = min(self._words / text.expected, 2.0)

    def new_share(self) -> F64:
        """Return the logarithm of what each sentence does not share with the closest extracted one."""
        return np.asarray(np.log1p(-np.minimum(self._columns["nearest"], 0.999)), np.float64)

    def features(self) -> F32:
        """Return what extraction has changed for each sentence, (N, DYNAMIC)."""
        return np.array([*self._columns.values()], np.float32).T
