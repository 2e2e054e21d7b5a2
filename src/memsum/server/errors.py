"""Refusals: each has a status and one sentence, and reaches the client as `{"error": …}`."""

from __future__ import annotations

import json

from memsum.errors import MemsumError


class Refusal(MemsumError):  # noqa: N818 - not an error of the server, an answer to the client
    """A request that is not answered as asked; `retry_after` says in how many seconds it might be."""

    def __init__(self, status: int, message: str, hint: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """What the answer carries besides its body."""
        headers = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        return headers if self.status != 401 else {**headers, "www-authenticate": "Bearer"}


def error_body(error: MemsumError) -> bytes:
    """The answer's body."""
    record = {"error": error.message} | ({"hint": error.hint} if error.hint else {})
    return json.dumps(record).encode()


def too_late(seconds: float) -> Refusal:
    """A document that took too long."""
    return Refusal(
        503, f"This took longer than {seconds:g} seconds.", "Try again, or a shorter document.", retry_after=5
    )


def place_of(name: str) -> int:
    """The place of the worker that keeps a document by this id, or a Refusal."""
    place, dot, _ = name.partition(".")
    if not dot or not place.isascii() or not place.isdigit() or len(place) > 3:
        raise not_kept()
    return int(place)


def not_kept() -> Refusal:
    """The answer for an id that nobody has."""
    return Refusal(404, "This document is not kept any more.", "Send it again.")
