"""Clients that send nothing, or read nothing, do not stay; and a server that is asked to stop does."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from starlette.types import ASGIApp, Message, Receive, Send

from memsum.server.app import error_response
from memsum.server.middleware import RequestChecks, Rules
from memsum.server.protocol import make_server
from memsum.server.settings import open_socket

SIZE = 30 * 2**20
NEVER_ASKED = threading.Event()
ASK = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def app(scope: Message, receive: Receive, send: Send) -> None:
    """Answers much; at /never it does not answer at all, but says that it was asked."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/never":
        NEVER_ASKED.set()
        await asyncio.sleep(3600)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(SIZE).encode())]})
    await send({"type": "http.response.body", "body": bytes(SIZE)})


@contextmanager
def serving(served: ASGIApp = app) -> Iterator[tuple[socket.socket, Callable[[], None]]]:
    with open_socket("127.0.0.1", 0) as opened:
        server = make_server(served, lifespan="off")
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)

        def stop() -> None:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()

        try:
            yield opened, stop
        finally:
            stop()


def deaf(opened: socket.socket) -> socket.socket:
    """A client that has asked, and does not read."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(opened.getsockname())
    client.sendall(ASK)
    return client


def heard(client: socket.socket) -> int:
    """How much comes after all."""
    total = 0
    try:
        while part := client.recv(2**16):
            total += len(part)
    except ConnectionResetError:
        pass
    return total


def ask_never(client: socket.socket) -> None:
    """Ask for what is never answered; the request has arrived."""
    NEVER_ASKED.clear()
    client.sendall(b"GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    assert NEVER_ASKED.wait(60)


def test_answers_that_nobody_reads_do_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.UNREAD_SECONDS", 1.5)
    with serving() as (opened, _), deaf(opened) as unread, socket.create_connection(opened.getsockname(), 60) as slow:
        slow.sendall(ASK)
        total = 0
        while part := slow.recv(2**20):  # who reads on is served to the end, however long it takes
            total += len(part)
            time.sleep(len(part) / 10_000_000)  # three seconds in all
        assert total > SIZE
        assert heard(unread) < SIZE


def test_unread_answers_share_a_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.MOST_UNREAD", SIZE)
    with serving() as (opened, _):
        clients = [deaf(opened)]
        clients[0].recv(1, socket.MSG_PEEK)  # its answer has begun
        clients.append(deaf(opened))
        assert heard(clients[0]) < SIZE  # the older one had to give way
        assert heard(clients[1]) > SIZE
        for client in clients:
            client.close()


def test_heads_that_do_not_arrive_do_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.HEADER_SECONDS", 0.2)
    with serving() as (opened, _):
        clients = [socket.create_connection(opened.getsockname(), 60) for _ in range(20)]
        for client in clients[:10]:
            client.sendall(b"GET / HTTP/1.1\r\nX-Sl")
        assert [heard(client) for client in clients] == [0] * 20
        for client in clients:
            client.close()


def test_no_client_keeps_a_server_from_stopping() -> None:
    with serving() as (opened, stop), deaf(opened), socket.create_connection(opened.getsockname(), 60) as waiting:
        ask_never(waiting)
        stop()


def test_who_waits_for_a_server_that_stops_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    checked = RequestChecks(app, Rules(bytes=1000, seconds=10), error_response)
    with (
        serving(checked) as (opened, stop),
        deaf(opened),
        socket.create_connection(opened.getsockname(), 60) as waiting,
    ):
        ask_never(waiting)
        stop()
        answer = waiting.recv(2**16)
    assert answer.startswith(b"HTTP/1.1 503")
    assert b'"error": "The server is stopping."' in answer
    assert "Traceback" not in capfd.readouterr().err
