"""WordPiece: text to the word pieces of BERT's uncased vocabulary, as its reference tokenizer splits it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LONGEST = 128  # pieces of a sentence that are read, with the two that mark its ends
_LONGEST_WORD = 100  # letters; a longer word is unknown
_IDEOGRAPHS = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F)),
)


class WordPiece:
    """A vocabulary that splits words into the longest pieces it has. Threads may share it."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._begin, self._end, self._unknown = (self._numbers[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._known: dict[str, list[int]] = {}
        self._spaced = _Spaced()

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces between the marks of its ends; of a long one, the first `LONGEST`."""
        numbers = [self._begin]
        for word in self.words(text):
            numbers += self.split(word)
            if len(numbers) >= LONGEST:
                break
        del numbers[LONGEST - 1 :]
        numbers.append(self._end)
        return numbers

    def words(self, text: str) -> list[str]:
        """Split a text into words in lower case without accents; each punctuation mark is a word."""
        text = text[: LONGEST * _LONGEST_WORD]
        if not text.isascii():
            text = unicodedata.normalize("NFD", text)
        return text.translate(self._spaced).lower().split()

    def split(self, word: str) -> list[int]:
        """Return the pieces of a word."""
        pieces = self._known.get(word)
        if pieces is None:
            pieces = self._known[word] = self._split(word)
        return pieces

    def _split(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                if (number := self._numbers.get(mark + word[start:end])) is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return pieces


class _Spaced(dict[int, str]):
    """What replaces each character before a text is split at spaces; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        replacement = character
        if category == "Zs" or character in "\t\n\r":
            replacement = " "
        elif category in ("Mn", "Cc", "Cf", "Co", "Cs") or code == 0xFFFD:
            replacement = ""
        elif category[0] == "P" or (code < 127 and not character.isalnum()) or _is_ideograph(code):
            replacement = f" {character} "
        self[code] = replacement
        return replacement


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)
