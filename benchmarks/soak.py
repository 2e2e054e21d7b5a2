"""The server among good, hostile, slow and vanishing clients: does it stay responsive, small, and within its files?

    python benchmarks/soak.py [--model DIR] [--seconds 120] [--clients 3] [--health]

All clients are threads of this process and speak to a server on the loopback that this process starts and ends. Each
kind of client goes on until the time is over. What counts: `/healthz` answers in time, good requests are answered, and
memory (of all processes of the server) and open files are at the end what they were after the first tenth. With
`--health` only `/healthz` is asked, while the documents that froze version 0.1 are being worked on.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

GOOD = " ".join(
    f"The pump of well {n} was repaired in spring, and the water of the village was clean." for n in range(60)
)
HOSTILE = [
    "<!-- a -->\n" * 45 + "Hello there.",
    "\\documentclass{a}\\newcommand\\a" + " " * 400 + "Hello.",
    "a" + "\u0301\u0316" * 8000,
    "$ " * 20_000 + "[" * 20_000,
    "w" * 500_000,
    "> " * 20_000 + "A.",
]
JSON = "application/json"
FORM = "multipart/form-data; boundary=x"


@dataclass
class Server:
    """A server in its own process."""

    process: subprocess.Popen[str]
    place: tuple[str, int]

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str = JSON, **headers: str
    ) -> tuple[int, bytes]:
        """Status and body of an answer; 0 if the connection breaks."""
        connection = http.client.HTTPConnection(*self.place, timeout=60)
        try:
            connection.request(method, path, body, {"content-type": kind, **headers})
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def send(self, data: bytes) -> socket.socket:
        """Send anything, and leave the connection to the caller."""
        opened = socket.create_connection(self.place, 60)
        with suppress(OSError):
            opened.sendall(data)
        return opened

    def files(self) -> int:
        """Open files of the server's own process."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208

    def memory(self) -> tuple[int, int]:
        """MB and number of all its processes."""
        processes = _tree(self.process.pid)
        return sum(_resident(process) for process in processes) // 2**20, len(processes)


@dataclass
class Soak:
    """What was seen."""

    answers: Counter[str] = field(default_factory=Counter)  # by kind of client and status
    health: list[float] = field(default_factory=list)  # seconds
    files: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # MB
    processes: list[int] = field(default_factory=list)
    stopped: float = 0.0  # seconds from SIGTERM to the end


@contextmanager
def serving(model: str | Path, *options: str) -> Iterator[Server]:
    """A server that is ended in any case."""
    command = [sys.executable, "-m", "memsum", "serve", "--port", "0", "--model", str(model), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", line)
        if not found:
            raise RuntimeError(f"The server did not start: {line}")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield Server(process, (found[1], int(found[2])))
        finally:
            process.kill()


def good(server: Server, chance: random.Random) -> int:
    """A text, a list, a form, or a document that is kept, shown and forgotten."""
    way = chance.randrange(4)
    if way == 0:
        return server.ask("POST", "/v1/summarize", json.dumps({"text": GOOD, "sentences": 3}).encode())[0]
    if way == 1:
        return server.ask("POST", "/v1/summarize", json.dumps({"text": GOOD.split(". ")}).encode())[0]
    if way == 2:
        return server.ask("POST", "/v1/summarize", _form(GOOD.encode()), FORM)[0]
    status, body = server.ask("POST", "/v1/readings", json.dumps({"text": GOOD}).encode())
    if status != 200:
        return status
    kept = f"/v1/readings/{json.loads(body)['id']}"
    statuses = {server.ask("GET", f"{kept}?extractions=9")[0], server.ask("GET", f"{kept}/summary?format=html")[0]}
    return max(statuses | {server.ask("DELETE", kept)[0]} - {204})


def hostile(server: Server, chance: random.Random) -> int:
    """Texts that take long, bodies that are none, and requests of other sites."""
    way = chance.randrange(5)
    if way == 0:
        return server.ask("POST", "/v1/summarize", json.dumps({"text": chance.choice(HOSTILE)}).encode())[0]
    if way == 1:
        return server.ask("POST", "/v1/summarize", b'{"text": [' + b'"",' * 300_000 + b'""]}')[0]
    if way == 2:
        return server.ask("POST", "/v1/summarize", b'{"text": ' + b"[" * 200_000)[0]
    if way == 3:
        return server.ask("POST", "/v1/summarize", _form(chance.randbytes(5000)), FORM)[0]
    return server.ask("POST", "/v1/summarize", b"{}", JSON, origin="https://evil.example")[0]


def slow(server: Server, chance: random.Random) -> int:
    """Half a head, or half a body; gone after a while."""
    half = b"POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    whole = half + b"Content-Length: 100000\r\n\r\n{"
    with server.send(chance.choice([half, whole, b""])) as opened:
        opened.settimeout(chance.random() * 3)
        with suppress(OSError):
            opened.recv(1)
    return 0


def vanishing(server: Server, chance: random.Random) -> int:
    """Asks, and is gone before the answer, or never reads it."""
    body = json.dumps({"text": GOOD * chance.randrange(1, 20)}).encode()
    head = (
        f"POST /v1/readings HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with server.send(head.encode() + body):
        time.sleep(chance.choice([0, 0.05, 2]))
    return 0


KINDS: dict[str, Callable[[Server, random.Random], int]] = {
    "good": good,
    "hostile": hostile,
    "slow": slow,
    "vanishing": vanishing,
}


def soak(server: Server, seconds: float, clients: int) -> Soak:
    """So many clients of each kind for a time; then the server is asked to stop amid requests."""
    seen = Soak()
    over = threading.Event()

    def client(kind: str, number: int) -> None:
        chance = random.Random(f"{kind}/{number}")
        while not over.is_set():
            status = KINDS[kind](server, chance)
            seen.answers[f"{kind} {status}"] += 1

    def health() -> None:
        while not over.wait(0.1):
            began = time.monotonic()
            if server.ask("GET", "/healthz")[0] == 200:
                seen.health.append(time.monotonic() - began)
            else:
                seen.answers["healthz failed"] += 1

    for _ in range(4):  # every worker has had something to do
        good(server, random.Random(0))
    threads = [threading.Thread(target=client, args=(kind, n)) for kind in KINDS for n in range(clients)]
    threads.append(threading.Thread(target=health))
    for thread in threads:
        thread.start()
    for _ in range(10):
        over.wait(seconds / 10)
        memory, processes = server.memory()
        seen.files.append(server.files())
        seen.memory.append(memory)
        seen.processes.append(processes)
    over.set()
    for thread in threads:
        thread.join()
    stuck = server.send(_request({"text": HOSTILE[0]}))
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(60)
    seen.stopped = time.monotonic() - began
    stuck.close()
    return seen


def health_at_work(server: Server, seconds: float) -> list[float]:
    """Seconds of each answer of `/healthz` while two clients send nothing but documents that once froze the server."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.memsum.document.frames import FRAMES

    cell = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
    tables = FRAMES["docx"]("<w:tbl><w:tr><w:tc>" * 80 + cell + "</w:tc></w:tr></w:tbl>" * 80)
    assert isinstance(tables, bytes)
    bodies = [(json.dumps({"text": text}).encode(), JSON) for text in HOSTILE[:2]] + [(_form(tables), FORM)]
    over = threading.Event()

    def client() -> None:
        while not over.is_set():
            for body, kind in bodies:
                server.ask("POST", "/v1/summarize", body, kind)

    clients = [threading.Thread(target=client) for _ in range(2)]
    for thread in clients:
        thread.start()
    taken: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        if server.ask("GET", "/healthz")[0] != 200:
            raise RuntimeError("/healthz failed")
        taken.append(time.monotonic() - began)
        time.sleep(0.02)
    over.set()
    for thread in clients:
        thread.join()
    return sorted(taken)


def _request(record: dict[str, str]) -> bytes:
    body = json.dumps(record).encode()
    head = (
        f"POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _form(content: bytes) -> bytes:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    return head + content + b"\r\n--x--\r\n"


def _tree(process: int) -> list[int]:
    """A process and all that it started."""
    found = [process]
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _tree(int(child))
    return found


def _resident(process: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--clients", type=int, default=3, help="of each kind")
    parser.add_argument("--health", action="store_true")
    arguments = parser.parse_args()
    if arguments.health:
        with serving(arguments.model, "--workers", "2") as server:
            taken = [1000 * one for one in health_at_work(server, arguments.seconds)]
        middle, most = taken[len(taken) // 2], taken[int(0.99 * len(taken))]
        print(f"healthz: {len(taken)}, median {middle:.0f} ms, 99 % {most:.0f} ms, slowest {taken[-1]:.0f} ms")
        return
    with serving(arguments.model, "--workers", "2", "--queue", "16", "--timeout", "3") as server:
        seen = soak(server, arguments.seconds, arguments.clients)
    health = sorted(seen.health)
    print("answers: " + ", ".join(f"{kind} {count}" for kind, count in sorted(seen.answers.items())))
    print(
        f"healthz: {len(health)}, median {1000 * health[len(health) // 2]:.0f} ms, slowest {1000 * health[-1]:.0f} ms"
    )
    print(f"memory of all processes: {seen.memory} MB; processes: {seen.processes}")
    print(f"open files of the server: {seen.files}")
    print(f"stopped {seen.stopped:.1f} s after SIGTERM amid a request that hangs")


if __name__ == "__main__":
    main()
