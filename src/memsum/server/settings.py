"""What a server allows; every limit is answered with a status and one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memsum.errors import MemsumError
from memsum.isolation import cores
from memsum.server.sockets import MB

_MOST_WORKERS = 4  # each holds a model; more of them are asked for
_OF_WORKERS = ("seconds", "text_bytes", "sentences", "documents", "explained", "reading_bytes", "reading_seconds")


@dataclass(frozen=True)
class Settings:
    """Limits of a server; the defaults suit a small machine."""

    workers: int = field(default_factory=lambda: min(cores(), _MOST_WORKERS))  # documents at once
    queue: int = 32  # requests that may wait for a worker
    seconds: float = 60.0  # from the arrival of a request to its answer
    upload_seconds: float = 30.0  # for a request to arrive
    bytes: int = 20 * MB  # of a request
    held_bytes: int = 160 * MB  # of all requests that are being answered
    text_bytes: int = 4 * MB  # of a document's text, in UTF-8; each sentence of a list counts one more
    sentences: int = 10_000  # of a document
    documents: int = 64  # of a batch
    explained: int = 1_000_000  # scores of an explanation
    reading_bytes: int = 256 * MB  # of all documents that are kept for their readers
    reading_seconds: float = 30 * 60.0  # that a document is kept after it was last used
    token: str | None = field(default=None, repr=False)  # that every request for /v1 and /metrics must bear
    hosts: frozenset[str] | None = None  # that requests may be addressed to; None: any

    def __post_init__(self) -> None:
        for name in ("workers", "seconds", "upload_seconds", "bytes", "text_bytes", "sentences", "documents"):
            if getattr(self, name) <= 0:
                raise MemsumError(f"{name} must be positive (got {getattr(self, name)}).")
        if self.queue < 0:
            raise MemsumError(f"queue must not be negative (got {self.queue}).")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise MemsumError("The token must be printable ASCII.")

    def for_worker(self) -> dict[str, Any]:
        """Return the limits of a worker process: its share of the memory for documents, and no secrets."""
        return {name: getattr(self, name) for name in _OF_WORKERS} | {
            "reading_bytes": self.reading_bytes // self.workers
        }
