"""A few threads do the model's work; a bounded queue waits before them, and everything has its time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from anyio import fail_after

from memsum.server.errors import Refusal, too_late

T = TypeVar("T")


class Workers:
    """Runs jobs in threads: at most `count` at once, at most `queue` waiting, each answered within `seconds`."""

    def __init__(self, count: int, queue: int, seconds: float) -> None:
        self.count = count
        self._queue = queue
        self._seconds = seconds
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._jobs = 0

    @property
    def jobs(self) -> int:
        """Jobs that run or wait."""
        return self._jobs

    async def run(self, job: Callable[[float], T]) -> T:
        """The result of a job, which is told its deadline (of `time.monotonic`), or a Refusal: 429 or 503."""
        with self._lock:
            if self._jobs >= self.count + self._queue:
                raise Refusal(429, "The server has as many requests as it can take.", "Try again soon.", retry_after=1)
            self._jobs += 1
            self._pool = self._pool or ThreadPoolExecutor(self.count, "memsum-work")
        deadline = time.monotonic() + self._seconds

        def within_time() -> T:
            if time.monotonic() > deadline:
                raise too_late(self._seconds)
            return job(deadline)

        future = self._pool.submit(within_time)
        future.add_done_callback(self._finished)
        try:
            with fail_after(self._seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            # A job that waits is cancelled; one that runs looks at its deadline, and its place is taken until it ends.
            raise too_late(self._seconds) from None

    def close(self) -> None:
        """Let running jobs end, and forget those that wait; a later job begins anew."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _finished(self, future: Future[T]) -> None:
        with self._lock:
            self._jobs -= 1
