"""The gate before the application: who may ask, how much, how slowly; and what every answer carries."""

from __future__ import annotations

import hmac
import time

from anyio import fail_after

from memsum.server.errors import Refusal, error_body
from memsum.server.metrics import Metrics
from memsum.server.settings import MB, Settings
from memsum.web import (
    SAFE_METHODS,
    App,
    Headers,
    Message,
    Receive,
    Send,
    host_name,
    is_from_other_site,
    protecting,
    replay,
)

_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})
_DRAINED = 8  # times the limit: what is read and thrown away so that a browser shows our sentence, not a broken pipe


class _GoneError(Exception):
    """The client left before its request was complete."""


class Gate:
    """ASGI middleware: reads each request's body within its limits, and hands it on whole."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._token = settings.token.encode() if settings.token is not None else None
        self._held = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        status = 500
        protected = protecting(send, scope, forms=False)

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await protected(message)

        body = bytearray()
        try:
            try:
                headers = dict(scope["headers"])
                self._admit(scope, headers)
                await self._read(headers, receive, body)
            except Refusal as refusal:
                await _refuse(send_on, refusal)
            else:
                await self._app(scope, replay(bytes(body), receive), send_on)
        except _GoneError:
            status = 499
        finally:
            self._held -= len(body)
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.answered(method, route, status, time.monotonic() - began)

    def _admit(self, scope: Message, headers: Headers) -> None:
        """Refuse who may not ask."""
        hosts = self._settings.hosts
        if hosts is not None and host_name(headers) not in hosts:
            # A web site whose name an attacker pointed at this machine would be same-origin with us.
            raise Refusal(403, "This server does not answer under this name.")
        if scope["method"] not in SAFE_METHODS and is_from_other_site(headers):
            raise Refusal(403, "This request comes from a page of another site.")
        is_guarded = scope["path"].startswith("/v1/") or scope["path"] == "/metrics"
        if self._token is not None and is_guarded:
            kind, _, given = headers.get(b"authorization", b"").partition(b" ")
            if kind.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
                raise Refusal(401, "This server wants a token.", "Send the header Authorization: Bearer TOKEN.")

    async def _read(self, headers: Headers, receive: Receive, body: bytearray) -> None:
        """Read the request's body, or refuse it."""
        declared = headers.get(b"content-length", b"")
        if not declared and b"transfer-encoding" not in headers:
            return
        length = int(declared) if declared.isdigit() and len(declared) < 16 else 0
        seconds = self._settings.upload_seconds
        try:
            with fail_after(seconds):
                await self._receive(length, receive, body)
        except TimeoutError:
            raise Refusal(408, f"The request took longer than {seconds:g} seconds to arrive.") from None

    async def _receive(self, length: int, receive: Receive, body: bytearray) -> None:
        refusal = self._too_large() if length > self._settings.bytes else None
        received = 0
        is_whole = False
        while not is_whole:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _GoneError
            chunk = message.get("body", b"")
            is_whole = not message.get("more_body")
            received += len(chunk)
            if refusal is None:
                body += chunk
                self._held += len(chunk)
                if received > self._settings.bytes:
                    refusal = self._too_large()
                elif self._held > self._settings.held_bytes:
                    refusal = Refusal(
                        503, "The server holds as many uploads as it can.", "Try again soon.", retry_after=5
                    )
            elif body:
                self._held -= len(body)
                body.clear()
            if refusal and (is_whole or received > _DRAINED * self._settings.bytes):
                raise refusal

    def _too_large(self) -> Refusal:
        return Refusal(413, f"The request is larger than {self._settings.bytes / MB:g} MB.", "Send a smaller document.")


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = error_body(refusal)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in refusal.headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
