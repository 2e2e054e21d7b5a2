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
_HASH = np.uint64(0x9E3779B97F4A7C15)  # words are distinguished by a hash of their first letters


@cache
def _classes() -> NDArray[np.uint16]:
    """Return the classes that each character of the basic plane has; made once, as a few scripts have capitals."""
    table = np.zeros(1 << 16, np.uint16)
    for code in range(0x3400):
        character = chr(code)
        table[code] |= _DIGIT * character.isdecimal() | _SPACE * character.isspace() | UPPER * character.isupper()
        table[code] |= _LETTER * (character.isalnum() or _SIGN.match(character) is not None)
    table[0x3400:0xD7FC] |= _LETTER
    table[0xF900:0xFB50] |= _LETTER
    table[0xFFFF] = _LETTER  # stands for all characters of other planes
    for code in range(0xFB50, 0x10000):
        table[code] |= _LETTER * chr(code).isalnum() | _DIGIT * chr(code).isdecimal() | UPPER * chr(code).isupper()
    for first, last in UNSPACED_RANGES:
        table[first : last + 1] |= _WITHOUT_SPACES
    for name, characters in CLASSES.items():
        for character in characters:
            table[ord(character)] |= BITS[name]
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
        return self.count(BITS["symbols"])

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


def hash_stems(texts: Sequence[str]) -> tuple[I64, NDArray[np.uint64]]:
    """Return the text and a hash of each stem, as `splithash_stems` finds them, but for all texts at once."""
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


def low_value(sentences: Sequence[str]) -> Bools:
    """Mark lead-ins, fragments, code, symbols and bare list items among the sentences of a document."""
    return mark_low_value(Characters(sentences), [len(_WORD.findall(sentence)) for sentence in sentences])


def mark_low_value(characters: Characters, words: Sequence[int]) -> Bools:
    """Mark what `low_value` does; `words` are how many each sentence has."""
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
