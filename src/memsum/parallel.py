"""Map a function over a stream with several processes: memory bounded, a dead worker noticed."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from memsum.errors import CorpusError, MemsumError
from memsum.isolation import Sandbox, SandboxDiedError, SandboxReply, limit_memory, process_memory, readable

T = TypeVar("T")
R = TypeVar("R")

CHUNK = 8
CHUNK_BYTES = 2**20  # a chunk is not filled up beyond this
# Chunks that may be finished ahead of a slow one, for each worker.
AHEAD = 4
# How a process ends that took longer than it gave itself (`kill_self_after`): the fault of its item, and of no other.
TIMED_OUT = -getattr(signal, "SIGALRM", 0)


def map_parallel(
    function: Callable[[T], R],
    items: Iterable[T],
    workers: int,
    *,
    ordered: bool = True,
    lost: Callable[[T, int], R] | None = None,
    weigh: Callable[[T], int] = lambda item: 0,
    memory_mb: int | None = None,
) -> Generator[tuple[T, R], None, None]:
    """Yield each item with its result, in order or as they come; a stream too short to share is worked on right here.

    The function is pickled once and must answer for its own errors: an exception in a worker ends the map. So does the
    death of a worker, unless `lost` tells the result of an item that a worker died of, by the exit status: then nothing
    is worked on right here. `weigh` tells about how many bytes an item has; a worker may take `memory_mb` of address
    space besides what it has when it starts. Workers have no secrets in their environment.
    Close the generator to stop the workers before its end.
    """
    stream = iter(items)
    first = _chunk(stream, weigh) if workers > 1 else []
    if lost is None and sum(map(weigh, first)) < CHUNK_BYTES and len(first) < CHUNK:
        for item in chain(first, stream):
            yield item, function(item)
        return
    pool = [_Worker(function, lost, memory_mb) for _ in range(workers)]
    try:
        if workers > 1:
            yield from _shared(pool, first, stream, ordered, weigh)
            return
        for item in stream:  # nothing is read ahead
            pool[0].send([item])
            yield item, pool[0].receive()[0]
    finally:
        for worker in pool:
            worker.sandbox.close()


def _chunk(stream: Iterator[T], weigh: Callable[[T], int]) -> list[T]:
    """Take the next few items: limits count bytes."""
    chunk: list[T] = []
    weight = 0
    for item in islice(stream, CHUNK):
        chunk.append(item)
        weight += weigh(item)
        if weight >= CHUNK_BYTES:
            break
    return chunk


class _Worker(Generic[T, R]):
    """A process that holds at most one chunk at a time."""

    def __init__(self, function: Callable[[T], R], lost: Callable[[T, int], R] | None, memory_mb: int | None) -> None:
        self.sandbox = Sandbox(None, None, log=True, confined=False)
        self._function = pickle.dumps((function, memory_mb))
        self._lost = lost
        self._chunk: list[T] = []
        self._deaths = 0  # one after the other, with no result between them

    def send(self, chunk: list[T]) -> None:
        self._chunk = chunk
        function = b"" if self.sandbox.alive else self._function  # for a new process
        self.sandbox.send(f"{__name__}:work", {"function_bytes": len(function)}, function + pickle.dumps(chunk))

    def receive(self) -> list[R]:
        """Return the results of the chunk; one that the process died of is done again item by item."""
        try:
            results: list[R] | MemsumError = pickle.loads(self.sandbox.receive()[1])  # noqa: S301 - made by `work`
        except SandboxDiedError as death:
            return self._rescue(death.status)
        if isinstance(results, MemsumError):
            raise results
        self._deaths = 0
        return results

    def _rescue(self, status: int) -> list[R]:
        """Lose the one item that the process died of; if it dies of one after another, it is not them."""
        chunk = self._chunk
        if self._lost is not None and len(chunk) > 1:
            results = []
            for item in chunk:
                self.send([item])
                results += self.receive()
            return results
        self._deaths += status != TIMED_OUT
        if self._lost is None or self._deaths >= CHUNK:
            raise CorpusError(
                f"A worker process died (exit status {status}); finished work is saved.",
                "It may have run out of memory: run the same command again with a smaller --workers.",
            )
        return [self._lost(chunk[0], status)]


_function: Callable[[Any], Any] | None = None  # of this very process, if it is a worker


def work(header: dict[str, Any], data: bytes) -> SandboxReply:
    """Do a chunk in a worker; the first one comes behind the function, and the limit of memory."""
    global _function
    if size := header["function_bytes"]:
        _function, memory_mb = pickle.loads(data[:size])  # noqa: S301 - made by the process that started this one
        if memory_mb is not None:
            limit_memory(process_memory()[0] // 2**20 + memory_mb)
    chunk = pickle.loads(data[size:])  # noqa: S301
    try:
        results: list[Any] | MemsumError = [_function(item) for item in chunk]  # type: ignore[misc]
    except MemsumError as error:
        results = MemsumError(error.message, error.hint)  # subclasses may not survive pickling
    return {}, pickle.dumps(results)


def _shared(
    pool: list[_Worker[T, R]], first: list[T], stream: Iterator[T], ordered: bool, weigh: Callable[[T], int]
) -> Iterator[tuple[T, R]]:
    idle = list(pool)
    busy: dict[Sandbox, tuple[_Worker[T, R], int, list[T]]] = {}
    finished: dict[int, list[tuple[T, R]]] = {}  # by their position among what is emitted
    sent = received = emitted = 0
    waiting = first

    def hand_out() -> None:
        nonlocal sent, waiting
        while waiting and idle and sent - emitted < AHEAD * len(pool):
            worker = idle.pop()
            worker.send(waiting)
            busy[worker.sandbox] = worker, sent, waiting
            sent += 1
            waiting = _chunk(stream, weigh)

    while waiting or busy or finished:
        hand_out()  # before anything else: nobody waits while the caller handles results
        while emitted in finished:
            yield from finished.pop(emitted)
            emitted += 1
        hand_out()
        for sandbox in readable(list(busy)) if busy else ():
            worker, position, chunk = busy.pop(sandbox)
            finished[position if ordered else received] = list(zip(chunk, worker.receive(), strict=True))
            received += 1
            idle.append(worker)
