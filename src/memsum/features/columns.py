"""The one table of features: what is known of every sentence before anything is extracted, in named columns.

Those that hold in any language come first: where a sentence stands in its document, section, paragraph and list, how
long it is, how it is written, what it shares with headings, title and the rest. Those of English follow, and what kind
of text the sentence stands in, as means over its document and its section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from memsum.arrays import F32, I32, I64, Bools, Floats, changes, distinct, lengths_of, split_keys, stable_order
from memsum.features.characters import UPPER, Characters
from memsum.features.encoding import FEATURES, SIGNALS, EncodedText
from memsum.features.source_text import Outline
from memsum.languages.cue_words import FIRST_FOR_READERS as FIRST
from memsum.languages.cue_words import FOR_READERS as ANYWHERE
from memsum.languages.cue_words import WORDING, mark_words
from memsum.languages.section_names import KINDS
from memsum.languages.stop_words import STOP_WORDS
from memsum.text import tokenize
from memsum.text.vocabulary import Vocabulary

_TOP = 20  # words that a document speaks of most
_APART = 0.8  # paragraphs per sentence of a list of sentences
_USUAL = 22.0  # tokens of a sentence
BUCKETS = 1 << 16  # of words and pairs of words
# Multipliers of the three words of an n-gram, and its kind's own number.
_HASHES = {
    "word": (92821, 0, 0, 11),
    "pair": (1000003, 7919, 0, 23),
    "first": (97, 0, 0, 31337),
    "first two": (1009, 7001, 0, 51),
    "first three": (1009, 7001, 13007, 77),
    "last": (31, 0, 0, 9001),
    "heading": (613, 0, 0, 4242),
}
_MARKUP = re.compile(r"https?:|www\.|\]\(|\{[%{]|<[a-z/]|`")
_CUES = tuple(ANYWHERE)
_NEXT = ("begins pronoun", "example", "contrast", "cause")  # of the sentence after, too
# Means over the document and over the section tell what kind of text a sentence stands in.
_DOCUMENT_MEANS = (
    "item", "spoken", "question", "length", "paragraph size", "number", "ends in a colon", "markup", "capitals", "code",
    "you", "duty", "we", "i", "begins instruction", "decision", "date", "speech", "law", "they", "negation",
)  # fmt: skip
_SECTION_MEANS = ("number", "item", "code", "duty", "negation", "decision", "example", "i")
ANY_LANGUAGE = (
    # Where a sentence stands; `FEATURES` have more of it.
    "log position", "log position from the end", "first three", "last three",
    "section position", "sections", "opens section", "second in section", "closes section", "position in section",
    "near the section's start", "section size", "section share", "last section", "first section", "no heading",
    "level 1", "level 2", "level 3", "level 4",
    "opens paragraph", "closes paragraph", "position in paragraph", "paragraph size", "alone in paragraph",
    "paragraph in section", "first paragraph", "gap before", "gap after",
    "item", "after an item", "before an item", "leads to items", "first item", "inside an item", "spoken",
    # How long it and its neighbors are.
    "length", "short", "brief", "long", "very long", "unusual length", "length before", "length after",
    # What it shares with its heading, the title, and the rest of the document.
    "heading words", "has a heading word", "words of headings", "title words", "title share", "salience",
    "salience in all", "top words", "rare words", "new words",
    # How it is written.
    "ends in a colon", "question", "exclamation", "full stop", "colon inside", "bracket", "semicolon", "commas",
    "quotation", "percent", "symbols", "dash", "number", "numbers", "begins with a number", "begins small", "capitals",
    "all capitals", "word length", "code", "markup", "after a colon", "before a colon", "after a question",
    "led by a colon", "low value", "low value before",
    *(f"document {name}" for name in _DOCUMENT_MEANS[:10]), *(f"section {name}" for name in _SECTION_MEANS[:3]),
)  # fmt: skip
ENGLISH = (
    "content", "needs context", "needs context after", *_CUES, *(f"begins {name}" for name in FIRST),
    *(f"next {name}" for name in _NEXT),
    *(f"document {name}" for name in _DOCUMENT_MEANS[10:]), *(f"section {name}" for name in _SECTION_MEANS[3:]),
)  # fmt: skip
SIGNAL_NAMES = (
    *(f"section: {kind}" for kind in KINDS), "share of the section before it",
    "likeness to the title", "share of the title's words", "has a title",
    "salient words", "salient pairs", "salient words by weight", "salient words in all", "salient pairs in all",
    "salient words by weight in all",
    *(f"wording: {name}" for name in WORDING),
    "centrality", "centrality of the most central",
)  # fmt: skip
COLUMNS = (*ANY_LANGUAGE, *ENGLISH, *SIGNAL_NAMES, *FEATURES)
INPUTS = 4 * len(COLUMNS)  # numbers of a sentence in its context
IS_ENGLISH = np.tile([name in ENGLISH or name.startswith("wording: ") for name in COLUMNS], 4)
_STEADY = 1e-3  # standard deviation of what hardly differs within a document


class Sentences(NamedTuple):
    """What is read of the N sentences of one document."""

    texts: Sequence[str]
    encoded: EncodedText
    signals: F32  # (N, SIGNALS)
    outline: Outline
    low_value: F32  # (N,)
    needs_context: F32  # (N,)
    lengths: F32  # (N,) in words, as many as English would have


class Lexicon:
    """The words of a vocabulary as columns need them; without a vocabulary, those of one document in any language."""

    def __init__(self, weights: F32, vocabulary: Vocabulary | None = None, headings: Sequence[I64] = ()) -> None:
        """`weights` (V,) are greater for rare words; `headings` have the numbers of the words of each heading."""
        self.size = len(weights)
        self.weights = weights
        self._vocabulary = vocabulary
        self._headings = headings
        if vocabulary is None:
            self.is_content = np.ones(self.size, bool)
            self.anywhere = self.first = np.zeros(self.size, np.int64)
        else:
            self.is_content = np.fromiter(map(str.isalpha, map(itemgetter(0), vocabulary.words)), bool, self.size)
            self.is_content[[vocabulary[word] for word in STOP_WORDS if word in vocabulary]] = False
            self.anywhere = mark_words(vocabulary, ANYWHERE.values())
            self.first = mark_words(vocabulary, FIRST.values())

    def words_of(self, outline: Outline, sections: Segments) -> tuple[I64, I64]:
        """Return the numbers of the words of the sections' headings, and the run of each word's section."""
        found = outline.sections[sections.first].tolist()
        if self._vocabulary is None:
            headings = [self._headings[section] for section in found]
        else:
            encode = self._vocabulary.encode
            headings = [np.array(encode(tokenize(outline.headings[section])), np.int64) for section in found]
        words = np.concatenate([*headings, np.zeros(0, np.int64)])
        return words, np.repeat(np.arange(len(headings)), list(map(len, headings)))


class Segments(NamedTuple):
    """Neighbouring sentences with one number, such as those of one section."""

    position: I64  # (N,) of each sentence in its run
    size: F32  # (N,) of its run
    run: I64  # (N,)
    first: I64  # (R,) sentence of each run

    @classmethod
    def of(cls, numbers: I64) -> Segments:
        """Find the runs of equal numbers."""
        new = changes(numbers)
        first, run = np.flatnonzero(new), np.cumsum(new) - 1
        size = lengths_of(first, len(numbers))
        return cls(np.arange(len(numbers)) - first[run], size[run].astype(np.float32), run, first)


def columns_of(read: Sentences, lexicon: Lexicon) -> F32:
    """Return what is known of a document's sentences and their context, (N, INPUTS)."""
    text, count = read.encoded, len(read.encoded)
    ids, starts, lengths = text.ids, text.starts, text.lengths
    sections = Segments.of(read.outline.sections)
    columns: dict[str, Any] = {}
    columns |= _positions(read.outline, sections)
    columns |= _lengths(read.lengths)
    columns |= _shared_words(text, read.outline, lexicon, sections)
    columns |= _written(read.texts, lengths)
    colon = np.asarray(columns["ends in a colon"], bool)
    columns |= {"after a colon": _before(colon), "before a colon": _after(colon)}
    columns["after a question"] = _before(columns["question"])
    items = read.outline.items
    lead = np.maximum.accumulate(np.where(items, -1, np.arange(count)))  # the sentence that leads to each item
    columns["led by a colon"] = items & (lead >= 0) & colon[np.maximum(lead, 0)]
    columns |= {"low value": read.low_value, "low value before": _before(read.low_value)}
    cues = _bits(np.bitwise_or.reduceat(lexicon.anywhere[ids], starts), len(_CUES))
    first = _bits(lexicon.first[ids[starts]], len(FIRST))
    columns |= {"needs context": read.needs_context, "needs context after": _after(read.needs_context)}
    columns |= dict(zip(_CUES, cues.T, strict=True))
    columns |= {f"begins {name}": column for name, column in zip(FIRST, first.T, strict=True)}
    columns |= {f"next {name}": _after(columns[name]) for name in _NEXT}
    columns |= {f"document {name}": _mean(columns[name]) for name in _DOCUMENT_MEANS}
    for name in _SECTION_MEANS:
        sums = np.add.reduceat(np.asarray(columns[name], np.float32), sections.first)
        columns[f"section {name}"] = (sums / sections.size[sections.first])[sections.run]
    table = np.empty((count, len(COLUMNS)), np.float32)
    for index, name in enumerate(COLUMNS[: -SIGNALS - len(FEATURES)]):
        table[:, index] = columns[name]
    table[:, -SIGNALS - len(FEATURES) : -len(FEATURES)] = read.signals
    table[:, -len(FEATURES) :] = text.features
    return in_context(table)


class NGrams(NamedTuple):
    """The words and pairs of words of N sentences and of their headings, as buckets of a table of learned weights."""

    buckets: I64  # (G,)
    rows: I64  # (G,) sentence of each
    shares: F32  # (G,) one over the root of how many its sentence has


NO_NGRAMS = NGrams(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


def ngrams_of(text: EncodedText, outline: Outline, lexicon: Lexicon) -> NGrams:
    """Return the n-grams of a document's sentences, those of a heading with every sentence below it."""
    sections = Segments.of(outline.sections)
    buckets, rows = _grams(text.ids, text.starts, text.lengths)
    words, section = lexicon.words_of(outline, sections)
    of_heading = _bucket("heading", words)
    below, word = np.nonzero(sections.run[:, None] == section)
    buckets, rows = np.concatenate([buckets, of_heading[word]]), np.concatenate([rows, below])
    counts = np.bincount(rows, minlength=len(text))
    return NGrams(buckets, rows, (1 / np.sqrt(counts))[rows].astype(np.float32))


def in_context(table: F32) -> F32:
    """Return the columns of sentences beside those of their context, (N, INPUTS).

    These are how far they are from the document's mean, in standard deviations, and those of the sentences before and
    after.
    """
    mean, spread = table.mean(axis=0), table.std(axis=0) + np.float32(_STEADY)
    edge = np.zeros_like(table[:1])
    around = np.concatenate([edge, table, edge])
    return np.concatenate([table, (table - mean) / spread, around[:-2], around[2:]], axis=1)


def _positions(outline: Outline, sections: Segments) -> dict[str, Floats | Bools | I64]:
    """Return where each sentence stands in its document, section, paragraph and list."""
    count = len(outline)
    index = np.arange(count, dtype=np.float32)
    position, size, run, _ = sections
    paragraphs = Segments.of(outline.paragraphs)
    if len(sections.first) == 1 and len(paragraphs.first) > _APART * count and not outline.items.any():
        paragraphs = sections  # sentences that merely stand on lines of their own
    number = paragraphs.run - paragraphs.run[sections.first][run]
    items = outline.items
    before, after = _before(items) > 0, _after(items) > 0
    numbers = outline.paragraphs if paragraphs is not sections else outline.sections
    gap = np.minimum(np.diff(numbers, prepend=numbers[:1]), 4)
    return {
        "log position": np.log1p(index),
        "log position from the end": np.log1p(count - 1 - index),
        "first three": index < 3,
        "last three": index >= count - 3,
        "section position": run / len(sections.first),
        "sections": np.full(count, np.log1p(len(sections.first))),
        "opens section": position == 0,
        "second in section": position == 1,
        "closes section": position == size - 1,
        "position in section": position / size,
        "near the section's start": 1 / (1 + position),
        "section size": np.log1p(size),
        "section share": size / count,
        "last section": run == run[-1],
        "first section": run == 0,
        "no heading": outline.sections == 0,
        **{f"level {level}": outline.levels == level for level in (1, 2, 3, 4)},
        "opens paragraph": paragraphs.position == 0,
        "closes paragraph": paragraphs.position == paragraphs.size - 1,
        "position in paragraph": paragraphs.position / paragraphs.size,
        "paragraph size": np.log1p(paragraphs.size),
        "alone in paragraph": paragraphs.size == 1,
        "paragraph in section": np.log1p(number),
        "first paragraph": number == 0,
        "item": items,
        "after an item": before,
        "before an item": after,
        "leads to items": ~items & after,
        "first item": items & ~before,
        "inside an item": items & (paragraphs.position > 0),
        "gap before": gap,
        "gap after": _after(gap),
        "spoken": outline.spoken,
    }


def _lengths(lengths: F32) -> dict[str, Floats | Bools | I64]:
    log = np.log(lengths)
    return {
        "length": log,
        "short": lengths < 7,
        "brief": (lengths >= 7) & (lengths < 13),
        "long": lengths >= 28,
        "very long": lengths >= 45,
        "unusual length": np.abs(log - np.log(_USUAL)),
        "length before": _before(log),
        "length after": _after(log),
    }


def _shared_words(
    text: EncodedText, outline: Outline, words: Lexicon, sections: Segments
) -> dict[str, Floats | Bools | I64]:
    """Return what each sentence shares with its heading, the title, and the rest of the document."""
    count, ids = len(text), text.ids
    is_content = words.is_content[ids]
    kept = np.flatnonzero(is_content)
    rows = np.repeat(np.arange(count), text.lengths)[kept]
    sentence, word = split_keys(distinct(rows * words.size + ids[kept]), words.size)  # each word once per sentence
    number = np.maximum(np.bincount(sentence, minlength=count), 1)
    of_headings, runs = words.words_of(outline, sections)
    telling = words.is_content[of_headings]
    in_heading = distinct(runs[telling] * words.size + of_headings[telling])
    is_shared = np.zeros(len(word), bool)
    if len(in_heading):
        keys = sections.run[sentence] * words.size + word
        is_shared = in_heading.take(np.searchsorted(in_heading, keys), mode="clip") == keys
    shared = np.bincount(sentence, is_shared, count)
    heading_size = np.maximum(np.bincount(in_heading // words.size, minlength=len(sections.first)), 1)
    is_heading, is_title = np.zeros((2, words.size), bool)
    is_heading[in_heading % words.size] = True
    if text.title is not None:
        is_title[text.title] = words.is_content[text.title]
    titled = np.bincount(sentence, is_title[word], count)
    # Words that many sentences have, rare ones first: what the document speaks of.
    order = stable_order(word, words.size)
    new = changes(word[order])
    first = order[new]
    spread = np.empty(len(word), np.int64)  # sentences that have the word
    spread[order] = lengths_of(np.flatnonzero(new), len(word))[np.cumsum(new) - 1]
    salience = np.log1p(spread - 1) * words.weights[word]
    top = np.partition(salience[first], -_TOP)[-_TOP] if len(first) > _TOP else 0.0
    salient = np.bincount(sentence, salience, count)
    is_new = np.zeros(len(word), bool)
    is_new[first] = True
    return {
        "content": np.add.reduceat(is_content.astype(np.float32), text.starts) / text.lengths,
        "heading words": shared / heading_size[sections.run],
        "has a heading word": shared > 0,
        "words of headings": np.bincount(sentence, is_heading[word], count) / number,
        "title words": titled,
        "title share": titled / max(1, int(is_title.sum())),
        "salience": salient / number,
        "salience in all": np.log1p(salient),
        "top words": np.bincount(sentence, (salience >= top) & (salience > 0), count),
        "rare words": np.bincount(sentence, words.weights[word], count) / number,
        "new words": np.bincount(sentence, is_new, count) / number,
    }


def _written(sentences: Sequence[str], lengths: I64) -> dict[str, Floats | Bools | I64]:
    """Return how each sentence is written: how it ends, its marks, numbers and capitals."""
    characters = Characters(sentences)
    marks, sizes = characters.marks, np.maximum(characters.lengths, 1)
    letters = np.maximum(characters.letters, 1)
    last = [sentence.rstrip("\"'”’»)]*_` ")[-1:] for sentence in sentences]
    numbers = characters.numbers

    def ends(among: str) -> Bools:
        return np.array([mark != "" and mark in among for mark in last], bool)

    colon = ends(":：")
    return {
        "ends in a colon": colon,
        "question": ends("?？؟"),
        "exclamation": ends("!！"),
        "full stop": ends(".。।።։"),
        "colon inside": marks["colon"] > colon,
        "bracket": marks["bracket"] > 0,
        "semicolon": marks["semicolon"] > 0,
        "commas": marks["commas"] / lengths,
        "quotation": marks["quotation"] > 0,
        "percent": marks["percent"] > 0,
        "symbols": marks["symbols"] / sizes,
        "dash": characters.dashes > 0,
        "number": numbers > 0,
        "numbers": np.log1p(numbers),
        "begins with a number": np.array([sentence[:1].isdigit() for sentence in sentences], bool),
        "begins small": np.array([sentence[:1].islower() for sentence in sentences], bool),
        "capitals": np.maximum(characters.count(UPPER) - 1, 0) / lengths,
        "all capitals": characters.count(UPPER) > letters / 2,
        "word length": sizes / lengths / 6,
        "code": np.array([any(mark in sentence for mark in "_={/") for sentence in sentences], bool),
        "markup": np.array([_MARKUP.search(sentence) is not None for sentence in sentences], bool),
    }


def _mean(column: Floats | Bools | I64) -> np.floating[Any]:
    """Return the mean, as `column.mean()` does in twice the time."""
    total: np.floating[Any] = np.add.reduce(column, dtype=None if column.dtype.kind == "f" else np.float64)
    return total / len(column)


def _before(values: Floats | Bools | I64) -> Floats:
    """Return of each sentence what is known of the one before it."""
    shifted = np.zeros(len(values), np.float32)
    shifted[1:] = values[:-1]
    return shifted


def _after(values: Floats | Bools | I64) -> Floats:
    shifted = np.zeros(len(values), np.float32)
    shifted[:-1] = values[1:]
    return shifted


def _bits(flags: I64, number: int) -> F32:
    return (flags[:, None] >> np.arange(number) & 1).astype(np.float32)


def _grams(ids: I32, starts: I64, lengths: I64) -> tuple[I64, I64]:
    """Return the buckets of all n-grams, and the sentence of each."""
    words = ids.astype(np.int64)
    sentence = np.repeat(np.arange(len(starts)), lengths)
    inner = np.flatnonzero(sentence[1:] == sentence[:-1])
    two, three = np.flatnonzero(lengths > 1), np.flatnonzero(lengths > 2)
    second, third = starts[two], starts[three]
    parts = [
        (_bucket("word", words), sentence),
        (_bucket("pair", words[inner], words[inner + 1]), sentence[inner]),
        (_bucket("first", words[starts]), np.arange(len(starts))),
        (_bucket("first two", words[second], words[second + 1]), two),
        (_bucket("first three", words[third], words[third + 1], words[third + 2]), three),
        (_bucket("last", words[second + lengths[two] - 2]), two),
    ]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _bucket(kind: str, *words: I64) -> I64:
    *factors, own = _HASHES[kind]
    number = sum((word * factor for word, factor in zip(words, factors, strict=False)), np.int64(own))
    return np.asarray((number * 2654435761) >> 7 & (BUCKETS - 1), np.int64)
