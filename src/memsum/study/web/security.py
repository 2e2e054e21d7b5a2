"""What every answer carries and every post must show, so that no other site can read pages or cast votes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LARGEST_BODY = 64 * 1024
SAFE = ("GET", "HEAD")

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        b" form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    # Not no-referrer: with that, browsers send `Origin: null` with our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
NO_STORE = (b"cache-control", b"no-store")


class Guard:
    """Refuses posts from other sites and large ones, and adds the headers."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        static = scope["path"].startswith("/static/")

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS, *([] if static else [NO_STORE])]
            await send(message)

        headers = dict(scope["headers"])
        if scope["method"] not in SAFE and not _is_own(headers):
            await _refuse(send_guarded, 403, "This form was sent from another site, so nothing was saved.")
        elif not headers.get(b"content-length", b"0").isdigit() or b"transfer-encoding" in headers:
            await _refuse(send_guarded, 411, "The length of the form is not known, so nothing was saved.")
        elif int(headers.get(b"content-length", b"0")) > LARGEST_BODY:
            await _refuse(send_guarded, 413, "The form is too large, so nothing was saved.")
        else:
            await self._app(scope, receive, send_guarded)


def _is_own(headers: dict[bytes, bytes]) -> bool:
    """Whether a post comes from a page of ours: browsers always say so, by `Origin` and by `Sec-Fetch-Site`."""
    site = headers.get(b"sec-fetch-site", b"same-origin")
    origin = urlsplit(headers.get(b"origin", b"").decode("latin-1"))
    return site == b"same-origin" and bool(origin.netloc) and origin.netloc.encode("latin-1") == headers.get(b"host")


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = f"{sentence}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
