"""What a server allows, each limit answered with a status and one sentence; and the socket that it listens on."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, field
from typing import Any

from memsum.errors import MemsumError
from memsum.isolation import cores

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
BACKLOG = 512
MB = 2**20
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


def is_loopback(host: str) -> bool:
    """Tell if only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """Bind before anything is loaded, so that a taken port is reported at once."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        # asyncio does not set it on connections of such a socket; without it each answer's body waits 40 ms for an
        # acknowledgement of its head. Connections inherit it.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MemsumError(
            f"The server cannot listen on {host}, port {port}: {reason}.", "Choose another --port."
        ) from None


def address_of(opened: socket.socket, host: str | None = None) -> str:
    """Return the URL of a socket, without a slash at its end; `host` is its public name."""
    number, port = opened.getsockname()[:2]
    host = host or number
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
