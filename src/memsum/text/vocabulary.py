"""The vocabulary: words to ids, and what happens to words that are not in it.

An unknown word is not thrown away. A vocabulary made by memsum also holds *pieces*: `neuro~` begins a word, `~toxicity`
continues one. A word that is not in the vocabulary becomes the pieces of its greedy longest match, so that only
words in foreign scripts stay unknown. Vocabularies of others have no pieces: `unknown` says what they do instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, cast, get_args

from memsum.errors import ModelError
from memsum.files import write_atomically

PAD = "<pad>"
UNK = "<unk>"
EOS = "<eos>"
MARK = "~"

Unknown = Literal["pieces", "token", "drop"]

LONGEST_PIECE = 9
_CACHE_BYTES = 32 * 2**20  # of unknown words that are remembered
_LONGEST_CACHED = 100  # characters; what is longer is hardly met twice
_ENTRY_BYTES = 200  # of an entry besides its letters and ids, about


class Vocabulary:
    """An ordered list of words; a word's index is its id, `<pad>` is 0."""

    def __init__(self, words: Sequence[str], unknown: Unknown = "pieces") -> None:
        self.words = tuple(words)
        self.unknown = unknown
        self._ids = {word: i for i, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            raise ModelError("The vocabulary lists a word twice.")
        if self._ids.get(PAD) != 0 or UNK not in self._ids:
            raise ModelError(f"The vocabulary must begin with {PAD} and contain {UNK}.")
        if "" in self._ids:
            raise ModelError("The vocabulary has an empty word.")
        if unknown not in get_args(Unknown):
            raise ModelError(f"{unknown!r} is not a way to treat unknown words.")
        self._unknown_ids: dict[str, tuple[int, ...]] = {}
        self._unknown_bytes = 0

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def __getitem__(self, word: str) -> int:
        return self._ids[word]

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of tokens; an unknown one may give several ids, one or none."""
        tokens = list(tokens)
        known = list(map(self._ids.get, tokens))
        if None not in known:
            return cast(list[int], known)
        ids: list[int] = []
        for token, found in zip(tokens, known, strict=True):
            if found is not None:
                ids.append(found)
            else:
                ids.extend(self._encode_unknown(token))
        return ids

    def segment(self, word: str) -> list[str]:
        """Cut a word into the longest pieces there are, greedily; `<unk>` for a stretch that no piece covers."""
        pieces: list[str] = []
        start = 0
        while start < len(word):
            for end in range(min(len(word), start + LONGEST_PIECE), start, -1):
                piece = MARK + word[start:end] if start else word[:end] + MARK
                if piece in self._ids:
                    break
            else:
                piece, end = UNK, start + 1
            if piece != UNK or pieces[-1:] != [UNK]:
                pieces.append(piece)
            start = end
        return pieces

    def _encode_unknown(self, word: str) -> tuple[int, ...]:
        ids = self._unknown_ids.get(word)
        if ids is None:
            if self.unknown == "pieces":
                ids = tuple(self._ids[piece] for piece in self.segment(word))
            else:
                ids = (self._ids[UNK],) if self.unknown == "token" else ()
            if len(word) <= _LONGEST_CACHED:  # when there is no room, all are forgotten; threads may share them
                if self._unknown_bytes > _CACHE_BYTES:
                    self._unknown_ids, self._unknown_bytes = {}, 0
                self._unknown_ids[word] = ids
                self._unknown_bytes += _ENTRY_BYTES + 4 * len(word) + 8 * len(ids)
        return ids

    def save(self, path: Path) -> None:
        if any("\n" in word for word in self.words):
            raise ModelError("A word of the vocabulary has a line break in it.")
        write_atomically(path, ("\n".join(self.words) + "\n").encode())

    @classmethod
    def load(cls, path: Path, unknown: Unknown = "pieces") -> Vocabulary:
        try:
            return cls(path.read_bytes().decode().split("\n")[:-1], unknown)
        except FileNotFoundError:
            raise ModelError(f"{path} does not exist.", "The model folder is incomplete.") from None
        except UnicodeDecodeError as error:
            raise ModelError(f"{path} is damaged: {error}.") from None
