"""Runs the web application of a study, and says where the annotators find it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from memsum.errors import MissingExtraError
from memsum.study.schema import StudyError
from memsum.study.similarity import open_finder
from memsum.study.store import Study

LOCAL = ("127.0.0.1", "localhost", "::1")


def serve(path: Path, host: str, port: int, model: str | None, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is given one line an annotator before the first request."""
    try:
        import uvicorn
    except ModuleNotFoundError:
        raise MissingExtraError("Serving a study", "serve") from None
    from memsum.study.web.app import create_app

    with Study(path, write=True) as study, _listen(host, port) as listening:
        app = create_app(study, open_finder(model))
        address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        for line in links(study, address):
            tell(line)
        if host not in LOCAL:
            tell("Others can reach this address without encryption: put a server with HTTPS in front of it.")
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


def links(study: Study, address: str) -> list[str]:
    """One line an annotator: who, how far, and the link that only they should get."""
    lines = []
    for annotator in study.annotators():
        progress = study.progress(annotator)
        lines.append(f"{annotator.name}\t{progress.judged}/{progress.total}\t{address}/join/{annotator.code}")
    return lines


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise StudyError(f"Cannot listen on {host}, port {port}: {error.strerror}.", "Choose another --port.") from None
