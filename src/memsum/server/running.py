"""Runs the application: the socket, the workers, and what is said at the start."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memsum.server.app import create_app
from memsum.server.settings import Settings
from memsum.web import LOOPBACK_NAMES, address_of, is_loopback
from memsum.web.protocol import make_server


def serve(model: str | Path, settings: Settings, opened: socket.socket, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is given what the user should know first."""
    if is_loopback(opened.getsockname()[0]):
        settings = replace(settings, hosts=LOOPBACK_NAMES)
    app = create_app(model, settings)
    app.state.workers.start()  # a model that cannot be loaded is said now
    try:
        if settings.hosts is None and settings.token is None:
            tell("Everyone who can reach this address can use the server: set MEMSUM_TOKEN to ask for a token.")
        tell(f"memsum listens on {address_of(opened)}/ (Ctrl-C ends it).")
        make_server(app).run(sockets=[opened])
    finally:
        app.state.workers.close()
