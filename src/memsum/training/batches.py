"""Batches of documents, and the states of their episodes that are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.policy import State
from memsum.training.data import Document

_WINDOW = 50  # batches whose documents are sorted together: enough to find neighbours, few enough to stay random


@dataclass(frozen=True)
class Targets:
    """States of the documents' episodes and what is to be done in each: K states a document, one after the other."""

    state: State  # of B · K episodes
    action: Tensor  # (B · K,) the sentence to extract; meaningless where the episode ends
    stops: Tensor  # (B · K,) true where the episode ends
    weight: Tensor  # (B · K,) how much each counts
    per_document: int
    repeats: Tensor | None = None  # (B · K, N) true for what remains and says the same as something extracted

    def to(self, device: torch.device) -> Targets:
        """The same targets on another device."""
        if self.action.device == device:
            return self
        s = self.state
        state = State(s.remaining.to(device), s.extracted.to(device), s.taken.to(device))
        parts = (self.action.to(device), self.stops.to(device), self.weight.to(device))
        repeats = self.repeats.to(device) if self.repeats is not None else None
        return Targets(state, *parts, self.per_document, repeats)


@dataclass(frozen=True)
class Visit:
    """An episode, the states of it that are looked at, and how much each of them counts."""

    episode: NDArray[np.int64]  # positions, in order of extraction
    times: Sequence[int]
    weight: float


def sample_targets(documents: Sequence[Document], generators: Sequence[np.random.Generator], states: int) -> Targets:
    """Draw an episode a document, shuffle it, and draw `states` of its states (0: all of them, padded)."""
    visits = [_draw(document, rng, states) for document, rng in zip(documents, generators, strict=True)]
    return fill_targets(documents, visits)


def fill_targets(documents: Sequence[Document], visits: Sequence[Visit]) -> Targets:
    """The states of the visits, as many visits a document, one document's after the other's."""
    longest = max(len(document.text) for document in documents)
    visits_each = len(visits) // len(documents)
    states_each = max(len(visit.times) for visit in visits)
    most = max(max(visit.times) for visit in visits)
    rows = len(visits) * states_each
    remaining = np.zeros((rows, longest), bool)
    extracted = np.zeros((rows, most), np.int64)
    taken = np.zeros((rows, most), bool)
    action = np.zeros(rows, np.int64)
    stops = np.ones(rows, bool)  # so do the rows that only pad, without weight
    weight = np.zeros(rows, np.float32)
    for v, visit in enumerate(visits):
        episode, sentences = visit.episode, len(documents[v // visits_each].text)
        for row, time in enumerate(visit.times, start=v * states_each):
            remaining[row, :sentences] = True
            remaining[row, episode[:time]] = False
            extracted[row, :time] = episode[:time]
            taken[row, :time] = True
            stops[row] = time == len(episode)
            action[row] = 0 if stops[row] else episode[time]
            weight[row] = visit.weight
    state = State(torch.from_numpy(remaining), torch.from_numpy(extracted), torch.from_numpy(taken))
    parts = (torch.from_numpy(action), torch.from_numpy(stops), torch.from_numpy(weight))
    return Targets(state, *parts, visits_each * states_each)


def _draw(document: Document, rng: np.random.Generator, states: int) -> Visit:
    """The paper's r / (T + 1) · Σ_t, estimated from some of the T + 1 states."""
    which = int(rng.integers(len(document.episodes)))
    episode = _either(document, rng.permutation(document.episodes[which]), rng)
    times = draw_times(len(episode) + 1, states, rng)
    return Visit(episode, times, float(document.rewards[which]) / len(times))


def _either(document: Document, episode: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Of sentences that say the same, take any one: if it were always the first, no policy would need a memory."""
    meanings = document.meanings
    if len(np.unique(meanings)) == len(meanings):
        return episode
    wanted = dict.fromkeys(meanings[episode].tolist())
    return np.array([rng.choice(np.flatnonzero(meanings == meaning)) for meaning in wanted], np.int64)


def draw_times(count: int, states: int, rng: np.random.Generator) -> list[int]:
    """Some of an episode's states, without repeats where it has enough; 0: all of them."""
    times = range(count) if not states else rng.choice(count, states, replace=states > count)
    return [int(time) for time in times]


def epoch_batches(
    sentences: NDArray[np.int64], size: int, seed: int, epoch: int, shares: NDArray[np.float64] | None = None
) -> list[NDArray[np.int64]]:
    """The epoch's batches of document numbers, the same for every process and every resumption.

    With shares, a document is there as often as its share says on average; there are as many batches all the same.
    """
    rng = np.random.default_rng((seed, epoch))
    order = rng.permutation(len(sentences))
    if shares is not None:
        drawn = np.repeat(order, np.floor(shares[order] + rng.random(len(order))).astype(np.int64))
        order = np.resize(rng.permutation(drawn), len(order))
    batches: list[NDArray[np.int64]] = []
    for low in range(0, len(order), size * _WINDOW):
        window = order[low : low + size * _WINDOW]
        window = window[np.argsort(sentences[window], kind="stable")]
        batches.extend(window[i : i + size] for i in range(0, len(window), size))
    return [batches[i] for i in rng.permutation(len(batches))]


def source_shares(sources: NDArray[np.int64], temperature: float) -> NDArray[np.float64] | None:
    """How often each document is shown per epoch, so that a source of n documents is shown about n ** temperature."""
    if temperature == 1:
        return None
    counts = np.bincount(sources)
    shares = counts[sources] ** (temperature - 1.0)
    return np.asarray(shares / shares.mean(), np.float64)
