"""An episode: extract greedily, step by step, as far as is asked for.

The order of extraction does not depend on where one stops, so one episode serves every length and every threshold;
what was played once is not played again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from memsum.arrays import F32, I64, Floats, sigmoid
from memsum.features.expected_length import LengthStop
from memsum.model.constraints import Constraint

State = tuple[int, ...]  # rows of the document in order of extraction


@dataclass(frozen=True)
class Step:
    """Ratings of all sentences that remain in one state of the episode."""

    remaining: I64  # (R,) rows that are not extracted
    ratings: Floats  # (R,) logits of their scores: where scores round to 1, logits still differ
    stop: float  # probability of stopping
    expected: F32 | None = None  # (R,) share of their words expected in a human summary, where known

    def score(self, index: int) -> float:
        return float(sigmoid(self.ratings[index]))

    def scores(self) -> F32:
        return sigmoid(self.ratings)


class Steps(Protocol):
    """Rates the sentences of one document in any state of its episode."""

    def step(self, state: State) -> Step:
        """Rate what remains."""


class Episode:
    """The episode of one document, or of several as one; one thread at a time."""

    def __init__(
        self,
        steps: Steps,
        numbers: I64,
        total: int,
        constraint: Constraint | None = None,
        length: LengthStop | None = None,
    ) -> None:
        """Row i of the document is the caller's sentence `numbers[i]`, of `total` sentences.

        With `length`, p_stop comes from it and not from the steps.
        """
        self.total = total
        self.choices: list[int] = []  # numbers of the caller's sentences, in order of extraction
        self.scores: list[float] = []  # of each choice when it was made
        self.expected: list[float] = []  # share of each choice's words that a human summary would have too, if known
        self.minimum = constraint.minimum if constraint is not None else 0
        self._steps = steps
        self._numbers = numbers
        self._constraint = constraint
        self._length = length
        self._state: State = ()
        self._next: Step | None = None  # of the present state, once it is rated
        self._stops: list[float] = []  # of every state that was rated

    @property
    def stops(self) -> list[float]:
        """Probability of stopping before each choice and after the last."""
        return [self.stop(count) for count in range(len(self.choices) + 1)]

    def stop(self, count: int) -> float:
        """Return the probability of stopping after `count` choices; the network's is 1 where nothing remains."""
        if self._length is not None:
            return self._length.after(self._state[:count])
        if len(self._stops) == count:
            self._rate()
        return self._stops[count]

    def step_scores(self, count: int | None = None) -> list[F32]:
        """Rate the steps again: for each of the first `count` choices the scores (total,) it was made by.

        NaN for what was extracted, for exact repeats, and for sentences that the model does not read.
        """
        count = len(self.choices) if count is None else count
        return [self._spread(self._steps.step(self._state[:made])) for made in range(count)]

    def extend(self, count: int) -> None:
        """Extract until there are `count` choices, or nothing more can be extracted."""
        while len(self.choices) < count and self._extract():
            pass

    def length(self, threshold: float, maximum: int, minimum: int = 1) -> int:
        """Return how many sentences are extracted if the model stops at p_stop ≥ threshold; plays as far as needed."""
        for count in range(minimum, maximum):
            self.extend(count)
            if len(self.choices) < count:
                break
            if self.stop(count) >= threshold:
                return count
        self.extend(maximum)
        return min(len(self.choices), maximum)

    def _extract(self) -> bool:
        """Extract the best sentence, of equals the earlier; return False if there is none."""
        step = self._rate()
        ratings = step.ratings
        if self._constraint is not None:
            ratings = np.where(self._constraint.blocked[step.remaining], -np.inf, ratings)
        if not len(ratings) or ratings.max() == -np.inf:
            return False
        best = int(ratings.argmax())
        row = int(step.remaining[best])
        self._state += (row,)
        self._next = None
        self.choices.append(int(self._numbers[row]))
        self.scores.append(step.score(best))
        if step.expected is not None:
            self.expected.append(float(step.expected[best]))
        if self._constraint is not None:
            self._constraint.extract(row)
        return True

    def _rate(self) -> Step:
        if self._next is None:
            self._next = self._steps.step(self._state)
            self._stops.append(self._next.stop)
        return self._next

    def _spread(self, step: Step) -> F32:
        scores = np.full(self.total, np.nan, np.float32)
        scores[self._numbers[step.remaining]] = step.scores()
        return scores


def remaining_rows(sentences: int, state: State) -> I64:
    """Return the rows that are not extracted."""
    left = np.ones(sentences, bool)
    left[list(state)] = False
    return left.nonzero()[0]
