"""A server with a model of few weights: in this process for most tests, on a port for browsers and slow clients."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from fastapi.testclient import TestClient

from memsum import Summarizer
from memsum.models import ModelConfig, StopSettings, write_manifest
from memsum.policy import PolicyConfig
from memsum.server.app import create_app
from memsum.server.running import address, make_server, open_socket
from memsum.server.settings import Settings
from memsum.text import WordVectors
from memsum.text.encoding import TextEncoder

PAPER = """\
# Lighting on rural roads

## Background

Little was known about collisions when the first surveys began in 1999. Night-time crashes are rare
in rural counties. They are often fatal, and road lighting was said to prevent them.

## Methods

Data were entered twice and checked by a second reader. Missing values were replaced by the median of
the group. The analysis used a mixed model with a random intercept.

## Results

Overall, road lighting clearly improved safety among rural counties (p < 0.01). Response rates differed
little between regions. Sensitivity analyses gave the same picture.

## Conclusion

We conclude that road lighting should be offered to counties that are at risk of collisions. The benefit
lasts for at least 12 months.

## References

1. Smith J. A similar scheme. 2001.
"""


@pytest.fixture(scope="session")
def paper() -> str:
    """A document in Markdown of eleven sentences."""
    return PAPER


@pytest.fixture(scope="session")
def summarizer(tiny: PolicyConfig, vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Summarizer:
    """An untrained model, exported and loaded."""
    import torch

    from memsum.policy.export import export_policy
    from memsum.policy.folder import new_policy, save_policy

    folder = tmp_path_factory.mktemp("models") / "tiny"
    torch.manual_seed(3)
    policy = new_policy(tiny, TextEncoder(vectors)).eval()
    save_policy(folder, policy, ModelConfig(tiny.to_dict(), stop=StopSettings(0.999, 4)), vectors)
    export_policy(policy, folder)
    write_manifest(folder)
    loaded = Summarizer.load(folder, threads=1)
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
            yield address(opened)
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
