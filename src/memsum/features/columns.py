"""Value of a sentence to a reader of an everyday document: a policy, a manual, a post, minutes.

A small network on features that need no word vectors: where a sentence stands in its document, section, paragraph and
list, how long it is, its cue words, what it shares with headings, title and the rest, and a learned weight for every
word and pair of words. It has learned from documents with keys: the points that a reader must know, and the sentences
that convey them. A second, linear model tells by how a document is written how much that decides beside the network.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import save

from memsum.arrays import F32, I32, I64, Bools, Floats, changes, distinct, dot, lengths_of, standardize
from memsum.errors import ModelError
from memsum.features.encoding import EncodedText
from memsum.features.source_text import Outline
from memsum.files import write_atomically
from memsum.languages.cue_words import FIRST_FOR_READERS as FIRST
from memsum.languages.cue_words import FOR_READERS as ANYWHERE
from memsum.languages.cue_words import mark_words
from memsum.languages.section_names import KINDS
from memsum.languages.stop_words import STOP_WORDS
from memsum.text import tokenize
from memsum.text.vectors import load_arrays
from memsum.text.vocabulary import UNK, Vocabulary

READER_FILE = "reader.safetensors"
BUCKETS = 1 << 16  # of words and pairs of words
_TOP = 20  # words that a document speaks of most
_USUAL = 22.0  # tokens of a sentence
_BRIEF = 30, 80  # sentences between which a document has the size of those that the network has learned from
_MANUAL = 600, 1200  # sentences between which a technical document is taken for a manual, not for a proposal
_KNOWN = 0.5, 0.8  # probabilities of a document's likeliest kind between which its kind becomes known
_UNKNOWN = 0.9  # of the decision in a document of no known kind
_DECIDES = 0.1, 0.9  # a share below decides nothing, one above everything
_MOST = 0.4, 0.8  # shares of the choice between which the number of quotes passes from the network to this model
_TEXTBOOK = 0.6, 0.85
_CHAPTER = 150, 220  # sentences of a part of a textbook between which it becomes a chapter
_SECTION_POWER = 0.3  # of a section's sentences, by which its summary grows
_AMPLE = 0.1  # added to the logarithm of a chapter's expected words: too few cost more than too many
_BOOK = 1500, 3000  # sentences of a document between which it becomes a book
_MARKUP = re.compile(r"https?:|www\.|\]\(|\{[%{]|<[a-z/]|`")
_CUES = tuple(ANYWHERE)
_SURFACE = ("capitals", "all capitals", "begins small", "word length", "quotation", "dash", "code", "markup")
# Means over the document and over the section tell what kind of text a sentence stands in.
_DOCUMENT_MEANS = (
    "item", "you", "duty", "code", "we", "i", "speech", "begins instruction", "question", "decision", "date", "spoken",
    "length", "paragraph size", "number", "ends in a colon", "law", "they", "markup", "negation", "capitals",
)  # fmt: skip
_STYLE_MARKS = (
    "ends in a colon",
    "question",
    "exclamation",
    "full stop",
    "semicolon",
    "parenthesis",
    "commas",
    "number",
)
_SECTION_MEANS = ("duty", "number", "negation", "decision", "example", "item", "i", "code")
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


_BLOCK = 100  # sentences whose features are held in their context at a time
_ONE_THREAD = 1 << 18  # multiplications of a product that OpenBLAS leaves to one thread
_STEADY = 1e-3  # standard deviation of what hardly differs within a document


class Sentences(NamedTuple):
    """What is read of the N sentences of one document."""

    texts: Sequence[str]
    encoded: EncodedText
    signals: F32  # (N, SIGNALS)
    outline: Outline
    low_value: F32  # (N,)
    dependent: F32  # (N,)


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


class ReaderWords:
    """The words of a vocabulary as features need them."""

    def __init__(self, vocabulary: Vocabulary, weights: F32, is_number: Bools) -> None:
        """`weights` (V,) are greater for rare words; `is_number` (V,) marks numbers."""
        self._vocabulary = vocabulary
        self.size = len(vocabulary)
        self.weights = weights
        self.is_number = is_number
        self.anywhere = mark_words(vocabulary, ANYWHERE.values())
        self.first = mark_words(vocabulary, FIRST.values())
        self.is_content = np.array([word[0].isalpha() and word not in STOP_WORDS for word in vocabulary.words])
        self.unknown = vocabulary[UNK]
        self.marks = {mark: next(iter(vocabulary.encode([mark])), -1) for mark in ":?!.(;,["}  # -1 if there is none

    def ids(self, text: str) -> I64:
        """Return the ids of a heading's words."""
        return np.array(self._vocabulary.encode(tokenize(text)), np.int64)


@dataclass(frozen=True)
class ReaderModel:
    """One hidden layer beside a linear layer and n-gram weights; and a linear model of how K kinds are written."""

    centre: F32  # (C,) of the features in their context
    scale: F32  # (C,)
    hidden: F32  # (H, C)
    hidden_bias: F32  # (H,)
    out: F32  # (H,)
    linear: F32  # (C,)
    bias: F32  # (1,)
    grams: F32  # (BUCKETS,)
    style_centre: F32  # (S,) of the descriptions
    style_scale: F32  # (S,)
    style: F32  # (K, S) of each kind
    style_bias: F32  # (K,)
    shares: F32  # (3, K) of the decision in brief, usual and very long documents of each kind
    textbooks: F32  # (K,) 1 for kinds of textbooks
    chapter: F32  # (1,) logarithm of the words of a chapter's summary, less that of its sections' sizes

    def rate(self, features: Features) -> F32:
        """Return the log-odds (N,) that each sentence conveys a point that a reader must know."""
        ratings = np.concatenate([self._rate(standardize(x, self.centre, self.scale)) for x in features.in_context()])
        return np.asarray(ratings + features.add_weights(self.grams) + self.bias, np.float32)

    def _rate(self, values: F32) -> F32:
        hidden = np.zeros((len(values), len(self.hidden)), np.float32)
        # A larger product would take the threads of a BLAS, which then keep other cores busy with waiting for more.
        width = max(1, _ONE_THREAD // hidden.size)
        for low in range(0, values.shape[1], width):
            hidden += values[:, low : low + width] @ self.hidden[:, low : low + width].T
        hidden += self.hidden_bias
        np.maximum(hidden, 0, out=hidden)
        return np.asarray(dot(hidden, self.out) + dot(values, self.linear), np.float32)

    def everyday(self, style: F32, sentences: int, *, is_proposal: bool = True) -> float:
        """Return the share, from 0 to 1, that the value for readers has in the decision about a document's sentences.

        All of it in everyday documents and in those of no known kind, little or none in papers and reports. A brief
        document is more likely a mail or a notice than what its words remind of; a very long one, or one without the
        sections that proposals have, is more likely a manual than a proposal. A chapter of a textbook is left to the
        network.
        """
        kinds = self._kinds(style)
        brief, usual, long = self.shares @ kinds
        share = brief + _between_logs(_BRIEF, sentences) * (usual - brief)
        share += (_between(_MANUAL, sentences) if is_proposal else 1.0) * (long - usual)
        known = _between(_KNOWN, float(kinds.max()))
        share = (1 - known) * max(share, _UNKNOWN) + known * share
        return _between(_DECIDES, float(share)) * (1 - self.is_chapter(style, sentences))

    def is_chapter(self, style: F32, sentences: int) -> float:
        """Return how much a document is a chapter of a textbook, from 0 to 1."""
        size = _between(_CHAPTER, sentences)
        return size and size * _between(_TEXTBOOK, float(self.textbooks @ self._kinds(style)))

    def chapter_words(self, sections: I64) -> float:
        """Return the logarithm of the words of a chapter's summary; `sections` (N,) number those of its sentences."""
        return float(self.chapter[0]) + chapter_size(sections) + _AMPLE

    def _kinds(self, style: F32) -> F32:
        """Return the probability (K,) of each kind of documents."""
        logits = self.style @ standardize(style, self.style_centre, self.style_scale) + self.style_bias
        likely = np.exp(logits - logits.max())
        return np.asarray(likely / likely.sum(), np.float32)

    def save(self, folder: Path) -> None:
        """Write `reader.safetensors`, the large arrays in half precision."""
        halved = {name: vars(self)[name].astype(np.float16) for name in ("hidden", "grams")}
        write_atomically(folder / READER_FILE, save({**vars(self), **halved}))

    @classmethod
    def load(cls, folder: Path) -> ReaderModel:
        """Read what `save` wrote."""
        path = folder / READER_FILE
        model = load_arrays(
            path, lambda **arrays: cls(**{name: array.astype(np.float32) for name, array in arrays.items()})
        )
        wide = model.centre.shape
        shapes = (model.scale.shape, model.linear.shape, model.hidden.shape[1:])
        if any(shape != wide for shape in shapes) or model.grams.shape != (BUCKETS,):
            raise ModelError(f"{path} is damaged.", "Fetch or export the model again.")
        return model


def _between(bounds: tuple[float, float], value: float) -> float:
    """Return how far a value is on its way from one bound to the other, from 0 to 1."""
    low, high = bounds
    return min(max((value - low) / (high - low), 0.0), 1.0)


def _between_logs(bounds: tuple[float, float], value: float) -> float:
    """Return how far the logarithm of a value is on its way between those of two bounds, from 0 to 1."""
    low, high = bounds
    return _between((math.log(low), math.log(high)), math.log(max(value, 1)))


def chapter_size(sections: I64) -> float:
    """Return the logarithm of the sum of sizes of a document's sections, in which large ones count for little more."""
    sizes = np.unique(sections, return_counts=True)[1]
    return math.log(float((sizes**_SECTION_POWER).sum()))


def how_long(sentences: int) -> float:
    """Return how much a document with so many sentences is a book, from 0 to 1, whatever its kind."""
    return _between(_BOOK, sentences)


def how_sure(share: float) -> float:
    """Return how much a share in the choice of sentences decides about their number, from 0 to 1: most of it does."""
    return _between(_MOST, share)


class Features(NamedTuple):
    """Features of the sentences of one document, and the n-grams whose learned weights are added."""

    values: F32  # (N, F)
    grams: I64  # (G,) buckets of the n-grams of all sentences
    sentences: I64  # (G,) sentence of each
    heading_grams: I64  # (H,) buckets of the words of all headings
    heading_runs: I64  # (H,) section of each, in order of the sections
    runs: I64  # (N,) section of each sentence, in order of the sections

    def in_context(self) -> Iterator[F32]:
        """Yield the features of some sentences after the other, each beside those of its context: (n, 5 F).

        These are its own, how far they are from the document's and from the section's mean, in standard deviations,
        and those of the sentences before and after it.
        """
        values, count = self.values, len(self.values)
        first = np.flatnonzero(changes(self.runs))
        sizes = lengths_of(first, count).astype(np.float32)
        sections = np.add.reduceat(values, first, axis=0) / sizes[:, None]
        mean, spread = values.mean(axis=0), values.std(axis=0) + np.float32(_STEADY)
        edge = np.zeros_like(values[:1])
        around = np.concatenate([edge, values, edge])
        for low in range(0, count, _BLOCK):
            own, high = values[low : low + _BLOCK], min(low + _BLOCK, count)
            section = sections[self.runs[low:high]]
            yield np.concatenate(
                [own, (own - mean) / spread, (own - section) / spread, around[low:high], around[low + 2 : high + 2]],
                axis=1,
            )

    def all_grams(self) -> tuple[I64, I64]:
        """Return all n-grams and the sentence of each, those of a heading with every sentence below it."""
        sentence, word = np.nonzero(self.runs[:, None] == self.heading_runs)
        return (
            np.concatenate([self.grams, self.heading_grams[word]]),
            np.concatenate([self.sentences, sentence]),
        )

    def add_weights(self, weights: Floats) -> F32:
        """Sum the weights (BUCKETS,) of each sentence's n-grams and of its heading's, over the root of their number."""
        count, sections = len(self.runs), int(self.runs[-1]) + 1
        sums = np.bincount(self.sentences, weights[self.grams], count)
        numbers = np.bincount(self.sentences, minlength=count)
        of_heading = np.bincount(self.heading_runs, weights[self.heading_grams], sections)
        in_heading = np.bincount(self.heading_runs, minlength=sections)
        total = (sums + of_heading[self.runs]) / np.sqrt(numbers + in_heading[self.runs])
        return np.asarray(total, np.float32)


def reader_features(read: Sentences, words: ReaderWords) -> Features:
    """Return the features of a document's sentences."""
    text = read.encoded
    ids, starts, lengths = text.ids, text.starts, text.lengths
    sections = Segments.of(read.outline.sections)
    headings = [words.ids(read.outline.headings[number]) for number in read.outline.sections[sections.first].tolist()]
    columns: dict[str, Any] = {}
    columns |= _positions(read.outline, sections)
    columns |= _lengths(lengths)
    columns |= _shared_words(text, words, sections, headings)
    columns |= _marks(ids, starts, lengths, words)
    surface = np.array([_surface(sentence) for sentence in read.texts], np.float32)
    columns |= dict(zip(_SURFACE, surface.T, strict=True))
    colon = np.asarray(columns["ends in a colon"], bool)
    columns |= {"after a colon": _before(colon), "before a colon": _after(colon)}
    columns |= {"after a question": _before(columns["question"]), "led by a colon": _led(read.outline.items, colon)}
    columns |= {"low value": read.low_value, "low value before": _before(read.low_value)}
    columns |= {"needs context": read.dependent, "needs context after": _after(read.dependent)}
    cues = _bits(np.bitwise_or.reduceat(words.anywhere[ids], starts), len(_CUES))
    columns |= dict(zip(_CUES, cues.T, strict=True))
    first = _bits(words.first[ids[starts]], len(FIRST))
    columns |= {f"begins {name}": column for name, column in zip(FIRST, first.T, strict=True)}
    for name in ("begins pronoun", "example", "contrast", "cause"):
        columns[f"next {name}"] = _after(columns[name])
    for name in _DOCUMENT_MEANS:
        columns[f"document {name}"] = _mean(columns[name])
    for name in _SECTION_MEANS:
        sums = np.add.reduceat(np.asarray(columns[name], np.float32), sections.first)
        columns[f"section {name}"] = (sums / sections.size[sections.first])[sections.run]
    own = np.empty((len(text), len(columns)), np.float32)
    for index, column in enumerate(columns.values()):
        own[:, index] = column
    values = np.concatenate([own, read.signals, text.features], axis=1)
    return Features(values, *_grams(ids, starts, lengths), *_heading_grams(headings), sections.run)


def _positions(outline: Outline, sections: Segments) -> dict[str, Floats | Bools | I64]:
    """Return where each sentence stands in its document, section, paragraph and list."""
    count = len(outline)
    index = np.arange(count, dtype=np.float32)
    position, size, run, _ = sections
    paragraphs = Segments.of(outline.paragraphs)
    number = paragraphs.run - paragraphs.run[sections.first][run]
    items = outline.items
    before, after = _before(items) > 0, _after(items) > 0
    gap = np.minimum(np.diff(outline.paragraphs, prepend=outline.paragraphs[:1]), 4)
    return {
        "position": index / count,
        "near the start": 1 / (1 + index),
        "near the end": 1 / (count - index),
        "log position": np.log1p(index),
        "log position from the end": np.log1p(count - 1 - index),
        "first three": index < 3,
        "last three": index >= count - 3,
        "document size": np.full(count, np.log(count)),
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


def _lengths(lengths: I64) -> dict[str, Floats | Bools | I64]:
    log = np.log(lengths).astype(np.float32)
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
    text: EncodedText, words: ReaderWords, sections: Segments, headings: Sequence[I64]
) -> dict[str, Floats | Bools | I64]:
    """Return what each sentence shares with its heading, the title, and the rest of the document."""
    count, ids = len(text), text.ids
    is_content = words.is_content[ids]
    kept = np.flatnonzero(is_content)
    rows = np.repeat(np.arange(count), text.lengths)[kept]
    sentence, word = np.divmod(distinct(rows * words.size + ids[kept]), words.size)  # each word once per sentence
    number = np.maximum(np.bincount(sentence, minlength=count), 1)
    runs = np.repeat(np.arange(len(headings)), [len(heading) for heading in headings])
    of_headings = np.concatenate([*headings, np.zeros(0, np.int64)])
    telling = words.is_content[of_headings]
    in_heading = distinct(runs[telling] * words.size + of_headings[telling])
    is_shared = np.zeros(len(word), bool)
    if len(in_heading):
        is_shared = np.isin(sections.run[sentence] * words.size + word, in_heading)
    shared = np.bincount(sentence, is_shared, count)
    heading_size = np.maximum(np.bincount(in_heading // words.size, minlength=len(headings)), 1)
    is_heading, is_title = np.zeros((2, words.size), bool)
    is_heading[in_heading % words.size] = True
    if text.title is not None:
        is_title[text.title] = words.is_content[text.title]
    titled = np.bincount(sentence, is_title[word], count)
    # Words that many sentences have, rare ones first: what the document speaks of.
    order = np.argsort(word, kind="stable")
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


def _marks(ids: I32, starts: I64, lengths: I64, words: ReaderWords) -> dict[str, Floats | Bools | I64]:
    """Return how each sentence ends, and which marks and numbers it has."""
    last, marks = ids[starts + lengths - 1], words.marks

    def number(where: Bools) -> F32:
        return np.add.reduceat(where.astype(np.float32), starts)

    colon = last == marks[":"]
    numbers = number(words.is_number[ids])
    return {
        "ends in a colon": colon,
        "question": last == marks["?"],
        "exclamation": last == marks["!"],
        "full stop": last == marks["."],
        "colon inside": number(ids == marks[":"]) > colon,
        "parenthesis": number(ids == marks["("]) > 0,
        "semicolon": number(ids == marks[";"]) > 0,
        "commas": number(ids == marks[","]) / lengths,
        "bracket": number(ids == marks["["]) > 0,
        "number": numbers > 0,
        "numbers": np.log1p(numbers),
        "begins with a number": words.is_number[ids[starts]],
        "unknown words": number(ids == words.unknown) / lengths,
    }


def _mean(column: Floats | Bools | I64) -> np.floating[Any]:
    """Return the mean, as `column.mean()` does in twice the time."""
    total: np.floating[Any] = np.add.reduce(column, dtype=None if column.dtype.kind == "f" else np.float64)
    return total / len(column)


def _surface(sentence: str) -> tuple[float, ...]:
    """Return what tokens no longer show, in the order of `_SURFACE`."""
    words = sentence.split()
    number = max(1, len(words))
    capitals = [word for word in words[1:] if word[0].isupper()]
    return (
        len(capitals) / number,
        any(len(word) > 2 and word.isupper() for word in capitals),
        sentence[:1].islower(),
        len(sentence) / number / 6,
        '"' in sentence or "“" in sentence,
        "—" in sentence or "–" in sentence or " - " in sentence or "--" in sentence,
        "_" in sentence or "=" in sentence or "{" in sentence or "/" in sentence,
        _MARKUP.search(sentence) is not None,
    )


def _led(items: Bools, colon: Bools) -> Bools:
    """Return which sentences are items of a list that a colon leads to."""
    lead = np.maximum.accumulate(np.where(items, -1, np.arange(len(items))))
    return items & (lead >= 0) & colon[np.maximum(lead, 0)]


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


def _heading_grams(headings: Sequence[I64]) -> tuple[I64, I64]:
    words = np.concatenate([*headings, np.zeros(0, np.int64)])
    return _bucket("heading", words), np.repeat(np.arange(len(headings)), [len(heading) for heading in headings])


def _bucket(kind: str, *words: I64) -> I64:
    *factors, own = _HASHES[kind]
    number = sum((word * factor for word, factor in zip(words, factors, strict=False)), np.int64(own))
    return np.asarray((number * 2654435761) >> 7 & (BUCKETS - 1), np.int64)


def has_capitals(sentences: Sequence[str]) -> bool:
    """Tell if many sentences have a capital: a corpus in small letters is not what people read.

    Minutes that somebody typed in haste begin their sentences small, but write names as usual.
    """
    return 4 * sum(sentence != sentence.lower() for sentence in sentences) > len(sentences)


def describe_style(text: EncodedText, signals: F32, directions: F32, words: ReaderWords) -> F32:
    """Describe how a document is written, and of what: cue words, marks, lengths, kinds of sections, its mean word.

    `directions` (N, D) are the weighted means of the sentences' word vectors.
    """
    if not len(text):
        return np.zeros(len(_CUES) + len(FIRST) + len(_STYLE_MARKS) + 3 + len(KINDS) + directions.shape[1], np.float32)
    ids, starts, lengths = text.ids, text.starts, text.lengths
    marks = _marks(ids, starts, lengths, words)
    log = np.log(lengths)
    parts = [
        _bits(np.bitwise_or.reduceat(words.anywhere[ids], starts), len(_CUES)).mean(axis=0),
        _bits(words.first[ids[starts]], len(FIRST)).mean(axis=0),
        [_mean(marks[name]) for name in _STYLE_MARKS],
        [log.mean(), log.std(), np.mean(lengths < 7)],
        signals[:, : len(KINDS)].mean(axis=0),
        directions.mean(axis=0),
    ]
    return np.concatenate(parts).astype(np.float32)
