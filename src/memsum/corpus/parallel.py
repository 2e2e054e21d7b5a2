"""Map a function over a stream with several processes: results in order, memory bounded, a dead worker noticed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from memsum.errors import CorpusError

T = TypeVar("T")
R = TypeVar("R")

CHUNK = 8
# Chunks that may be finished ahead of a slow one, for each worker.
AHEAD = 4


def cores() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(function: Callable[[T], R], items: Iterable[T], workers: int) -> Generator[tuple[T, R], None, None]:
    """Yield each item with its result, in order; a stream too short to share is worked on in this process.

    The function is pickled once and must answer for its own errors: an exception in a worker ends the map.
    Close the generator to stop the workers before its end.
    """
    stream = iter(items)
    first = list(islice(stream, CHUNK))
    if workers <= 1 or len(first) < CHUNK:
        for batch in (first, stream):
            for item in batch:
                yield item, function(item)
        return
    with _pool(function, workers) as pool:
        yield from _shared(pool, first, stream)


class _Worker(Generic[T, R]):
    """A process at the other end of a pipe that holds at most one chunk at a time, so neither end can block both."""

    def __init__(self, function: Callable[[T], R]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, function), daemon=True)
        self._process.start()
        other.close()

    def send(self, chunk: list[T]) -> None:
        try:
            self.pipe.send(chunk)
        except OSError:
            raise self._died() from None

    def receive(self) -> list[R]:
        try:
            results: list[R] = self.pipe.recv()
        except (EOFError, OSError):
            raise self._died() from None
        return results

    def stop(self) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join()

    def _died(self) -> CorpusError:
        self._process.join()
        return CorpusError(
            f"A worker process died (exit status {self._process.exitcode}); what was finished is kept.",
            "It may have run out of memory: run the same command again with a smaller --workers.",
        )


def _serve(pipe: Connection, function: Callable[[T], R]) -> None:
    """Answer chunks until the other end is gone, be it closed or killed."""
    try:
        while True:
            chunk = pipe.recv()
            pipe.send([function(item) for item in chunk])
    except (EOFError, OSError):
        return


def _shared(pool: list[_Worker[T, R]], first: list[T], stream: Iterator[T]) -> Iterator[tuple[T, R]]:
    idle = list(pool)
    busy: dict[object, tuple[_Worker[T, R], int]] = {}
    chunks: dict[int, list[T]] = {}
    results: dict[int, list[R]] = {}
    sent = emitted = 0
    waiting = first
    while waiting or busy:
        while waiting and idle and sent - emitted < AHEAD * len(pool):
            worker = idle.pop()
            worker.send(waiting)
            busy[worker.pipe] = (worker, sent)
            chunks[sent] = waiting
            sent += 1
            waiting = list(islice(stream, CHUNK))
        for pipe in wait([worker.pipe for worker, _ in busy.values()]):
            worker, position = busy.pop(pipe)
            results[position] = worker.receive()
            idle.append(worker)
        while emitted in results:
            yield from zip(chunks.pop(emitted), results.pop(emitted), strict=True)
            emitted += 1


@contextmanager
def _pool(function: Callable[[T], R], workers: int) -> Iterator[list[_Worker[T, R]]]:
    pool: list[_Worker[T, R]] = []
    try:
        with _ctrl_c_is_ours():
            for _ in range(workers):
                pool.append(_Worker(function))
        yield pool
    finally:
        for worker in pool:
            worker.stop()


@contextmanager
def _ctrl_c_is_ours() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which the terminal sends to all: this process alone decides what to do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
