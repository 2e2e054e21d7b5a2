"""Features of sentences that need no words of a language: where they stand, what they share, how they are written.

Words are compared by their first letters, and where a script has no spaces by pairs of letters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from memsum.arrays import F32, F64, I64, Bools
from memsum.english.section_names import KINDS
from memsum.features.outline import Outline
from memsum.features.reader_value import Runs
from memsum.files import write_atomically
from memsum.multilingual.section_names import kind_in_any_language
from memsum.text import SIGNS, UNSPACED, UNSPACED_RANGES
from memsum.text.tfidf import TfIdf
from memsum.text.vectors import load_arrays

_WORD = re.compile(rf"[^\W_]+(?:[{SIGNS}]+[^\W_]*)*")
_PLAIN_WORD = re.compile(r"[^\W_]+")  # the same where no sign stands on a letter
_SIGN = re.compile(f"[{SIGNS}]")
_UNSPACED = re.compile(f"[{UNSPACED}]")  # pairs of these letters stand for words
STEM = 5  # letters of a word that count: what follows is mostly inflection
_ENDED = re.compile(r"[.!?…؟۔।॥։።。！？｡][\"'”’»«“)\]}*_」』》）〉】]*(?:\s?\[[\d\s,;–-]{1,60}\],?)*\s*$")
_LEAD_IN = re.compile(r"[:：][\"'”’»*_`]*\s*$")
_MARKER = re.compile(r"^\s*(?:[•‣◦▪●■*+–—-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s")
_CODE = re.compile(
    r"\w\(\)|\w\.\w+\("
    r"|^\s*(?:import|from|def|class|return|for|if|while|let|const|var|print|#include|>>>|\$ )\b.*[=(:;{]"
    r"|[;{}]\s*$|^\s*[\w.\[\]]+\s*[+*-]?=[^=]"
)
_FORMULA = re.compile(r"\$[^$]{1,300}\$|\\\([^)]{1,300}\\\)")
_FEWEST, _FEWEST_LETTERS = 4, 24  # a sentence with fewer words and fewer letters is a fragment
_FEWEST_UNSPACED = 8  # letters of one without spaces
_UNFINISHED = 8  # words of a sentence without a mark at its end
_ORDINAL_END = re.compile(r"(?:^|\s)\d{1,2}\.$")
_SYMBOL_SHARE = 0.15
_LETTER_SHARE = 0.55

# Characters that are counted in each sentence.
_CLASSES = {
    "percent": "%％٪",
    "bracket": "(（[",
    "question": "?？؟",
    "exclamation": "!！",
    "colon": ":：",
    "semicolon": ";；؛",
    "quotation": '"“”„«»「」『』',
    "commas": ",，、",
    # Neither letters, digits, white space nor the marks of running text.
    "symbols": "=<>{}[]|\\/^$#@+~_&*%×·•→←∈∑∫√≤≥≠±∞`",
}
_DIGIT, _SPACE, _UPPER, _LETTER, _DASH, _POINT, _WITHOUT_SPACES = (1 << bit for bit in range(7))
_BITS = {name: 1 << bit for bit, name in enumerate(_CLASSES, 7)}
_HASH = np.uint64(0x9E3779B97F4A7C15)  # words are distinguished by a hash of their first letters
_CITES = re.compile(r"\[\d[\d,;\s–-]*\]|[(（][^()（）]{0,80}\b(?:19|20)\d\d[a-z]?[^()（）]{0,20}[)）]")
_ADDRESS = re.compile(r"https?:|www\.|@\w")


@cache
def _classes() -> NDArray[np.uint16]:
    """Return the classes that each character of the basic plane has; made once, as a few scripts have capitals."""
    table = np.zeros(1 << 16, np.uint16)
    for code in range(0x3400):
        character = chr(code)
        table[code] |= _DIGIT * character.isdecimal() | _SPACE * character.isspace() | _UPPER * character.isupper()
        table[code] |= _LETTER * (character.isalnum() or _SIGN.match(character) is not None)
    table[0x3400:0xD7FC] |= _LETTER
    table[0xF900:0xFB50] |= _LETTER
    table[0xFFFF] = _LETTER  # stands for all characters of other planes
    for code in range(0xFB50, 0x10000):
        table[code] |= _LETTER * chr(code).isalnum() | _DIGIT * chr(code).isdecimal() | _UPPER * chr(code).isupper()
    for first, last in UNSPACED_RANGES:
        table[first : last + 1] |= _WITHOUT_SPACES
    for name, characters in _CLASSES.items():
        for character in characters:
            table[ord(character)] |= _BITS[name]
    for character in "–—-":
        table[ord(character)] |= _DASH
    for character in ".,":
        table[ord(character)] |= _POINT
    return table


class Characters:
    """Counts of classes of characters in each of N sentences."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        # A line end behind each sentence, so that none is empty.
        codes = np.frombuffer("".join(f"{one}\n" for one in sentences).encode("utf-32-le", "surrogatepass"), np.uint32)
        self._found = _classes().take(np.minimum(codes, 0xFFFF))
        self.lengths = np.array(list(map(len, sentences)), np.int64)
        self._starts = np.cumsum(self.lengths + 1) - self.lengths - 1

    def count(self, mask: int | Bools) -> F64:
        """Return how many characters of each sentence are of a class, or marked, (N,)."""
        if not len(self.lengths):
            return np.zeros(0)
        marked = (self._found & mask) > 0 if isinstance(mask, int) else mask
        return np.add.reduceat(marked, self._starts, dtype=np.float64)

    @cached_property
    def numbers(self) -> F64:
        """Numbers of each sentence, such as 12 or 3.5."""
        is_digit, is_point = (self._found & _DIGIT) > 0, (self._found & _POINT) > 0
        begins = is_digit.copy()
        begins[1:] &= ~is_digit[:-1]
        begins[2:] &= ~(is_point[1:-1] & is_digit[:-2])
        return self.count(begins)

    @cached_property
    def dashes(self) -> F64:
        """Dashes between spaces in each sentence."""
        is_dash, is_space = (self._found & _DASH) > 0, (self._found & _SPACE) > 0
        apart = np.zeros(len(is_dash), bool)
        apart[1:-1] = is_dash[1:-1] & is_space[:-2] & is_space[2:]
        return self.count(apart)

    @cached_property
    def symbols(self) -> F64:
        return self.count(_BITS["symbols"])

    @cached_property
    def letters(self) -> F64:
        """Letters and digits."""
        return self.count(_LETTER)

    @cached_property
    def digits(self) -> F64:
        return self.count(_DIGIT)

    @cached_property
    def solid(self) -> F64:
        """Characters that are no white space."""
        return self.lengths + 1 - self.count(_SPACE)


def split_words(sentence: str) -> list[str]:
    """Return the words of a sentence in small letters, or pairs of letters where the script has no spaces."""
    if sentence.isascii():
        return _PLAIN_WORD.findall(sentence.lower())
    words: list[str] = (_WORD if _SIGN.search(lower := sentence.lower()) else _PLAIN_WORD).findall(lower)
    if not _UNSPACED.search(sentence):
        return words
    split: list[str] = []
    for word in words:
        if word.isascii() or not _UNSPACED.search(word):
            split.append(word)
        else:
            split += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    return split


def split_stems(sentence: str) -> list[str]:
    """Return the beginnings of a sentence's words."""
    return [word[:STEM] for word in split_words(sentence)]


def low_value(sentences: Sequence[str]) -> Bools:
    """Mark lead-ins, fragments, code, symbols and bare list items among the sentences of a document."""
    return _low_value(Characters(sentences), [len(_WORD.findall(sentence)) for sentence in sentences])


def _low_value(characters: Characters, words: Sequence[int]) -> Bools:
    sentences = characters.sentences
    if any("$" in sentence or "\\(" in sentence for sentence in sentences):
        sentences = [_FORMULA.sub("x", sentence) for sentence in sentences]
        characters = Characters(sentences)
        words = [len(_WORD.findall(sentence)) for sentence in sentences]
    letters, solid = characters.letters, characters.solid
    low = np.asarray(
        (characters.symbols > _SYMBOL_SHARE * solid) | (letters - characters.digits < _LETTER_SHARE * solid)
    )
    ended = [one.endswith((".", "。")) or _ENDED.search(one[-80:]) is not None for one in sentences]
    # Some scripts, and some documents, end no sentence with a mark.
    is_ended = np.array(ended, bool) | (2 * sum(ended) < len(ended))
    enough = np.asarray(words) >= _UNFINISHED
    for row in np.flatnonzero(~low & ~(is_ended & enough)).tolist():
        low[row] = _is_low(sentences[row], words[row], int(letters[row]), bool(is_ended[row]))
    # Cut at an ordinal, "of the 3.": neither half says much.
    cut = [row for row, one in enumerate(sentences) if one[-2:-1].isdigit() and _ORDINAL_END.search(one[-6:])]
    low[cut] = True
    low[[row + 1 for row in cut if row + 1 < len(low)]] = True
    return low


def _is_low(sentence: str, words: int, letters: int, is_ended: bool) -> bool:
    """Tell whether a sentence that is short, or has no mark at its end, is of low value."""
    if _LEAD_IN.search(sentence[-10:]) or (not is_ended and _CODE.search(sentence)):
        return True
    if not sentence.isascii() and _UNSPACED.search(sentence):
        return letters < _FEWEST_UNSPACED
    is_bare = not is_ended and (words < _UNFINISHED or _MARKER.match(sentence) is not None)
    return is_bare or (words < _FEWEST and letters < _FEWEST_LETTERS)


_ROUNDS, _DAMPING = 8, 0.85  # of a random walk; share of its steps that go on to a similar sentence
_TOPICS = 30  # stems that a document speaks of most
_EARLY = 4.0  # restart bias towards the beginning: the first sentence against the last, less one
_TITLE = 2.0  # and towards words of the title
_SHORT = 6  # stems; a shorter sentence says little, however central they are
_BREVITY = 0.3  # power of a sentence's words that its centrality is divided by
_EDGE = 0.1  # share of a document that is its beginning, or its end
# Sentences of a human summary: so many, times a power of the document's.
_SENTENCES, _GROWTH = 1.35, 0.4
# Share of symbols from which on a document is technical: its summary is shorter, as a logarithm.
_TECHNICAL, _SHORTER = 0.02, 0.5
_APART = 0.8  # paragraphs per sentence from which on sentences merely stand on lines of their own
_FARTHEST = 4.0
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
DYNAMIC = (
    "words said", "nearest", "pairs said", "topics newly said", "gap", "follows", "precedes",
    "section quoted", "paragraph quoted", "nothing yet", "progress",
)  # fmt: skip


class NeutralText:
    """The stems of N sentences of one or several documents, and what is seen of each."""

    def __init__(self, sentences: Sequence[str], outline: Outline, title: str | None) -> None:
        self.sentences = sentences
        self.outline = outline
        self.title = title
        self.rows, hashes = _stems(sentences)
        self._hashes, self.terms = np.unique(hashes, return_inverse=True)
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
        return _low_value(self.characters, self.lengths.tolist())

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
        """How many stems a human summary has: more of long sentences and documents, fewer where formulas abound."""
        if not len(self):
            return 1.0
        technical = min(float(self.symbols.mean()) / _TECHNICAL, 1)
        size = float(self.lengths.mean()) * math.pow(len(self), _GROWTH)
        return max(_SENTENCES * size * math.exp(-_SHORTER * technical), 1.0)

    @cached_property
    def ranks(self) -> tuple[F64, F64]:
        """Centrality of each sentence, 1 on average, by walks that restart anywhere, or early and at title words."""
        count = len(self)
        title = self.terms_of(self.title)
        shared = weights_of(self, np.bincount(title, minlength=self.size) / max(len(title), 1))
        early = 1 + _EARLY * np.linspace(1, 0, count) ** 2
        starts = np.stack([np.ones(count), early * (1 + _TITLE * shared)])
        starts /= starts.sum(axis=1, keepdims=True)
        walk = _Walk(self.weights)
        degrees = walk.step(np.ones((1, count))) + 1e-9
        rank = starts
        for _ in range(_ROUNDS):
            rank = (1 - _DAMPING) * starts + _DAMPING * walk.step(rank / degrees)
        return rank[0] * count, rank[1] * count

    def plain_ranks(self) -> F64:
        """Return the logarithm of each sentence's centrality, per word; a walk restarts early and at title words."""
        fullness = np.minimum(1, np.bincount(self.weights.rows, minlength=len(self)) / _SHORT)
        return np.log(self.ranks[1] * fullness / np.maximum(self.lengths, 1) ** _BREVITY + 1e-6)

    def terms_of(self, text: str | None) -> I64:
        """Return the stems of another text that the sentences have too, each once."""
        found = self.find([text or ""])[1]
        return np.unique(found[found >= 0])

    def find(self, texts: Sequence[str]) -> tuple[I64, I64]:
        """Return for each stem of other texts the text that it is in, and its number; -1 if no sentence has it."""
        rows, hashes = _stems(texts)
        if not self.size:
            return rows, np.full(len(rows), -1)
        index = np.minimum(np.searchsorted(self._hashes, hashes), self.size - 1)
        return rows, np.where(self._hashes[index] == hashes, index, -1)


def _stems(texts: Sequence[str]) -> tuple[I64, NDArray[np.uint64]]:
    """Return the text and a hash of each stem, as `split_stems` finds them, but for all texts at once."""
    joined = "".join(text.replace("\n", " ") + "\n" if "\n" in text else f"{text}\n" for text in texts).lower()
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    found = _classes().take(np.minimum(codes, 0xFFFF))
    is_letter = np.concatenate([[False], (found & _LETTER) > 0, [False]])
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
    starts, ends = edges[::2], edges[1::2]
    lengths = np.minimum(ends - starts, STEM)
    whole = np.concatenate([[0], np.cumsum((found & _WITHOUT_SPACES) > 0)])
    is_unspaced = whole[ends] > whole[starts]
    if is_unspaced.any():
        counts = np.where(is_unspaced, np.maximum(ends - starts - 1, 1), 1)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        lengths = np.repeat(np.where(is_unspaced, np.minimum(ends - starts, 2), lengths), counts)
        starts = np.repeat(starts, counts) + within
    padded = np.concatenate([codes, np.zeros(STEM, np.uint32)]).astype(np.uint64)
    hashes = np.zeros(len(starts), np.uint64)
    for place in range(STEM):
        hashes = np.where(place < lengths, (hashes + padded[starts + place] + np.uint64(1)) * _HASH, hashes)
        hashes ^= hashes >> np.uint64(29)
    rows = np.cumsum(codes == 10)[starts] if len(codes) else np.zeros(0, np.int64)
    return rows.astype(np.int64), hashes


def _distinct(numbers: I64) -> int:
    """Count distinct numbers, which only grow."""
    return int(np.count_nonzero(np.diff(numbers))) + 1 if len(numbers) else 0


class _Walk:
    """Steps of several random walks at once from sentence to sentence, through the stems that they share."""

    def __init__(self, weights: TfIdf) -> None:
        is_shared = weights.spread > 1  # the others lead nowhere
        kept = is_shared[weights.terms]
        rows, self._values = weights.rows[kept], weights.values[kept]
        self._terms = (np.cumsum(is_shared) - 1)[weights.terms[kept]]
        spread = weights.spread[is_shared]
        by_term = np.argsort(self._terms, kind="stable")
        self._rows_by_term, self._values_by_term = rows[by_term], self._values[by_term]
        self._term_starts = np.cumsum(spread) - spread
        counts = np.bincount(rows, minlength=weights.size)
        self._some = np.flatnonzero(counts)  # sentences that share stems
        self._starts = (np.cumsum(counts) - counts)[self._some]
        self._itself = np.bincount(rows, self._values**2, weights.size)

    def step(self, shares: F64) -> F64:
        """Multiply the matrix of cosines, without its diagonal, by shares (W, N)."""
        result = np.zeros_like(shares)
        if len(self._some):
            of_terms = self._values_by_term * shares.take(self._rows_by_term, axis=1)
            through = np.add.reduceat(of_terms, self._term_starts, axis=1)
            of_rows = self._values * through.take(self._terms, axis=1)
            result[:, self._some] = np.add.reduceat(of_rows, self._starts, axis=1)
        return np.maximum(0, result - self._itself * shares)


def static_features(text: NeutralText) -> F32:
    """Return what is seen of each sentence before anything is extracted, (N, STATIC)."""
    count, outline = len(text), text.outline
    if not count:
        return np.zeros((0, len(STATIC)), np.float32)
    columns: dict[str, F64 | F32 | Bools | float] = {}
    place = np.arange(count)
    columns |= {
        "position": (place + 0.5) / count,
        "position squared": ((place + 0.5) / count) ** 2,
        "early": 1 / (1 + place),
        "first": place == 0,
        "last": place == count - 1,
        "from the start": np.log1p(place),
        "from the end": np.log1p(count - 1 - place),
    }
    sections, paragraphs = Runs.of(outline.sections), Runs.of(outline.paragraphs)
    number = len(sections.first)
    is_divided, has_paragraphs = text.is_divided, text.has_paragraphs
    columns |= {
        "in section": is_divided * (sections.position + 0.5) / sections.size,
        "first of section": is_divided * (sections.position == 0),
        "last of section": is_divided * (sections.position == sections.size - 1),
        "section position": is_divided * (sections.run + 0.5) / number,
        "first section": is_divided * (sections.run == 0),
        "last section": is_divided * (sections.run == number - 1),
        "sections": np.log(number),
        "section size": is_divided * np.log(sections.size),
        "first of paragraph": has_paragraphs * (paragraphs.position == 0),
        "last of paragraph": has_paragraphs * (paragraphs.position == paragraphs.size - 1),
        "paragraph size": has_paragraphs * np.log(paragraphs.size),
        "paragraphs": has_paragraphs,
        "item": outline.items,
        "items": float(outline.items.mean()),
        "spoken": outline.spoken,
    }
    columns |= _shared(text, sections)
    title = text.terms_of(text.title)
    headings = [text.terms_of(heading) for heading in outline.headings]
    columns |= _named(text, title, headings)
    columns |= _written(text)
    kinds = np.array([kind_in_any_language(heading) if heading else 0 for heading in outline.headings])
    of_sentence = kinds[outline.sections]
    columns |= {f"section: {kind}": of_sentence == KINDS.index(kind) for kind in _SECTION_KINDS}
    columns |= {
        "size": np.log(count),
        "mean length": np.log(max(float(text.lengths.mean()), 1)),
        "has title": float(len(title) > 0),
    }
    features = np.empty((count, len(STATIC)), np.float32)
    for column, name in enumerate(STATIC):
        features[:, column] = columns[name]
    return features


def _order(values: F64) -> F64:
    """Return the share of values that each is greater than, 0 to 1."""
    return np.searchsorted(np.sort(values), values, side="left") / max(len(values) - 1, 1)


def _shared(text: NeutralText, sections: Runs) -> dict[str, F64]:
    """Return what sentences share with the document, its parts and their neighbours."""
    count, weights, rows = len(text), text.weights, text.rows
    rank, early = text.ranks
    everything = weights.sums(np.ones(count))
    centroid = weights.products(everything) / (np.linalg.norm(everything) + 1e-9)
    edge = max(1, round(_EDGE * count))
    frequencies = np.bincount(text.terms, minlength=text.size)
    lengths = np.maximum(text.lengths, 1)
    frequency = np.bincount(rows, np.log(frequencies)[text.terms], count) / lengths
    topics = weights_of(text, text.topics)
    of_pairs, pair, distinct = text.pairs
    again = np.bincount(of_pairs, (np.bincount(pair, minlength=distinct) > 1)[pair], count)
    beside = _beside(weights, count)
    return {
        "rank": np.log(rank + 1e-3),
        "early rank": np.log(early + 1e-3),
        "centroid": centroid,
        "section centroid": _section_centroids(weights, sections),
        "frequency": frequency,
        "topics": np.log1p(topics),
        "topic share": topics / lengths,
        "pairs again": again / lengths,
        "before": np.concatenate([[0.0], beside])[:count],
        "after": np.concatenate([beside, [0.0]])[:count],
        "like the first": weights.cosines(0),
        "like the beginning": _likeness(weights, np.arange(count) < edge),
        "like the end": _likeness(weights, np.arange(count) >= count - edge),
        "rank order": _order(rank),
        "early rank order": _order(early),
        "centroid order": _order(centroid),
        "frequency order": _order(frequency),
        "topic order": _order(topics),
        "length order": _order(text.lengths.astype(np.float64)),
        "rare": np.bincount(weights.rows, np.log(count / weights.spread)[weights.terms], count)
        / np.maximum(np.bincount(weights.rows, minlength=count), 1),
        "only here": np.bincount(weights.rows, (weights.spread == 1)[weights.terms], count)
        / np.maximum(np.bincount(weights.rows, minlength=count), 1),
    }


def weights_of(text: NeutralText, values: F64) -> F64:
    """Sum up the values (T,) of each sentence's distinct stems: (N,)."""
    return np.asarray(np.bincount(text.weights.rows, values[text.weights.terms], len(text)), np.float64)


def _likeness(weights: TfIdf, members: Bools) -> F64:
    """Return the cosine of each sentence with some of them; of a member, without itself."""
    total = weights.sums(members.astype(np.float64))
    return (weights.products(total) - members) / (np.linalg.norm(total) + 1e-9)


def _section_centroids(weights: TfIdf, sections: Runs) -> F64:
    """Return the mean cosine of each sentence with the others of its section."""
    if len(sections.first) == 1:
        alike = weights.products(weights.sums(np.ones(weights.size)))
        return np.asarray(np.maximum(alike - 1, 0) / max(weights.size - 1, 1), np.float64)
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


def _named(text: NeutralText, title: I64, headings: Sequence[I64]) -> dict[str, F64]:
    """Return what sentences share with the title, their own heading, and all headings."""
    count, weights, sections, rarity = len(text), text.weights, text.outline.sections, text.rarity
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
    mean = max(float(lengths.mean()), 1)
    letters = np.maximum(characters.lengths, 1)
    marks = {name: np.minimum(characters.count(_BITS[name]), 3) for name in _CLASSES if name in _MARKS}
    capitals = characters.count(_UPPER) / letters
    numbers = characters.numbers
    may_cite = np.flatnonzero((marks["bracket"] > 0) & (numbers > 0))
    may_link = [
        row for row, sentence in enumerate(sentences) if "@" in sentence or "http" in sentence or "www" in sentence
    ]
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
        "commas": np.log1p(characters.count(_BITS["commas"])),
        "capitals": capitals - capitals.mean(),
        "begins small": np.array([sentence[:1].islower() for sentence in sentences], np.float64),
        "low value": text.low_value.astype(np.float64),
        "numbers of all": np.full(len(sentences), (numbers > 0).mean()),
    }


def _count(pattern: re.Pattern[str], sentences: Sequence[str], rows: Sequence[int]) -> F64:
    """Count a pattern, up to three times, in some of the sentences."""
    counts = np.zeros(len(sentences))
    for row in rows:
        counts[row] = min(len(pattern.findall(sentences[row])), 3)
    return counts


class NeutralMemory:
    """What was extracted, in numbers for each sentence."""

    def __init__(self, text: NeutralText) -> None:
        self._text = text
        count = len(text)
        self._all = np.maximum(weights_of(text, text.rarity), 1e-9)
        self._said = np.zeros(text.size)
        self._said_pairs = np.zeros(text.pairs[2])
        self._topics = text.topics.copy()
        self._all_topics = max(float(self._topics.sum()), 1e-9)
        self._pairs = np.maximum(np.bincount(text.pairs[0], minlength=count), 1)
        self._nearest = np.zeros(count)
        self._gaps = np.full(count, count)
        self._sections = np.zeros(int(text.outline.sections.max(initial=0)) + 1)
        self._paragraphs = np.zeros(int(text.outline.paragraphs.max(initial=0)) + 1)
        self._beside = np.zeros((2, count))
        self.words = 0
        self.extracted = 0

    @cached_property
    def _bounds(self) -> tuple[I64, I64]:
        """Where the stems and the pairs of each sentence begin."""
        ends = np.arange(len(self._text) + 1)
        return np.searchsorted(self._text.rows, ends), np.searchsorted(self._text.pairs[0], ends)

    def extract(self, rows: Iterable[int]) -> None:
        """Take note of rows that are extracted."""
        text = self._text
        for row in rows:
            stems, pairs = (slice(own[row], own[row + 1]) for own in self._bounds)
            self._said[text.terms[stems]] = 1
            self._topics[text.terms[stems]] = 0
            self._said_pairs[text.pairs[1][pairs]] = 1
            self._nearest = np.maximum(self._nearest, text.weights.cosines(row))
            self._gaps = np.minimum(self._gaps, np.abs(np.arange(len(text)) - row))
            self._sections[text.outline.sections[row]] += 1
            self._paragraphs[text.outline.paragraphs[row]] += 1
            self._beside[0, row + 1 : row + 2] = 1
            self._beside[1, max(row - 1, 0) : row] = 1
            self.words += int(text.lengths[row])
            self.extracted += 1

    def new_share(self) -> F64:
        """Return the logarithm of what each sentence does not share with the closest extracted one."""
        return np.asarray(np.log1p(-np.minimum(self._nearest, 0.999)), np.float64)

    def features(self) -> F32:
        """Return what extraction has changed for each sentence, (N, DYNAMIC)."""
        text, count = self._text, len(self._text)
        pairs, number, _ = text.pairs
        newly = weights_of(text, self._topics)
        columns: dict[str, F64 | float] = {
            "words said": weights_of(text, self._said * text.rarity) / self._all,
            "nearest": self._nearest,
            "pairs said": np.bincount(pairs, self._said_pairs[number], count) / self._pairs,
            "topics newly said": newly / self._all_topics,
            "gap": 1 / (1 + self._gaps) if self.extracted else 0.0,
            "follows": self._beside[0],
            "precedes": self._beside[1],
            "section quoted": text.is_divided * np.log1p(self._sections)[text.outline.sections],
            "paragraph quoted": text.has_paragraphs * np.minimum(self._paragraphs, 2)[text.outline.paragraphs],
            "nothing yet": float(self.extracted == 0),
            "progress": min(self.words / text.expected, 2.0),
        }
        features = np.empty((count, len(DYNAMIC)), np.float32)
        for column, name in enumerate(DYNAMIC):
            features[:, column] = columns[name]
        return features


@dataclass(frozen=True)
class NeutralModel:
    """One hidden layer on static and dynamic features, beside a linear one."""

    centre: F32  # (S + D,)
    scale: F32  # (S + D,)
    hidden: F32  # (S + D, H)
    hidden_bias: F32  # (H,)
    out: F32  # (H,)
    linear: F32  # (S + D,)

    def prepare(self, static: F32) -> tuple[F32, F32]:
        """Return the part of the hidden layer (N, H), and of the ratings (N,), that extraction does not change."""
        size = len(STATIC)
        x = _standardize(static, self.centre[:size], self.scale[:size])
        return x @ self.hidden[:size] + self.hidden_bias, x @ self.linear[:size]

    def rate(self, prepared: tuple[F32, F32], dynamic: F32) -> F32:
        """Rate all sentences, (N,)."""
        size = len(STATIC)
        x = _standardize(dynamic, self.centre[size:], self.scale[size:])
        hidden, linear = prepared
        rated: F32 = np.maximum(hidden + x @ self.hidden[size:], 0) @ self.out + linear + x @ self.linear[size:]
        return rated

    def save(self, path: Path) -> None:
        write_atomically(path, save(dict(vars(self))))

    @classmethod
    def load(cls, path: Path) -> NeutralModel:
        """Read what `save` wrote."""
        return load_arrays(path, cls)


def _standardize(values: F32, centre: F32, scale: F32) -> F32:
    standard: F32 = np.clip((values - centre) / scale, -_FARTHEST, _FARTHEST)
    return standard
