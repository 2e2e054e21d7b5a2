"""The pages, without a browser: voting, going back, bad codes, posts from elsewhere, a file that is locked."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memsum_study.store import Study
from memsum_study.web.app import serve

from .conftest import DOCUMENTS, ORIGIN, MakeStudy, Open
from .conftest import LEFT_LEFT_RIGHT as A

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def votes(client: TestClient) -> list[tuple[object, ...]]:
    study: Study = client.study  # type: ignore[attr-defined]
    return study.rows("SELECT overall, coverage, non_redundancy, comment FROM votes ORDER BY assignment")


def test_a_whole_study_without_scripts(client: TestClient) -> None:
    assert "3 pairs" in client.get("/").text
    page = client.get("/next")
    for number in (1, 2, 3):
        assert page.url.path == f"/pairs/{number}"
        assert f"Pair {number} of 3" in page.text
        page = client.post(f"/pairs/{number}", data={**A, "comment": f"no. {number}"})
    assert page.url.path == "/done"
    assert "judged 3 of 3" in page.text
    assert sorted(str(vote[3]) for vote in votes(client)) == ["no. 1", "no. 2", "no. 3"]


def test_a_closed_tab_resumes_where_it_was(client: TestClient) -> None:
    client.post("/pairs/1", data=A)
    code = client.cookies["annotator"]
    client.cookies.clear()
    client.post("/join", data={"code": code})
    assert client.get("/next").url.path == "/pairs/2"


def test_a_double_click_and_two_tabs(client: TestClient) -> None:
    for _ in range(2):
        client.post("/pairs/1", data=A)
    assert len(votes(client)) == 1
    client.post("/pairs/1", data={**A, "overall": "right"})
    assert votes(client) == [("right", "left", "right", "")]


def test_an_incomplete_ballot_comes_back_as_it_was(client: TestClient) -> None:
    page = client.post("/pairs/1", data={"overall": "right", "coverage": "maybe", "comment": "half <i>way</i>"})
    assert page.status_code == 422
    assert "choose for coverage and non-redundancy" in page.text
    assert 'value="right" required checked' in page.text
    assert "half &lt;i&gt;way&lt;/i&gt;" in page.text
    assert votes(client) == []


def test_skipping_needs_no_choice(client: TestClient) -> None:
    page = client.post("/pairs/1", data={"action": "skip"})
    assert page.url.path == "/pairs/2"
    assert votes(client) == [(None, None, None, "")]
    assert "1 skipped" in page.text


def test_the_source_is_marked_only_after_voting(client: TestClient) -> None:
    for address in ("/pairs/1?source=1", "/pairs/1/source", "/pairs/1"):
        assert "badge" not in client.get(address).text
    client.post("/pairs/1", data={"action": "skip"})
    assert "badge" not in client.get("/pairs/1/source").text
    client.post("/pairs/1", data=A)
    text = client.get("/pairs/1/source").text
    assert "in summary A" in text
    assert "in summary B" in text


def test_text_is_escaped(client: TestClient) -> None:
    pages = [client.get(f"/pairs/{number}?source=1").text for number in (1, 2, 3)]
    [page] = [page for page in pages if "The roof leaks" in page]
    assert "&lt;b&gt;badly&lt;/b&gt; &amp; nobody" in page
    assert "<b>badly" not in page
    attack = client.get("/pairs/1", params={"query": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in attack


def test_relevant_sentences_are_found_with_and_without_scripts(client: TestClient) -> None:
    study: Study = client.study  # type: ignore[attr-defined]
    task = study.task(study.annotators()[0], 1)
    assert task is not None
    levels = client.get("/pairs/1/relevant", params={"query": task.text[task.left[0]]}).json()
    assert levels["a"][0] == 2
    assert [len(levels[key]) for key in ("a", "b", "source")] == [len(task.left), len(task.right), len(task.text)]
    assert "level-2" in client.get("/pairs/1", params={"query": task.text[task.left[0]]}).text
    assert set(client.get("/pairs/1/relevant").json()["source"]) == {0}


def test_time_is_recorded(client: TestClient) -> None:
    opened = re.search(r'name="opened" value="([\d.]+)"', client.get("/pairs/1").text)
    assert opened is not None
    client.post("/pairs/1", data={**A, "opened": str(float(opened[1]) - 30), "active": "12.5"})
    client.post("/pairs/2", data={**A, "opened": "yesterday", "active": "nan"})
    study: Study = client.study  # type: ignore[attr-defined]
    rows = study.rows("SELECT seconds, active_seconds FROM votes ORDER BY cast_at")
    assert 30 <= rows[0][0] < 90
    assert rows[0][1] == 12.5
    assert rows[1] == (None, None)


@pytest.mark.parametrize("code", ["", "guess", "x" * 500, "' OR 1=1 --", "%00"])
def test_forged_codes_see_nothing(open_client: Open, code: str) -> None:
    client = open_client(join=False)
    pages = [client.post("/join", data={"code": code})]
    client.cookies.set("annotator", "forged")
    pages += [client.get(path) for path in ("/", "/pairs/1", "/pairs/1/source", "/next", "/done", "/pairs/1/relevant")]
    pages.append(client.post("/pairs/1", data=A))
    for page in pages:
        assert page.status_code == 403
        assert "not one of this study" in page.text
        assert not any(sentence in page.text for text in DOCUMENTS.values() for sentence in text)
    assert votes(client) == []


def test_without_a_code_one_is_asked_for_it(open_client: Open) -> None:
    client = open_client(join=False)
    for path in ("/", "/pairs/1", "/next"):
        page = client.get(path)
        assert page.url.path == "/"
        assert "Your code" in page.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://["},
        {"origin": "http://study.test.evil.example"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    ],
)
def test_posts_from_other_sites_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    for path in ("/pairs/1", "/join", "/leave"):
        answer = client.post(path, data=A, headers=headers)
        assert answer.status_code == 403
        assert "another site" in answer.text
    assert votes(client) == []
    code = {"code": client.cookies["annotator"]}
    cookie = client.post("/join", data=code, follow_redirects=False).headers["set-cookie"].lower()
    assert "samesite=lax" in cookie
    assert "httponly" in cookie


def test_a_link_that_is_followed_signs_nobody_in(open_client: Open) -> None:
    client = open_client(annotators=2)
    first, second = client.study.annotators()  # type: ignore[attr-defined]
    assert client.get(f"/join/{first.code}").url.path == "/"  # who it is already goes on
    page = client.get(f"/join/{second.code}", headers={"origin": "", "sec-fetch-site": "cross-site"})
    assert f"Begin as {second.name}" in page.text
    assert client.cookies["annotator"] == first.code
    client.cookies.clear()
    client.get(f"/join/{second.code}")
    assert "annotator" not in client.cookies
    client.post("/join", data={"code": second.code})
    assert client.cookies["annotator"] == second.code


def test_nobody_votes_for_another(open_client: Open) -> None:
    client = open_client(annotators=2)
    study: Study = client.study  # type: ignore[attr-defined]
    total = study.progress(study.annotators()[0]).total
    assert client.post(f"/pairs/{total + 1}", data=A).status_code == 404
    assert client.post("/pairs/1", data={**A, "annotator": study.annotators()[1].code}).status_code == 200
    assert [study.progress(one).judged for one in study.annotators()] == [1, 0]


@pytest.mark.parametrize(
    "path", ["/pairs/0", "/pairs/-1", "/pairs/99999999999999999999", "/pairs/x", "/docs", "/openapi.json"]
)
def test_pages_that_are_not(client: TestClient, path: str) -> None:
    page = client.get(path)
    assert page.status_code == 404
    assert "There is no such" in page.text


def test_a_locked_file_loses_nothing(open_client: Open, make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum_study.store.BUSY_SECONDS", 0.05)
    path = make_study()
    client = open_client(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    page = client.post("/pairs/1", data={**A, "comment": "worth keeping"})
    assert page.status_code == 503
    assert "nothing was saved" in page.text
    assert "worth keeping" in page.text
    other.execute("ROLLBACK")
    other.close()
    assert client.post("/pairs/1", data={**A, "comment": "worth keeping"}).url.path == "/pairs/2"
    assert votes(client) == [("left", "left", "right", "worth keeping")]


def test_a_tie_only_where_there_are_ties(client: TestClient) -> None:
    assert "Tie" not in client.get("/pairs/1").text
    page = client.post("/pairs/1", data={**A, "overall": "tie"})
    assert page.status_code == 503
    assert "no ties" in page.text
    assert votes(client) == []


def test_a_large_or_strange_form_is_refused(client: TestClient) -> None:
    assert client.post("/pairs/1", data={**A, "comment": "x" * 70_000}).status_code == 413
    assert client.post("/pairs/1", content=b"\xff\xfe=%ff&overall=left&&&=").status_code == 422
    assert client.post("/pairs/1", content=b"a=1&" * 1000).status_code == 422
    strange = "\0 fine \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")
    assert client.post("/pairs/1", data={**A, "comment": strange}).status_code == 200
    assert votes(client)[0][3] == "fine 😀"


def test_every_page_is_guarded(client: TestClient) -> None:
    for path in ("/", "/pairs/1", "/done", "/nothing", "/pairs/1/relevant"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
    assert client.get("/static/study.js").status_code == 200
    assert client.get("/static/../app.py").status_code == 404


def test_a_form_that_does_not_arrive_is_given_up(open_client: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum_study.web.app.BODY_SECONDS", 0.1)
    client = open_client()
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"study.test"), (b"origin", b"http://study.test"), (b"content-length", b"90")]
    scope = {"type": "http", "method": "POST", "path": "/pairs/1", "headers": headers, "query_string": b""}
    asyncio.run(client.app(scope, receive, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 408


def test_a_study_is_served_with_the_time_limits_of_all_servers(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memsum.server import protocol

    made: list[Any] = []

    def make(app: Any) -> Any:
        made.append(protocol_make(app))
        return SimpleNamespace(run=lambda sockets: None)

    protocol_make = protocol.make_server
    monkeypatch.setattr("memsum_study.web.app.make_server", make)
    serve(make_study(), "127.0.0.1", 0, None, lambda line: None)
    assert made[0].config.http is protocol.TimeoutProtocol


def test_a_study_on_localhost_answers_to_no_other_name(make_study: MakeStudy) -> None:
    from fastapi.testclient import TestClient

    from memsum.server.settings import LOOPBACK_NAMES
    from memsum_study.similarity import Finder, WordCounts
    from memsum_study.web.app import create_app

    with Study(make_study(), write=True) as study:
        client = TestClient(create_app(study, Finder(WordCounts), LOOPBACK_NAMES))
        assert client.get("/", headers={"host": "localhost:8765"}).status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 403
