from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memsum.document import Document, read_document
from memsum.document.isolation import Limits, Worker
from memsum.document.wire import pack, unpack
from memsum.errors import DocumentError

PDF = Path(__file__).parents[1] / "data" / "documents" / "two-columns.pdf"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


def test_the_same_document_as_without(worker: Worker) -> None:
    assert worker.read(PDF.read_bytes()) == read_document(PDF)
    assert worker.read("The pump was old. \ud800 It was “worn”.") == read_document(
        "The pump was old. \ud800 It was “worn”."
    )


def test_errors_come_back_as_they_are(worker: Worker) -> None:
    with pytest.raises(DocumentError, match=r"^bill\.pdf: The PDF is damaged or cut off\.$") as caught:
        worker.read(b"%PDF-1.7\n1 0 obj", name="bill.pdf")
    assert caught.value.hint == "Download or export it again."


def test_a_worker_that_takes_too_long_is_killed_and_replaced() -> None:
    worker = Worker(Limits(seconds=0.001))
    with pytest.raises(DocumentError, match=r"took longer than 0\.001 seconds"):
        worker.read(PDF.read_bytes())
    worker.limits = Limits()
    assert worker.read("The pump was old.").text == "The pump was old."
    worker.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_worker_that_needs_too_much_memory_is_refused() -> None:
    worker = Worker(Limits(memory_mb=400))
    with pytest.raises(DocumentError, match="more than 400 MB"):
        worker.read("A word. " * 7_000_000)
    assert worker.read("The pump was old.").text == "The pump was old."
    worker.close()


def test_a_crash_is_an_error(worker: Worker) -> None:
    worker.read("Start.")
    assert worker._process is not None
    os.kill(worker._process.pid, 9)
    worker._process.wait()
    assert worker.read("The pump was old.").text == "The pump was old."


def test_the_way_in(tmp_path: Path) -> None:
    assert read_document(PDF, isolated=True) == read_document(PDF)
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(DocumentError, match=r"^empty\.txt: The document is empty\.$"):
        read_document(tmp_path / "empty.txt", isolated=True)


def test_what_comes_back_is_not_trusted() -> None:
    document = Document.from_sentences(["One.", "Two."])
    assert unpack(pack(document)) == document
    for data in (b"", b"{}", b"[]", pack(document).replace(b"[0, 4,", b"[0, 99,"), b'{"message": 1}'):
        with pytest.raises(DocumentError, match="damaged"):
            unpack(data)
