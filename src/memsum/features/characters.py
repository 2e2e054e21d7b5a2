"""Counts of characters and words in sentences of any language, and what these tell: lead-ins, fragments, code.

Words are compared by their first letters, and where a script has no spaces by pairs of letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F64, I64, Bools
from memsum.languages.low_value import points_elsewhere
from memsum.text import SIGNS, UNSPACED, UNSPACED_RANGES

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
_LATIN_END = 0x250
_FEWEST, _FEWEST_LETTERS = 4, 24  # a sentence with fewer words and fewer letters is a fragment
_FEWEST_UNSPACED = 8  # letters of one without spaces
_UNFINISHED = 8  # words of a sentence without a mark at its end
_ORDINAL_END = re.compile(r"(?:^|\s)\d{1,2}\.$")
_SYMBOL_SHARE = 0.15
_LETTER_SHARE = 0.55

# Characters that are counted in each sentence.
CLASSES = {
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
_DIGIT, _SPACE, UPPER, _LETTER, _DASH, _POINT, _WITHOUT_SPACES = (1 << bit for bit in range(7))
BITS = {name: 1 << bit for bit, name in enumerate(CLASSES, 7)}
_LISTED = [*((characters, BITS[name]) for name, characters in CLASSES.items()), ("–—-", _DASH), (".,", _POINT)]
_SPARSE = _DIGIT | _DASH | sum(BITS.values())
# Words are distinguished by a hash of their first letters: each letter times a number of its own, modulo 2 ** 64.
# Random numbers, written out: to make them would cost each start ten milliseconds.
_HASHES = np.array(
    [0x9FABA8415A7CDA78, 0x8BE7192CDFE700A2, 0xCE4E4320181FE66D, 0x87C3C65AF7DE56FD, 0xD49CBE4D885E6634], np.uint64
)


def _classes_of(character: str) -> int:
    """Return the classes of a character of the basic plane, of which the last stands for all of other planes."""
    code = ord(character)
    found = sum(bit for characters, bit in _LISTED if character in characters)
    found |= _WITHOUT_SPACES * any(first <= code <= last for first, last in UNSPACED_RANGES)
    if 0x3400 <= code < 0xFB50 or code == 0xFFFF:
        return found | _LETTER * (not 0xD7FC <= code < 0xF900)
    found |= _DIGIT * character.isdecimal() | _SPACE * character.isspace() | UPPER * character.isupper()
    return found | _LETTER * (character.isalnum() or _SIGN.match(character) is not None)


@cache
def _block(number: int) -> NDArray[np.uint16]:
    """Return the classes of 256 characters, once a text has one of them: all would take 4 ms of every start."""
    return np.array([_classes_of(chr(code)) for code in range(number << 8, (number + 1) << 8)], np.uint16)


def _classify(codes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    codes = np.minimum(codes, 0xFFFF)
    blocks = np.flatnonzero(np.bincount(codes >> 8)).tolist()
    table = np.zeros((max(blocks, default=0) + 1, 256), np.uint16)
    for number in blocks:
        table[number] = _block(number)
    return table.reshape(-1).take(codes)


class Characters:
    """Counts of classes of characters in each of N sentences."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        self.joined = "\n".join(sentences)
        # A line end behind each sentence, so that none is empty.
        codes = np.frombuffer(f"{self.joined}\n".encode("utf-32-le", "surrogatepass"), np.uint32)
        self._found = _classify(codes)
        self.lengths = np.array(list(map(len, sentences)), np.int64)
        ends = np.cumsum(self.lengths + 1)
        self._starts = ends - self.lengths - 1
        # Marks and digits are few, so they are counted one by one.
        self._marks = np.flatnonzero(self._found & _SPARSE)
        self._classes = self._found[self._marks]
        self._rows = np.searchsorted(ends, self._marks, side="right")

    def count(self, mask: int) -> F64:
        """Return how many characters of each sentence are of a class, (N,)."""
        if not len(self.lengths):
            return np.zeros(0)
        if mask & _SPARSE:
            return self._count_marks((self._classes & mask) > 0)
        return np.add.reduceat((self._found & mask) > 0, self._starts, dtype=np.float64)

    def _count_marks(self, is_counted: Bools) -> F64:
        return np.bincount(self._rows[is_counted], minlength=len(self.lengths)).astype(np.float64)

    @cached_property
    def marks(self) -> dict[str, F64]:
        """How many characters of each of `CLASSES` each sentence has, (N,) each."""
        width = len(CLASSES)
        mark, kind = np.nonzero(self._classes[:, None] & np.array([*BITS.values()], np.uint16))
        counts = np.bincount(self._rows[mark] * width + kind, minlength=len(self.lengths) * width)
        return dict(zip(CLASSES, counts.reshape(-1, width).T.astype(np.float64), strict=True))

    @cached_property
    def numbers(self) -> F64:
        """Numbers of each sentence, such as 12 or 3.5."""
        before, earlier = self._found[self._marks - 1], self._found[self._marks - 2]
        goes_on = (before & _DIGIT) > 0
        goes_on |= ((before & _POINT) > 0) & ((earlier & _DIGIT) > 0)
        return self._count_marks(((self._classes & _DIGIT) > 0) & ~goes_on)

    @cached_property
    def dashes(self) -> F64:
        """Dashes between spaces in each sentence."""
        apart = (self._found[self._marks - 1] & self._found[self._marks + 1] & _SPACE) > 0  # a line end is behind each
        return self._count_marks(((self._classes & _DASH) > 0) & apart)

    @cached_property
    def symbols(self) -> F64:
        return self.marks["symbols"]

    @cached_property
    def letters(self) -> F64:
        """Letters and digits."""
        return self.count(_LETTER)

    @cached_property
    def digits(self) -> F64:
        return self.count(_DIGIT)

    @cached_property
    def latin(self) -> F64:
        """Latin letters, and digits."""
        if self.joined.isascii():
            return self.letters
        codes = np.frombuffer(f"{self.joined}\n".encode("utf-32-le", "surrogatepass"), np.uint32)
        is_latin = (codes < _LATIN_END) & ((self._found & _LETTER) > 0)
        return np.add.reduceat(is_latin, self._starts, dtype=np.float64)

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


def hash_stems(texts: Sequence[str]) -> tuple[I64, NDArray[np.uint64]]:
    """Return the text and a hash of each stem, as `split_stems` finds them, but for all texts at once."""
    joined = "\n".join(texts) + "\n"
    if joined.count("\n") > len(texts):
        joined = "\n".join([text.replace("\n", " ") for text in texts]) + "\n"
    codes = np.frombuffer(joined.lower().encode("utf-32-le", "surrogatepass"), np.uint32)
    found = _classify(codes)
    is_letter = np.zeros(len(codes) + 1, bool)
    is_letter[1:] = (found & _LETTER) > 0
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])  # a line end is the last
    starts, ends = edges[::2], edges[1::2]
    lengths = np.minimum(ends - starts, STEM)
    is_unspaced = (found & _WITHOUT_SPACES) > 0
    if is_unspaced.any():
        whole = np.concatenate([[0], np.cumsum(is_unspaced)])
        is_unspaced = whole[ends] > whole[starts]
        counts = np.where(is_unspaced, np.maximum(ends - starts - 1, 1), 1)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        lengths = np.repeat(np.where(is_unspaced, np.minimum(ends - starts, 2), lengths), counts)
        starts = np.repeat(starts, counts) + within
    letters = codes.take(starts[:, None] + np.arange(STEM), mode="clip")  # (stems, STEM)
    letters = np.where(np.arange(STEM) < lengths[:, None], letters, 0)
    rows = np.searchsorted(np.flatnonzero(codes == ord("\n")), starts)
    return rows, letters.astype(np.uint64) @ _HASHES


def low_value(sentences: Sequence[str]) -> Bools:
    """Mark lead-ins, fragments, code, symbols, bare list items and mere pointers among the sentences of a document."""
    return mark_low_value(Characters(sentences), [len(_WORD.findall(sentence)) for sentence in sentences])


def mark_low_value(characters: Characters, words: Sequence[int] | I64) -> Bools:
    """Mark what `low_value` does; `words` are how many each sentence has."""
    sentences, counted = characters.sentences, np.asarray(words)
    letters, digits, symbols, solid = characters.letters, characters.digits, characters.symbols, characters.solid
    if "$" in characters.joined or "\\(" in characters.joined:
        rows = [row for row, one in enumerate(sentences) if "$" in one or "\\(" in one]
        plain = Characters([_FORMULA.sub("x", sentences[row]) for row in rows])
        sentences, counted = list(sentences), counted.copy()
        letters, digits, symbols, solid = (counts.copy() for counts in (letters, digits, symbols, solid))
        for row, sentence in zip(rows, plain.sentences, strict=True):
            sentences[row] = sentence
            counted[row] = len(_WORD.findall(sentence))
        letters[rows], digits[rows], symbols[rows], solid[rows] = (
            plain.letters,
            plain.digits,
            plain.symbols,
            plain.solid,
        )
    low = np.asarray((symbols > _SYMBOL_SHARE * solid) | (letters - digits < _LETTER_SHARE * solid))
    ended = [one.endswith((".", "。")) or _ENDED.search(one[-80:]) is not None for one in sentences]
    # Some scripts, and some documents, end no sentence with a mark.
    is_ended = np.array(ended, bool) | (2 * sum(ended) < len(ended))
    enough = counted >= _UNFINISHED
    for row in np.flatnonzero(~low & ~(is_ended & enough)).tolist():
        low[row] = _is_low(sentences[row], int(counted[row]), int(letters[row]), bool(is_ended[row]))
    low |= np.array([points_elsewhere(sentence) for sentence in sentences], bool)
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
