"""Algorithm 1 of the paper: the loop over documents, and the states of their episodes.

| line | | here |
|---|---|---|
| 1 | for each document and its summary | `Trainer.run`, `Learner.update`: a batch of documents at a time |
| 2, 3 | LSE and GCE embed the sentences | `PaperNetwork.encode` |
| 4 | sample an episode from the high-ROUGE episodes | `sample_targets`; its order is shuffled |
| 5 | for each time step t = 0 … T | some of the T + 1 states at once, `draw_times`; with `states=0`, all of them |
| 6 – 11 | EHE and extractor give scores and p_stop | `PaperNetwork.step` |
| 12 | π(A_t given S_t), equation 4 | `StepScores.log_action` |
| 13 | θ ← θ + α · r / (T + 1) · ∇ log π | `imitation_loss`, `Learner.update` |

The other objectives (`memsum.training.learning.objectives`) replace lines 4 to 12 and keep the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.training.learning.checkpoint import Average, TrainingProgress
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedCorpus, EncodedDocument
from memsum.training.learning.distributed import World
from memsum.training.policy import Batch, Policy, State
from memsum.training.policy.batch import collate, micro_batches

_WINDOW = 50  # batches whose documents are sorted together: enough to find neighbours, few enough to stay random


class Loss(Protocol):
    """An objective's loss; each is made for one kind of network, which `Objective.check` makes sure of."""

    def __call__(
        self,
        policy: Any,
        batch: Batch,
        documents: Sequence[EncodedDocument],
        generators: Sequence[np.random.Generator],
        config: TrainingConfig,
    ) -> Tensor:
        """Return the sum over the documents of the batch, each with its own generator for what is random."""


# --- the loop: lines 1 and 13 ----------------------------------------------------------------------------------------


@dataclass
class Learner:
    """The body of the loop of Algorithm 1: one network, its optimizer, and the update on a batch."""

    policy: Policy
    corpus: EncodedCorpus
    augment: Callable[[EncodedDocument, np.random.Generator], EncodedDocument]
    loss: Loss
    config: TrainingConfig
    world: World
    progress: TrainingProgress = field(default_factory=TrainingProgress, init=False)

    def __post_init__(self) -> None:
        self.policy.to(self.world.device)
        self.average = Average(self.policy, self.config.average)
        self.optimizer = torch.optim.AdamW(
            self.policy.parameters(),
            lr=self.config.learning_rate,
            betas=self.config.betas,
            weight_decay=self.config.weight_decay,
            fused=self.world.device.type == "cpu",  # a fifth of the time of the default there
        )
        self.updates_per_epoch = math.ceil(len(self.corpus) / self.config.batch)
        self.updates = self.config.updates(len(self.corpus))
        self._shares = source_shares(self.corpus.sources, self.config.temperature)
        self._epoch: tuple[int, list[NDArray[np.int64]]] = (-1, [])  # the epoch whose batches these are

    def update(self) -> float:
        """Make the next step of descent, of all processes; return its documents' mean loss, NaN if it was left out."""
        update, config, world = self.progress.update, self.config, self.world
        epoch, numbers = self._next_batch()
        # Everything random depends on the update alone, so that a resumed training takes the same path.
        torch.manual_seed(hash((config.seed, update, world.rank)) & 0x7FFFFFFF)
        self.optimizer.param_groups[0]["lr"] = self._rate()
        total = self._differentiate(epoch, numbers)
        world.sum_gradients(self.policy)
        total = world.sum(total)
        norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), config.clip)
        self.progress.update += 1
        self.progress.documents += len(numbers)
        if not (math.isfinite(total) and math.isfinite(float(norm))):
            return math.nan
        self.optimizer.step()
        self.average.update(self.policy, update)
        return total

    def estimate_epoch(self) -> float:
        """Return about how many seconds an epoch takes, from the gradients of a typical batch; nothing is learned."""
        batches = epoch_batches(self.corpus.sentences, self.config.batch, self.config.seed, 0, self._shares)
        sizes = [int(self.corpus.sentences[batch].sum()) for batch in batches]
        typical = int(np.argsort(sizes)[len(sizes) // 2])
        for _ in range(2):  # the first one also compiles and warms up
            began = monotonic()
            self._differentiate(0, batches[typical])
            seconds = monotonic() - began
        self.optimizer.zero_grad(set_to_none=True)
        return seconds * sum(sizes) / max(1, sizes[typical])

    def _differentiate(self, epoch: int, numbers: NDArray[np.int64]) -> float:
        """Compute this process's share of the gradient of a batch; return its share of the mean loss."""
        config, world = self.config, self.world
        self.optimizer.zero_grad(set_to_none=True)
        mine = numbers[world.rank :: world.size]
        generators = [np.random.default_rng((config.seed, epoch, int(i))) for i in mine]
        documents = [self.augment(self.corpus[i], rng) for i, rng in zip(mine, generators, strict=True)]
        sentences = np.array([len(document.text) for document in documents])
        total = 0.0
        for part in micro_batches(range(len(documents)), sentences, config.part_sentences):
            loss = self._loss([documents[i] for i in part], [generators[i] for i in part]) / len(numbers)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        return total

    def _next_batch(self) -> tuple[int, NDArray[np.int64]]:
        """Return the epoch, and the numbers of the documents of its next batch."""
        epoch, within = divmod(self.progress.update, self.updates_per_epoch)
        if self._epoch[0] != epoch:
            batches = epoch_batches(self.corpus.sentences, self.config.batch, self.config.seed, epoch, self._shares)
            self._epoch = (epoch, batches)
        return epoch, self._epoch[1][within]

    def _loss(self, documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator]) -> Tensor:
        device = self.world.device
        batch = collate([document.text for document in documents]).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=self.config.precision == "bf16"):
            return self.loss(self.policy, batch, documents, generators, self.config)

    def _rate(self) -> float:
        """Return α: linear warm-up, then a cosine to the final rate."""
        config, update = self.config, self.progress.update
        warm = min(config.warmup, self.updates // 10 + 1)
        if update < warm:
            return config.learning_rate * (update + 1) / warm
        share = (update - warm) / max(1, self.updates - warm)
        cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        return config.learning_rate * (config.final_rate + (1 - config.final_rate) * cosine)


def epoch_batches(
    sentences: NDArray[np.int64], size: int, seed: int, epoch: int, shares: NDArray[np.float64] | None = None
) -> list[NDArray[np.int64]]:
    """Return the epoch's batches of document numbers, the same for every process and every resumption.

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
    """Return how often each document is shown per epoch, so that a source of n is shown about n ** temperature."""
    if temperature == 1:
        return None
    counts = np.bincount(sources)
    shares = counts[sources] ** (temperature - 1.0)
    return np.asarray(shares / shares.mean(), np.float64)


# --- the states: lines 4 and 5 ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Targets:
    """States of the documents' episodes and the right action in each: K states per document, one after the other."""

    state: State  # of B · K episodes
    action: Tensor  # (B · K,) the sentence to extract; meaningless where the episode ends
    stops: Tensor  # (B · K,) true where the episode ends
    weight: Tensor  # (B · K,) r / (T + 1), by how many of the T + 1 states there are; 0 for rows that only pad
    per_document: int

    @classmethod
    def of(
        cls,
        documents: Sequence[EncodedDocument],
        episodes: Sequence[NDArray[np.int64]],
        times: Sequence[Sequence[int]],
        weights: Sequence[float],
    ) -> Targets:
        """Fill in the states of one episode per document at some times, each with the document's weight."""
        each, most = max(map(len, times)), max(map(max, times))
        shape = (len(documents) * each, max(len(document.text) for document in documents))
        remaining, taken = np.zeros(shape, bool), np.zeros((shape[0], most), bool)
        extracted, action = np.zeros((shape[0], most), np.int64), np.zeros(shape[0], np.int64)
        stops, weight = np.ones(shape[0], bool), np.zeros(shape[0], np.float32)
        for number, (document, episode) in enumerate(zip(documents, episodes, strict=True)):
            for row, time in enumerate(times[number], start=number * each):
                remaining[row, : len(document.text)] = True
                remaining[row, episode[:time]] = False
                extracted[row, :time] = episode[:time]
                taken[row, :time] = True
                stops[row] = time == len(episode)
                action[row] = 0 if stops[row] else episode[time]
                weight[row] = weights[number]
        state = State(*map(torch.from_numpy, (remaining, extracted, taken)))
        return cls(state, torch.from_numpy(action), torch.from_numpy(stops), torch.from_numpy(weight), each)

    def to(self, device: torch.device) -> Targets:
        parts = (self.action.to(device), self.stops.to(device), self.weight.to(device))
        return Targets(self.state.to(device), *parts, self.per_document)


def sample_targets(
    documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator], states: int
) -> Targets:
    """Draw an episode per document, shuffle it, and draw `states` of its states (0: all of them, padded)."""
    episodes, times, weights = [], [], []
    for document, rng in zip(documents, generators, strict=True):
        which = int(rng.integers(len(document.episodes)))
        episode = _either(document, rng.permutation(document.episodes[which]), rng)
        episodes.append(episode)
        times.append(draw_times(len(episode) + 1, states, rng))
        weights.append(float(document.rewards[which]) / len(times[-1]))
    return Targets.of(documents, episodes, times, weights)


def _either(document: EncodedDocument, episode: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Of duplicates, take any one: if it were always the first, no network would need a history."""
    meanings = document.meanings
    if len(np.unique(meanings)) == len(meanings):
        return episode
    wanted = dict.fromkeys(meanings[episode].tolist())
    return np.array([rng.choice(np.flatnonzero(meanings == meaning)) for meaning in wanted], np.int64)


def draw_times(count: int, states: int, rng: np.random.Generator) -> list[int]:
    """Draw some of an episode's states, without repeats where it has enough; 0: all of them."""
    times = range(count) if not states else rng.choice(count, states, replace=states > count)
    return [int(time) for time in times]
