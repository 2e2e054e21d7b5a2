"""What a server allows; every limit is answered with a status and one sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from memsum.errors import MemsumError

MB = 2**20
_MOST_WORKERS = 4  # in one process: beyond, they wait for the interpreter


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """Limits of a server; the defaults suit a small machine."""

    workers: int = field(default_factory=lambda: min(cores(), _MOST_WORKERS))  # documents at once
    queue: int = 32  # requests that may wait for a worker
    seconds: float = 60.0  # from the arrival of a request to its answer
    upload_seconds: float = 30.0  # for a request to arrive
    bytes: int = 20 * MB  # of a request
    held_bytes: int = 160 * MB  # of all requests that are being answered
    characters: int = 2_000_000  # of a text
    sentences: int = 10_000  # of a document
    documents: int = 64  # of a batch
    explained: int = 1_000_000  # scores of an explanation
    reading_bytes: int = 256 * MB  # of all documents that are kept for their readers
    reading_seconds: float = 30 * 60.0  # that a document is kept after it was last used
    token: str | None = field(default=None, repr=False)  # that every request for /v1 and /metrics must bear
    hosts: frozenset[str] | None = None  # that requests may be addressed to; None: any

    def __post_init__(self) -> None:
        for name in ("workers", "seconds", "upload_seconds", "bytes", "characters", "sentences", "documents"):
            if getattr(self, name) <= 0:
                raise MemsumError(f"A server cannot work with {name.replace('_', ' ')} of {getattr(self, name)}.")
        if self.queue < 0:
            raise MemsumError(f"A queue cannot hold {self.queue} requests.")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise MemsumError("A token is of printable ASCII characters.")
