"""The expected length of a document's summary, learned from human summaries, and the stop probability it gives.

Human summaries differ in length by kind and size of their documents: a note has one of a hundred words, a report one of
six hundred. A small network predicts that length from averages over the document. The probability that a human summary
would be no longer than what is extracted so far is then a stop probability: it rises with every sentence, and a
threshold on it means the same for every document.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from memsum.arrays import F32, F64, I64, standardize
from memsum.errors import ModelError
from memsum.features.encoding import FEATURES, EncodedText, TextEncoder, Words
from memsum.files import write_atomically
from memsum.languages.section_names import KINDS
from memsum.text.vectors import load_arrays

LENGTH_FILE = "length.safetensors"
KNOWN = len(KINDS) + 3
# Without a network: sentences of a human summary are so many, times a power of the document's.
_SENTENCES, _GROWTH = 1.2, 0.4
# Share of symbols from which on a document is technical: its summary is shorter, as a logarithm.
_TECHNICAL, _SHORTER = 0.02, 0.5
_FARTHEST = 5.0  # standard deviations from the mean: a document like none before is taken for a less strange one


def describe(text: EncodedText, encoder: TextEncoder, words: Words | None = None) -> F32:
    """Describe a document in a few hundred numbers: its average word, its size, its sentences' features.

    `words` are what the encoder has read the text with, if they are at hand.
    """
    words = words or encoder.words(text.ids, text.starts)
    shares = encoder.weights[words.distinct] * np.bincount(words.rows).astype(np.float32)
    # Not by a BLAS: its threads would keep other cores busy with waiting for more.
    word = np.einsum("u,ud->d", shares, words.vectors) / max(float(shares.sum()), 1e-6)
    size = [math.log(len(text)), math.log(len(text.ids))]
    parts = [word, size, text.features.mean(axis=0), text.features.std(axis=0), describe_marks(text)]
    return np.concatenate(parts, dtype=np.float32)


def describe_marks(text: EncodedText) -> F32:
    """Return (KNOWN,) the shares of the kinds of sections, whether there is a title, and how recent the document is.

    Summaries of reports have doubled in thirty years.
    """
    known = np.zeros(KNOWN, np.float32)
    if text.marks is None:
        known[0] = 1
        return known
    kinds, years = text.marks[:, 0].astype(np.int64), text.marks[:, -1]
    known[: len(KINDS)] = np.bincount(kinds, minlength=len(KINDS)) / len(kinds)
    known[-3] = text.title is not None and len(text.title) > 0
    if (years > 0).any():
        known[-2:] = 1, np.percentile(years[years > 0], 90) * 10 - 10
    return known


def expect_words(lengths: I64, symbols: F64) -> float:
    """Return how many words a human summary has in any language, from those of each sentence and its share of symbols.

    Long sentences and documents have longer summaries, those full of formulas shorter ones.
    """
    if not len(lengths):
        return 1.0
    technical = min(float(symbols.sum()) / len(symbols) / _TECHNICAL, 1)
    size = float(lengths.sum()) * math.pow(len(lengths), _GROWTH - 1)
    return max(_SENTENCES * size * math.exp(-_SHORTER * technical), 1.0)


@dataclass(frozen=True)
class LengthModel:
    """One hidden layer from the description of a document to the logarithm of its summary's number of words."""

    centre: F32  # (F,) of the descriptions
    scale: F32  # (F,)
    hidden: F32  # (H, F)
    hidden_bias: F32  # (H,)
    out: F32  # (H,)
    out_bias: F32  # (1,)
    spread: F32  # (1,) standard deviation of what is predicted
    spread_out: F32 | None = None  # (H,) some documents' summaries are easier to predict: logarithm of a factor

    def expect(self, description: F32) -> tuple[float, float]:
        """Return the logarithm of the number of words of a human summary, and its standard deviation."""
        # Models from before 0.2 know the first numbers only.
        x = self.standardize(description[: len(self.centre)])
        hidden = np.maximum(self.hidden @ x + self.hidden_bias, 0)
        factor = 0.0 if self.spread_out is None else float(hidden @ self.spread_out)
        spread = float(self.spread[0]) * math.exp(min(max(factor, -1.5), 1.5))
        return float(hidden @ self.out + self.out_bias[0]), spread

    def standardize(self, descriptions: F32) -> F32:
        return standardize(descriptions, self.centre, self.scale, _FARTHEST)

    def stop(self, text: EncodedText, encoder: TextEncoder, words: Words | None = None) -> LengthStop:
        """Return the stop probability of a document's sentences; `words` as for `describe`."""
        lengths = np.zeros(int(text.indices[-1]) + 1, np.int64)
        lengths[text.indices] = text.lengths
        return LengthStop(*self.expect(describe(text, encoder, words)), lengths)

    def save(self, folder: Path) -> None:
        arrays = {name: array for name, array in vars(self).items() if array is not None}
        write_atomically(folder / LENGTH_FILE, save(arrays))

    @classmethod
    def load(cls, folder: Path, encoder: TextEncoder) -> LengthModel:
        """Read what `save` wrote, for documents that this encoder encodes."""
        path = folder / LENGTH_FILE
        model = load_arrays(path, cls)
        wide = encoder.vectors.dimension + 2 + 2 * len(FEATURES)
        wide += KNOWN if len(model.centre) > wide else 0
        if model.hidden.shape != (model.out.size, wide) or not model.centre.shape == model.scale.shape == (wide,):
            raise ModelError(f"{path} does not fit the model's word vectors.")
        return model


@dataclass(frozen=True)
class LengthStop:
    """The stop probability of one document's episode."""

    expected: float  # logarithm of the words of its summary
    spread: float
    words: I64  # of each sentence of the document

    def after(self, extracted: Sequence[int]) -> float:
        """Return the probability to stop when these sentences of the document are extracted.

        Half a sentence is added: one stops at the length that is nearest, not at the first that is greater.
        """
        if not extracted:
            return 0.0
        words = float(self.words[list(extracted)].sum())
        nearly = math.log(words * (1 + 0.5 / len(extracted)))
        return 0.5 * math.erfc((self.expected - nearly) / self.spread / math.sqrt(2))

    def episode(self, choices: Sequence[int]) -> tuple[float, ...]:
        """Return the probability before each choice and after the last."""
        return tuple(self.after(choices[:count]) for count in range(len(choices) + 1))
