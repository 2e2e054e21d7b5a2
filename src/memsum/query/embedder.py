"""The embedder: text to vectors whose cosine is high where they mean the same, or one answers the other.

all-MiniLM-L6-v2 as one int8 graph (`minilm/`, with its licence), and one static vector per word piece, distilled from
it, for a first stage on long documents. Nothing of it is loaded before a question is asked.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from memsum.arrays import F32
from memsum.errors import ModelError, reason_of
from memsum.model.graphs import Graph

FOLDER = Path(__file__).parent / "minilm"
WIDTH = 384
# Pieces: a sentence is padded to the next multiple, so its vector does not depend on those beside it in a batch.
_BUCKET = 8
_BATCH = 512  # pieces of a batch: larger ones are no faster
_MOST_THREADS = 2
_HINT = "Reinstall memsum."
# What `weights.json` holds.
_PARTS = frozenset(("relevance", "answered", "about", "found", "quote"))
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
        numbers: list[int] = []
        for word in self.words(text):
            numbers += self.split(word)
            if len(numbers) >= LONGEST:
                break
        return self.within(numbers)

    def within(self, numbers: Sequence[int]) -> list[int]:
        """Put pieces between the marks of a text's ends; of many, those that are read."""
        return [self._begin, *numbers[: LONGEST - 2], self._end]

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
        elif (
            category[0] == "P"
            or (code < 127 and not character.isalnum())
            or any(first <= code <= last for first, last in _IDEOGRAPHS)
        ):
            replacement = f" {character} "
        self[code] = replacement
        return replacement


class Embedder:
    """The encoder's graph, vocabulary and static vectors. Threads may share it."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Open a folder with `encoder.onnx`, `vocabulary.txt`, `pieces.safetensors` and `weights.json`."""
        try:
            pieces = (folder / "vocabulary.txt").read_text("utf-8").splitlines()
            self.wordpiece = WordPiece(pieces)
            arrays = load_file(folder / "pieces.safetensors")
            self.weights: dict[str, Any] = json.loads((folder / "weights.json").read_bytes())
            self._static = arrays["static"]
            self._scales = arrays["scales"]
            self.rareness = arrays["rareness"].astype(np.float32)  # −log of each piece's share of all text
            self._graph = Graph(folder / "encoder.onnx", threads=1)
        except ModelError as error:
            raise ModelError(f"The sentence encoder cannot be used: {error.message}", _HINT) from None
        except Exception as error:  # whatever a damaged file leads to
            raise ModelError(f"The sentence encoder in {folder} is damaged: {reason_of(error)}.", _HINT) from None
        is_whole = isinstance(self.weights, dict) and self.weights.keys() >= _PARTS
        if set(self._graph.inputs) != {"pieces", "mask"} or len(self._static) != len(pieces) or not is_whole:
            raise ModelError(f"The files of the sentence encoder in {folder} do not fit each other.", _HINT)

    def encode(self, pieces: Sequence[Sequence[int]], threads: int = 1) -> F32:
        """Return a vector of length 1 for each text, which is given as the numbers of its pieces: (N, WIDTH)."""
        return self.encode_pieces(pieces, threads)[0]

    def encode_pieces(self, pieces: Sequence[Sequence[int]], threads: int = 1) -> tuple[F32, list[F32]]:
        """Return the vectors of texts, and of each text those of its pieces, (pieces, WIDTH), not of length 1."""
        vectors = np.zeros((len(pieces), WIDTH), np.float32)
        states: list[F32] = [vectors[:0]] * len(pieces)
        lengths = [-(-len(one) // _BUCKET) * _BUCKET for one in pieces]
        batches: list[list[int]] = []
        for row in sorted(range(len(pieces)), key=lengths.__getitem__):
            last = batches[-1] if batches else []
            if last and lengths[last[0]] == lengths[row] and (len(last) + 1) * lengths[row] <= _BATCH:
                last.append(row)
            else:
                batches.append([row])

        def run(batch: list[int]) -> None:
            shape = len(batch), lengths[batch[0]]
            numbers, mask = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
            for position, row in enumerate(batch):
                numbers[position, : len(pieces[row])] = pieces[row]
                mask[position, : len(pieces[row])] = 1
            found = self._graph.run({"pieces": numbers, "mask": mask})
            vectors[batch] = found["vectors"]
            for position, row in enumerate(batch):
                states[row] = found["states"][position, : len(pieces[row])]

        threads = min(threads, _MOST_THREADS, len(batches))
        if threads < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(threads, "memsum-encoder") as pool:
                list(pool.map(run, reversed(batches)))  # the longest first: the threads end at about the same time
        return vectors, states

    def pieces(self, numbers: NDArray[np.integer[Any]]) -> F32:
        """Return the static vectors of pieces, of length 1."""
        values = self._static[numbers].astype(np.float32)
        norms = np.sqrt(np.einsum("nd,nd->n", values, values))[:, None]
        return np.asarray(values / np.maximum(norms, np.float32(1e-9)), np.float32)

    def static(self, pieces: Sequence[Sequence[int]]) -> F32:
        """Return the mean of the static vectors of each text's pieces, rare ones weigh more, of length 1."""
        counts = np.array([max(len(one) - 2, 0) for one in pieces])
        flat = np.array([number for one in pieces for number in one[1:-1]], np.int64)
        values = self._static[flat].astype(np.float32) * self._scales[flat, None]
        sums = np.zeros((len(pieces), self._static.shape[1]), np.float32)
        some = np.flatnonzero(counts)
        if len(some):
            starts = np.cumsum(counts) - counts
            sums[some] = np.add.reduceat(values, starts[some])
        norms: NDArray[np.float32] = np.sqrt(np.einsum("nd,nd->n", sums, sums))[:, None]
        return np.asarray(sums / np.maximum(norms, np.float32(1e-9)), np.float32)


@cache
def load_embedder() -> Embedder:
    """Load the encoder that is part of the package, once."""
    return Embedder()
