"""Clients of the server that cost next to nothing: raw sockets that stay open, all in one thread of a process apart."""

from __future__ import annotations

import multiprocessing
import re
import selectors
import socket
import time
from collections import Counter
from dataclasses import dataclass

Place = tuple[str, int]


@dataclass(frozen=True)
class Load:
    """What came of many requests: answers by status (0: the connection broke), their bodies, and what they took."""

    statuses: Counter[int]
    answers: list[bytes]  # by request
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


class _Connection:
    """One request at a time."""

    def __init__(self, place: Place) -> None:
        self.socket = socket.create_connection(place)
        self.number = 0
        self._received = bytearray()

    def ask(self, number: int, request: bytes) -> None:
        """Send a request whole."""
        self.number = number
        self.socket.sendall(request)

    def answer(self) -> tuple[int, bytes] | None:
        """Read on: the status and the body of the answer once it is complete."""
        try:
            data = self.socket.recv(2**18)
        except OSError:
            data = b""
        if not data:
            return 0, b""
        self._received += data
        start = self._received.find(b"\r\n\r\n") + 4
        length = re.search(rb"\ncontent-length: *(\d+)\r", self._received[:start], re.IGNORECASE)
        if not length or len(self._received) < start + int(length[1]):
            return None
        status, body = int(self._received[9:12]), bytes(self._received[start:])
        self._received.clear()
        return status, body


def _ask(place: Place, bodies: list[bytes], clients: int, count: int) -> Load:
    requests = [_request(place, body) for body in bodies]
    statuses: Counter[int] = Counter()
    answers = [b""] * count
    to_ask = iter(range(count))
    began, cpu = time.perf_counter(), time.process_time()
    with selectors.DefaultSelector() as waiting:

        def ask(connection: _Connection) -> None:
            number = next(to_ask, None)
            if number is None:
                waiting.unregister(connection.socket)
                connection.socket.close()
            else:
                connection.ask(number, requests[number % len(requests)])

        def join() -> None:
            connection = _Connection(place)
            waiting.register(connection.socket, selectors.EVENT_READ, connection)
            ask(connection)

        for _ in range(clients):
            join()
        while waiting.get_map():
            for key, _ in waiting.select():
                connection = key.data
                answer = connection.answer()
                if answer is None:
                    continue
                status, answers[connection.number] = answer
                statuses[status] += 1
                if status:
                    ask(connection)
                else:
                    waiting.unregister(connection.socket)
                    connection.socket.close()
                    join()
    return Load(statuses, answers, time.perf_counter() - began, time.process_time() - cpu)


def _request(place: Place, body: bytes) -> bytes:
    head = f"POST /v1/summarize HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
