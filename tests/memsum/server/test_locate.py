"""Quotes of others, looked up over HTTP: in what is sent, and in what is kept."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

import memsum
from memsum import Summarizer, read_document
from memsum.query.located import quotes_record

from .conftest import pdf_of

TEXT = "## Crane\n\nThe crane costs 4,100 euros. It will arrive on 12 May.\n"
QUOTES = ["the crane costs 4,100 euros", "It will arrive on 13 May.", "zebra"]


def test_quotes_of_a_text_as_by_the_library(client: TestClient) -> None:
    answer = client.post("/v1/locate", json={"text": TEXT, "quotes": QUOTES, "id": "minutes"})
    assert answer.status_code == 200, answer.text
    assert answer.json() == json.loads(json.dumps(quotes_record("minutes", memsum.locate(TEXT, QUOTES))))
    assert [one["status"] for one in answer.json()["quotes"]] == ["same words", "edited", "not found"]


def test_quotes_of_a_file_in_the_answer_of_an_assistant(client: TestClient) -> None:
    says = "It says “the crane costs 4,100 euros” and “it will arrive on 13 May”."
    files = {"file": ("minutes.md", TEXT.encode())}
    found = client.post("/v1/locate", files=files, data={"quotes": says}).json()
    assert (found["found"], [one["quote"] for one in found["quotes"]]) == (
        1,
        ["the crane costs 4,100 euros", "it will arrive on 13 May"],
    )


@pytest.mark.parametrize("quotes", [[], "", ["a"] * 1001, 3, None, [1]])
def test_quotes_that_cannot_be_looked_up(client: TestClient, quotes: object) -> None:
    assert client.post("/v1/locate", json={"text": TEXT, "quotes": quotes}).status_code == 422


def test_quotes_of_a_kept_document_with_their_places_on_the_pages(client: TestClient) -> None:
    pdf = pdf_of(["The tide rose all night. It fell again at dawn.", "References", "[1] Hale, A. Tides of the north."])
    kept = client.post("/v1/readings", files={"file": ("tide.pdf", pdf)}).json()["id"]
    answer = client.post(f"/v1/readings/{kept}/locate", json={"quotes": ["It fell again", "Tides of the north"]})
    assert answer.status_code == 200, answer.text
    for quote in answer.json()["quotes"]:
        [place] = quote["occurrences"]
        [[page, left, top, right, bottom]] = place["shares"]
        assert page == place["page"] == 1
        assert 0 < left < right < 1
        assert 0 < top < bottom < 1
    assert client.post(f"/v1/readings/{kept}/locate", json={"quotes": []}).status_code == 422
    assert client.post("/v1/readings/0.nothing/locate", json={"quotes": ["a"]}).status_code == 404


def test_quotes_of_several_documents_name_their_own(client: TestClient) -> None:
    files = [
        ("file", ("a.md", b"The tide rose all night.")),
        ("file", ("b.pdf", pdf_of(["The crane was old and rusty."]))),
    ]
    kept = client.post("/v1/readings", files=files).json()["id"]
    found = client.post(f"/v1/readings/{kept}/locate", json={"quotes": ["the tide rose", "old and rusty"]}).json()
    assert [one["occurrences"][0]["source"] for one in found["quotes"]] == ["a.md", "b.pdf"]
    assert found["quotes"][1]["occurrences"][0]["shares"][0][0] == 1


def test_the_text_that_offsets_point_into(client: TestClient) -> None:
    pdf = pdf_of(["The tide rose all night. It fell again at dawn."])
    files = {"file": ("tide.pdf", pdf)}
    sent = client.post("/v1/text", files=files).json()
    assert sent == json.loads(json.dumps(read_document(pdf).to_dict(boxes=True)))
    assert sent["pages"] == [{"number": 1, "width": 612, "height": 792}]
    assert [sent["text"][one["start"] : one["end"]] for one in sent["sentences"]] == [
        "The tide rose all night.",
        "It fell again at dawn.",
    ]
    assert all(one["page"] == one["boxes"][0][0] == 1 for one in sent["sentences"])
    kept = client.post("/v1/readings", files=files).json()["id"]
    assert client.get(f"/v1/readings/{kept}/text").json() == {"documents": [sent]}


def test_a_part_of_a_kept_document_with_boxes(client: TestClient) -> None:
    pdf = pdf_of(["The tide rose all night. It fell again at dawn."], ["The crane was old. Nobody had ever oiled it."])
    kept = client.post("/v1/readings", files={"file": ("tide.pdf", pdf)}).json()["id"]
    found = client.get(f"/v1/readings/{kept}/summary?pages=2&sentences=1&boxes=true").json()
    [quote] = found["sentences"]
    assert quote["page"] == quote["boxes"][0][0] == 2
    assert quote["index"] in (2, 3)
    assert client.get(f"/v1/readings/{kept}/summary?pages=3").status_code == 422
    assert client.get(f"/v1/readings/{kept}/summary?pages=x").status_code == 422


def test_an_index_and_a_part_count_as_memory(summarizer: Summarizer) -> None:
    reading = summarizer.read(TEXT)
    assert reading.held == 2
    reading.locate("crane")
    reading.summarize(section="Crane")
    assert reading.held == 5
