"""Word vectors: the vocabulary with one vector and one frequency a word, stored compactly.

A folder holds `vocabulary.txt` and `embeddings.safetensors`: the vectors as int8 with a scale a row (a quarter of
fp32, and as good: the error of a value is under 0.4 % of the row's largest), and the words' relative frequencies,
from which sentence averages are weighted. The rows are memory-mapped: a summary touches a few hundred of them. Vectors
that came with a network of others are kept in fp32, to the last bit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from memsum.errors import ModelError
from memsum.files import write_atomically
from memsum.text.vocabulary import PAD, UNK, Unknown, Vocabulary

VOCABULARY_FILE = "vocabulary.txt"
EMBEDDINGS_FILE = "embeddings.safetensors"

Floats = NDArray[np.float32]
T = TypeVar("T")
Rows = NDArray[np.int8] | NDArray[np.float32]


class WordVectors:
    """Vectors and frequencies of a vocabulary's words; the padding's vector is zero."""

    def __init__(self, vocabulary: Vocabulary, rows: Rows, scales: Floats, frequencies: Floats) -> None:
        if rows.ndim != 2 or not (len(vocabulary),) == rows.shape[:1] == scales.shape == frequencies.shape:
            raise ModelError("The word vectors do not fit their vocabulary.")
        self.vocabulary = vocabulary
        self.rows = rows
        self.scales = scales
        self.frequencies = frequencies

    @property
    def dimension(self) -> int:
        return int(self.rows.shape[1])

    def lookup(self, ids: NDArray[np.integer[Any]]) -> Floats:
        """Return the vectors of ids, in the ids' shape with the dimension added."""
        vectors: Floats = self.rows[ids].astype(np.float32)
        vectors *= self.scales[ids][..., None]
        return vectors

    def dense(self) -> Floats:
        return self.lookup(np.arange(len(self.vocabulary)))

    @classmethod
    def exact(cls, vocabulary: Vocabulary, vectors: Floats, frequencies: Floats) -> WordVectors:
        return cls(vocabulary, vectors, np.ones(len(vectors), np.float32), frequencies)

    @classmethod
    def quantise(cls, vocabulary: Vocabulary, vectors: Floats, frequencies: Floats) -> WordVectors:
        """Compress vectors to int8 with one scale a row."""
        largest = np.abs(vectors).max(axis=1)
        scales = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        rows = np.rint(vectors / scales[:, None]).astype(np.int8)
        rows[vocabulary[PAD]] = 0
        return cls(vocabulary, rows, scales, frequencies.astype(np.float32))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.vocabulary.save(folder / VOCABULARY_FILE)
        rows: NDArray[Any] = np.ascontiguousarray(self.rows)
        tensors: dict[str, NDArray[Any]] = {"rows": rows, "scales": self.scales, "frequencies": self.frequencies}
        write_atomically(folder / EMBEDDINGS_FILE, save(tensors, {"unknown": self.vocabulary.unknown}))

    @classmethod
    def load(cls, folder: Path) -> WordVectors:
        """Open what `save` wrote; the rows stay on disk until they are looked up."""
        path = folder / EMBEDDINGS_FILE
        tensors, metadata = _map_tensors(path)
        missing = {"rows", "scales", "frequencies"} - tensors.keys()
        if missing:
            raise ModelError(f"{path.name} lacks {', '.join(sorted(missing))}.", "The model folder is incomplete.")
        if not all(np.isfinite(one).all() for one in tensors.values() if one.dtype.kind == "f"):
            raise ModelError(f"{path.name} has values that are not numbers.", "The model folder is damaged.")
        unknown: Unknown = metadata.get("unknown", "token")
        vocabulary = Vocabulary.load(folder / VOCABULARY_FILE, unknown)
        return cls(vocabulary, tensors["rows"], np.array(tensors["scales"]), np.array(tensors["frequencies"]))


def load_arrays(path: Path, make: Callable[..., T]) -> T:
    """Make what is in a file of a model folder, given its arrays by name."""
    try:
        return make(**load(path.read_bytes()))
    except FileNotFoundError:
        raise ModelError(f"{path.parent} is incomplete: {path.name} is missing.") from None
    except (SafetensorError, TypeError, ValueError, LookupError):
        raise ModelError(f"{path} is damaged.", "Fetch or export the model again.") from None


def open_vectors(path: Path) -> WordVectors:
    """Open word vectors: a folder of ours, or a text file of GloVe, word2vec or fastText."""
    if (path / EMBEDDINGS_FILE).exists():
        return WordVectors.load(path)
    if path.is_file():
        return read_text_vectors(path)
    raise ModelError(f"{path} is neither a folder with {EMBEDDINGS_FILE} nor a file of word vectors.")


def read_text_vectors(path: Path, max_words: int | None = None) -> WordVectors:
    """Stream GloVe, word2vec or fastText text vectors; the order of words, most frequent first, gives frequencies."""
    words = [PAD, UNK]
    vectors: list[Floats] = []
    seen = {PAD, UNK}
    for word, vector in _parse_text_vectors(path):
        if max_words is not None and len(vectors) >= max_words:
            break
        if word.lower() in seen:  # cased files list The after the: the first, most frequent form stays
            continue
        seen.add(word.lower())
        words.append(word.lower())
        vectors.append(vector)
    if not vectors:
        raise ModelError(
            f"No word vectors found in {path}.", "Each line is a word and its numbers, separated by spaces."
        )
    matrix = np.stack(vectors)
    unknown = matrix.mean(axis=0, keepdims=True)
    ranks = np.arange(1, len(vectors) + 1)
    zipf = (1 / ranks) / (1 / ranks).sum()
    return WordVectors.quantise(
        Vocabulary(words, unknown="token"),
        unit_rms(np.concatenate([np.zeros_like(unknown), unknown, matrix])),
        np.concatenate([[0.0, 1e-6], zipf]).astype(np.float32),
    )


def unit_rms(vectors: Floats) -> Floats:
    """Scale all vectors alike so that the root mean square of their values is one: what the network expects."""
    scaled: Floats = (vectors / max(float(np.sqrt(np.mean(np.square(vectors)))), 1e-12)).astype(np.float32)
    return scaled


def fingerprint(vectors: WordVectors) -> str:
    """Return a short name of word vectors: the same for the same words and values."""
    digest = hashlib.sha256("\n".join(vectors.vocabulary.words).encode())
    digest.update(vectors.rows.tobytes())
    return digest.hexdigest()[:16]


def _parse_text_vectors(path: Path) -> Iterator[tuple[str, Floats]]:
    """Yield words and vectors; the first line may be the counts that word2vec and fastText write."""
    dimension = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            parts = line.rstrip().split(" ")
            if number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts):
                dimension = int(parts[1])
                continue
            dimension = dimension or len(parts) - 1
            # GloVe has a few words with spaces in them: the last numbers are the vector.
            word = " ".join(parts[:-dimension])
            try:
                vector = np.array(parts[-dimension:], dtype=np.float32)
            except ValueError:
                vector = np.empty(0, np.float32)
            if not word or len(vector) != dimension or not np.isfinite(vector).all():
                raise ModelError(f"{path}, line {number}: not a word and {dimension} numbers.")
            if " " not in word:
                yield word, vector


_LARGEST_HEADER = 2**20
_DTYPES = {"I8": np.int8, "F16": np.float16, "F32": np.float32}


def _map_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Memory-map a safetensors file (its own loader copies every tensor into memory)."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _LARGEST_HEADER:
                raise ValueError(f"its header has {length:,} bytes")
            header = dict(json.loads(file.read(length)))
        metadata = dict(header.pop("__metadata__", {}))
        tensors: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            offset, shape = 8 + length + entry["data_offsets"][0], tuple(entry["shape"])
            tensors[name] = np.memmap(path, _DTYPES[entry["dtype"]], "r", offset, shape)
    except FileNotFoundError:
        raise ModelError(f"{path} does not exist.", "The model folder is incomplete.") from None
    except RecursionError:
        raise ModelError(f"{path} is damaged: its header is nested too deeply.") from None
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError) as error:
        raise ModelError(f"{path} is damaged: {error}.") from error
    return tensors, metadata
