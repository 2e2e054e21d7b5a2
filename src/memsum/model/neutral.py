"""Language-neutral extraction, without the network: a small model on features that need no words of a language.

It is learned from English documents and holds for others, because it knows only where sentences stand, what they share
and how they are written (`memsum_train.learning.neutral`). Its ratings are mixed with a plain one: sentences that
share words with many others are central (LexRank), early ones and those with words of the title more so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist

import numpy as np
from safetensors.numpy import save

from memsum.arrays import F32, Floats, standardize
from memsum.features.expected_length import LengthStop
from memsum.features.language_free import STATIC, NeutralMemory, NeutralText, static_features
from memsum.features.source_text import SourceText
from memsum.files import write_atomically
from memsum.model.constraints import Quotas, TrigramBlock, constrain, main_sections
from memsum.model.episode import Episode, Scores, State, remaining_rows
from memsum.text.vectors import load_arrays

_WEIGHTS = Path(__file__).with_name("neutral.safetensors")
_LONG = 600  # sentences from which on the main sections of a document have quotas
_SPREAD = 0.35  # standard deviation of the logarithm of a human summary's words
_LEARNED = 0.7  # share of the learned model in the ratings
_LOW_VALUE = 3.0  # standard deviations taken off the rating of a low-value sentence, or one in another language


@dataclass(frozen=True)
class NeutralModel:
    """One hidden layer on static and dynamic features, beside a linear one."""

    centre: F32  # (S + D,)
    scale: F32  # (S + D,)
    hidden: F32  # (S + D, H)
    hidden_bias: F32  # (H,)
    out: F32  # (H,)
    linear: F32  # (S + D,)

    def prepare(self, static: F32) -> F32:
        """Return what extraction does not change of the hidden layer and, last, of the ratings, (N, H + 1)."""
        size = len(STATIC)
        x = standardize(static, self.centre[:size], self.scale[:size])
        prepared: F32 = x @ self._layers[:size]
        prepared[:, :-1] += self.hidden_bias
        return prepared

    def rate(self, prepared: F32, dynamic: F32) -> F32:
        """Rate all sentences, (N,)."""
        size = len(STATIC)
        both = standardize(dynamic, self.centre[size:], self.scale[size:]) @ self._layers[size:]
        both += prepared
        rated: F32 = np.maximum(both[:, :-1], 0) @ self.out
        rated += both[:, -1]
        return rated

    @cached_property
    def _layers(self) -> F32:
        """The weights of the hidden layer and of the linear one, (S + D, H + 1)."""
        return np.column_stack([self.hidden, self.linear])

    def save(self, path: Path) -> None:
        write_atomically(path, save({one.name: getattr(self, one.name) for one in fields(self)}))

    @classmethod
    def load(cls, path: Path) -> NeutralModel:
        """Read what `save` wrote."""
        return load_arrays(path, cls)


@cache
def _model() -> NeutralModel:
    return NeutralModel.load(_WEIGHTS)


@dataclass(frozen=True)
class NeutralEncoding:
    """Documents in any language."""

    source: SourceText
    threshold: float  # p_stop at which the model stops: it is reached at the expected length of a summary
    caveats: tuple[str, ...] = ()
    is_neutral = True

    @property
    def is_long(self) -> bool:
        """Tell whether the main sections of the document have quotas, if nothing else is asked for."""
        return len(self.source.titles) == 1 and len(self.source.sentences) >= _LONG

    def episode(self, *, blocking: bool = False, quotas: Quotas | None = None) -> Episode:
        """Begin an episode; nothing is extracted yet."""
        source = self.source
        scorer = _NeutralScorer(self._text, self._static)
        trigrams = TrigramBlock(source.sentences) if blocking else None
        if quotas is None and self.is_long:
            quotas = main_sections(source)
        scores: Floats = scorer.score(()).probabilities if quotas is not None else np.zeros(len(self._text))
        constraint = constrain(quotas, source.numbers, scores, trigrams)
        return Episode(scorer, source.numbers, source.total, constraint, self._length)

    def keyword_source(self) -> type[tuple[()]]:
        """Return what finds no keywords: without a network nothing is known about the salience of terms."""
        return tuple

    @cached_property
    def _text(self) -> NeutralText:
        return NeutralText(self.source.sentences, self.source.outline, self.source.title)

    @cached_property
    def _static(self) -> F32:
        """Features of the sentences; several documents are each seen by themselves."""
        source = self.source
        if len(source.titles) == 1:
            return static_features(self._text)
        return np.concatenate(
            [
                static_features(NeutralText(source.sentences[start:end], source.outline[start:end], title))
                for (start, end), title in zip(pairwise(source.bounds), source.titles, strict=True)
                if end > start
            ]
        )

    @cached_property
    def _length(self) -> LengthStop:
        threshold = NormalDist().inv_cdf(min(max(self.threshold, 0.01), 0.99))
        words = np.maximum(self._text.lengths, 1)
        return LengthStop(math.log(self._text.expected) - _SPREAD * threshold, _SPREAD, words)


class _NeutralScorer:
    """Rates sentences by the learned model and by their rank, less what was said."""

    def __init__(self, text: NeutralText, static: F32) -> None:
        self._text = text
        self._prepared = _model().prepare(static)
        self._memory = self._begin()
        self._remembered: State = ()
        # The ratings of both before anything is extracted have the same spread.
        ranks = text.plain_ranks()
        self._first = _model().rate(self._prepared, self._memory.features())
        self._learned = _LEARNED / _spread(self._first)
        self._plain = (1 - _LEARNED) / _spread(ranks)
        self._fixed = self._plain * ranks - _LOW_VALUE * (text.low_value | text.foreign)

    def _begin(self) -> NeutralMemory:
        return NeutralMemory(self._text)

    def score(self, state: State) -> Scores:
        """Rate what remains; a state that does not follow the last one is remembered from the beginning."""
        if state[: len(self._remembered)] != self._remembered:
            self._memory, self._remembered = self._begin(), ()
        self._memory.extract(state[len(self._remembered) :])
        self._remembered = state
        remaining = remaining_rows(len(self._text), state)
        if not len(remaining):
            return Scores(remaining, np.empty(0, np.float32), 1.0)
        learned = _model().rate(self._prepared, self._memory.features()) if state else self._first
        ratings = self._learned * learned + self._plain * self._memory.new_share() + self._fixed
        return Scores(remaining, ratings[remaining].astype(np.float32), 0.0)


def _spread(values: Floats) -> float:
    return float(values.std()) + 1e-9 if len(values) else 1.0
