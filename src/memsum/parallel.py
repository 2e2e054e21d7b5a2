"""Map a function over a stream with several processes: memory bounded, a dead worker noticed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, TypeVar

from memsum.errors import CorpusError, MemsumError
from memsum.isolation import address_space_mb, limit_memory, without_secrets

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

CHUNK = 8
CHUNK_BYTES = 2**20  # a chunk is not filled up beyond this
# Chunks that may be finished ahead of a slow one, for each worker.
AHEAD = 4
# How a process ends that took longer than it gave itself (`kill_self_after`): the fault of its item, and of no other.
TIMED_OUT = -getattr(signal, "SIGALRM", 0)


def cores() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    if workers == 1 and lost is not None:
        yield from _one_by_one(function, stream, lost, memory_mb)
        return
    first = _chunk(stream, weigh) if workers > 1 else []
    if lost is None and sum(map(weigh, first)) < CHUNK_BYTES and len(first) < CHUNK:
        for item in chain(first, stream):
            yield item, function(item)
        return
    with _pool(function, workers, memory_mb) as pool:
        yield from _shared(pool, first, stream, ordered, lost, weigh)


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


def _one_by_one(
    function: Callable[[T], R], stream: Iterator[T], lost: Callable[[T, int], R], memory_mb: int | None
) -> Generator[tuple[T, R], None, None]:
    """Use a single worker: nothing is read ahead."""
    with _pool(function, 1, memory_mb) as (worker,):
        for item in stream:
            worker.send([item])
            try:
                [result] = worker.receive()
            except _Death:
                [result] = worker.rescue([item], lost)
            yield item, result


class _Death(Exception):  # noqa: N818
    """The process at the other end of a pipe is gone."""


class _Worker(Generic[T, R]):
    """A process at the other end of a pipe that holds at most one chunk at a time, so neither end can block both."""

    def __init__(self, function: Callable[[T], R], memory_mb: int | None) -> None:
        self._function = function
        self._memory_mb = memory_mb
        self._deaths = 0  # one after the other, with no result between them
        self._start()

    def send(self, chunk: list[T]) -> None:
        with suppress(OSError):  # if it died, whoever waits for the answer sees that
            self.pipe.send(chunk)

    def receive(self) -> list[R]:
        try:
            results: list[R] | MemsumError = self.pipe.recv()
        except (EOFError, OSError):
            raise _Death from None
        if isinstance(results, MemsumError):
            raise results
        self._deaths = 0
        return results

    def rescue(self, chunk: list[T], lost: Callable[[T, int], R] | None) -> list[R]:
        """Do a chunk again that the process died of, item by item; if it dies of one after another, it is not them."""
        status = self._restart()
        if lost is not None and len(chunk) == 1:  # then it is clear which one it was
            return [self._lose(chunk[0], status, lost)]
        results: list[R] = []
        for item in chunk if lost else ():
            self.send([item])
            try:
                results.extend(self.receive())
            except _Death:
                results.append(self._lose(item, self._restart(), lost))  # type: ignore[arg-type]
        if len(results) < len(chunk):
            raise _worker_died(status)
        return results

    def _lose(self, item: T, status: int, lost: Callable[[T, int], R]) -> R:
        self._deaths += status != TIMED_OUT
        if self._deaths >= CHUNK:
            raise _worker_died(status)
        return lost(item, status)

    def stop(self) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join()

    def _start(self) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._function, self._memory_mb), daemon=True)
        with _ctrl_c_is_ours(), without_secrets():
            self._process.start()
        other.close()

    def _restart(self) -> int:
        """Replace the process that died, and tell its exit status."""
        self._process.join()
        status = self._process.exitcode or 0
        self.stop()
        self._start()
        return status


def _worker_died(status: int) -> CorpusError:
    return CorpusError(
        f"A worker process died (exit status {status}); finished work is saved.",
        "It may have run out of memory: run the same command again with a smaller --workers.",
    )


def _serve(pipe: Connection, function: Callable[[T], R], memory_mb: int | None) -> None:
    """Answer chunks until the other end is gone, be it closed or killed."""
    if memory_mb is not None:
        limit_memory(address_space_mb() + memory_mb)
    try:
        while True:
            chunk = pipe.recv()
            try:
                answer: list[R] | MemsumError = [function(item) for item in chunk]
            except MemsumError as error:
                answer = MemsumError(error.message, error.hint)  # subclasses may not survive pickling
            pipe.send(answer)
    except (EOFError, OSError):
        return


def _shared(
    pool: list[_Worker[T, R]],
    first: list[T],
    stream: Iterator[T],
    ordered: bool,
    lost: Callable[[T, int], R] | None,
    weigh: Callable[[T], int],
) -> Iterator[tuple[T, R]]:
    from multiprocessing.connection import wait

    idle = list(pool)
    busy: dict[object, tuple[_Worker[T, R], int, list[T]]] = {}
    finished: dict[int, list[tuple[T, R]]] = {}  # by their position among what is emitted
    sent = received = emitted = 0
    waiting = first

    def hand_out() -> None:
        nonlocal sent, waiting
        while waiting and idle and sent - emitted < AHEAD * len(pool):
            worker = idle.pop()
            worker.send(waiting)
            busy[worker.pipe] = (worker, sent, waiting)
            sent += 1
            waiting = _chunk(stream, weigh)

    while waiting or busy or finished:
        hand_out()  # before anything else: nobody waits while the caller handles results
        while emitted in finished:
            yield from finished.pop(emitted)
            emitted += 1
        hand_out()
        for pipe in wait([worker.pipe for worker, _, _ in busy.values()]) if busy else ():
            worker, position, chunk = busy.pop(pipe)
            try:
                results = worker.receive()
            except _Death:
                results = worker.rescue(chunk, lost)
            finished[position if ordered else received] = list(zip(chunk, results, strict=True))
            received += 1
            idle.append(worker)


@contextmanager
def _pool(function: Callable[[T], R], workers: int, memory_mb: int | None) -> Iterator[list[_Worker[T, R]]]:
    pool: list[_Worker[T, R]] = []
    try:
        for _ in range(workers):
            pool.append(_Worker(function, memory_mb))
        yield pool
    finally:
        for worker in pool:
            worker.stop()


@contextmanager
def _ctrl_c_is_ours() -> Iterator[None]:
    """Start a process that ignores Ctrl-C, which the terminal sends to all: this process alone decides what to do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
