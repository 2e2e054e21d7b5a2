"""One step of an episode on ONNX Runtime: what the policy thinks of all that remains, in one state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memsum.features.novelty import Novelty, stop_inputs
from memsum.features.signals import Signals
from memsum.model.graphs import Floats, Graph

# Sentences that look at each other in an attention. A longer document is dealt out, like cards, to parts of at most so
# many: the cost of a step then grows with the document and not with its square.
ATTENTION_SPAN = 512

State = tuple[int, ...]  # rows of the document in order of extraction


@dataclass(frozen=True)
class Look:
    """What the policy thinks in one state of the episode."""

    remaining: NDArray[np.int64]  # (R,) rows that are not extracted
    logits: Floats  # (R,) of their scores: where scores round to 1, logits still differ
    stop: float
    expected: Floats | None = None  # (R,) share of their words that a human summary would have, where that is known


class Steps(Protocol):
    """The steps of one document's episode."""

    parts: int  # more than one: the history is an approximation
    ahead: bool  # whether steps may be computed before they are due, in other threads

    def look(self, state: State) -> Look:
        """What the policy thinks in a state."""


class EncodedSteps:
    """Steps of a policy whose history is encoded by the step graph itself, from what is extracted and what remains."""

    ahead = True

    def __init__(self, step: Graph, document: Mapping[str, Floats], sentences: int, price: Floats) -> None:
        """`document` is what its graph says of so many sentences; the price is taken off their logits."""
        self.parts = -(-sentences // ATTENTION_SPAN)
        self._step = step
        self._document = document
        self._sentences = sentences
        self._price = price
        # A policy that stops by a learned sentence has it as one more row behind the document's own.
        self._stop_row = sentences if len(document["local"]) > sentences else None

    def look(self, state: State) -> Look:
        """Score what remains."""
        remaining = remaining_rows(self._sentences, state)
        if not len(remaining):
            return Look(remaining, np.empty(0, np.float32), 1.0)
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

    def _judge(self, remaining: NDArray[np.int64], logits: Floats, stops: list[float]) -> Look:
        """Each part has seen a fair share of the document: the mean of their `stops` speaks for all of it."""
        stop = sum(stops) / len(stops)
        logits = logits - self._price[remaining]
        if self._stop_row is not None:
            return Look(remaining, logits, float(stop > logits.max()))
        return Look(remaining, logits, float(sigmoid(np.float32(stop))))


class CountedSteps:
    """Steps of a policy whose history is counted: the memory goes along, and the step graph reads it."""

    parts = 1
    ahead = False

    def __init__(self, step: Graph, states: Floats, signals: Signals, price: Floats) -> None:
        """`states` (N, …) of the sentences, which no extraction changes; the price is taken off their logits."""
        self._step = step
        self._signals = signals
        self._price = price
        self._fixed = {"states": states, "lengths": signals.counts.lengths.astype(np.float32)}
        self._memory: Novelty = signals.novelty()
        self._remembered: State = ()

    def look(self, state: State) -> Look:
        """Score what remains; a state that does not follow the last one is remembered from the beginning."""
        if state[: len(self._remembered)] != self._remembered:
            self._memory, self._remembered = self._signals.novelty(), ()
        self._memory.after(state[len(self._remembered) :])
        self._remembered = state
        remaining = remaining_rows(len(self._signals.counts), state)
        if not len(remaining):
            return Look(remaining, np.empty(0, np.float32), 1.0)
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
        logits = result["logits"][remaining] - self._price[remaining]
        stop = float(sigmoid(result["stop"][0])) if "stop" in result else 0.0
        return Look(remaining, logits, stop, result["expected"][remaining])


def remaining_rows(sentences: int, state: State) -> NDArray[np.int64]:
    """The rows that are not extracted."""
    left = np.ones(sentences, bool)
    left[list(state)] = False
    return left.nonzero()[0]


def sigmoid(x: Floats | np.float32) -> Floats:
    """1 / (1 + e^-x), which overflows for no x."""
    return np.asarray(np.exp(-np.logaddexp(0, -x)), np.float32)
