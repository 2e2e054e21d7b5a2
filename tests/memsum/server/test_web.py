"""What the web applications share: addresses, names, and whose requests are taken."""

from __future__ import annotations

import asyncio
import socket

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from memsum.errors import MemsumError
from memsum.server.middleware import RequestChecks, Rules, host_name, is_from_other_site, is_from_own_page
from memsum.server.settings import address_of, is_loopback, open_socket


def test_only_this_machine_reaches_loopback() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.8.9.1", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.4", "library.example", "")))


def test_a_socket_knows_its_address_and_a_taken_port_is_said() -> None:
    with open_socket("127.0.0.1", 0) as opened:
        port = opened.getsockname()[1]
        assert address_of(opened) == f"http://127.0.0.1:{port}"
        assert address_of(opened, "::1") == f"http://[::1]:{port}"
        with pytest.raises(MemsumError, match=f"cannot listen on 127.0.0.1, port {port}"):
            open_socket("127.0.0.1", port)
    with pytest.raises(MemsumError, match="cannot listen"):
        open_socket("a" * 70 + ".example", 0)


def test_answers_are_sent_at_once() -> None:
    with open_socket("127.0.0.1", 0) as opened, socket.create_connection(opened.getsockname()):
        accepted, _ = opened.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("header", "name"),
    [(b"Localhost:8000", "localhost"), (b"[::1]:8000", "[::1]"), (b"evil.example", "evil.example"), (b"", "")],
)
def test_the_name_in_a_host_header(header: bytes, name: str) -> None:
    assert host_name({b"host": header}) == name


def test_whose_requests_are_taken() -> None:
    host = {b"host": b"study.test"}
    assert is_from_own_page({**host, b"origin": b"https://study.test"})
    for origin in (b"", b"null", b"http://[", b"https://study.test.evil.example", b"https://study.test:8000"):
        assert not is_from_own_page({**host, b"origin": origin})
    assert not is_from_own_page({b"origin": b"https://"})
    for site in (b"cross-site", b"same-site"):
        assert is_from_other_site({b"sec-fetch-site": site})
        assert not is_from_own_page({**host, b"origin": b"https://study.test", b"sec-fetch-site": site})
    assert not is_from_other_site({b"sec-fetch-site": b"same-origin"})
    for origin in (b"null", b"https://evil.example", b"https://study.test:8000"):
        assert is_from_other_site({**host, b"origin": origin})
        assert not is_from_other_site({**host, b"origin": origin, b"sec-fetch-site": b"same-origin"})  # behind a proxy
    assert not is_from_other_site({**host, b"origin": b"https://Study.test"})
    assert not is_from_other_site({})  # a program, not a browser


def test_a_health_check_does_not_wait_for_a_crowd_of_requests() -> None:
    answered: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        answered.append(scope["path"])

    async def ask(path: str) -> None:
        scope = {"type": "http", "method": "GET", "path": path, "headers": []}
        await checks(scope, never, never)  # type: ignore[arg-type]

    async def never(message: Message | None = None) -> Message:
        raise AssertionError("nothing is sent or received")

    async def everybody() -> None:
        await asyncio.gather(*(ask("/docs") for _ in range(100)), ask("/healthz"), *(ask("/") for _ in range(100)))

    checks = RequestChecks(app, Rules(bytes=1, seconds=1, priority_path="/healthz"), refuse=lambda refusal: app)
    asyncio.run(everybody())
    assert answered == ["/healthz", *["/docs"] * 100, *["/"] * 100]


def test_the_description_of_the_api_is_written_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [client.get("/openapi.json").json(), client.get("/docs").text]
    monkeypatch.setattr(client.app, "openapi", None)
    assert [client.get("/openapi.json").json(), client.get("/docs").text] == pages
