"""Runs the application: the socket, the protocol's time limits, and what is said at the start."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from memsum.document import read_document
from memsum.server.app import create_app
from memsum.server.settings import Settings
from memsum.summarizer import Summarizer
from memsum.web import BACKLOG, LOOPBACK_NAMES, address_of, is_loopback

_HEADER_SECONDS = 10.0


class PatientProtocol(H11Protocol):
    """HTTP that closes connections on which no request arrives: many of those would use up the server's files."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request, unless there are too many connections."""
        super().connection_made(transport)
        if len(self.connections) > BACKLOG:
            transport.close()
            return
        self._patience = self.loop.call_later(_HEADER_SECONDS, self._lose_patience)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request's head, or of a body that was refused; stop when a request is under way."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._patience = self._patience or self.loop.call_later(_HEADER_SECONDS, self._lose_patience)
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _lose_patience(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def make_server(summarizer: Summarizer, settings: Settings, **options: Any) -> uvicorn.Server:
    """A server that is not yet running."""
    config = uvicorn.Config(
        create_app(summarizer, settings),
        http=PatientProtocol,
        ws="none",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=10,
        **options,
    )
    return uvicorn.Server(config)


def serve(summarizer: Summarizer, settings: Settings, opened: socket.socket, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is given what the user should know first."""
    host = opened.getsockname()[0]
    if is_loopback(host):
        settings = replace(settings, hosts=LOOPBACK_NAMES)
    elif settings.token is None:
        tell("Everyone who can reach this address can use the server: set MEMSUM_TOKEN to ask for a token.")
    read_document(
        "The process that reads files is started now.", isolated=True
    )  # the first upload need not wait for it
    tell(f"memsum listens on {address_of(opened)}/ (Ctrl-C ends it).")
    make_server(summarizer, settings).run(sockets=[opened])
