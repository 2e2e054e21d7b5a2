"""What every answer carries and every post must show, so that no other site can read pages or cast votes."""

from __future__ import annotations

from anyio import fail_after

from memsum.web import SAFE_METHODS, App, Message, Receive, Send, is_from_own_page, protecting, replay

LARGEST_BODY = 64 * 1024
BODY_SECONDS = 30.0


class Guard:
    """Refuses posts from other sites, large ones and slow ones, and adds the headers."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = protecting(send, scope, forms=True)
        headers = dict(scope["headers"])
        if scope["method"] not in SAFE_METHODS and not is_from_own_page(headers):
            await _refuse(send, 403, "This form was sent from another site, so nothing was saved.")
        elif not headers.get(b"content-length", b"0").isdigit() or b"transfer-encoding" in headers:
            await _refuse(send, 411, "The length of the form is not known, so nothing was saved.")
        elif int(headers.get(b"content-length", b"0")) > LARGEST_BODY:
            await _refuse(send, 413, "The form is too large, so nothing was saved.")
        else:
            try:
                with fail_after(BODY_SECONDS):
                    body = await _read(receive)
            except TimeoutError:
                await _refuse(send, 408, "The form took too long to arrive, so nothing was saved.")
            else:
                if body is not None:
                    await self._app(scope, replay(body, receive), send)


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None if the client has left."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = f"{sentence}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
