"""Scorers of an episode: the network, or the value for readers, rates all that remains in any state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memsum.arrays import F32, I64, sigmoid
from memsum.features.encoding import Signals
from memsum.features.novelty import Novelty, stop_inputs
from memsum.features.reader_value import how_long, how_sure
from memsum.model.config import ReaderSettings
from memsum.model.episode import Scores, State, remaining_rows
from memsum.model.graphs import Graph

# Sentences that attend to each other. A longer document is dealt out, like cards, to parts of at most so many: the cost
# of a step then grows with the document and not with its square.
ATTENTION_SPAN = 512
_NEAR = 2  # sentences from a quote
_MOST = 45  # quotes that are read of one document, however long
_LONGEST = 250  # sentences of a document with a key, at most
# Pairs of words that were said make a sentence a copy; a few of them are names and terms.
_FREE, _COPIED = 0.3, 10.0
_FIRST = 0.5  # of the expected words: what the first quotes have, of which full sentences are rewarded
_SPREAD = 0.3  # standard deviation of the logarithm of a summary's number of quotes
_QUARTER = 0.674  # standard deviations below the mean: a quarter of all


def attention_parts(sentences: int) -> int:
    """Return to how many parts a document is dealt out; with more than one the history is an approximation."""
    return -(-sentences // ATTENTION_SPAN)


class AttentionScorer:
    """Scores by a policy whose history is encoded by the step graph, from what is extracted and what remains."""

    def __init__(self, step: Graph, document: Mapping[str, F32], sentences: int, penalty: F32) -> None:
        """`document` is what its graph says of so many sentences; the penalty (N,) is taken off their logits."""
        self._parts = attention_parts(sentences)
        self._step = step
        self._document = document
        self._sentences = sentences
        self._penalty = penalty
        # A policy that stops by a learned sentence has it as one more row behind the document's own.
        self._stop_row = sentences if len(document["local"]) > sentences else None

    def score(self, state: State) -> Scores:
        remaining = remaining_rows(self._sentences, state)
        if not len(remaining):
            return Scores(remaining, np.empty(0, np.float32), 1.0)
        if not state:
            return self._judge(
                remaining, self._document["logits"][: len(remaining)], [self._stop_logit(self._document)]
            )
        extracted = np.array(state, np.int64)
        if self._parts == 1:
            logits, stop = self._score(extracted, remaining)
            return self._judge(remaining, logits, [stop])
        logits = np.empty(len(remaining), np.float32)
        stops: list[float] = []
        for part in range(self._parts):
            here = remaining % self._parts == part
            if here.any():
                logits[here], stop = self._score(extracted, remaining[here])
                stops.append(stop)
        return self._judge(remaining, logits, stops)

    def _score(self, extracted: I64, rows: I64) -> tuple[F32, float]:
        """Logits of some rows, which see each other and what is extracted, and the one of stopping."""
        asked = rows if self._stop_row is None else np.append(rows, self._stop_row)
        result = self._step.run({**self._document, "extracted": extracted, "remaining": asked})
        return result["logits"][: len(rows)], self._stop_logit(result)

    def _stop_logit(self, result: Mapping[str, F32]) -> float:
        """Of what the policy thinks, what it thinks of stopping."""
        if self._stop_row is not None:
            return float(result["logits"][-1])
        return float(result["stop"][0]) if "stop" in result else -np.inf

    def _judge(self, remaining: I64, logits: F32, stops: list[float]) -> Scores:
        """Each part has seen a fair share of the document: the mean of their `stops` speaks for all of it."""
        stop = sum(stops) / len(stops)
        logits = logits - self._penalty[remaining]
        if self._stop_row is not None:
            return Scores(remaining, logits, float(stop > logits.max()))
        return Scores(remaining, logits, float(sigmoid(np.float32(stop))))


@dataclass(frozen=True)
class ReaderValues:
    """What the sentences of one or several documents are worth to a reader, and how much that decides."""

    ratings: F32  # (N,) log-odds
    share: F32  # (N,) of the decision: 1 in everyday documents, 0 in others
    settings: ReaderSettings
    chapter: float = 0.0  # how much the document is a chapter of a textbook, from 0 to 1
    chapter_words: float = 0.0  # logarithm of the words of such a chapter's summary

    @cached_property
    def mean_share(self) -> float:
        """Share of the decision about all sentences."""
        return float(self.share.mean())

    @property
    def decides_alone(self) -> bool:
        """Tell whether the network has no share: then nothing asks it."""
        return self.mean_share == 1

    @cached_property
    def stop_share(self) -> float:
        """Share of the decision where to stop: the network has learned from documents that were not long."""
        return max(how_sure(self.mean_share), how_long(len(self.ratings)))

    @cached_property
    def decides(self) -> bool:
        """Tell whether anything depends on these."""
        return self.stop_share > 0 or self.mean_share > 0

    def expect(self, ratings: F32) -> F32 | None:
        """Return the probability that sentences convey what a reader must know; documents with keys were not long."""
        return sigmoid(ratings) if len(self.ratings) <= _LONGEST else None

    @cached_property
    def quotes(self) -> float:
        """Quotes of a summary of so many sentences."""
        count = len(self.ratings)
        return min(float(self.settings.quotes * count**self.settings.growth), 1 + count / 2, _MOST)

    def rate(self, memory: Novelty) -> F32:
        """Rate all sentences after what was extracted."""
        if not memory.extracted:
            return self.ratings
        said = memory.words_said() + _COPIED * np.maximum(memory.pairs_said() - _FREE, 0)
        near = memory.gaps <= _NEAR
        return np.asarray(self.ratings - self.settings.repetition * said - self.settings.nearness * near, np.float32)

    def stop(self, count: int) -> float:
        """Return the probability of stopping after so many quotes: a quarter where there are as many as expected."""
        if not count:
            return 0.0
        deviations = math.log((count + 0.5) / (self.quotes + 0.5)) / _SPREAD
        return 0.5 * math.erfc((_QUARTER - deviations) / math.sqrt(2))


class _Remembered:
    """The memory of an episode, which goes along from step to step."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._memory: Novelty = signals.novelty()
        self._state: State = ()

    def _remember(self, state: State) -> I64:
        """Return what remains; a state that does not follow the last one is remembered from the beginning."""
        if state[: len(self._state)] != self._state:
            self._memory, self._state = self._signals.novelty(), ()
        self._memory.after(state[len(self._state) :])
        self._state = state
        return remaining_rows(len(self._signals.counts), state)


class ReaderScorer(_Remembered):
    """Scores everyday documents, by what their sentences are worth to a reader alone.

    What is expected of quotes does not tell how much of such a document they cover (correlation 0.02 over 376).
    """

    def __init__(self, signals: Signals, reader: ReaderValues) -> None:
        super().__init__(signals)
        self._reader = reader

    def score(self, state: State) -> Scores:
        """Rate what remains."""
        remaining = self._remember(state)
        if not len(remaining):
            return Scores(remaining, np.empty(0, np.float32), 1.0)
        values = self._reader.rate(self._memory)[remaining]
        return Scores(remaining, values, self._reader.stop(len(state)))


class CountScorer(_Remembered):
    """Scores by a policy whose history is counted: the step graph reads the memory."""

    def __init__(
        self, step: Graph, states: F32, signals: Signals, penalty: F32, reward: F32, reader: ReaderValues | None = None
    ) -> None:
        """`states` (N, …) of the sentences, which no extraction changes; the penalty (N,) is taken off their logits.

        The reward (N,) is added to those of the first quotes. With `reader`, what the sentences are worth to a reader
        has its share in all ratings.
        """
        super().__init__(signals)
        self._reader = reader if reader is not None and reader.decides else None
        self._step = step
        self._penalty = penalty
        self._reward = reward
        self._fixed = {"states": states, "lengths": signals.counts.lengths.astype(np.float32)}

    def score(self, state: State) -> Scores:
        """Score what remains."""
        remaining = self._remember(state)
        if not len(remaining):
            return Scores(remaining, np.empty(0, np.float32), 1.0)
        if self._reader is None:
            return Scores(remaining, *self._score(remaining))
        values = self._reader.rate(self._memory)[remaining]
        logits, p_stop, expected = self._score(remaining)
        own = self._reader.expect(values)
        share, of_stop = self._reader.share[remaining], self._reader.stop_share
        return Scores(
            remaining,
            (1 - share) * logits + share * values,
            (1 - of_stop) * p_stop + of_stop * self._reader.stop(len(state)),
            expected if own is None else (1 - share) * expected + share * own,
        )

    def _score(self, remaining: I64) -> tuple[F32, float, F32]:
        """Return the network's logits of what remains, of stopping, and the words expected in a human summary."""
        left = np.zeros(len(self._signals.counts), np.float32)
        left[remaining] = 1
        result = self._step.run(
            {
                **self._fixed,
                "novelty": self._memory.features(),
                "progress": stop_inputs(self._memory, self._signals.expected, self._signals.spread),
                "remaining": left,
            }
        )
        first = max(0.0, 1 - self._memory.words / (_FIRST * math.exp(self._signals.expected)))
        logits = result["logits"][remaining] - self._penalty[remaining] + np.float32(first) * self._reward[remaining]
        stop = float(sigmoid(result["stop"][0])) if "stop" in result else 0.0
        return logits, stop, result["expected"][remaining]
