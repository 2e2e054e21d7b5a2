"""Clients of the server that cost next to nothing: raw sockets that stay open, all in one thread of a process apart."""

from __future__ import annotations

import multiprocessing
import re
import selectors
import socket
import time
from collections import Counter
from dataclasses import dataclass, field

Place = tuple[str, int]


@dataclass(frozen=True)
class Load:
    """What came of many requests: answers by status (0: the connection broke), and what they took."""

    statuses: Counter[int]
    seconds: float
    cpu_seconds: float  # of the clients themselves

    @property
    def rate(self) -> float:
        """Answers a second."""
        return sum(self.statuses.values()) / self.seconds


def load(place: Place, bodies: list[bytes], clients: int, count: int) -> Load:
    """Ask `count` times by clients that each ask again as soon as they are answered; the bodies go round."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_ask, (place, bodies, clients, count))


@dataclass
class _Connection:
    """One request at a time."""

    place: Place
    received: bytearray = field(default_factory=bytearray)

    def open(self) -> socket.socket:
        """Connect."""
        self.socket = socket.create_connection(self.place)
        return self.socket

    def status(self) -> int | None:
        """Read on: the status of the answer once it is complete."""
        try:
            data = self.socket.recv(2**18)
        except OSError:
            data = b""
        if not data:
            return 0
        self.received += data
        end = self.received.find(b"\r\n\r\n") + 4
        length = re.search(rb"\ncontent-length: *(\d+)\r", self.received[:end], re.IGNORECASE)
        if not length or len(self.received) < end + int(length[1]):
            return None
        status = int(self.received[9:12])
        self.received.clear()
        return status


def _ask(place: Place, bodies: list[bytes], clients: int, count: int) -> Load:
    requests = [_request(place, body) for body in bodies]
    statuses: Counter[int] = Counter()
    began, cpu = time.perf_counter(), time.process_time()
    with selectors.DefaultSelector() as waiting:
        asked = 0
        for _ in range(min(clients, count)):
            connection = _Connection(place)
            waiting.register(connection.open(), selectors.EVENT_READ, connection)
            connection.socket.sendall(requests[asked % len(requests)])
            asked += 1
        while waiting.get_map():
            for key, _ in waiting.select():
                connection = key.data
                status = connection.status()
                if status is None:
                    continue
                statuses[status] += 1
                if asked >= count or status == 0:
                    waiting.unregister(connection.socket)
                    connection.socket.close()
                if asked >= count:
                    continue
                if status == 0:
                    connection = _Connection(place)
                    waiting.register(connection.open(), selectors.EVENT_READ, connection)
                connection.socket.sendall(requests[asked % len(requests)])
                asked += 1
    return Load(statuses, time.perf_counter() - began, time.process_time() - cpu)


def _request(place: Place, body: bytes) -> bytes:
    head = f"POST /v1/summarize HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
