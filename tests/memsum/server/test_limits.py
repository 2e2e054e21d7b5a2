"""Everything that a server refuses: the status, and one sentence in JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient

from memsum import MemsumError, Reading, Summarizer
from memsum.server.app import create_app
from memsum.server.middleware import Refusal
from memsum.server.service import Service
from memsum.server.settings import Settings
from memsum.server.store import Kept, Readings
from memsum.server.workers import Workers

from ..document.frames import FRAMES

JSON = {"content-type": "application/json"}
Connect = Callable[..., TestClient]
Running = Callable[[Settings], AbstractContextManager[tuple[str, Workers]]]


def stop(workers: Workers) -> Callable[[], None]:
    """Let the workers' processes stand still, as if a document had caught them; gives what lets them go."""
    workers.start()
    processes = [sandbox.pid for sandbox in workers._sandboxes if sandbox.pid is not None]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    return lambda: [os.kill(process, signal.SIGCONT) for process in processes] and None


def refused(response: httpx.Response, status: int, says: str) -> None:
    assert response.status_code == status, response.text
    body = response.json()
    assert says in body["error"]
    assert body["error"].endswith(".")
    assert set(body) <= {"error", "hint"}
    assert "content-security-policy" in response.headers


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b"[]", "Input should be an object"),
        (b"{}", "text: Field required"),
        (b'{"text": 5}', "text"),
        (b'{"text": ""}', "text"),
        (b'{"text": []}', "text"),
        (b'{"text": ["a", null]}', "text"),
        (b'{"text": "A. B.", "sentence": 3}', "sentence: Extra inputs are not permitted"),
        (b'{"text": "A. B.", "sentences": 0}', "sentences: Input should be greater than or equal to 1"),
        (b'{"text": "A. B.", "sentences": "3"}', "sentences: Input should be a valid integer"),
        (b'{"text": "A. B.", "sentences": 1, "words": 9}', "Use only one of sentences, words, characters, ratio."),
        (b'{"text": "A. B.", "ratio": 0}', "ratio: Input should be greater than 0"),
        (b'{"text": "A. B.", "ratio": NaN}', "ratio"),
        (b'{"text": "A. B.", "order": "random"}', "order"),
        (b'{"text": "A. B.", "about": ""}', "The question has no words."),
        (b'{"text": "A. B.", "about": "?!"}', "The question has no words."),
        (b'{"text": "A. B.", "about": [5]}', "about"),
        (b'{"text": "A. B.", "about": "' + b"why " * 300_000 + b'"}', "characters; 1,000 are read."),
        (b'{"text": "A. B.", "by": "page"}', "by: Input should be 'section'"),
        (b'{"text": "A. B.", "by": "section", "spread": true}', "mutually exclusive"),
        (b'{"text": "   "}', "The document is empty."),
        (b'{"text": "# A heading\\n"}', "The document has no sentences to choose from."),
        (b'{"text": "\xff"}', "Invalid"),
        (b'{"text": "\\ud800 lone"}', "Invalid JSON"),
        (b'{"text":' + b"[" * 5000 + b"]" * 5000 + b"}", ""),
    ],
)
def test_bad_requests_are_422(client: TestClient, body: bytes, says: str) -> None:
    refused(client.post("/v1/summarize", content=body, headers=JSON), 422, says)


def test_wrong_content_types_are_415(client: TestClient) -> None:
    refused(client.post("/v1/summarize", content=b"A text.", headers={"content-type": "text/plain"}), 415, "has to be")
    refused(client.post("/v1/summarize", content=b"A text."), 415, "application/json or multipart/form-data")
    refused(client.post("/v1/summarize/batch", files={"file": b"x"}), 415, "application/json")


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"files": {"paper": b"A text."}}, "no field 'file'"),
        ({"files": {"file": ("a.txt", b"A. B."), "more": ("b.txt", b"C.")}}, "The form cannot be read"),
        ({"files": {"file": ("a.txt", b"One. Two.")}, "data": {"sentences": "many"}}, "sentences: Input should be"),
        ({"files": {"file": ("a.txt", b"One.")}, "data": {"sentences": ["1", "2"]}}, "a field more than once"),
        ({"files": {"file": ("photo.jpg", bytes(range(256)) * 9)}}, "photo.jpg: The file holds binary data"),
        ({"files": {"file": ("../../etc/empty.txt", b"")}}, "empty.txt: The document is empty."),
        ({"content": b"--x\r\nbroken", "headers": {"content-type": "multipart/form-data; boundary=x"}}, "form"),
        ({"content": b"no boundary", "headers": {"content-type": "multipart/form-data"}}, "The form cannot be read"),
    ],
)
def test_bad_forms_are_422(client: TestClient, form: dict[str, object], says: str) -> None:
    refused(client.post("/v1/summarize", **form), 422, says)  # type: ignore[arg-type]


def test_addresses_and_methods(client: TestClient) -> None:
    refused(client.get("/v2/summarize"), 404, "Not found.")
    refused(client.get("/v1/summarize"), 405, "Method not allowed.")
    refused(client.get("/static/../app.py"), 404, "Not found.")
    refused(client.get("/static/%2e%2e/app.py"), 404, "Not found.")
    refused(client.get("/v1/readings/unknown?extractions=0"), 422, "extractions: Input should be greater")
    refused(client.get("/v1/readings/unknown/summary?format=docx"), 422, "format")
    refused(client.get("/v1/readings/unknown/summary?sentences=1&words=1"), 422, "Use only one of")
    refused(client.get("/v1/readings/unknown?about="), 422, "The question has no words.")
    refused(client.get("/v1/readings/unknown?abuot=x"), 422, "abuot: Extra inputs are not permitted")
    refused(client.get("/v1/readings/unknown/document"), 404, "no longer kept")


def test_a_pdf_of_what_is_none_is_422(client: TestClient, paper: str) -> None:
    name = client.post("/v1/readings", json={"text": paper}).json()["id"]
    refused(client.get(f"/v1/readings/{name}/summary?format=pdf"), 422, "This document is not a PDF.")


def test_a_request_with_two_lengths_is_refused(client: TestClient) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": "2", "Transfer-Encoding": "chunked"}
    assert client.post("/v1/summarize", content=b"{}", headers=headers).status_code == 400


def test_large_requests_are_413(connect: Connect) -> None:
    client = connect(bytes=2000, held_bytes=10_000)
    refused(client.post("/v1/summarize", json={"text": "A b. " * 1000}), 413, "larger than 0.00190735 MB")
    chunks = (b"x" * 1000 for _ in range(50))
    refused(client.post("/v1/summarize", content=chunks, headers=JSON), 413, "larger than")
    assert client.post("/v1/summarize", json={"text": "A short text. It fits."}).status_code == 200


def test_long_documents_are_413(connect: Connect) -> None:
    client = connect(text_bytes=300, sentences=5)
    refused(client.post("/v1/summarize", json={"text": "x" * 400}), 413, "more than 300 bytes of text")
    refused(client.post("/v1/summarize", json={"text": "é" * 200}), 413, "more than 300 bytes of text")
    refused(client.post("/v1/summarize", json={"text": ["one line"] * 6}), 413, "5 sentences")
    refused(client.post("/v1/summarize", json={"text": [""] * 500}), 413, "5 sentences")
    refused(client.post("/v1/summarize", files={"file": ("a.txt", b"It is. " * 6)}), 413, "5 sentences")


def test_large_batches_are_413(connect: Connect) -> None:
    body = {"documents": [{"text": "A text. And more."}] * 3}
    refused(connect(documents=2).post("/v1/summarize/batch", json=body), 413, "at most 2 documents")


def test_documents_that_are_too_many_or_too_long_together(connect: Connect) -> None:
    client = connect(documents=2, sentences=5)
    body = {"documents": [{"text": "A text. And more."}] * 3}
    refused(client.post("/v1/summarize/together", json=body), 413, "At most 2 documents")
    files = [("file", (f"{n}.txt", b"It is. So it is. It was.")) for n in range(2)]
    refused(client.post("/v1/summarize/together", files=files), 413, "The documents have more than")
    refused(client.post("/v1/readings", files=files), 413, "The documents have more than")


def test_documents_none_of_which_can_be_read_are_422(client: TestClient) -> None:
    body = {"documents": [{"text": ""}, {"text": "# A heading", "id": 7}]}
    refused(client.post("/v1/summarize/together", json=body), 422, "document 1: The document is empty.")
    files = [("file", (f"{n}.pdf", b"%PDF-1.4 broken")) for n in range(2)]
    refused(client.post("/v1/readings", files=files), 422, "0.pdf: ")
    refused(
        client.post("/v1/readings", files=[("file", (f"{n}.txt", b"A.")) for n in range(70)]), 422, "cannot be read"
    )
    refused(client.post("/v1/summarize/together", json={"documents": []}), 422, "documents: ")


def test_large_explanations_are_422(connect: Connect, paper: str) -> None:
    client = connect(explained=30)
    assert client.post("/v1/summarize", json={"text": paper, "sentences": 2, "explain": True}).status_code == 200
    refused(
        client.post("/v1/summarize", json={"text": paper, "sentences": 3, "explain": True}), 422, "would be too large"
    )


def test_too_many_empty_sentences_are_413_before_they_are_a_document(client: TestClient) -> None:
    body = b'{"text": [' + b'"",' * 300_000 + b'""]}'
    refused(client.post("/v1/summarize", content=body, headers=JSON), 413, "10,000 sentences")


def test_a_full_queue_is_429(running: Running, paper: str) -> None:
    answers: list[httpx.Response] = []
    with running(Settings(workers=1, queue=1)) as (url, workers), httpx.Client(base_url=url, timeout=30) as client:
        go = stop(workers)
        post = lambda: answers.append(client.post("/v1/summarize", json={"text": paper}))  # noqa: E731
        threads = [threading.Thread(target=post) for _ in range(2)]
        for thread in threads:
            thread.start()
        while "\nmemsum_jobs 2.0\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        third = client.post("/v1/summarize", json={"text": paper})
        refused(third, 429, "as many requests as it can take")
        assert third.headers["retry-after"] == "1"
        assert client.get("/healthz").status_code == 200
        go()
        for thread in threads:
            thread.join()
    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.slow
def test_what_takes_too_long_is_503_and_its_process_is_killed(connect: Connect, paper: str) -> None:
    client = connect(workers=1, queue=0, seconds=5)
    workers: Workers = client.app.state.workers  # type: ignore[attr-defined]
    with client:
        stop(workers)
        stuck = workers._sandboxes[0].pid
        refused(client.post("/v1/summarize", json={"text": paper}), 503, "This took longer than 5 seconds.")
        refused(client.post("/v1/summarize", json={"text": paper}), 429, "as many requests")
        while "\nmemsum_jobs 0.0\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        assert stuck is not None
        with pytest.raises(ProcessLookupError):
            os.kill(stuck, 0)
        workers.start()
        assert client.post("/v1/summarize", json={"text": "Short. Text."}).status_code == 200


@pytest.mark.slow
def test_a_worker_that_dies_is_503_and_replaced(connect: Connect, paper: str) -> None:
    client = connect()
    workers: Workers = client.app.state.workers  # type: ignore[attr-defined]
    kept = client.post("/v1/readings", json={"text": paper}).json()["id"]
    go = stop(workers)
    answers: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: answers.append(client.post("/v1/summarize", json={"text": paper})))
    thread.start()
    while workers.jobs != 1:
        time.sleep(0.01)
    workers._sandboxes[0].kill()
    thread.join()
    with pytest.raises(ProcessLookupError):
        go()
    refused(answers[0], 503, "The process that worked on this document died")
    refused(client.get(f"/v1/readings/{kept}"), 404, "no longer kept")
    assert client.post("/v1/summarize", json={"text": paper}).status_code == 200


_CELL = "<w:tbl><w:tr><w:tc>" * 80 + "<w:p><w:r><w:t>Hello there.</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * 80
FREEZES = (
    "<!-- a -->\n" * 45 + "Hello there.",
    "\\documentclass{a}\n\\newcommand\\a" + " " * 400 + "\nHello there.",
    FRAMES["docx"](_CELL),
)


def test_documents_that_froze_the_server_once(running: Running) -> None:
    with running(Settings(workers=1, seconds=60)) as (url, workers), httpx.Client(base_url=url, timeout=60) as client:
        for content in FREEZES:
            go = stop(workers)  # as if it took for ever
            answers: list[httpx.Response] = []
            body = {"json": {"text": content}} if isinstance(content, str) else {"files": {"file": ("a.docx", content)}}
            post = partial(client.post, "/v1/summarize", **body)  # type: ignore[arg-type]
            thread = threading.Thread(target=lambda post=post, answers=answers: answers.append(post()))
            thread.start()
            while workers.jobs != 1:
                time.sleep(0.01)
            for _ in range(5):
                assert httpx.get(f"{url}healthz", timeout=10).status_code == 200
            assert thread.is_alive()
            go()
            thread.join()
            assert answers[0].status_code in (200, 422)  # the macro and the tables leave no sentence


def test_an_extraction_gives_up_at_its_deadline(summarizer: Summarizer, paper: str) -> None:
    service = Service(summarizer, Settings(seconds=3))
    header = {"operation": "read", "content_type": "application/json", "left": 60}
    kept = json.loads(service.answer(header, json.dumps({"text": paper}).encode())[1])["id"]
    late = {"operation": "order", "reading": kept, "options": {"extractions": 5}, "left": 0}
    about, content = service.answer(late, b"")
    assert (about["status"], about["message"], content) == (503, "This took longer than 3 seconds.", b"")
    assert about["readings"] == 1  # the process lives on, with what it keeps
    assert service.answer({**late, "left": 60}, b"")[1]


def test_too_many_uploads_at_once_are_503(connect: Connect) -> None:
    client = connect(bytes=2000, held_bytes=1000)
    refused(client.post("/v1/summarize", json={"text": "A b. " * 300}), 503, "holds as many uploads as it can")
    assert client.post("/v1/summarize", json={"text": "One. Two."}).status_code == 200


def test_a_token_is_wanted(connect: Connect) -> None:
    client = connect(token="open sesame")
    body = {"text": "A text. And more."}
    missing = client.post("/v1/summarize", json=body)
    refused(missing, 401, "requires a token")
    assert missing.headers["www-authenticate"] == "Bearer"
    for wrong in ("Bearer sesame", "Basic open sesame", "open sesame", "Bearer open sesame2", "Bearer \xe4"):
        given = {"authorization": wrong.encode("latin-1")}
        refused(client.post("/v1/summarize", json=body, headers=given), 401, "requires a token")
    refused(client.get("/metrics"), 401, "token")
    right = {"authorization": "Bearer open sesame"}
    assert client.post("/v1/summarize", json=body, headers=right).status_code == 200
    assert client.get("/healthz").status_code == client.get("/").status_code == 200


def test_other_sites_are_refused(connect: Connect) -> None:
    client = connect(hosts=frozenset({"localhost", "[::1]"}))
    body = {"text": "A text. And more."}
    for host in ("evil.example", "[::1].evil.example", "[::1]x:80", "localhost:80.evil.example", "[::1", ""):
        refused(client.get("/", headers={"host": host}), 403, "Host not allowed")
    assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200
    assert client.get("/", headers={"host": "[::1]:8000"}).status_code == 200
    cross = {"host": "localhost", "sec-fetch-site": "cross-site"}
    refused(client.post("/v1/summarize", json=body, headers=cross), 403, "another site")
    old = {"host": "localhost:8000", "origin": "https://evil.example"}
    refused(client.post("/v1/summarize", json=body, headers=old), 403, "another site")
    own = {"host": "localhost:8000", "origin": "http://localhost:8000"}
    assert client.post("/v1/summarize", json=body, headers=own).status_code == 200


def test_a_broken_server_says_so_without_details(summarizer: Summarizer) -> None:
    class Broken(Summarizer):
        def read(self, *args: object, **options: object) -> Reading:
            raise RuntimeError("secret path")

    service = Service(Broken(summarizer.runtime, "broken"), Settings())
    header = {"operation": "summarize", "content_type": "application/json", "left": 10}
    about, content = service.answer(header, b'{"text": "A text. And more."}')
    assert (about["status"], about["message"], content) == (500, "The server failed; its log says why.", b"")


def test_slow_clients_do_not_stay(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.HEADER_SECONDS", 0.2)
    with running(Settings(upload_seconds=0.2)) as (url, _):
        place = (urlsplit(url).hostname, urlsplit(url).port)
        with (
            socket.create_connection(place, 10) as head,
            socket.create_connection(place, 10) as body,
            socket.create_connection(place, 10) as second,
        ):
            second.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            first_answer = second.recv(4000)
            if not first_answer.endswith(b"}"):
                first_answer += second.recv(4000)
            assert first_answer.endswith(b'{"status":"ok"}')
            second.sendall(b"GET /healthz HTTP/1.1\r\nX-Sl")
            head.sendall(b"POST /v1/summarize HTTP/1.1\r\nHost: x\r\nX-Sl")
            body.sendall(b"POST /v1/summarize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
            body.sendall(b'Content-Length: 900\r\n\r\n{"text": "A')
            assert is_closed(head)
            assert is_closed(second)
            answer = b"".join(iter(lambda: body.recv(4000), b""))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"took longer than 0.2 seconds to arrive." in answer
        assert httpx.get(f"{url}healthz").status_code == 200


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end closes it, with or without a farewell."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_readings_are_few_and_expire(summarizer: Summarizer, paper: str) -> None:
    now = [0.0]
    kept = [Kept(summarizer.read(paper), f"{i}.md") for i in range(3)]
    readings = Readings(most_bytes=2 * kept[0].weight, seconds=60, clock=lambda: now[0])
    first, second = readings.keep(kept[0]), readings.keep(kept[1])
    assert readings.use(first).name == "0.md"
    third = readings.keep(kept[2])
    assert len(readings) == 2
    with pytest.raises(Refusal):
        readings.use(second)
    now[0] = 50
    readings.use(third)
    now[0] = 70
    with pytest.raises(Refusal) as caught:
        readings.use(first)
    assert caught.value.status == 404


def test_impossible_settings_are_one_sentence() -> None:
    for limits in ({"workers": 0}, {"queue": -1}, {"token": "ä"}, {"token": " "}, {"seconds": 0}):
        with pytest.raises(MemsumError):
            Settings(**limits)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def roomy(model_folder: Path) -> Iterator[TestClient]:
    """A client of a server that has seen nothing large yet."""
    app = create_app(model_folder, Settings(workers=1))
    yield TestClient(app, raise_server_exceptions=False)
    app.state.workers.close()


@pytest.mark.xdist_group("roomy")
@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("summarize", b'{"text": [' + b"1," * 600_000 + b"1]}", 422, "text"),
        ("summarize", b'{"text": [' + b"1," * 3_000_000 + b"1]}", 413, "more values"),
        ("summarize", b'{"text": [' + b'"",' * 3_000_000 + b"1]}", 413, "more values"),
        ("summarize", b"{" + b'"a":1,' * 600_000 + b'"b":1}', 413, "more values"),
        ("summarize", b'{"text": ' + b"[" * 3_000_000, 413, "more values"),
        ("summarize/batch", b'{"documents": [' + b"{}," * 600_000 + b"{}]}", 422, "documents"),
        ("summarize/batch", b'{"documents": [{"text": [' + b"1," * 600_000 + b"1]}]}", 422, "documents"),
    ],
    ids=["numbers", "many", "empty", "keys", "deep", "documents", "sentences"],
)
def test_json_of_millions_of_values_takes_little_memory(
    roomy: TestClient, path: str, body: bytes, status: int, says: str
) -> None:
    refused(roomy.post(f"/v1/{path}", content=body, headers=JSON), status, says)
    assert highest_mb(roomy.app.state.workers._sandboxes[0].pid) < 400  # type: ignore[attr-defined]


def test_a_text_full_of_punctuation_is_not_many_values(client: TestClient) -> None:
    text = 'He said \\"one, two, [three], {four}: five\\" to all of them. ' * 20_000
    answer = client.post("/v1/summarize", content=f'{{"text": "{text}", "sentences": 1}}', headers=JSON)
    assert "values" not in answer.text


def test_a_worker_has_a_memory_limit(connect: Connect) -> None:
    workers = connect().app.state.workers  # type: ignore[attr-defined]
    workers.start()
    limits = Path(f"/proc/{workers._sandboxes[0].pid}/limits").read_text()
    assert re.search(r"Max address space +\d+", limits)


def test_a_worker_that_has_grown_is_replaced(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect()
    workers = client.app.state.workers  # type: ignore[attr-defined]
    workers.start()
    before = workers._sandboxes[0].pid
    assert before is not None
    monkeypatch.setattr("memsum.server.workers._GROWN_MB", -1000)
    for _ in range(2):
        assert client.post("/v1/summarize", json={"text": "The pump is old. It is worn."}).status_code == 200
        assert workers._sandboxes[0].pid != before


def highest_mb(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]


def test_silent_connections_shut_nobody_out(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.BACKLOG", 8)
    with running(Settings(workers=1)) as (url, _), ExitStack() as stack:
        place = (urlsplit(url).hostname, urlsplit(url).port)
        for _ in range(12):
            stack.enter_context(socket.create_connection(place))
        for _ in range(6):  # uploads that never end
            slow = stack.enter_context(socket.create_connection(place))
            slow.sendall(b"POST /v1/summarize HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
        for _ in range(3):
            assert httpx.get(f"{url}healthz", timeout=20).json() == {"status": "ok"}


def test_one_address_cannot_take_the_connections_of_others(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.server.protocol.MOST_OF_ONE", 4)
    monkeypatch.setattr("memsum.server.protocol.HEADER_SECONDS", 120.0)  # none ends by itself
    with running(Settings(workers=1)) as (url, _), ExitStack() as stack:
        place = (urlsplit(url).hostname, urlsplit(url).port)
        other = stack.enter_context(socket.create_connection(place, 20, source_address=("127.0.0.2", 0)))
        crowd = [stack.enter_context(socket.create_connection(place, 20)) for _ in range(9)]
        assert httpx.get(f"{url}healthz", timeout=20).json() == {"status": "ok"}
        for ended in crowd[:5]:
            with suppress(ConnectionResetError):
                assert ended.recv(1) == b""
        other.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert other.recv(100).startswith(b"HTTP/1.1 200")
