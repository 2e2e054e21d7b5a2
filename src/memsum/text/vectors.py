"""Word vectors: the vocabulary with one vector and one frequency a word, stored compactly.

A folder holds `vocabulary.txt` and `embeddings.safetensors`: the vectors as int8 with a scale a row (a quarter of
fp32, and as good: the error of a value is under 0.4 % of the row's largest), and the words' relative frequencies,
from which sentence averages are weighted. The rows are memory-mapped: a summary touches a few hundred of them. Vectors
that came with a network of others are kept in fp32, to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from memsum.errors import ModelError
from memsum.files import write_atomically
from memsum.text.vocabulary import PAD, Unknown, Vocabulary

VOCABULARY_FILE = "vocabulary.txt"
EMBEDDINGS_FILE = "embeddings.safetensors"

_LARGEST_HEADER = 2**20
_DTYPES = {"I8": np.int8, "F16": np.float16, "F32": np.float32}

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
    def quantize(cls, vocabulary: Vocabulary, vectors: Floats, frequencies: Floats) -> WordVectors:
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
