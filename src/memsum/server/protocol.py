"""HTTP with limits for clients that neither send nor read: little time for each, little memory for all."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from memsum.server.settings import BACKLOG

MOST_OF_ONE = BACKLOG // 2  # connections of one address: the others are for everybody else, and for /healthz
HEADER_SECONDS = 10.0  # for the head of a request to arrive
UNREAD_SECONDS = 10.0  # after which a client that reads its answer has to have read at least
UNREAD_BYTES = 10_000  # so much more of it
MOST_UNREAD = 64 * 2**20  # bytes of all answers that nobody has read yet
# Connections accepted in one round of the event loop: what they sent is read three rounds later, while they last.
_ACCEPTED = BACKLOG // 8
_WAITING = 4 * BACKLOG  # connections that the system keeps meanwhile
STOPPING_SECONDS = 3  # for answers under way when the server is asked to stop


class TimeoutProtocol(H11Protocol):
    """HTTP that closes connections on which no request arrives, or no answer is read: they use up files and memory."""

    _since = 0.0
    _arriving: asyncio.TimerHandle | None = None
    _leaving: asyncio.TimerHandle | None = None
    _unread = 0
    _unread_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of a request; if there are too many connections, another one ends."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._make_way()
        self._arriving = self.loop.call_later(HEADER_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request's head, or of a body that was refused; stop when a request is under way."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._arriving = self._arriving or self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Watch the rest of an answer; a small one that nobody reads would stay for ever."""
        super().on_response_complete()
        if self._leaving is None and self.transport.get_write_buffer_size():
            self._watch()

    def pause_writing(self) -> None:
        """Check if the client reads on, and if others must be dropped."""
        super().pause_writing()
        if self._leaving is None:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        super().connection_lost(exc)

    def _make_way(self) -> None:
        """If this client has too many connections, end one of its own; if all have, one of the client with most.

        That is the oldest without a request, or else with half a one.
        """
        listed = [one for one in self.connections if isinstance(one, TimeoutProtocol)]
        listed = [one for one in listed if not one.transport.is_closing()]  # as is one that was ended a moment ago
        counts = Counter(one._address for one in listed)
        if len(listed) <= BACKLOG and counts[self._address] <= MOST_OF_ONE:
            return
        if counts[self._address] > MOST_OF_ONE:
            listed = [one for one in listed if one._address == self._address]
        others = (one for one in listed if one is not self)
        ended = min(others, key=lambda one: (one._stage, -counts[one._address], one._since), default=None)
        if ended is not None:
            ended.transport.abort()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def _stage(self) -> int:
        """Return 0 before a request has arrived, 1 while it arrives, 2 when it is being answered."""
        if self._arriving is not None or self.cycle is None:
            return 0
        return 1 if self.cycle.more_body else 2

    def _stop_waiting(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _watch(self) -> None:
        """Watch an answer; if there are too many of them, the one that has waited longest is dropped."""
        self._unread, self._unread_since = self.transport.get_write_buffer_size(), self.loop.time()
        self._leaving = self.loop.call_later(UNREAD_SECONDS, self._look)
        waiting = [one for one in self.connections if isinstance(one, TimeoutProtocol) and one._leaving is not None]
        held = sum(one.transport.get_write_buffer_size() for one in waiting)
        for one in sorted(waiting, key=lambda one: one._unread_since):
            if held <= MOST_UNREAD or one is self:
                break
            held -= one.transport.get_write_buffer_size()
            one.transport.abort()

    def _look(self) -> None:
        """Drop a client that has not read enough since the last check."""
        self._leaving = None
        unread = self.transport.get_write_buffer_size()
        if not unread:
            return
        if unread > self._unread - UNREAD_BYTES:
            self.transport.abort()
            return
        self._unread = unread
        self._leaving = self.loop.call_later(UNREAD_SECONDS, self._look)


class _Server(uvicorn.Server):
    """Accepts few connections at a time, and lets many wait for it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for opened in sockets or ():
            opened.listen(_WAITING)  # asyncio has set it to what it accepts at a time


def make_server(app: Any, **options: Any) -> uvicorn.Server:
    """Make a server of an application; asked to stop, it does within seconds."""
    config = uvicorn.Config(
        app,
        http=TimeoutProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=_ACCEPTED,
        timeout_graceful_shutdown=STOPPING_SECONDS,
        **options,
    )
    return _Server(config)
