"""Runs the web application of a study, and says where the annotators find it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memsum.errors import MissingExtraError
from memsum.server.sockets import address_of, is_loopback, open_socket
from memsum.study.similarity import open_finder
from memsum.study.store import Study


def serve(path: Path, host: str, port: int, model: str | None, tell: Callable[[str], None]) -> None:
    """Serve until interrupted; `tell` is given one line an annotator before the first request."""
    try:
        from memsum.server.protocol import make_server
    except ModuleNotFoundError:
        raise MissingExtraError("Serving a study", "serve") from None
    from memsum.study.web.app import create_app

    with Study(path, write=True) as study, open_socket(host, port) as listening:
        app = create_app(study, open_finder(model))
        for line in links(study, address_of(listening, host)):
            tell(line)
        if not is_loopback(host):
            tell("Others can reach this address without encryption: put a server with HTTPS in front of it.")
        make_server(app).run(sockets=[listening])


def links(study: Study, address: str) -> list[str]:
    """One line an annotator: who, how far, and the link that only they should get."""
    lines = []
    for annotator in study.annotators():
        progress = study.progress(annotator)
        lines.append(f"{annotator.name}\t{progress.judged}/{progress.total}\t{address}/join/{annotator.code}")
    return lines
