"""Refusals that the server and its workers share."""

from __future__ import annotations

from memsum.server.middleware import Refusal

FAILED = "The server failed; its log says why."


def too_late(seconds: float) -> Refusal:
    """Refuse a document that took too long."""
    return Refusal(
        503, f"This took longer than {seconds:g} seconds.", "Try again, or a shorter document.", retry_after=5
    )


def not_kept() -> Refusal:
    """Refuse an id that no worker has."""
    return Refusal(404, "This document is no longer kept.", "Send it again.")
