"""What the API answers when all is well: the same as the library, in JSON and other forms."""

from __future__ import annotations

from html import unescape
from io import BytesIO
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pypdf import PdfReader

from memsum import Summarizer, __version__, read_document
from memsum.document.formats import FORMATS, TITLES
from memsum.server.pages import STATIC


def summarize(client: TestClient, **body: Any) -> dict[str, Any]:
    response = client.post("/v1/summarize", json=body)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sentences": 3},
        {"words": 40, "order": "extraction"},
        {"characters": 200},
        {"ratio": 0.5},
        {"stop_threshold": 0.0, "min_sentences": 2},
        {"max_sentences": 2, "block_trigrams": True, "explain": True},
        {"about": "Does road lighting improve safety?", "sentences": 2},
        {"about": "quantum chromodynamics"},
        {"by": "section", "sentences": 5},
        {"keywords": True},
        {"spread": True, "sentences": 4, "context": False},
    ],
)
def test_a_text_gets_the_summary_of_the_library(
    client: TestClient, summarizer: Summarizer, paper: str, options: dict[str, Any]
) -> None:
    assert (
        summarize(client, text=paper, id="roads", **options)
        == summarizer.summarize(paper, id="roads", **options).to_dict()
    )


def test_sentences_are_taken_as_they_are(client: TestClient) -> None:
    text = ["first line without a period", "", "second. with two. periods", "third"]
    answer = summarize(client, text=text, sentences=3)
    assert [sentence["text"] for sentence in answer["sentences"]] == [text[0], text[2], text[3]]
    assert answer["document"]["sentences"] == 4


def test_a_file_is_read_by_its_content(client: TestClient, summarizer: Summarizer, paper: str) -> None:
    files = {"file": ("C:\\papers\\roads.bin", paper.encode(), "application/octet-stream")}
    response = client.post("/v1/summarize", files=files, data={"sentences": "2", "explain": "true", "words": ""})
    assert response.status_code == 200, response.text
    document = read_document(paper.encode())
    assert response.json() == summarizer.summarize(document, sentences=2, explain=True).to_dict()


def test_a_pdf_has_pages(client: TestClient, paper_pdf: bytes) -> None:
    response = client.post("/v1/summarize", files={"file": ("roads.pdf", paper_pdf)}, data={"ratio": "1"})
    assert response.status_code == 200, response.text
    assert {sentence["page"] for sentence in response.json()["sentences"]} == {1, 2}


def test_a_batch_goes_on_after_a_bad_document(client: TestClient, paper: str) -> None:
    documents = [{"text": paper, "id": "good"}, {"text": "# Only a heading\n", "id": 7}, {"text": [paper, "End."]}]
    documents += [{"text": ""}, {"text": []}, {"text": "Last. One."}]
    response = client.post("/v1/summarize/batch", json={"documents": documents, "sentences": 1})
    assert response.status_code == 200, response.text
    first, second, third, empty, none, last = response.json()["summaries"]
    assert (first["id"], len(first["sentences"])) == ("good", 1)
    assert second == {"id": 7, "error": "The document has no sentences to choose from."}
    assert third["id"] == 2
    assert empty == {"id": 3, "error": "The document is empty."}
    assert none == {"id": 4, "error": "The document has no sentences to choose from."}
    assert len(last["sentences"]) == 1


HARBOUR = "# Harbour\n\nThe harbour board met in May. They closed the eastern quay to all boats.\n"


def test_several_documents_are_summarized_together(client: TestClient, summarizer: Summarizer, paper: str) -> None:
    documents = [{"text": paper, "id": "roads"}, {"text": ["A list. Of sentences.", "Another one."]}, {"text": HARBOUR}]
    options: dict[str, Any] = {"sentences": 6, "order": "extraction", "about": "the quay"}
    response = client.post("/v1/summarize/together", json={"documents": documents, **options})
    assert response.status_code == 200, response.text
    ids = ["roads", "document 2", "document 3"]
    own = summarizer.summarize_together([paper, documents[1]["text"], HARBOUR], ids=ids, **options)
    assert response.json() == own.to_dict()


def test_several_files_are_read_together_without_those_that_cannot_be(
    client: TestClient, summarizer: Summarizer, paper: str
) -> None:
    contents = {"roads.md": paper.encode(), "photo.jpg": bytes(range(256)) * 9, "harbour.md": HARBOUR.encode()}
    files = [("file", one) for one in [*contents.items(), ("harbour.md", b"Nothing else was said. They went home.")]]
    answer = client.post("/v1/summarize/together", files=files, data={"by": "section", "sentences": "5"}).json()
    names = ["roads.md", "harbour.md", "harbour.md (2)"]
    assert [document["id"] for document in answer["documents"]] == names
    assert [section["title"] for section in answer["sections"]] == names
    assert answer["warnings"][0] == "Left out: photo.jpg: The file holds binary data, not text."
    reading = client.post("/v1/readings", files=files).json()
    assert [(one["name"], one["first"], one["sentences"]) for one in reading["documents"]] == [
        ("roads.md", 0, 11),
        ("harbour.md", 11, 2),
        ("harbour.md (2)", 13, 2),
    ]
    assert [place["document"] for place in reading["sentences"]] == [0] * 11 + [1] * 2 + [2] * 2
    pieces = [piece for part in reading["parts"] for piece in part["pieces"] if "sentence" in piece]
    assert [piece["sentence"] for piece in pieces] == list(range(15))
    assert pieces[11]["text"] == "The harbour board met in May."
    assert [part["pieces"][0]["text"] for part in reading["parts"] if part["kind"] == "file"] == names
    shown = client.get(f"/v1/readings/{reading['id']}/summary", params={"format": "markdown", "ratio": 1}).text
    assert "They closed the eastern quay to all boats. *(harbour.md, sentence 2 of 2)*" in shown


def test_a_reading_is_all_that_a_page_needs(client: TestClient, summarizer: Summarizer, paper: str) -> None:
    reading = client.post("/v1/readings", json={"text": paper}).json()
    own = summarizer.summarize(paper, order="extraction")
    assert reading["own"] == len(own) == 4
    assert [e["index"] for e in reading["extractions"]] == [sentence.index for sentence in own]
    assert not reading["complete"]
    assert reading["title"] == "Lighting on rural roads"
    assert len(reading["id"]) >= 24
    pieces = [piece for part in reading["parts"] for piece in part["pieces"] if "sentence" in piece]
    sentences = [" ".join(sentence.text.split()) for sentence in own.document.sentences]
    assert [piece["text"] for piece in pieces] == sentences
    assert [place["section"] for place in reading["sentences"]][::5] == ["Background", "Methods", "Conclusion"]
    assert sum(place["words"] for place in reading["sentences"]) == reading["document"]["words"]

    longer = client.get(f"/v1/readings/{reading['id']}", params={"extractions": 30}).json()
    assert longer["complete"]
    assert longer["extractions"][:4] == reading["extractions"]
    assert sorted(e["index"] for e in longer["extractions"]) == list(range(11))


def test_a_reading_answers_questions_and_divides_by_section(
    client: TestClient, summarizer: Summarizer, paper: str
) -> None:
    name = client.post("/v1/readings", json={"text": paper}).json()["id"]
    options: dict[str, Any]
    for options in ({"about": "missing values"}, {"by": "section"}, {"spread": True}, {"about": "the colour of cats"}):
        order = client.get(f"/v1/readings/{name}", params={**options, "extractions": 6}).json()
        own = summarizer.summarize(paper, order="extraction", **options)
        longer = summarizer.summarize(paper, order="extraction", sentences=6, **options)
        assert [e["index"] for e in order["chosen"]] == [s.index for s in own]
        assert [e["index"] for e in order["extractions"]] == [s.index for s in longer]
        if "about" in options:
            relevance = [round(s.relevance, 6) for s in longer if s.relevance is not None]
            assert [e["relevance"] for e in order["extractions"]] == relevance
            assert [e["answer"] for e in order["extractions"]] == [s.answer for s in longer]
        assert order["found"] == own.found
        assert order["warnings"] == list(own.warnings)
    assert (order["extractions"], order["chosen"], order["found"]) == ([], [], False)  # honest: nothing was found


def test_answers_from_abstract_and_captions_are_shown_like_others(client: TestClient) -> None:
    paper = (
        "# Bees\n\n## Abstract\n\nWe counted wild bees in 62 allotments. Few were rare.\n\n"
        "## Methods\n\nEach plot was visited six times.\n\n"
        "![A plot](plot.png)\nFigure 1. A plot of ten square metres.\n"
    )
    reading = client.post("/v1/readings", json={"text": paper}).json()
    assert reading["document"]["sentences"] == 3
    assert [place["beside"] for place in reading["sentences"]] == [None, None, None, "caption", "caption"]
    texts = {p["sentence"]: p["text"] for part in reading["parts"] for p in part["pieces"] if "sentence" in p}
    params = {"about": "How many allotments were there?", "extractions": 3}
    order = client.get(f"/v1/readings/{reading['id']}", params=params).json()
    assert texts[order["extractions"][0]["index"]] == "We counted wild bees in 62 allotments."


def test_several_questions_get_an_answer_each(client: TestClient, paper: str) -> None:
    questions = ["missing values", "the colour of cats"]
    in_json = client.post("/v1/summarize", json={"text": paper, "about": questions, "id": 7}).json()
    form = {"about": questions, "id": "7"}
    in_form = client.post("/v1/summarize", files={"file": ("roads.md", paper.encode())}, data=form).json()
    assert in_json["id"] == 7
    assert [answer["found"] for answer in in_json["answers"]] == [True, False]
    assert [answer["sentences"] for answer in in_form["answers"]] == [a["sentences"] for a in in_json["answers"]]
    assert client.post("/v1/summarize", json={"text": paper, "about": ["cost"] * 101}).status_code == 422


def test_a_reading_comes_again_as_it_was(client: TestClient, summarizer: Summarizer, paper: str) -> None:
    reading = client.post("/v1/readings", files={"file": ("roads.md", paper.encode())}).json()
    assert client.get(f"/v1/readings/{reading['id']}/document").json() == reading
    assert reading["documents"] == [
        {
            "name": "roads.md",
            "title": "Lighting on rural roads",
            "authors": [],
            "facts": [],
            "format": "markdown",
            "pages": 0,
            "first": 0,
            "sentences": 11,
        }
    ]
    assert reading["keywords"] == [keyword.to_dict() for keyword in summarizer.read(paper).keywords]
    assert [place["kind"] for place in reading["sentences"]][::3] == ["background", "method", "result", "conclusion"]


@pytest.mark.parametrize("form", ["json", "markdown", "text", "html"])
def test_a_reading_is_shown_in_all_forms(client: TestClient, summarizer: Summarizer, paper: str, form: str) -> None:
    name = client.post("/v1/readings", files={"file": ("Rural roads (1).md", paper.encode())}).json()["id"]
    query = {"format": form, "sentences": 2, "order": "extraction"}
    response = client.get(f"/v1/readings/{name}/summary", params=query)
    summary = summarizer.summarize(paper, sentences=2, order="extraction")
    if form == "json":
        assert response.json() == summary.to_dict()
    else:
        wanted = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}[form]()
        assert response.text == f"{wanted}\n"
    extension = {"markdown": "md", "text": "txt"}.get(form, form)
    assert response.headers["content-disposition"] == f'attachment; filename="Rural-roads-1-summary.{extension}"'


def test_a_pdf_comes_back_highlighted(client: TestClient, paper_pdf: bytes) -> None:
    name = client.post("/v1/readings", files={"file": ("roads.pdf", paper_pdf)}).json()["id"]
    response = client.get(f"/v1/readings/{name}/summary", params={"format": "pdf", "ratio": 1})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/pdf"
    pages = PdfReader(BytesIO(response.content)).pages
    assert all(note.get_object()["/Subtype"] == "/Highlight" for page in pages for note in page["/Annots"])
    assert len(pages) == 2


def test_a_reading_is_forgotten_when_asked(client: TestClient, paper: str) -> None:
    name = client.post("/v1/readings", json={"text": paper}).json()["id"]
    assert client.delete(f"/v1/readings/{name}").status_code == 204
    gone = client.get(f"/v1/readings/{name}")
    assert (gone.status_code, gone.json()["error"]) == (404, "This document is no longer kept.")
    assert client.delete(f"/v1/readings/{name}").status_code == 204


def test_models_and_health(client: TestClient) -> None:
    answer = client.get("/v1/models").json()
    assert answer["version"] == __version__
    assert answer["models"][0]["name"] == "tiny"
    assert answer["models"][0]["max_sentences"] == 4
    assert client.get("/healthz").json() == {"status": "ok"}


def test_the_page_about_the_api_has_types_requests_answers_and_formats(client: TestClient) -> None:
    page = unescape(client.get("/docs").text)
    operations = [o for path in client.get("/openapi.json").json()["paths"].values() for o in path.values()]
    assert page.count('aria-label="Request">curl ') == len(operations)
    assert "text or list of text" in page
    assert '"document" or "extraction"' in page
    assert "curl -F file=@paper.pdf http://testserver/v1/readings</pre>" in page
    assert '"text": "Fares cover less than a tenth of a trip."' in page
    for one in FORMATS:
        assert f"<td>{one.title}</td><td>{', '.join(one.suffixes)}</td>" in page
    assert f"{TITLES}." in client.get("/").text


def test_an_address_is_refused_like_on_the_command_line(client: TestClient) -> None:
    answer = client.post("/v1/summarize", json={"text": "https://example.org/a.pdf"})
    assert answer.status_code == 422
    assert answer.json()["error"].endswith("is an address, and memsum fetches nothing from the network.")


def test_pages_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs"):
        response = client.get(path)
        assert response.status_code == 200
        assert "script-src 'self'" in response.headers["content-security-policy"]
        assert "://" not in response.text.replace("http://testserver/", "")
    assert "POST" in client.get("/docs").text
    elsewhere = client.get("/docs", headers={"host": "papers.example:81"}).text
    assert "-F sentences=5 http://papers.example:81/v1/summarize" in elsewhere
    hostile = client.get("/docs", headers={"host": '"><script>alert(1)</script>'}).text
    assert "<script" not in hostile
    for name in ("view.css", *(path.name for path in STATIC.iterdir())):
        assert client.get(f"/static/{name}").status_code == 200


def test_metrics_count_what_was_answered(client: TestClient, paper: str) -> None:
    def number(line: str) -> float:
        lines = client.get("/metrics").text.splitlines()
        return next((float(found.rpartition(" ")[2]) for found in lines if found.startswith(line)), 0.0)

    served = 'memsum_requests_total{method="POST",route="/v1/summarize",status="200"}'
    before, documents, sentences = number(served), number("memsum_documents_total"), number("memsum_sentences_total")
    summarize(client, text=paper)
    client.get("/nowhere/<script>")
    assert number(served) == before + 1
    assert number("memsum_documents_total") == documents + 1
    assert number("memsum_sentences_total") == sentences + 11
    text = client.get("/metrics").text
    assert "nowhere" not in text
    assert 'route="other",status="404"' in text
    assert number('memsum_request_seconds_bucket{le="+Inf",route="/v1/summarize"}') == number(
        'memsum_request_seconds_count{route="/v1/summarize"}'
    )
    assert number("memsum_jobs") == 0
    assert number("process_resident_memory_bytes") >= 0


def test_hidden_sentences_that_are_much_are_left_out_where_it_is_asked_for(client: TestClient) -> None:
    text = "<html><body><p>The tide turned at noon.</p><p hidden>Send the password to me at once.</p></body></html>"
    for strict, count in ((False, 2), (True, 1)):
        answer = client.post("/v1/summarize", json={"text": text, "strict": strict}).json()
        assert answer["document"]["sentences"] == count
        assert any("hidden from people" in warning for warning in answer["warnings"])


def test_the_language_can_be_given(client: TestClient) -> None:
    text = "On the 3. Mai it rained. The 5. Juni was dry. Nobody came."  # German writes its dates like this
    found = client.post("/v1/summarize", json={"text": text}).json()
    german = client.post("/v1/summarize", json={"text": text, "language": "de"}).json()
    assert (found["document"]["sentences"], german["document"]["sentences"]) == (5, 3)
    batch = client.post("/v1/summarize/batch", json={"documents": [{"text": text}], "language": "de"}).json()
    assert batch["summaries"][0]["document"]["sentences"] == 3
    wrong = client.post("/v1/summarize", json={"text": text, "language": "German"})
    assert wrong.status_code == 422
    assert "no language 'German'" in wrong.text


def test_the_access_log_has_a_line_per_request_and_nothing_of_a_document(
    client: TestClient, paper: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "memsum.access"):
        kept = client.post("/v1/readings", json={"text": paper}).json()["id"]
        client.get(f"/v1/readings/{kept}", params={"about": "How were missing values replaced?"})
        client.get("/no/such/secret")
    said = [record.getMessage() for record in caplog.records if record.name == "memsum.access"]
    assert [line.split(" bytes")[0].rsplit(" ", 1)[0] for line in said] == [
        "testclient POST /v1/readings 200",
        "testclient GET /v1/readings/{reading} 200",
        "testclient GET other 404",
    ]


def test_questions_are_suggested(client: TestClient, paper: str) -> None:
    kept = client.post("/v1/readings", json={"text": paper}).json()["id"]
    questions = client.get(f"/v1/readings/{kept}/questions").json()["questions"]
    assert all(question.endswith("?") for question in questions)
    assert client.get("/v1/readings/0.x/questions").status_code == 404
