"""Sockets of the web applications."""

from __future__ import annotations

import ipaddress
import socket

from memsum.errors import MemsumError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
BACKLOG = 512
MB = 2**20


def is_loopback(host: str) -> bool:
    """Tell if only this machine can reach an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """Bind before anything is loaded, so that a taken port is reported at once."""
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
    """Return the URL of a socket, without a slash at its end; `host` is its public name."""
    number, port = opened.getsockname()[:2]
    host = host or number
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
