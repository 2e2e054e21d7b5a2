"""A server with a model of few weights: in this process for most tests, on a port for browsers and slow clients."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from memsum import Summarizer
from memsum.server.app import create_app
from memsum.server.running import make_server
from memsum.server.settings import Settings
from memsum.web import address_of, open_socket


@pytest.fixture(scope="session")
def summarizer(model_folder: Path) -> Summarizer:
    """The tiny exported model, loaded, with a name that is no path."""
    loaded = Summarizer.load(model_folder, threads=1)
    loaded.name = "tiny"
    return loaded


@pytest.fixture(scope="session")
def client(summarizer: Summarizer) -> Iterator[TestClient]:
    """A client of a server with the usual limits."""
    with TestClient(create_app(summarizer), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def connect(summarizer: Summarizer) -> Callable[..., TestClient]:
    """Makes clients of servers with other limits."""

    def make(model: Summarizer = summarizer, **limits: object) -> TestClient:
        return TestClient(create_app(model, Settings(**limits)), raise_server_exceptions=False)  # type: ignore[arg-type]

    return make


@contextmanager
def _running(summarizer: Summarizer, settings: Settings) -> Iterator[str]:
    """A server on a free port; gives its URL."""
    with open_socket("127.0.0.1", 0) as opened:
        server = make_server(summarizer, settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"{address_of(opened)}/"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def url(summarizer: Summarizer) -> Iterator[str]:
    """The URL of a server that runs."""
    with _running(summarizer, Settings()) as url:
        yield url


@pytest.fixture(scope="session")
def running() -> Callable[[Summarizer, Settings], AbstractContextManager[str]]:
    """Makes servers that run while they are needed, and gives their URLs."""
    return _running


def pdf_of(*pages: list[str]) -> bytes:
    """A PDF with lines of text in Helvetica."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line.replace('(', '').replace(')', '')}) Tj T*" for line in lines)
        content = f"BT /F1 11 Tf 14 TL 72 720 Td {shown} ET"
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        page = f"/Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {len(objects)} 0 R"
        objects.append(f"<< /Type /Page {page} >>")
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    file = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return file + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


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
