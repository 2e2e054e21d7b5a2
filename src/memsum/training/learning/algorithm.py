"""Algorithm 1 of the paper: the loop over documents, the states of their episodes, and the loss.

| line | | here |
|---|---|---|
| 1 | for each document and its summary | `Learner.learn`, `epoch_batches`: a batch of documents at a time |
| 2, 3 | LSE and GCE embed the sentences | `Policy.encode` |
| 4 | sample an episode from the high-ROUGE episodes | `sample_targets`; its order is shuffled |
| 5 | for each time step t = 0 … T | some of the T + 1 states at once, `draw_times`; with `states=0`, all of them |
| 6 – 11 | EHE and extractor give scores and p_stop | `Policy.step` |
| 12 | π(A_t given S_t), equation 4 | `episode_loss` |
| 13 | θ ← θ + α · r / (T + 1) · ∇ log π | `episode_loss`, `Learner.learn` |

The other objectives (`memsum.training.learning.objectives`) replace lines 4 to 12 and keep the loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.training.learning.checkpoint import Average, TrainingProgress
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedCorpus, EncodedDocument
from memsum.training.learning.distributed import World
from memsum.training.policy import Batch, Encoded, Policy, State, StepScores
from memsum.training.policy.batch import collate, micro_batches

_WINDOW = 50  # batches whose documents are sorted together: enough to find neighbours, few enough to stay random


class Loss(Protocol):
    """What is descended on."""

    def __call__(
        self,
        policy: Policy,
        batch: Batch,
        documents: Sequence[EncodedDocument],
        generators: Sequence[np.random.Generator],
        config: TrainingConfig,
    ) -> Tensor:
        """Give the sum over the documents of the batch, each with its own generator for what is random."""


# --- the loop: lines 1 and 13 ----------------------------------------------------------------------------------------


@dataclass
class Learner:
    """The loop of Algorithm 1 on one policy."""

    policy: Policy
    corpus: EncodedCorpus
    augment: Callable[[EncodedDocument, np.random.Generator], EncodedDocument]  # what is shown of a document
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
        self.updates = max(1, round(self.config.epochs * self.updates_per_epoch))

    def learn(self) -> Iterator[float]:
        """Go on from where the progress is to the end; gives the mean loss of each update's documents."""
        shares = source_shares(self.corpus.sources, self.config.temperature)
        batches: list[NDArray[np.int64]] = []
        while self.progress.update < self.updates:
            epoch, within = divmod(self.progress.update, self.updates_per_epoch)
            if not within or not batches:
                batches = epoch_batches(self.corpus.sentences, self.config.batch, self.config.seed, epoch, shares)
            yield self._update(batches[within], epoch)

    def _update(self, numbers: NDArray[np.int64], epoch: int) -> float:
        """One step of descent on these documents, of all processes; gives their mean loss, NaN if it was left out."""
        update, config, world = self.progress.update, self.config, self.world
        # Everything random depends on the update alone, so that a resumed training takes the same path.
        torch.manual_seed(hash((config.seed, update, world.rank)) & 0x7FFFFFFF)
        self.optimizer.param_groups[0]["lr"] = self._rate()
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

    def _loss(self, documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator]) -> Tensor:
        device = self.world.device
        batch = collate([document.text for document in documents]).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=self.config.precision == "bf16"):
            return self.loss(self.policy, batch, documents, generators, self.config)

    def _rate(self) -> float:
        """α: linear warm-up, then a cosine to the final rate."""
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


# --- the loss: lines 5 to 13 -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Targets:
    """States of the documents' episodes and what is to be done in each: K states per document, one after the other."""

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


def episode_loss(policy: Policy, encoded: Encoded, targets: Targets) -> tuple[Tensor, StepScores]:
    """−Σ weight · log π(A_t given S_t), the weights r / (T + 1): line 13; and what the policy thinks in each state.

    Equation 4: a sentence is extracted with (1 − p_stop) · u_a / Σ u_j, over what remains. Of the stop, only p_stop has
    a gradient. A policy without one chooses a stop sentence instead, or is not told when to stop.
    """
    encoded = encoded.repeat(targets.per_document)
    state, action, stops = _with_stop_sentence(encoded, targets)
    scores = policy.step(encoded, state)
    # Where nothing remains there is nothing to choose: its log would be −inf − (−inf), and stopping is certain.
    over = ~state.remaining.any(dim=1)
    log_choice = scores.log_choice(state.remaining | over[:, None]).gather(1, action[:, None])[:, 0]
    if scores.stop is not None:
        stop = scores.stop.float()
        log_action = torch.where(stops, F.logsigmoid(stop), F.logsigmoid(-stop) + log_choice.masked_fill(stops, 0))
    elif encoded.stop_place is not None:
        log_action = log_choice
    else:
        log_action = log_choice.masked_fill(stops, 0)
    return -(targets.weight * log_action.masked_fill(over, 0)).sum(), scores


def _with_stop_sentence(encoded: Encoded, targets: Targets) -> tuple[State, Tensor, Tensor]:
    """Where a stop sentence ends the episode, it can always be chosen, and stopping is choosing it."""
    state, action, stops = targets.state, targets.action, targets.stops
    if encoded.stop_place is None:
        return state, action, stops
    remaining = F.pad(state.remaining, (0, 1)).scatter(1, encoded.stop_place[:, None], True)
    return State(remaining, state.extracted, state.taken), torch.where(stops, encoded.stop_place, action), stops


# --- the states: lines 4 and 5 ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Visit:
    """An episode, the states of it that are looked at, and how much each of them counts."""

    episode: NDArray[np.int64]  # positions, in order of extraction
    times: Sequence[int]
    weight: float


def sample_targets(
    documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator], states: int
) -> Targets:
    """Draw an episode per document, shuffle it, and draw `states` of its states (0: all of them, padded)."""
    visits = [_draw(document, rng, states) for document, rng in zip(documents, generators, strict=True)]
    return fill_targets(documents, visits)


def fill_targets(documents: Sequence[EncodedDocument], visits: Sequence[Visit]) -> Targets:
    """The states of the visits, as many visits per document, one document's after the other's."""
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


def _draw(document: EncodedDocument, rng: np.random.Generator, states: int) -> Visit:
    """The paper's r / (T + 1) · Σ_t, estimated from some of the T + 1 states."""
    which = int(rng.integers(len(document.episodes)))
    episode = _either(document, rng.permutation(document.episodes[which]), rng)
    times = draw_times(len(episode) + 1, states, rng)
    return Visit(episode, times, float(document.rewards[which]) / len(times))


def _either(document: EncodedDocument, episode: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
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
