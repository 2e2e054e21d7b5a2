"""From the sentences of a document to the numbers the policy reads: word ids and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.errors import ModelError
from memsum.text.features import sentence_features, weighted_means
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import EOS, PAD, UNK

_SIF = 1e-3  # a of the weights a / (a + p(word)) of Arora et al.


@dataclass(frozen=True)
class TextSettings:
    """How text is prepared; part of a model, because other numbers would come out otherwise."""

    max_tokens: int = 150
    collapse_repeats: bool = True  # published corpora and PDFs repeat sentences to the letter: encode them once
    # If given, text is prepared as the paper's authors do: lower case, split at white space, <eos> after the last word,
    # every sentence padded to `max_tokens` and every document to so many sentences, and the padding is read.
    padded_to: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON; what is not set is left out, so that a new setting changes nothing that was written before it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class EncodedText:
    """A document's sentences as the policy reads them: without exact repeats, words one after the other."""

    ids: NDArray[np.int32]  # (T,)
    starts: NDArray[np.int64]  # (N,) where each sentence begins in `ids`
    features: NDArray[np.float32]  # (N, F)
    places: NDArray[np.int64]  # (N,) index of each in the document

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of words of each sentence."""
        return np.diff(self.starts, append=len(self.ids))

    def sentence(self, index: int) -> NDArray[np.int32]:
        """Word ids of one sentence."""
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.ids)
        return self.ids[self.starts[index] : end]


@dataclass(frozen=True)
class Words:
    """The distinct words of a document, and where they stand."""

    distinct: NDArray[np.int32]  # (U,) their ids in order
    vectors: NDArray[np.float32]  # (U, D)
    rows: NDArray[np.int64]  # (T,) which of them stands at each place of the text
    means: NDArray[np.float32]  # (N, D) weighted mean of each sentence's vectors


class TextEncoder:
    """Tokenizer, vocabulary and features in one call."""

    def __init__(self, vectors: WordVectors, settings: TextSettings | None = None) -> None:
        self.vectors = vectors
        self.settings = settings or TextSettings()
        self.weights = (_SIF / (_SIF + vectors.frequencies)).astype(np.float32)
        self.weights[vectors.vocabulary[PAD]] = 0
        self._numeric = np.array([word[0].isdigit() or "#" in word for word in vectors.vocabulary.words])
        self._unknown = vectors.vocabulary[UNK]
        if self.settings.padded_to and EOS not in vectors.vocabulary:
            raise ModelError(f"The model ends its sentences with {EOS}, and its vocabulary does not have it.")

    @property
    def blank(self) -> EncodedText | None:
        """The one sentence that documents are padded with, if they are."""
        return self._join([self._pad([])], [0])[0] if self.settings.padded_to else None

    def encode(self, sentences: Sequence[str]) -> EncodedText:
        """Encode a document; a sentence without any word gets the unknown word, so that each has one.

        Where documents are padded, a sentence of nothing but white space is as the padding: not there to be chosen.
        """
        return self.read(sentences)[0]

    def read(self, sentences: Sequence[str]) -> tuple[EncodedText, Words]:
        """Encode a document, and give the words that it was done with: a network may need their vectors too."""
        rows: list[list[int]] = []
        places: list[int] = []
        seen: set[str] = set()
        for place, sentence in enumerate(sentences[: self.settings.padded_to]):
            if self.settings.collapse_repeats:
                if sentence in seen:
                    continue
                seen.add(sentence)
            if row := self._row(sentence):
                rows.append(row)
                places.append(place)
        return self._join(rows, places)

    def _row(self, sentence: str) -> list[int]:
        encode = self.vectors.vocabulary.encode
        if self.settings.padded_to is None:
            return encode(tokenize(sentence))[: self.settings.max_tokens] or [self._unknown]
        words = sentence.lower().split()
        return self._pad(encode(words)) if words else []

    def _pad(self, words: list[int]) -> list[int]:
        """Cut or pad words to the number of tokens, of which <eos> is one."""
        most, vocabulary = self.settings.max_tokens, self.vectors.vocabulary
        row = [*words[: most - 1], vocabulary[EOS]]
        return row + [vocabulary[PAD]] * (most - len(row))

    def _join(self, rows: list[list[int]], places: list[int]) -> tuple[EncodedText, Words]:
        ids = np.array(list(chain.from_iterable(rows)), np.int32)
        lengths = np.array(list(map(len, rows)), np.int64)
        starts = np.cumsum(lengths) - lengths
        words = self.words(ids, starts)
        return EncodedText(ids, starts, self._features(words, starts), np.array(places, np.int64)), words

    def features(self, ids: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Features of sentences whose words lie one after the other."""
        return self._features(self.words(ids, starts), starts)

    def _features(self, words: Words, starts: NDArray[np.int64]) -> NDArray[np.float32]:
        weights, numeric = self.weights[words.distinct], self._numeric[words.distinct]
        return sentence_features(words.rows, starts, words.means, weights, numeric)

    def words(self, ids: NDArray[np.int32], starts: NDArray[np.int64]) -> Words:
        """The distinct words of sentences whose words lie one after the other."""
        distinct, rows = np.unique(ids, return_inverse=True)
        vectors = self.vectors.lookup(distinct)
        return Words(distinct, vectors, rows, weighted_means(rows, starts, vectors, self.weights[distinct]))
