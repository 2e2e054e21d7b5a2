"""The processes that do the work: each holds a model and is killed when a document takes too long.

The server's own process never parses what a client sent: it passes a request's body on as it came, and the answer back.
The worker reads documents in yet another process. These two hops are a security decision: a hostile document can only
end processes that are replaced. A bounded queue waits before the workers, and everything has a deadline.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from anyio import fail_after

from memsum.errors import ModelError
from memsum.isolation import Sandbox, SandboxDiedError, SandboxReply
from memsum.model import find_model
from memsum.server.metrics import Metrics
from memsum.server.middleware import Refusal, not_kept, too_late
from memsum.server.responses import ModelAnswer
from memsum.server.settings import Settings

_LOG = logging.getLogger("memsum.server")
_FUNCTION = "memsum.server.service:answer"
_LOADING_SECONDS = 120.0
_MEMORY_MB = 1280  # address space of a worker, besides the documents that it keeps; a third of it is used
_GROWN_MB = 448  # resident, likewise: a worker above this is replaced after its answer
_GRACE = 1.0  # seconds that a worker has to say itself that it is late, before it is killed


@dataclass(frozen=True)
class _Job:
    """A request for the worker of a number, or for any."""

    header: dict[str, Any]
    body: bytes = field(repr=False)
    worker: int | None
    deadline: float  # of `time.monotonic`
    future: Future[SandboxReply]


class Workers:
    """Runs requests in processes: at most `workers` at once, at most `queue` waiting, each within `seconds`."""

    def __init__(self, model: str | Path, settings: Settings, metrics: Metrics) -> None:
        source = find_model(model)
        self.count = settings.workers
        self.model: ModelAnswer | None = None  # once it is loaded
        # Clients need not know where a folder lies.
        self._name = source.folder.resolve().name if source.name == str(source.folder) else source.name
        self._folder = source.folder
        self._settings = settings
        self._metrics = metrics
        self._changed = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._threads: list[threading.Thread] = []
        self._sandboxes = [Sandbox(self._memory_mb(_MEMORY_MB), jobs=None, log=True) for _ in range(self.count)]
        self._readings = [0] * self.count
        self.jobs = 0  # that run or wait
        self._closed = False

    @property
    def readings(self) -> int:
        """Return the number of kept documents, as far as the workers have reported it."""
        return sum(self._readings)

    def start(self) -> None:
        """Start all processes and let each load the model; raise what prevents it."""
        deadline = time.monotonic() + _LOADING_SECONDS
        for future in [self._submit({"operation": "model"}, b"", worker, deadline) for worker in range(self.count)]:
            future.result()

    def close(self) -> None:
        """Kill the processes and cancel what waits; a later job starts them again."""
        with self._changed:
            self._closed = True
            while self._waiting:
                self._waiting.popleft().future.cancel()
            self._changed.notify_all()
        for sandbox in self._sandboxes:
            sandbox.kill()
        for thread in self._threads:
            thread.join(5)
        self._threads = []
        self._closed = False

    async def run(self, header: dict[str, Any], body: bytes = b"", worker: int | None = None) -> SandboxReply:
        """Return the answer of a worker, or raise a Refusal; 429 or 503 if there is none in time."""
        if worker is not None and worker >= self.count:
            raise not_kept()
        seconds = self._settings.seconds
        if self.jobs >= self.count + self._settings.queue:
            raise Refusal(429, "The server has as many requests as it can take.", "Try again soon.", retry_after=1)
        future = self._submit(header, body, worker, time.monotonic() + seconds)
        try:
            with fail_after(seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            # A waiting job is canceled by this; a running one is killed, and counts until then.
            raise too_late(seconds) from None

    def _submit(self, header: dict[str, Any], body: bytes, worker: int | None, deadline: float) -> Future[SandboxReply]:
        job = _Job(header, body, worker, deadline, Future())

        def count_down(future: Future[SandboxReply]) -> None:
            with self._changed:
                self.jobs -= 1

        job.future.add_done_callback(count_down)
        with self._changed:
            self.jobs += 1
            if not self._threads:
                self._threads = [
                    threading.Thread(target=self._work, args=(worker,), name=f"memsum-worker-{worker}", daemon=True)
                    for worker in range(self.count)
                ]
                for thread in self._threads:
                    thread.start()
            self._waiting.append(job)
            self._changed.notify_all()
        return job.future

    def _work(self, worker: int) -> None:
        """Run one worker's thread: it waits for a job, and then for the process."""
        sandbox = self._sandboxes[worker]
        while (job := self._next(worker)) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                job.future.set_result(self._answer(sandbox, worker, job))
            except BaseException as error:  # whoever waits gets it
                job.future.set_exception(error)
            del job
        sandbox.close()

    def _next(self, worker: int) -> _Job | None:
        """Return the first job that this worker may do; None when there will be no more."""
        with self._changed:
            while not self._closed:
                for job in self._waiting:
                    if job.worker is None or job.worker == worker:
                        self._waiting.remove(job)
                        return job
                self._changed.wait()
        return None

    def _answer(self, sandbox: Sandbox, worker: int, job: _Job) -> SandboxReply:
        if time.monotonic() > job.deadline:
            raise too_late(self._settings.seconds)
        try:
            if not sandbox.alive:
                header = {"operation": "load", "folder": str(self._folder), "name": self._name, "worker": worker}
                header["limits"] = self._settings.for_worker()
                about, _ = sandbox.ask(_FUNCTION, header, b"", _LOADING_SECONDS, sandbox.memory_mb)
                if "message" in about:
                    sandbox.close()
                    raise ModelError(about["message"], about["hint"])
                self.model = cast(ModelAnswer, about)
                _LOG.info("Worker %d has loaded %s.", worker, self._name)
            left = job.deadline - time.monotonic()
            header = {**job.header, "left": left}
            about, content = sandbox.ask(_FUNCTION, header, job.body, max(left, 0) + _GRACE, sandbox.memory_mb)
            if about.get("memory_mb", 0) > self._memory_mb(_GROWN_MB) and job.header["operation"] != "read":
                sandbox.close()
        except TimeoutError:
            _LOG.warning("Worker %d was ended: %s took too long.", worker, job.header["operation"])
            raise too_late(self._settings.seconds) from None
        except SandboxDiedError:
            _LOG.warning("The process of worker %d died: %s.", worker, job.header["operation"])
            raise Refusal(
                503, "The process that worked on this document died; it may have needed too much memory."
            ) from None
        finally:
            if not sandbox.alive:
                self._readings[worker] = 0
        self._metrics.documents.inc(about.get("documents", 0))
        self._metrics.sentences.inc(about.get("sentences", 0))
        self._readings[worker] = about.get("readings", 0) if sandbox.alive else 0
        if "message" in about:
            raise Refusal(about["status"], about["message"], about["hint"], about["retry_after"])
        return about, content

    def _memory_mb(self, own: int) -> int:
        """Add a worker's share of the documents that are kept to what it takes itself."""
        return own + self._settings.reading_bytes // self.count // 2**20
