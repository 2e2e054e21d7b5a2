"""An episode: extract greedily, step by step, as far as is asked for.

The order of extraction does not depend on where one stops, so one episode serves every length and every threshold;
what was played once is not played again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from memsum.arrays import F32, I64, Floats, sigmoid
from memsum.features.expected_length import LengthStop
from memsum.model.constraints import Constraint

State = tuple[int, ...]  # rows of the document in order of extraction


@dataclass(frozen=True)
class Scores:
    """Ratings of all sentences that remain in one state of the episode."""

    remaining: I64  # (R,) rows that are not extracted
    ratings: Floats  # (R,) logits of the probabilities: where these round to 1, logits still differ
    stop: float  # probability of stopping
    expected: F32 | None = None  # (R,) share of their words expected in a human summary, where known
    given: F32 | None = None  # (R,) the probabilities, where ratings are not their logits

    @property
    def probabilities(self) -> F32:
        """Probability (R,) by which each sentence is shown to be chosen."""
        return sigmoid(self.ratings) if self.given is None else self.given


Reasons = dict[str, float]  # what a rating is made of, by name


class Scorer(Protocol):
    """Rates the sentences of one document in any state of its episode."""

    def score(self, state: State) -> Scores:
        """Rate what remains."""

    def reasons(self, state: State) -> dict[str, F32]:
        """Return what the ratings (N,) in a state are made of, by name; `total` is their sum."""


class Episode:
    """The episode of one document, or of several as one; one thread at a time."""

    def __init__(
        self,
        scorer: Scorer,
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
        self._scorer = scorer
        self._numbers = numbers
        self._constraint = constraint
        self._length = length
        self._begun: State = ()
        self._state: State = ()
        self._next: Scores | None = None  # of the present state, once it is rated
        self._stops: list[float] = []  # of every state that was rated

    def begin_with(self, numbers: Collection[int]) -> None:
        """Let sentences count as extracted that a reader has before the first choice: the others add to them."""
        self._begun = tuple(np.flatnonzero(np.isin(self._numbers, list(numbers))).tolist())

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
        steps = []
        for made in range(count):
            scores = self._scorer.score(self._begun + self._state[:made])
            steps.append(np.full(self.total, np.nan, np.float32))
            steps[-1][self._numbers[scores.remaining]] = scores.probabilities
        return steps

    def reasons(self, count: int) -> list[tuple[int, Reasons]]:
        """Return the sentence of each of the first `count` steps, and of the next one, with what its rating is made of.

        `quota` is what the best sentence of that moment, which had no quota, was rated higher.
        """
        self.extend(count + 1)
        found = []
        for made, row in enumerate(self._state[: count + 1]):
            state = self._begun + self._state[:made]
            parts = self._scorer.reasons(state)
            if parts:
                highest = float(parts["total"][remaining_rows(len(self._numbers), state)].max())
                own = {name: float(values[row]) for name, values in parts.items()}
                found.append((int(self._numbers[row]), {**own, "quota": own["total"] - highest}))
        return found

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
        scores = self._rate()
        ratings = scores.ratings
        if self._constraint is not None:
            ratings = np.where(self._constraint.blocked[scores.remaining], -np.inf, ratings)
        if not len(ratings) or ratings.max() == -np.inf:
            return False
        best = int(ratings.argmax())
        row = int(scores.remaining[best])
        self._state += (row,)
        self._next = None
        self.choices.append(int(self._numbers[row]))
        self.scores.append(float(scores.probabilities[best]))
        if scores.expected is not None:
            self.expected.append(float(scores.expected[best]))
        if self._constraint is not None:
            self._constraint.extract(row)
        return True

    def _rate(self) -> Scores:
        if self._next is None:
            self._next = self._scorer.score(self._begun + self._state)
            # How much has been said so far is a matter of the choices alone.
            self._stops.append(self._scorer.score(self._state).stop if self._begun else self._next.stop)
        return self._next


def remaining_rows(sentences: int, state: State) -> I64:
    """Return the rows that are not extracted."""
    left = np.ones(sentences, bool)
    left[list(state)] = False
    return left.nonzero()[0]
