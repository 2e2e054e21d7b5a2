"""Scorers of an episode: the network rates all that remains in any state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from memsum.arrays import F32, I64, sigmoid
from memsum.features.encoding import Signals
from memsum.features.novelty import Novelty, stop_inputs
from memsum.model.episode import Scores, State, remaining_rows
from memsum.model.graphs import Graph
from memsum.model.rules import Penalties, said_before

# Sentences that attend to each other. A longer document is dealt out, like cards, to parts of at most so many: the cost
# of a step then grows with the document and not with its square.
ATTENTION_SPAN = 512


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

    def reasons(self, state: State) -> dict[str, F32]:
        """Return what the ratings are made of, as `CountScorer` does; what the history changes is not known apart."""
        ratings = np.full(self._sentences, -np.inf, np.float32)
        now = self.score(state)
        ratings[now.remaining] = now.ratings
        return {"model": ratings + self._penalty, "rules": -self._penalty, "total": ratings}

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


class CountScorer:
    """Scores by a policy whose history is counted: the step graph reads a memory that goes along from step to step."""

    def __init__(self, step: Graph, states: F32, lengths: F32, signals: Signals, penalties: Penalties) -> None:
        """`states` (N, …) and `lengths` (N,) of the sentences; the penalties are taken off their logits."""
        self._signals = signals
        self._memory: Novelty = signals.novelty()
        self._state: State = ()
        self._step = step
        self._penalties = penalties
        self._fixed = {"states": states, "lengths": lengths}

    def score(self, state: State) -> Scores:
        """Score what remains."""
        remaining = self._remember(state)
        if not len(remaining):
            return Scores(remaining, np.empty(0, np.float32), 1.0)
        result = self._run(remaining)
        stop = float(sigmoid(result["stop"][0])) if "stop" in result else 0.0
        logits = result["logits"][remaining] - self._penalties.fixed[remaining]
        return Scores(remaining, logits, stop, result["expected"][remaining])

    def reasons(self, state: State) -> dict[str, F32]:
        """Return what the ratings (N,) in a state are made of, by name; `total` is their sum.

        `model` is what the network rates before anything is quoted, `history` what the quotes so far change of it.
        """
        all_rows = self._remember(())
        first = self._run(all_rows)["logits"]
        now = self._run(self._remember(state))["logits"]
        repeated = np.asarray(said_before(self._memory.pairs_said()), np.float32)
        rules = {name: -getattr(self._penalties, name) for name in ("low_value", "needs_context")}
        parts = {"model": first, "history": now - first + repeated, "said_before": -repeated, **rules}
        return {**parts, "total": np.asarray(sum(parts.values()), np.float32)}

    def _remember(self, state: State) -> I64:
        """Return what remains; a state that does not follow the last one is remembered from the beginning."""
        if state[: len(self._state)] != self._state:
            self._memory, self._state = self._signals.novelty(), ()
        self._memory.after(state[len(self._state) :])
        self._state = state
        return remaining_rows(len(self._signals.counts), state)

    def _run(self, remaining: I64) -> dict[str, F32]:
        left = np.zeros(len(self._signals.counts), np.float32)
        left[remaining] = 1
        novelty = self._memory.features()
        progress = stop_inputs(self._memory, self._signals.expected, self._signals.spread)
        return self._step.run({**self._fixed, "novelty": novelty, "progress": progress, "remaining": left})
