"""A server with a model of few weights: in this process for most tests, on a port for browsers and slow clients."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from memsum import Summarizer
from memsum.server.app import create_app
from memsum.server.protocol import make_server
from memsum.server.settings import Settings, address_of, open_socket
from memsum.server.workers import Workers

from ...helpers import make_stream, write_pdf


@pytest.fixture(scope="session")
def summarizer(model_folder: Path) -> Summarizer:
    """The tiny exported model, loaded, with a name that is no path."""
    loaded = Summarizer.load(model_folder, threads=1)
    loaded.name = "tiny"
    return loaded


@pytest.fixture(scope="session")
def client(model_folder: Path) -> Iterator[TestClient]:
    """A client of a server with the usual limits."""
    with TestClient(create_app(model_folder, Settings(workers=1)), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def connect(model_folder: Path) -> Iterator[Callable[..., TestClient]]:
    """Makes clients of servers with other limits; `client.app.state.workers` are their processes."""
    made: list[Workers] = []

    def make(**limits: object) -> TestClient:
        app = create_app(model_folder, Settings(**{"workers": 1, **limits}))  # type: ignore[arg-type]
        made.append(app.state.workers)
        return TestClient(app, raise_server_exceptions=False)

    yield make
    for workers in made:
        workers.close()


@contextmanager
def _running(model: Path, settings: Settings) -> Iterator[tuple[str, Workers]]:
    """A server on a free port; gives its URL and its workers."""
    with open_socket("127.0.0.1", 0) as opened:
        app = create_app(model, settings)
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"{address_of(opened)}/", app.state.workers
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def url(model_folder: Path) -> Iterator[str]:
    """The URL of a server that runs."""
    with _running(model_folder, Settings()) as (url, _):
        yield url


@pytest.fixture(scope="session")
def running(model_folder: Path) -> Callable[[Settings], AbstractContextManager[tuple[str, Workers]]]:
    """Makes servers that run while they are needed, and gives their URLs and their workers."""
    return lambda settings: _running(model_folder, settings)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium."""
    from .browsing import CHROMIUM, playwright

    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    """The page, watched: no error in it, and nothing that its policy forbids or that comes from elsewhere."""
    from .browsing import PATIENCE, is_trouble

    context = browser.new_context(viewport={"width": 1200, "height": 800}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    # That a status is not 200 is an error to the console, and not to us.
    page.on("console", lambda message: troubles.append(message.text) if is_trouble(message) else None)
    page.on(
        "request", lambda request: troubles.append(request.url) if not request.url.startswith((url, "blob:")) else None
    )
    page.on("dialog", lambda dialog: troubles.append(f"a dialog: {dialog.message}"))
    page.goto(url)
    yield page
    context.close()
    assert troubles == []


def pdf_of(*pages: list[str]) -> bytes:
    """A PDF with lines of text in Helvetica."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line.replace('(', '').replace(')', '')}) Tj T*" for line in lines)
        objects.append(make_stream(f"BT /F1 11 Tf 14 TL 72 720 Td {shown} ET".encode("latin-1")))
        page = b"/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R"
        objects.append(b"<< /Type /Page " + page % len(objects) + b" >>")
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (b" ".join(kids), len(kids))
    return write_pdf(objects)


@pytest.fixture(scope="session")
def paper_pdf() -> bytes:
    """A PDF of two pages, with headings."""
    first = [
        "1. Background",
        "",
        "Little was known about collisions when the first surveys began in 1999. Night-time crashes",
        "are rare in rural counties. They are often fatal, and road lighting was said to prevent them.",
        "",
        "2. Methods",
        "",
        "Data were entered twice and checked by a second reader. Missing values were replaced by",
        "the median of the group. The analysis used a mixed model with a random intercept.",
    ]
    second = [
        "3. Results",
        "",
        "Overall, road lighting clearly improved safety among rural counties. Response rates differed",
        "little between regions. Sensitivity analyses gave the same picture.",
    ]
    return pdf_of(first, second)
