"""Attacks on `memsum serve`: bodies made to take memory, and connections made to shut others out.

    python benchmarks/attack_server.py [bodies] [connections] [--model DIR] [--megabytes 20] [--only WORD]

`bodies` sends JSON and forms of every kind, each as large as the server takes, to every address that takes one, and
tells the highest memory of any process of the server. `connections` holds 540 connections in each way that uses them
up. In both, a client in a process of its own asks `/healthz` ten times a second; its slowest answer is told beside the
load of the machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from soak import FORM, JSON, Server, _form, _tree, serving

MB = 2**20
SILENT = 540  # connections
HEAD = b"POST /v1/summarize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MIB_OF_JSON: dict[str, tuple[bytes, bytes, bytes]] = {  # beginning, unit, end
    "a text of letters": (b'{"text":"', b"a", b'"}'),
    "a text of spaces": (b'{"text":"', b" ", b'"}'),
    "a text of short sentences": (b'{"text":"', b"It is. ", b'"}'),
    "a text of words": (b'{"text":"', b"The pump of the well was repaired in spring. ", b'"}'),
    "a text of numbers": (b'{"text":"', b"1 2 3. ", b'"}'),
    "a text of blank lines": (b'{"text":"', b"a\\n\\n", b'"}'),
    "a text of escapes": (b'{"text":"', b"\\u0041", b'"}'),
    "a text of surrogates": (b'{"text":"', b"\\ud83d\\ude00", b'"}'),
    "a text of halves of surrogates": (b'{"text":"', b"\\ud83d", b'"}'),
    "a text of HTML": (b'{"text":"<html>', b"<p>It rained. ", b'"}'),
    "a text of nested HTML": (b'{"text":"<html>', b"<div>", b'"}'),
    "a text of Markdown": (b'{"text":"# a\\n', b"* a\\n", b'"}'),
    "a text of LaTeX": (b'{"text":"\\\\documentclass{a}', b"\\\\section{A} It rained. ", b'"}'),
    "a text of JATS": (b'{"text":"<article><body>', b"<p>It rained.</p>", b'</body></article>"}'),
    "a text of mail": (b'{"text":"From: a\\nTo: b\\nSubject: c\\n\\n', b"> It rained.\\n", b'"}'),
    "a text of one word per line": (b'{"text":"', b"tide\\n", b'"}'),
    "empty sentences": (b'{"text":[', b'"",', b'""]}'),
    "sentences of a letter": (b'{"text":[', b'"a",', b'"a"]}'),
    "sentences of words": (b'{"text":[', b'"The pump of the well was repaired in spring.",', b'"a"]}'),
    "numbers": (b'{"text":[', b"1,", b"1]}"),
    "floats": (b'{"text":[', b"1e9,", b"1]}"),
    "nulls": (b'{"text":[', b"null,", b"1]}"),
    "lists": (b'{"text":[', b"[],", b"1]}"),
    "objects": (b'{"text":[', b"{},", b"1]}"),
    "nested lists": (b'{"text":', b"[", b""),
    "nested objects": (b'{"text":', b'{"a":', b""),
    "keys": (b"{", b'"a":1,', b'"text":"A."}'),
    "different keys": (b"{", b'"{}":1,', b'"text":"A."}'),
    "a long key": (b'{"', b"a", b'":1,"text":"A."}'),
    "a long number": (b'{"text":"A.","sentences":', b"9", b"}"),
    "a long float": (b'{"text":"A.","ratio":0.', b"9", b"}"),
    "a long id": (b'{"text":"A.","id":"', b"a", b'"}'),
    "a long question": (b'{"text":"It rained.","about":"', b"why ", b'"}'),
    "questions": (b'{"text":"It rained.","about":[', b'"why?",', b'"a"]}'),
    "documents": (b'{"documents":[', b'{"text":"It rained. It was cold."},', b'{"text":"a"}]}'),
    "documents with ids": (b'{"documents":[', b'{"id":"{}","text":"It rained."},', b'{"text":"a"}]}'),
    "wrong documents": (b'{"documents":[', b"{},", b'{"text":"a"}]}'),
    "documents of lists": (b'{"documents":[', b'{"text":["a","b"]},', b'{"text":"a"}]}'),
    "a document of sentences": (b'{"documents":[{"text":[', b'"a",', b'"a"]}]}'),
    "a document of numbers": (b'{"documents":[{"text":[', b"1,", b'"a"]}]}'),
    "a document of words": (b'{"documents":[{"text":"', b"The pump of the well was repaired. ", b'"}]}'),
    "an unknown field of objects": (b'{"text":"A.","x":[', b"{},", b"{}]}"),
    "white space": (b"", b" ", b'{"text":"A."}'),
    "quotation marks": (b"", b'"', b""),
    "backslashes": (b'{"text":"', b"\\\\", b'"}'),
    "zeros": (b"", b"\0", b""),
    "UTF-16": (b"\xff\xfe", b"{\0", b""),
    "invalid UTF-8": (b'{"text":"', b"\xff", b'"}'),
}
MIB_OF_FORM: dict[str, tuple[bytes, bytes, bytes]] = {
    "a file of lines that begin like a boundary": (b"", b"\r\n-", b""),
    "a file of boundaries with more behind them": (b"", b"\r\n--xy", b""),
    "empty parts": (b"", b"\r\n--x\r\n\r\n", b""),
    "files": (b"", b'\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="{}"\r\n\r\na', b""),
    "fields": (b"", b'\r\n--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\na', b""),
    "a long field": (b'a\r\n--x\r\nContent-Disposition: form-data; name="about"\r\n\r\n', b"why ", b""),
    "a long name": (b'a\r\n--x\r\nContent-Disposition: form-data; name="', b"a", b'"\r\n\r\na'),
    "a long head": (b"a\r\n--x\r\n", b"X: y\r\n", b"\r\n\r\na"),
    "a file of words": (b"", b"The pump of the well was repaired in spring. ", b""),
    "a file of zeros": (b"", b"\0", b""),
    "a PDF of nothing": (b"%PDF-1.7\n", b"1 0 obj\n<<>>\nendobj\n", b""),
    "a ZIP of nothing": (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"),
    "a page of HTML": (b"<html><body>", b"<p>It rained. ", b""),
}
PATHS = ("summarize", "summarize/batch", "summarize/together", "readings")


@dataclass
class Watch:
    """What another client and the system see of a server meanwhile."""

    health: list[float] = field(default_factory=list)  # seconds
    failed: int = 0  # answers of /healthz that did not come
    highest: Counter[str] = field(default_factory=Counter)  # MB, by kind of process

    def tell(self) -> str:
        """The slowest answer, and the largest process."""
        slowest = sorted(self.health) or [math.inf]
        late = sum(one >= 0.1 for one in slowest)
        memory = ", ".join(f"{kind} {mb} MB" for kind, mb in sorted(self.highest.items()))
        return (
            f"/healthz {len(slowest)} answers, {self.failed} failed, median {1000 * slowest[len(slowest) // 2]:.0f} ms,"
            f" slowest {1000 * slowest[-1]:.0f} ms, {late} above 100 ms; {memory}; load {os.getloadavg()[0]:.1f}"
        )


@contextmanager
def watching(server: Server) -> Iterator[Watch]:
    """Ask `/healthz` ten times a second and look at the memory of all processes, until the end."""
    seen, over = Watch(), threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            for depth, process in _levels(server.process.pid):
                kind = ("server", "worker", "reader")[min(depth, 2)]
                seen.highest[kind] = max(seen.highest[kind], _highest(process))

    thread = threading.Thread(target=look)
    thread.start()
    client = subprocess.Popen([sys.executable, __file__, "--ask", str(server.place[1])], stdout=subprocess.PIPE)
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        client.send_signal(signal.SIGINT)
        seen.health, seen.failed = json.loads(client.communicate()[0])


def ask(port: int) -> None:
    """Ask `/healthz` until interrupted; print the seconds of each answer, and how many did not come."""
    taken: list[float] = []
    failed = 0
    with suppress(KeyboardInterrupt):
        while True:
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request("GET", "/healthz")
                failed += connection.getresponse().status != 200
                taken.append(time.monotonic() - began)
            except (OSError, http.client.HTTPException):
                failed += 1
            finally:
                connection.close()
            time.sleep(0.1)
    print(json.dumps([taken, failed]))


def _levels(process: int) -> Iterator[tuple[int, int]]:
    workers = [one for one in _tree(process) if one != process]
    yield 0, process
    for worker in workers:
        with suppress(OSError, IndexError):
            parent = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
            yield (1 if parent == process else 2), worker


def _highest(process: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/status").read_text().split("VmHWM:")[1].split()[0]) // 1024
    return 0


def body(parts: tuple[bytes, bytes, bytes], size: int) -> bytes:
    """A body of about so many bytes; "{}" in the unit is its number."""
    before, unit, after = parts
    count = max(1, (size - len(before) - len(after) - 200) // (len(unit) + 5 * (b"{}" in unit)))
    numbered = (
        b"".join(unit.replace(b"{}", b"%d" % n) for n in range(count))
        if b"{}" in unit and unit != b"{},"
        else unit * count
    )
    return before + numbered + after


def attack_bodies(server: Server, size: int, only: str) -> None:
    """Send every body to every address, and print what came of it."""
    answers: Counter[int] = Counter()
    sent = [(name, body(parts, size), JSON, PATHS) for name, parts in MIB_OF_JSON.items() if only in name]
    forms = [(name, _form(body(parts, size)), FORM, PATHS[:1] + PATHS[2:]) for name, parts in MIB_OF_FORM.items()]
    with watching(server) as watch:
        for name, content, kind, paths in sent + [one for one in forms if only in one[0]]:
            before = dict(watch.highest)
            for path in paths:
                status, _ = server.ask("POST", f"/v1/{path}", content, kind)
                answers[status] += 1
            grown = {kind: mb for kind, mb in watch.highest.items() if mb > before.get(kind, 0)}
            print(f"  {name}: {status}" + (f", highest so far {grown}" if grown else ""), flush=True)
    print(f"| bodies of {size // MB} MB | {sum(answers.values())} requests, {dict(sorted(answers.items()))} |", end=" ")
    print(watch.tell(), "|")


def silent(server: Server) -> socket.socket:
    """Say nothing."""
    return server.send(b"")


def half_a_head(server: Server) -> socket.socket:
    """Send half a head."""
    return server.send(HEAD)


def half_a_body(server: Server) -> socket.socket:
    """Send a head and the beginning of a body."""
    return server.send(HEAD + b"Content-Length: 99\r\n\r\n{")


def never_reading(server: Server) -> socket.socket:
    """Ask for a page again and again, and read none of it."""
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    opened.settimeout(20)
    with suppress(OSError):
        opened.connect(server.place)
        opened.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    return opened


CONNECTIONS: dict[str, Callable[[Server], socket.socket]] = {
    "silent": silent,
    "half a head": half_a_head,
    "half a body": half_a_body,
    "never reading": never_reading,
}


def attack_connections(server: Server, seconds: float = 8) -> None:
    """Hold as many connections as the server takes and more, and open new ones as they end."""
    for name, connect in CONNECTIONS.items():
        with watching(server) as watch, ExitStack() as stack:
            for _ in range(SILENT):
                with suppress(OSError):
                    stack.enter_context(connect(server))
            time.sleep(seconds)
        print(f"| {SILENT} connections, {name} | {watch.tell()} |", flush=True)
    with watching(server) as watch:
        end = time.monotonic() + seconds
        opened = 0
        held: list[socket.socket] = []
        while time.monotonic() < end:
            with suppress(OSError):
                held.append(server.send(b""))
            opened += 1
            if len(held) > SILENT:
                held.pop(0).close()
        for one in held:
            one.close()
    print(f"| {opened} connections one after the other, {SILENT} held | {watch.tell()} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["bodies", "connections"])
    parser.add_argument("--model", default="default")
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--only", default="", help="bodies whose name has this word")
    parser.add_argument("--ask", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        ask(arguments.ask)
        return
    with serving(arguments.model, "--workers", "2", "--timeout", "20") as server:
        server.ask("POST", "/v1/summarize", json.dumps({"text": "The pump was repaired. It is old."}).encode())
        if "connections" in arguments.parts:
            attack_connections(server)
        if "bodies" in arguments.parts:
            attack_bodies(server, int(arguments.megabytes * MB) - 4096, arguments.only)


if __name__ == "__main__":
    main()
