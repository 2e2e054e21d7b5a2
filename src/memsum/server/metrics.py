"""Prometheus metrics, and the middleware that counts requests."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsum.isolation import process_memory

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})
ACCESS_LOG = logging.getLogger("memsum.access")  # addresses, routes and sizes: no names, no texts, no questions
_LEFT = 499  # the status, for counting, of a request that nobody waited for

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one server; threads may share it."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("memsum_requests", "Requests answered.", labels, registry=self._registry)
        self.seconds = Histogram(
            "memsum_request_seconds", "Time to answer.", ["route"], buckets=_BOUNDS, registry=self._registry
        )
        self.documents = Counter("memsum_documents", "Documents summarized.", registry=self._registry)
        self.sentences = Counter("memsum_sentences", "Sentences of these documents.", registry=self._registry)
        ProcessCollector(registry=self._registry)
        self.watch("resident_bytes", "Resident memory of all processes.", lambda: _resident_bytes(os.getpid()))

    def watch(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Add a gauge that is read at every request."""
        Gauge(f"memsum_{name}", about, registry=self._registry).set_function(value)

    def render(self) -> bytes:
        return generate_latest(self._registry)


class RequestMetrics:
    """ASGI middleware: counts requests by route and status, and how long they took; logs a line about each."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        status = _LEFT
        size = 0

        async def send_on(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        except Exception:
            status = 500
            raise
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = getattr(scope.get("route"), "path", "other")  # a pattern, not what a client wrote
            seconds = time.monotonic() - began
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(seconds)
            client = (scope.get("client") or ("-",))[0]
            ACCESS_LOG.info("%s %s %s %s %d bytes %.3f s", client, method, route, status, size, seconds)


def _resident_bytes(process: int) -> int:
    """Return the memory of a process and of all it has started, where the system reports it."""
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, ValueError):
        return 0
    return process_memory(process)[1] + sum(map(_resident_bytes, children))
