"""One process or many: who am I, and how gradients are shared.

Gradients are summed in one flat all-reduce after the backward pass rather than by DistributedDataParallel: a batch in
which no episode has begun gives the history encoder no gradient, which DDP does not forgive, and at a few million
weights there is nothing to gain from overlapping.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from memsum.errors import TrainingError
from memsum.isolation import cores
from memsum_train.policy.device import choose_device

T = TypeVar("T")

# The others wait while the first process encodes a large corpus.
_PATIENCE = timedelta(hours=6)
_FAREWELL = 10.0  # seconds in which the other processes may end by themselves


@dataclass(frozen=True)
class World:
    """The processes of a training, and this one's rank among them."""

    rank: int
    size: int
    device: torch.device

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def sum_gradients(self, model: nn.Module) -> None:
        """Add up the gradients of all processes; no gradient is zero, so that one process moves as many do."""
        weights = [p for p in model.parameters() if p.requires_grad]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in weights]
        if self.size > 1:
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            with _all_present():
                dist.all_reduce(flat)
            parts = torch.split(flat, [p.numel() for p in weights])
            gradients = [part.view_as(weight) for part, weight in zip(parts, weights, strict=True)]
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient

    def sum(self, value: float) -> float:
        if self.size == 1:
            return value
        total: Tensor = torch.tensor(value, dtype=torch.float64, device=self.device)
        with _all_present():
            dist.all_reduce(total)
        return float(total)

    def gather(self, mine: list[T]) -> list[T]:
        """Interleave the processes' lists, for work that was dealt out one by one."""
        if self.size == 1:
            return mine
        parts: list[list[T]] = [[] for _ in range(self.size)]
        with _all_present():
            dist.all_gather_object(parts, mine)
        return [parts[i % self.size][i // self.size] for i in range(sum(map(len, parts)))]

    def barrier(self) -> None:
        if self.size > 1:
            with _all_present():
                dist.barrier()


@contextmanager
def _all_present() -> Iterator[None]:
    """Report that another process is gone; its own message gives the reason."""
    try:
        yield
    except RuntimeError:
        raise TrainingError("Another process of this training has failed.", "Its own message says why.") from None


@contextmanager
def join_world(device: str = "auto") -> Iterator[World]:
    """Join the other processes if torchrun started several; on a CPU, each then uses its share of the cores."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if size > 1 and device.startswith("cuda:"):
        raise TrainingError(f"{device} is one GPU, and there are {size} processes.", "Use --device cuda for all GPUs.")
    chosen = choose_device(device, local)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)  # where NCCL and all that names no device work
    if size == 1:
        yield World(0, 1, chosen)
        return
    if chosen.type == "cpu":
        share = int(os.environ.get("LOCAL_WORLD_SIZE", str(size)))
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // share))
    backend = "nccl" if chosen.type == "cuda" else "gloo"
    store, _, _ = next(rendezvous("env://", rank, size, timeout=_PATIENCE))
    store = _fresh(store, rank, size)
    with _all_present():
        dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=_PATIENCE)
        dist.barrier()  # so that one that fails at once leaves none behind that is still connecting
    try:
        yield World(rank, size, chosen)
    finally:
        dist.destroy_process_group()


def default_processes(device: str = "auto") -> int:
    """Return how many processes of this machine a training uses: one per GPU, or one per core."""
    if choose_device(device).type == "cpu":
        return cores()
    return 1 if device.startswith("cuda:") else torch.cuda.device_count()


def run_distributed(count: int, device: str, own: Callable[[World], T], others: Callable[[World], object]) -> T:
    """Do work in several processes of this machine, of which this one is the first; return what it makes of it.

    `others`, what the other processes do, must be picklable; it takes part in all that this one shares.
    """
    if count == 1:
        with join_world(device) as world:
            return own(world)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": str(count)}
    context = multiprocessing.get_context("spawn")
    ranks = [{"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(count)]
    helpers = [
        context.Process(target=_help, args=({**address, **rank}, device, others), daemon=True) for rank in ranks[1:]
    ]
    for helper in helpers:
        helper.start()
    before = torch.get_num_threads()
    own_environment = {**address, **ranks[0]}
    os.environ.update(own_environment)
    try:
        with join_world(device) as world:
            return own(world)
    finally:
        torch.set_num_threads(before)
        for name in own_environment:
            os.environ.pop(name, None)
        for helper in helpers:
            helper.join(_FAREWELL)
            helper.terminate()


def _help(environment: dict[str, str], device: str, work: Callable[[World], object]) -> None:
    """Take part in what another process does, which reports what goes wrong, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the first process to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.update(environment)
    try:
        with join_world(device) as world:
            work(world)
    except TrainingError:
        os._exit(1)
    os._exit(0)  # threads of libraries are not waited for, and would end an orderly exit by std::terminate


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _fresh(store: Store, rank: int, size: int) -> Store:
    """Return a part of the store in which nothing is written yet.

    When torchrun starts the processes again after one has died, the store still has the addresses of the dead. So each
    process brings a new name; the part is called by that of the first process, which lists the names of all others.
    A list without one's own name is of another time.
    """
    mine = uuid.uuid4().hex
    if rank == 0:
        store.set("first", mine)
        names = [store.get(f"{mine}/{other}").decode() for other in range(1, size)]
        store.set(f"{mine}/all", " ".join(names))
        return PrefixStore(mine, store)
    while True:
        first = store.get("first").decode()
        store.set(f"{first}/{rank}", mine)
        with suppress(dist.DistStoreError):  # not all are there yet, or the first has changed
            store.wait([f"{first}/all"], timedelta(seconds=1))
            if mine in store.get(f"{first}/all").decode().split():
                return PrefixStore(first, store)
            time.sleep(0.1)
