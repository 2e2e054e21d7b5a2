"""An episode: extract greedily, step by step, as far as is asked for.

The order of extraction does not depend on where one stops, so one episode serves every length and every threshold;
what was played once is not played again.

With several cores, steps that are likely to follow are computed beside the present one: the second best sentence now is
nearly always the best one of the next step. A guess that was wrong is thrown away, so the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memsum.runtime.graphs import Floats, Graph
from memsum.runtime.trigrams import TrigramBlock
from memsum.text.length import LengthStop

# Sentences that look at each other in the history encoder. A longer document is dealt out, like cards, to parts of at
# most so many: the cost of a step then grows with the document and not with its square.
ATTENTION_SPAN = 512

State = tuple[int, ...]  # rows of the document in order of extraction


@dataclass(frozen=True)
class _Look:
    """What the policy thinks in one state of the episode."""

    remaining: NDArray[np.int64]  # (R,) rows that are not extracted
    logits: Floats  # (R,) of their scores: where scores round to 1, logits still differ
    stop: float


class Episode:
    """The episode of one document; one thread at a time."""

    def __init__(
        self,
        step: Graph,
        document: Mapping[str, Floats],
        places: NDArray[np.int64],
        sentences: int,
        handicap: Floats,
        block: TrigramBlock | None = None,
        length: LengthStop | None = None,
        pool: Executor | None = None,
        ahead: int = 0,
    ) -> None:
        """`document` is what its graph says; row i of it is the caller's sentence `places[i]`.

        The handicap is taken off the logits. With `length`, p_stop comes from it and not from the steps. `ahead` steps
        are computed in the pool while another one is.
        """
        self.sentences = sentences
        self.choices: list[int] = []  # indices in the caller's sentences, in order of extraction
        self.scores: list[float] = []  # of each choice when it was made
        self.parts = -(-len(places) // ATTENTION_SPAN)  # more than one: the history is an approximation
        self._step = step
        self._document = document
        self._places = places
        self._handicap = handicap
        self._block = block
        self._length = length
        self._pool = pool
        self._ahead = ahead
        self._state: State = ()
        self._looks: list[_Look] = []
        self._guesses: dict[State, Future[_Look]] = {}
        # A policy that stops by a learned sentence has it as one more row behind the document's own.
        self._stop_row = len(places) if len(document["local"]) > len(places) else None

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
        self.scores.append(float(_sigmoid(logits[best])))
        if self._block is not None:
            self._block.extract(row)
        return True

    def _look(self) -> _Look:
        """Score what remains in the present state, once."""
        if len(self._looks) == len(self.choices):
            self._looks.append(self._take() or self._run_step(self._state))
        return self._looks[-1]

    def _take(self) -> _Look | None:
        """What was guessed to be the present state, if it was; otherwise guess anew what follows it."""
        if self._state in self._guesses:
            return self._guesses.pop(self._state).result()
        self._guesses = {}
        if self._pool is not None and self._state:
            self._guesses = {state: self._pool.submit(self._run_step, state) for state in self._likely()}
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

    def _run_step(self, state: State) -> _Look:
        left = np.ones(len(self._places), bool)
        left[list(state)] = False
        remaining = left.nonzero()[0]
        if not len(remaining):
            return _Look(remaining, np.empty(0, np.float32), 1.0)
        if not state:
            return self._judge(
                remaining, self._document["logits"][: len(remaining)], [self._stop_logit(self._document)]
            )
        extracted = np.array(state, np.int64)
        if self.parts == 1:
            logits, stop = self._score(extracted, remaining)
            return self._judge(remaining, logits, [stop])
        logits = np.empty(len(remaining), np.float32)
        stops: list[float] = []
        for part in range(self.parts):
            here = remaining % self.parts == part
            if here.any():
                logits[here], stop = self._score(extracted, remaining[here])
                stops.append(stop)
        return self._judge(remaining, logits, stops)

    def _score(self, extracted: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[Floats, float]:
        """Logits of some rows, which see each other and what is extracted, and the one of stopping."""
        asked = rows if self._stop_row is None else np.append(rows, self._stop_row)
        result = self._step.run({**self._document, "extracted": extracted, "remaining": asked})
        return result["logits"][: len(rows)], self._stop_logit(result)

    def _stop_logit(self, result: Mapping[str, Floats]) -> float:
        """Of what the policy thinks, what it thinks of stopping."""
        if self._stop_row is not None:
            return float(result["logits"][-1])
        return float(result["stop"][0]) if "stop" in result else -np.inf

    def _judge(self, remaining: NDArray[np.int64], logits: Floats, stops: list[float]) -> _Look:
        """Each part has seen a fair share of the document: the mean of their `stops` speaks for all of it."""
        stop = sum(stops) / len(stops)
        logits = logits - self._handicap[remaining]
        if self._stop_row is not None:
            return _Look(remaining, logits, float(stop > logits.max()))
        return _Look(remaining, logits, float(_sigmoid(np.float32(stop))))

    def _spread(self, look: _Look) -> Floats:
        """Scores in the caller's order of sentences."""
        scores = np.full(self.sentences, np.nan, np.float32)
        scores[self._places[look.remaining]] = _sigmoid(look.logits)
        return scores


def _sigmoid(x: Floats | np.float32) -> Floats:
    """1 / (1 + e^-x), which overflows for no x."""
    return np.asarray(np.exp(-np.logaddexp(0, -x)), np.float32)
