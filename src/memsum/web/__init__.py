"""What the web applications share: where they listen, whose requests they take, and what every answer carries."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from memsum.errors import MemsumError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = Mapping[bytes, bytes]

SAFE_METHODS = ("GET", "HEAD")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
BACKLOG = 512


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """Bind before anything is loaded, so that a taken port is said at once."""
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
    """The URL of a socket, without a slash at its end; `host` is the name by which it is known."""
    number, port = opened.getsockname()[:2]
    host = host or number
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def host_name(headers: Headers) -> str:
    """The name in the Host header, without the port."""
    name = headers.get(b"host", b"").decode("latin-1").lower()
    return name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]


def is_from_other_site(headers: Headers) -> bool:
    """Whether a browser says that a page of another site asks; an old one says so by `Origin` alone."""
    if b"sec-fetch-site" in headers:
        return headers[b"sec-fetch-site"] in (b"cross-site", b"same-site")
    return b"origin" in headers and not _is_own(headers)


def is_from_own_page(headers: Headers) -> bool:
    """Whether a browser says that a page of ours asks: with every post it says so by `Origin`."""
    return _is_own(headers) and not is_from_other_site(headers)


def _is_own(headers: Headers) -> bool:
    origin = headers.get(b"origin", b"").partition(b"://")[2].lower()
    return bool(origin) and origin == headers.get(b"host", b"").lower()


def protecting(send: Send, scope: Message, *, forms: bool) -> Send:
    """Add to every answer what keeps other sites out, and documents and votes out of caches.

    With `forms` the pages may send forms to where they come from.
    """
    target = b"'self'" if forms else b"'none'"
    policy = (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        b" form-action " + target + b"; frame-ancestors 'none'; base-uri 'none'"
    )
    added = [
        (b"content-security-policy", policy),
        (b"x-content-type-options", b"nosniff"),
        # With no-referrer, browsers send `Origin: null` with our own forms.
        (b"referrer-policy", b"same-origin" if forms else b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"no-cache" if scope["path"].startswith("/static/") else b"no-store"),
    ]

    async def protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *added]
        await send(message)

    return protected


def replay(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body at once, then what the client does."""
    is_read = False

    async def replayed() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
