"""Numbers for Prometheus, in its text format."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts requests by route and status, and how long they took; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._documents = 0
        self._sentences = 0

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is a pattern, not what a client wrote."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._buckets[route][bisect_left(_BOUNDS, seconds)] += 1
            self._seconds[route] += seconds

    def summarised(self, documents: int, sentences: int) -> None:
        """Count documents and their sentences."""
        with self._lock:
            self._documents += documents
            self._sentences += sentences

    def render(self, gauges: Mapping[str, float]) -> str:
        """All numbers; `gauges` are those that the server knows just now."""
        with self._lock:
            lines = list(
                _metric(
                    "memsum_requests_total",
                    "counter",
                    "Requests answered.",
                    (
                        (f'{{method="{method}",route="{route}",status="{status}"}}', count)
                        for (method, route, status), count in sorted(self._requests.items())
                    ),
                )
            )
            lines += ["# HELP memsum_request_seconds Time to answer.", "# TYPE memsum_request_seconds histogram"]
            for route, buckets in sorted(self._buckets.items()):
                lines += _histogram("memsum_request_seconds", route, buckets, self._seconds[route])
            documents, sentences = self._documents, self._sentences
        lines += _metric("memsum_documents_total", "counter", "Documents summarised.", [("", documents)])
        lines += _metric("memsum_sentences_total", "counter", "Sentences of these documents.", [("", sentences)])
        for name, value in gauges.items():
            lines += _metric(f"memsum_{name}", "gauge", name.replace("_", " ").capitalize() + ".", [("", value)])
        if own := _resident_bytes(os.getpid(), tree=False):
            lines += _metric("process_resident_memory_bytes", "gauge", "Resident memory.", [("", own)])
            whole = _resident_bytes(os.getpid(), tree=True)
            lines += _metric("memsum_resident_bytes", "gauge", "The same with all processes.", [("", whole)])
        return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, says: str, samples: Iterable[tuple[str, float]]) -> Iterable[str]:
    yield f"# HELP {name} {says}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield f"{name}{labels} {value:g}" if isinstance(value, float) else f"{name}{labels} {value}"


def _histogram(name: str, route: str, buckets: Iterable[int], total: float) -> Iterable[str]:
    count = 0
    for bound, bucket in zip((*map(str, _BOUNDS), "+Inf"), buckets, strict=True):
        count += bucket
        yield f'{name}_bucket{{route="{route}",le="{bound}"}} {count}'
    yield f'{name}_sum{{route="{route}"}} {total:.6f}'
    yield f'{name}_count{{route="{route}"}} {count}'


def _resident_bytes(process: int, *, tree: bool) -> int:
    """Memory of a process, or of it and all it has started, where the system tells."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        tasks = Path(f"/proc/{process}/task").iterdir() if tree else ()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(_resident_bytes(child, tree=True) for child in children)
