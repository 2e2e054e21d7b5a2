"""An episode: extract greedily, step by step, as far as is asked for.

The order of extraction does not depend on where one stops, so one episode serves every length and every threshold;
what was played once is not played again.

With several cores, steps that are likely to follow are computed beside the present one: the second best sentence now is
nearly always the best one of the next step. A guess that was wrong is thrown away, so the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future

import numpy as np
from numpy.typing import NDArray

from memsum.features.expected_length import LengthStop
from memsum.model.graphs import Floats
from memsum.model.quotas import Block
from memsum.model.steps import Look, State, Steps, sigmoid


class Episode:
    """The episode of one document; one thread at a time."""

    def __init__(
        self,
        steps: Steps,
        places: NDArray[np.int64],
        sentences: int,
        block: Block | None = None,
        length: LengthStop | None = None,
        pool: Executor | None = None,
        ahead: int = 0,
    ) -> None:
        """Row i of the document is the caller's sentence `places[i]`.

        With `length`, p_stop comes from it and not from the steps. `ahead` steps are computed in the pool while another
        one is, if they can be.
        """
        self.sentences = sentences
        self.choices: list[int] = []  # indices in the caller's sentences, in order of extraction
        self.scores: list[float] = []  # of each choice when it was made
        self.expected: list[float] = []  # share of each choice's words that a human summary would have too, if known
        self.least = block.least if block is not None else 0  # so that every section that matters has a quote
        self.parts = steps.parts  # more than one: the history is an approximation
        self._steps = steps
        self._places = places
        self._block = block
        self._length = length
        self._pool = pool if steps.ahead else None
        self._ahead = ahead
        self._state: State = ()
        self._looks: list[Look] = []
        self._guesses: dict[State, Future[Look]] = {}

    @property
    def stops(self) -> list[float]:
        """Probability of stopping before each choice and after the last."""
        return [self.stop(count) for count in range(len(self.choices) + 1)]

    def stop(self, count: int) -> float:
        """Probability of stopping when the first `count` choices are made; the network's is 1 where nothing remains."""
        if self._length is not None:
            return self._length.after(self.choices[:count])
        if len(self._looks) == count:
            self._look()
        return self._looks[count].stop

    @property
    def step_scores(self) -> list[Floats]:
        """For each choice the scores (sentences,) it was made by; NaN for what was extracted, and for repeats."""
        return [self._spread(look) for look in self._looks[: len(self.choices)]]

    def extend(self, count: int) -> None:
        """Extract until there are `count` choices, or nothing more can be extracted."""
        while len(self.choices) < count and self._extract():
            pass

    def length(self, threshold: float, maximum: int, minimum: int = 1) -> int:
        """How many sentences are extracted if the policy stops at p_stop ≥ threshold; plays as far as that takes."""
        for count in range(minimum, maximum):
            self.extend(count)
            if len(self.choices) < count:
                break
            if self.stop(count) >= threshold:
                return count
        self.extend(maximum)
        return min(len(self.choices), maximum)

    def _extract(self) -> bool:
        """Extract the best sentence, of equals the earlier; false if there is none."""
        look = self._look()
        logits = look.logits
        if self._block is not None:
            logits = np.where(self._block.blocked[look.remaining], -np.inf, logits)
        if not len(logits) or logits.max() == -np.inf:
            return False
        best = int(logits.argmax())
        row = int(look.remaining[best])
        self._state += (row,)
        self.choices.append(int(self._places[row]))
        self.scores.append(float(sigmoid(logits[best])))
        if look.expected is not None:
            self.expected.append(float(look.expected[best]))
        if self._block is not None:
            self._block.extract(row)
        return True

    def _look(self) -> Look:
        """Score what remains in the present state, once."""
        if len(self._looks) == len(self.choices):
            self._looks.append(self._take() or self._steps.look(self._state))
        return self._looks[-1]

    def _take(self) -> Look | None:
        """What was guessed to be the present state, if it was; otherwise guess anew what follows it."""
        if self._state in self._guesses:
            return self._guesses.pop(self._state).result()
        self._guesses = {}
        if self._pool is not None and self._state:
            self._guesses = {state: self._pool.submit(self._steps.look, state) for state in self._likely()}
        return None

    def _likely(self) -> Iterator[State]:
        """States that follow the present one if the sentences keep their order."""
        look, state = self._looks[-1], self._state
        blocked = np.zeros(len(self._places), bool) if self._block is None else self._block.blocked.copy()
        blocked[list(state)] = True
        order = look.remaining[np.argsort(-look.logits, kind="stable")]
        for row in order[~blocked[order]][: self._ahead].tolist():
            state += (row,)
            yield state

    def _spread(self, look: Look) -> Floats:
        """Scores in the caller's order of sentences."""
        scores = np.full(self.sentences, np.nan, np.float32)
        scores[self._places[look.remaining]] = sigmoid(look.logits)
        return scores
