"""The loop of every training: batches of documents, the update of the weights, and the rate.

What is learned of a batch is the learner's own: Algorithm 1 of the paper (`memsum_train.paper.train`), or a loss of
`memsum_train.learning.objectives`.
"""

from __future__ import annotations

import ctypes
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch import Tensor, nn

from memsum.errors import TrainingError
from memsum.files import write_atomically
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedCorpus, EncodedDocument
from memsum_train.learning.distributed import World
from memsum_train.policy import Batch, Policy
from memsum_train.policy.batch import collate, micro_batches

_WINDOW = 50  # batches whose documents are sorted together: enough to find neighbors, few enough to stay random
_SCALE = 2.0**14  # of losses in fp16 at first, so that small gradients are not rounded to zero
_RAISE = 1_000  # updates after which that is doubled; it is halved whenever a gradient overflows
CHECKPOINT_FILE = "checkpoint.safetensors"
_PRECISIONS = {"bf16": torch.bfloat16, "fp16": torch.float16}

Augment = Callable[[EncodedDocument, np.random.Generator], EncodedDocument]


@dataclass
class TrainingProgress:
    """How far a training has come."""

    update: int = 0
    documents: int = 0
    seconds: float = 0.0
    best: float = -1.0
    best_update: int = 0
    validations_since_best: int = 0
    scale: float = 1.0  # of losses, in fp16
    losses: list[float] = field(default_factory=list)  # since the last line of the metrics


class Average:
    """Exponential moving average of the weights: what is validated and kept."""

    def __init__(self, policy: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: weight.detach().clone() for name, weight in policy.named_parameters()}

    @torch.no_grad()
    def update(self, policy: nn.Module, updates: int) -> None:
        """Move towards the present weights, faster at the beginning."""
        decay = min(self.decay, (1 + updates) / (10 + updates))
        averages = list(self.weights.values())
        torch._foreach_lerp_(averages, [p.detach() for _, p in policy.named_parameters()], 1 - decay)

    @torch.no_grad()
    def swap(self, policy: nn.Module) -> None:
        """Exchange the average and the present weights; a second call puts them back."""
        for name, weight in policy.named_parameters():
            kept = weight.detach().clone()
            weight.copy_(self.weights[name])
            self.weights[name].copy_(kept)


@dataclass(frozen=True)
class Part:
    """Documents that are in memory together, each with a generator for what is random."""

    documents: Sequence[EncodedDocument]
    generators: Sequence[np.random.Generator]
    size: int  # documents of the whole batch, over all processes


@dataclass
class Learner:
    """One network, its optimizer, and the update on a batch."""

    policy: Policy
    corpus: EncodedCorpus
    augment: Augment
    config: TrainingConfig
    world: World
    progress: TrainingProgress = field(default_factory=TrainingProgress, init=False)
    spent: float = field(default=0.0, init=False)  # share of the time that the training has, if it is limited

    def __post_init__(self) -> None:
        self.policy.to(self.world.device)
        self.average = Average(self.policy, self.config.average)
        optimizer = torch.optim.Adam if self.config.optimizer == "adam" else torch.optim.AdamW
        self.optimizer = optimizer(
            self.policy.parameters(),
            lr=self.config.learning_rate,
            betas=self.config.betas,
            weight_decay=self.config.weight_decay,
            fused=self.world.device.type == "cpu",  # a fifth of the time of the default there
        )
        self.updates_per_epoch = math.ceil(len(self.corpus) / self.config.batch)
        self.updates = self.config.updates(len(self.corpus))
        self.progress.scale = _SCALE if self.config.precision == "fp16" else 1.0
        mixes = self.config.temperature != 1
        self._shares = source_shares(self.corpus.sources, self.config.temperature) if mixes else None
        self._epoch: tuple[int, list[NDArray[np.int64]]] = (-1, [])  # the epoch whose batches these are
        # While a GPU computes, the documents of the next update are prepared.
        self._loader = ThreadPoolExecutor(1) if self.world.device.type == "cuda" else None
        self._next: tuple[int, Future[list[Part]]] | None = None

    def differentiate(self, parts: Sequence[Part]) -> float:
        """Add the gradient of a batch, part by part; return this process's share of its mean loss."""
        raise NotImplementedError

    def update(self) -> float:
        """Make the next step of descent, of all processes; return its documents' mean loss, NaN if it was left out."""
        update, config, world, progress = self.progress.update, self.config, self.world, self.progress
        parts = self._load(update)
        # Everything random depends on the update alone, so that a resumed training takes the same path.
        torch.manual_seed(hash((config.seed, update, world.rank)) & 0x7FFFFFFF)
        self.optimizer.param_groups[0]["lr"] = self._rate()
        self.optimizer.zero_grad(set_to_none=True)
        total = self.differentiate(parts)
        world.sum_gradients(self.policy)
        total = world.sum(total)
        weights = [weight for weight in self.policy.parameters() if weight.grad is not None]
        if progress.scale != 1:
            torch._foreach_div_([weight.grad for weight in weights if weight.grad is not None], progress.scale)
        norm = float(torch.nn.utils.clip_grad_norm_(weights, config.clip or math.inf))
        progress.update += 1
        progress.documents += len(self._numbers(update))
        trim_memory()
        if config.precision == "fp16":
            if math.isfinite(total) and not math.isfinite(norm) and progress.scale > 1:
                progress.scale /= 2
                return total
            progress.scale *= 2 if progress.update % _RAISE == 0 else 1
        if not (math.isfinite(total) and math.isfinite(norm)):
            return math.nan
        self.optimizer.step()
        self.average.update(self.policy, update)
        return total

    def backward(self, loss: Tensor) -> float:
        """Add the gradient of a loss, scaled in fp16; return the loss."""
        (self.progress.scale * loss).backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def autocast(self) -> AbstractContextManager[Any]:
        """Compute in the precision of the settings."""
        dtype = _PRECISIONS.get(self.config.precision)
        return torch.autocast(self.world.device.type, dtype, enabled=dtype is not None)

    def collate(self, part: Part) -> Batch:
        return collate([document.text for document in part.documents]).to(self.world.device)

    def _load(self, update: int) -> list[Part]:
        """Return this process's parts of an update, and have those of the next one prepared."""
        if self._loader is None:
            return list(self._parts(update))
        ready = self._next[1].result() if self._next and self._next[0] == update else list(self._parts(update))
        self._next = (update + 1, self._loader.submit(lambda: list(self._parts(update + 1))))
        return ready

    def _parts(self, update: int) -> Iterator[Part]:
        epoch, numbers = update // self.updates_per_epoch, self._numbers(update)
        mine = numbers[self.world.rank :: self.world.size]
        generators = [np.random.default_rng((self.config.seed, epoch, int(i))) for i in mine]
        documents = [self.augment(self.corpus[i], rng) for i, rng in zip(mine, generators, strict=True)]
        sentences = np.array([len(document.text) for document in documents])
        for part in micro_batches(range(len(documents)), sentences, self.config.part_sentences):
            yield Part([documents[i] for i in part], [generators[i] for i in part], len(numbers))

    def _numbers(self, update: int) -> NDArray[np.int64]:
        """Return the numbers of the documents of an update."""
        epoch, within = divmod(update, self.updates_per_epoch)
        known, batches = self._epoch
        if known != epoch:
            batches = epoch_batches(self.corpus.sentences, self.config.batch, self.config.seed, epoch, self._shares)
            self._epoch = (epoch, batches)
        return batches[within]

    def _rate(self) -> float:
        """Return α: fixed, or warm-up and a cosine to the final rate, over the updates or, if it is short, the time."""
        config, update = self.config, self.progress.update
        if config.schedule == "constant":
            return config.learning_rate
        warm = min(config.warmup, self.updates // 10 + 1)
        if update < warm:
            return config.learning_rate * (update + 1) / warm
        share = (update - warm) / max(1, self.updates - warm)
        if self.spent * self.updates > update:  # the time does not suffice for all of them
            share = max(share, self.spent)
        cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        return config.learning_rate * (config.final_rate + (1 - config.final_rate) * cosine)


@dataclass(frozen=True)
class LossInput:
    """What an objective makes its loss of; each is made for one kind of network, which `Objective.check` ensures."""

    policy: Any
    batch: Batch
    documents: Sequence[EncodedDocument]
    generators: Sequence[np.random.Generator]  # of each document, for what is random
    config: TrainingConfig


Loss = Callable[[LossInput], Tensor]  # the sum over the documents


@dataclass(kw_only=True)
class LossLearner(Learner):
    """Learns by a loss of documents."""

    loss: Loss

    def differentiate(self, parts: Sequence[Part]) -> float:
        total = 0.0
        for part in parts:
            given = LossInput(self.policy, self.collate(part), part.documents, part.generators, self.config)
            with self.autocast():
                loss = self.loss(given) / part.size
            total += self.backward(loss)
        return total


def trim_memory() -> None:
    """Give freed memory back to the system: glibc keeps what tensors of ever other sizes leave, gigabytes of it."""
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)


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


def source_shares(sources: NDArray[np.int64], temperature: float) -> NDArray[np.float64]:
    """Return how often each document is shown per epoch, so that a source of n is shown about n ** temperature."""
    counts = np.bincount(sources)
    shares = counts[sources] ** (temperature - 1.0)
    return np.asarray(shares / shares.mean(), np.float64)


# --- checkpoints ---------------------------------------------------------------------------------------------------


def save_checkpoint(path: Path, learner: Learner) -> None:
    """Write the checkpoint; a full disk or a kill leaves the previous one."""
    tensors: dict[str, Tensor] = {}
    for name, weight in learner.policy.named_parameters():
        tensors[f"policy.{name}"] = weight.detach()
        tensors[f"average.{name}"] = learner.average.weights[name]
        for key, value in learner.optimizer.state.get(weight, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value.detach().clone()
    tensors = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    try:
        write_atomically(path, safetensors.torch.save(tensors, {"progress": json.dumps(asdict(learner.progress))}))
    except OSError as error:
        raise TrainingError(
            f"The checkpoint could not be written: {error.strerror}.",
            "The previous one is kept; free some space and resume.",
        ) from error


@torch.no_grad()
def load_checkpoint(path: Path, learner: Learner) -> None:
    """Put weights, average, optimizer and progress where the checkpoint left them."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            learner.progress = TrainingProgress(**json.loads(file.metadata()["progress"]))
        tensors = safetensors.torch.load_file(path)
        for name, weight in learner.policy.named_parameters():
            weight.copy_(tensors[f"policy.{name}"])
            learner.average.weights[name].copy_(tensors[f"average.{name}"])
            keys = [k.split(".")[1] for k in tensors if k.startswith("optimizer.") and k.split(".", 2)[2] == name]
            learner.optimizer.state[weight] = {
                key: tensors[f"optimizer.{key}.{name}"].to("cpu" if key == "step" else weight.device) for key in keys
            }
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise TrainingError(f"{path} is damaged: {error}.", "Start again with --restart.") from None
