"""Map a function over a stream with several processes: memory bounded, a dead worker noticed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from memsum.errors import CorpusError, MemsumError

T = TypeVar("T")
R = TypeVar("R")

CHUNK = 8
# Chunks that may be finished ahead of a slow one, for each worker.
AHEAD = 4


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
) -> Generator[tuple[T, R], None, None]:
    """Yield each item with its result, in order or as they come; a stream too short to share is worked on right here.

    The function is pickled once and must answer for its own errors: an exception in a worker ends the map. So does the
    death of a worker, unless `lost` tells the result of an item that a worker died of, by the exit status.
    Close the generator to stop the workers before its end.
    """
    stream = iter(items)
    first = list(islice(stream, CHUNK)) if workers > 1 else []
    if len(first) < CHUNK:
        for item in chain(first, stream):
            yield item, function(item)
        return
    with _pool(function, workers) as pool:
        yield from _shared(pool, first, stream, ordered, lost)


class _Death(Exception):  # noqa: N818
    """The process at the other end of a pipe is gone."""


@dataclass(frozen=True)
class _Refusal:
    """A MemsumError on its way out of a worker."""

    message: str
    hint: str | None


class _Worker(Generic[T, R]):
    """A process at the other end of a pipe that holds at most one chunk at a time, so neither end can block both."""

    def __init__(self, function: Callable[[T], R]) -> None:
        self._function = function
        self._start()

    def send(self, chunk: list[T]) -> None:
        with suppress(OSError):  # if it died, whoever waits for the answer sees that
            self.pipe.send(chunk)

    def receive(self) -> list[R]:
        try:
            results: list[R] | _Refusal = self.pipe.recv()
        except (EOFError, OSError):
            raise _Death from None
        if isinstance(results, _Refusal):
            raise MemsumError(results.message, results.hint)
        return results

    def rescue(self, chunk: list[T], lost: Callable[[T, int], R] | None) -> list[R]:
        """Do a chunk again that the process died of, item by item; if it dies of each of them, it is not the items."""
        status = self._restart()
        results: list[R] = []
        deaths = 0
        for item in chunk if lost else ():
            self.send([item])
            try:
                results.extend(self.receive())
            except _Death:
                status = self._restart()
                deaths += 1
                results.append(lost(item, status))  # type: ignore[misc]
        if deaths == len(results):
            raise CorpusError(
                f"A worker process died (exit status {status}); what was finished is kept.",
                "It may have run out of memory: run the same command again with a smaller --workers.",
            )
        return results

    def stop(self) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._function), daemon=True)
        with _ctrl_c_is_ours():
            self._process.start()
        other.close()

    def _restart(self) -> int:
        """Replace the process that died, and tell its exit status."""
        self._process.join()
        status = self._process.exitcode or 0
        self.stop()
        self._start()
        return status


def _serve(pipe: Connection, function: Callable[[T], R]) -> None:
    """Answer chunks until the other end is gone, be it closed or killed."""
    try:
        while True:
            chunk = pipe.recv()
            try:
                answer: list[R] | _Refusal = [function(item) for item in chunk]
            except MemsumError as error:
                answer = _Refusal(error.message, error.hint)
            pipe.send(answer)
    except (EOFError, OSError):
        return


def _shared(
    pool: list[_Worker[T, R]],
    first: list[T],
    stream: Iterator[T],
    ordered: bool,
    lost: Callable[[T, int], R] | None,
) -> Iterator[tuple[T, R]]:
    idle = list(pool)
    busy: dict[object, tuple[_Worker[T, R], int, list[T]]] = {}
    finished: dict[int, list[tuple[T, R]]] = {}  # by their place among what is emitted
    sent = received = emitted = 0
    waiting = first

    def hand_out() -> None:
        nonlocal sent, waiting
        while waiting and idle and sent - emitted < AHEAD * len(pool):
            worker = idle.pop()
            worker.send(waiting)
            busy[worker.pipe] = (worker, sent, waiting)
            sent += 1
            waiting = list(islice(stream, CHUNK))

    while waiting or busy or finished:
        hand_out()  # before anything else: nobody shall wait while the caller looks at results
        while emitted in finished:
            yield from finished.pop(emitted)
            emitted += 1
        hand_out()
        for pipe in wait([worker.pipe for worker, _, _ in busy.values()]) if busy else ():
            worker, place, chunk = busy.pop(pipe)
            try:
                results = worker.receive()
            except _Death:
                results = worker.rescue(chunk, lost)
            finished[place if ordered else received] = list(zip(chunk, results, strict=True))
            received += 1
            idle.append(worker)


@contextmanager
def _pool(function: Callable[[T], R], workers: int) -> Iterator[list[_Worker[T, R]]]:
    pool: list[_Worker[T, R]] = []
    try:
        for _ in range(workers):
            pool.append(_Worker(function))
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
