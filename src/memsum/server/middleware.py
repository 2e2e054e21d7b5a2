"""Checks before an application sees a request (host, origin, token, size, time), and headers of answers."""

from __future__ import annotations

import asyncio
import hmac
import math
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from anyio import fail_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memsum.errors import MemsumError
from memsum.server.settings import MB

_SAFE_METHODS = ("GET", "HEAD")
_AT_ONCE = 4  # requests that begin in one round of the event loop
_DRAINED = 8  # times the limit: what is read and thrown away so that a browser shows our sentence, not a broken pipe

Headers = Mapping[bytes, bytes]
_HOST = re.compile(r"(?P<name>\[[^\[\]]*\]|[^:\[\]]*)(?::[0-9]*)?")


class Refusal(MemsumError):  # noqa: N818 - not an error of the server, an answer to the client
    """A request that is not answered as asked; `retry_after` says in how many seconds it might be."""

    def __init__(self, status: int, message: str, hint: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        headers = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        return headers if self.status != 401 else {**headers, "www-authenticate": "Bearer"}


FAILED = "The server failed; its log says why."


def too_late(seconds: float) -> Refusal:
    """Refuse a document that took too long."""
    return Refusal(
        503, f"This took longer than {seconds:g} seconds.", "Try again, or a shorter document.", retry_after=5
    )


def not_kept() -> Refusal:
    """Refuse an id that no worker has."""
    return Refusal(404, "This document is no longer kept.", "Send it again.")


@dataclass(frozen=True)
class Rules:
    """Whose requests an application takes, how large they are at most, and how long they have to arrive."""

    bytes: int  # of a request
    seconds: float  # for it to arrive
    held_bytes: float = math.inf  # of all requests that are being answered
    hosts: frozenset[str] | None = None  # that requests may be addressed to; None: any
    token: str | None = field(default=None, repr=False)  # that requests for `token_paths` must bear
    token_paths: tuple[str, ...] = ()  # beginnings of these paths
    priority_path: str | None = None  # of requests that wait for no others
    forms: bool = False  # its pages send forms, and only they may: programs do not post


class RequestThrottle:
    """Lets few requests begin at a time: what arrives meanwhile need not wait for all that came before."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Wait for the turn of this request."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._next)
        await turn

    def _next(self) -> None:
        for _ in range(min(_AT_ONCE, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():  # its client may have left
                turn.set_result(None)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)


class RequestChecks:
    """ASGI middleware: hands a request on once it is whole and within the rules; `refuse` answers any other."""

    def __init__(self, app: ASGIApp, rules: Rules, refuse: Callable[[Refusal], ASGIApp]) -> None:
        self._app = app
        self._rules = rules
        self._refuse = refuse
        self._held = 0
        self._throttle = RequestThrottle()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a client that leaves before its request is whole gets none."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        protected = _protecting(send, scope["path"], forms=self._rules.forms)
        body = bytearray()
        has_begun = False

        async def answer(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await protected(message)

        if scope["path"] != self._rules.priority_path:
            await self._throttle.wait()
        try:
            headers = dict(scope["headers"])
            self._admit(scope, headers)
            if await self._read(headers, receive, body):
                await self._app(scope, _replay(bytes(body), receive), answer)
        except Refusal as refusal:
            await self._refuse(refusal)(scope, receive, answer)
        except asyncio.CancelledError:  # what the server does to requests that last when it is asked to stop
            if not has_begun:
                stopping = Refusal(503, "The server is stopping.", "Try again soon.", retry_after=5)
                await self._refuse(stopping)(scope, receive, answer)
        finally:
            self._held -= len(body)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        rules = self._rules
        if rules.hosts is not None and host_name(headers) not in rules.hosts:
            # A web site whose name an attacker pointed at this machine would be same-origin with us.
            raise Refusal(403, "Host not allowed.")
        is_foreign = not is_from_own_page(headers) if rules.forms else is_from_other_site(headers)
        if scope["method"] not in _SAFE_METHODS and is_foreign:
            raise Refusal(403, "This request comes from a page of another site.")
        if rules.token is not None and scope["path"].startswith(rules.token_paths):
            kind, _, given = headers.get(b"authorization", b"").partition(b" ")
            if kind.lower() != b"bearer" or not hmac.compare_digest(given.strip(), rules.token.encode()):
                raise Refusal(401, "This server requires a token.", "Send the header Authorization: Bearer TOKEN.")

    async def _read(self, headers: Headers, receive: Receive, body: bytearray) -> bool:
        """Read the request's body, or refuse it; False if the client left."""
        declared = headers.get(b"content-length", b"")
        if not declared and b"transfer-encoding" not in headers:
            return True
        if declared and b"transfer-encoding" in headers:  # a proxy before this may see where it ends elsewhere
            raise Refusal(400, "The request states its length in two ways.", "Send one of the two headers.")
        length = int(declared) if declared.isdigit() and len(declared) < 16 else 0
        seconds = self._rules.seconds
        try:
            with fail_after(seconds):
                return await self._receive(length, receive, body)
        except TimeoutError:
            raise Refusal(408, f"The request took longer than {seconds:g} seconds to arrive.") from None

    async def _receive(self, length: int, receive: Receive, body: bytearray) -> bool:
        most = self._rules.bytes
        too_large = Refusal(413, f"The request is larger than {most / MB:g} MB.", "Send a smaller document.")
        refusal = too_large if length > most else None
        received = 0
        is_whole = False
        while not is_whole:
            message = await receive()
            if message["type"] == "http.disconnect":
                return False
            chunk = message.get("body", b"")
            is_whole = not message.get("more_body")
            received += len(chunk)
            if refusal is None:
                body += chunk
                self._held += len(chunk)
                if received > most:
                    refusal = too_large
                elif self._held > self._rules.held_bytes:
                    refusal = Refusal(
                        503, "The server holds as many uploads as it can.", "Try again soon.", retry_after=5
                    )
            elif body:
                self._held -= len(body)
                body.clear()
            if refusal and (is_whole or received > _DRAINED * most):
                raise refusal
        return True


def host_name(headers: Headers) -> str:
    """Return the name in the Host header, without the port; nothing if there is more in it."""
    found = _HOST.fullmatch(headers.get(b"host", b"").decode("latin-1").lower())
    return found["name"] if found else ""


def is_from_other_site(headers: Headers) -> bool:
    """Tell if a browser reports a request by another site's page; an old one sends `Origin` alone."""
    if b"sec-fetch-site" in headers:
        return headers[b"sec-fetch-site"] in (b"cross-site", b"same-site")
    return b"origin" in headers and not _is_own(headers)


def is_from_own_page(headers: Headers) -> bool:
    """Tell if a browser reports a request by our own page: with every post it sends `Origin`."""
    return _is_own(headers) and not is_from_other_site(headers)


def _is_own(headers: Headers) -> bool:
    origin = headers.get(b"origin", b"").partition(b"://")[2].lower()
    return bool(origin) and origin == headers.get(b"host", b"").lower()


def _protecting(send: Send, path: str, *, forms: bool) -> Send:
    """Add to every answer what keeps other sites out, and documents and votes out of caches."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        f" form-action '{'self' if forms else 'none'}'; frame-ancestors 'none'; base-uri 'none'"
    )
    added = [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        # With no-referrer, browsers send `Origin: null` with our own forms.
        (b"referrer-policy", b"same-origin" if forms else b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cache-control", b"no-cache" if path.startswith("/static/") else b"no-store"),
    ]

    async def protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *added]
        await send(message)

    return protected


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the application the body at once, then what the client does."""
    is_read = False

    async def replayed() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
