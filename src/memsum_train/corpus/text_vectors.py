"""Word vectors that others have learned: GloVe, word2vec or fastText as text, or a folder of ours."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memsum.arrays import F32
from memsum.errors import ModelError
from memsum.text.vectors import EMBEDDINGS_FILE, WordVectors
from memsum.text.vocabulary import PAD, UNK, Unknown, Vocabulary


def open_vectors(path: Path, unknown: Unknown = "token") -> WordVectors:
    """Open word vectors: a folder of ours, or a text file of GloVe, word2vec or fastText."""
    if (path / EMBEDDINGS_FILE).exists():
        return WordVectors.load(path)
    if path.is_file():
        return read_text_vectors(path, unknown)
    raise ModelError(f"{path} is neither a folder with {EMBEDDINGS_FILE} nor a file of word vectors.")


def read_text_vectors(path: Path, unknown: Unknown = "token") -> WordVectors:
    """Stream GloVe, word2vec or fastText text vectors; the order of words, most frequent first, gives frequencies."""
    words = [PAD, UNK]
    vectors: list[F32] = []
    seen = {PAD, UNK}
    for word, vector in _parse_text_vectors(path):
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
    mean = matrix.mean(axis=0, keepdims=True)
    ranks = np.arange(1, len(vectors) + 1)
    zipf = (1 / ranks) / (1 / ranks).sum()
    return WordVectors.quantize(
        Vocabulary(words, unknown),
        unit_rms(np.concatenate([np.zeros_like(mean), mean, matrix])),
        np.concatenate([[0.0, 1e-6], zipf]).astype(np.float32),
    )


def unit_rms(vectors: F32) -> F32:
    """Scale all vectors alike so that the root mean square of their values is one: what the network expects."""
    scaled: F32 = (vectors / max(float(np.sqrt(np.mean(np.square(vectors)))), 1e-12)).astype(np.float32)
    return scaled


def fingerprint(vectors: WordVectors) -> str:
    """Return a short name of word vectors: the same for the same words and values."""
    digest = hashlib.sha256("\n".join(vectors.vocabulary.words).encode())
    digest.update(vectors.rows.tobytes())
    return digest.hexdigest()[:16]


def _parse_text_vectors(path: Path) -> Iterator[tuple[str, F32]]:
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
