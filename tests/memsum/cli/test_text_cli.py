"""The text of a document, parts of it, and the schema of all JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memsum import MemsumError, Summarizer, SummaryOptions, read_document
from memsum.document.document import Box, TextLine
from memsum.document.source import with_part

from ...helpers import column, make_pdf, run, write_lines

LIBRARY = Path(__file__).parents[3] / "docs" / "sample" / "library-hours.md"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A PDF of three pages."""
    things = ["tide", "crane", "ferry", "harbor", "lock", "bridge", "canal", "pier", "quay", "mole", "dock", "buoy"]
    lines = [f"The {one} was closed at noon, and a man from the {one} told nobody of it." for one in things]
    pages = [column(50, 700, lines[first : first + 4]) for first in (0, 4, 8)]
    path = tmp_path / "a paper.pdf"
    path.write_bytes(make_pdf(pages))
    return path


def test_the_text_is_what_offsets_point_into(paper: Path) -> None:
    text = run("text", paper).stdout
    summary = json.loads(run(paper, "-n", 2, "-f", "json").stdout)
    for quote in summary["sentences"]:
        assert text[quote["start"] : quote["end"]] == quote["text"]
        assert "boxes" not in quote
    record = json.loads(run("text", paper, "--format", "json").stdout)
    assert f"{record['text']}\n" == text
    assert [page["number"] for page in record["pages"]] == [1, 2, 3]
    assert not any("boxes" in one for one in (*record["sentences"], *record["blocks"]))


def test_boxes_on_request(paper: Path) -> None:
    summary = json.loads(run(paper, "-n", 2, "-f", "json", "--boxes").stdout)
    assert all(quote["boxes"][0][0] == quote["page"] for quote in summary["sentences"])
    record = json.loads(run("text", paper, "-f", "json", "--boxes").stdout)
    assert all(one["boxes"][0][0] == one["page"] for one in (*record["sentences"], *record["blocks"]))


def test_only_some_pages(paper: Path) -> None:
    whole = json.loads(run("text", paper, "-f", "json").stdout)
    summary = json.loads(run(paper, "-n", 3, "-f", "json", "--pages", "2-3", "--keywords").stdout)
    assert {quote["page"] for quote in summary["sentences"]} <= {2, 3}
    for quote in summary["sentences"]:
        assert whole["sentences"][quote["index"]]["start"] == quote["start"]
    assert summary["document"]["sentences"] == len(whole["sentences"])
    for keyword in summary["keywords"]:
        assert all(whole["sentences"][index]["page"] in (2, 3) for index in keyword["sentences"])
    answer = json.loads(run(paper, "--about", "when was the harbor closed?", "--pages", 2, "-f", "json").stdout)
    assert {quote["page"] for quote in answer["sentences"]} <= {2}


def test_pages_are_linked_in_markdown(paper: Path) -> None:
    shown = run(paper, "-n", 1, "--pages", 3, "-f", "markdown").stdout
    assert f"[page 3]({str(paper).replace(' ', '%20')}#page=3)" in shown


def test_only_a_section() -> None:
    document = read_document(
        "# A\n\n## Costs\n\nIt costs 5 euros.\n\n### Fees\n\nA fee is due.\n\n## Rules\n\nBe quiet.\n"
    )
    part = with_part(document, None, "costs")
    assert [sentence.text for sentence in part.sentences] == ["It costs 5 euros.", "A fee is due."]
    summary = Summarizer.load().read(document).summarize(section="RULES")
    assert [(quote.index, quote.text) for quote in summary] == [(2, "Be quiet.")]
    for wrong in ("nothing", "", "  "):
        with pytest.raises(MemsumError, match="no section") as error:
            with_part(document, None, wrong)
        assert "Costs" in (error.value.hint or "")


def test_a_part_may_have_the_abstract() -> None:
    text = "# A\n\n## Abstract\n\nWe count boats.\n\n## Results\n\nThere were 40 boats.\n\nNobody paid.\n"
    document = replace(read_document(text), lines=())
    assert document.abstract
    spans = [*document.abstract, *document.sentences]
    lines = tuple(TextLine(one.start, one.end, Box(1 + at // 2, 0, 9, 9, 0)) for at, one in enumerate(spans))
    summary = Summarizer.load().read(replace(document, lines=lines)).summarize(pages="1", sentences=2)
    assert [(quote.index, quote.text) for quote in summary] == [(0, "We count boats."), (1, "There were 40 boats.")]


@pytest.mark.parametrize("pages", ["0", "3-2", "a", "", "1-", "-1", "1,2"])
def test_what_is_no_range_of_pages(pages: str) -> None:
    with pytest.raises(MemsumError, match="no pages"):
        SummaryOptions(pages=pages)


def test_parts_that_are_not_there(paper: Path) -> None:
    assert "no sentences on pages 7 to 7" in run(paper, "--pages", "7", status=1).stderr
    assert "has no pages" in run(LIBRARY, "--pages", "1", status=1).stderr
    assert "explain" in run(paper, "--pages", "1", "--explain", status=1).stderr


def strict(schema: Any) -> Any:
    """The same schema, which allows no other keys."""
    if isinstance(schema, dict):
        closed = {"additionalProperties": False} if "properties" in schema else {}
        return {key: strict(value) for key, value in schema.items()} | closed
    return [strict(value) for value in schema] if isinstance(schema, list) else schema


def test_all_json_is_of_the_schema(paper: Path, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = strict(json.loads(run("schema").stdout))
    pair = [LIBRARY, paper]
    records = [
        run(LIBRARY, "-f", "json", "--keywords", "--explain", "--abstract").stdout,
        run(paper, "-f", "json", "--boxes", "--by", "section").stdout,
        run(LIBRARY, "-f", "json", "--about", "when is it open?", "--about", "what does it cost?").stdout,
        run("summarize", *pair, "-f", "json", "--together").stdout,
        run(
            "locate", paper, "-q", "the TIDE … zebras", "-q", "On page 1 the tide stood still", "-f", "json", status=1
        ).stdout,
        run("text", paper, "-f", "json", "--boxes").stdout,
        run("text", LIBRARY, "-f", "json").stdout,
    ]
    rows = [{"text": "The bridge was closed.", "quotes": ["the bridge"]}, {"text": ""}]
    run("batch", write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl", "--workers", 1, status=3)
    records.append((tmp_path / "out.jsonl").read_text("utf-8"))
    records = [line for record in records for line in record.splitlines()]
    assert len(records) == 10
    for record in records:
        jsonschema.validate(json.loads(record), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(records[0]), "other": 1}, schema)


def test_captions_have_positions() -> None:
    text = ["The tide turned at noon on the last day of the year, and nobody who", "lived at the bay saw it."]
    caption = column(50, 500, ["Figure 1: The boats of the northern harbor at low tide."], 8)
    document = read_document(make_pdf([[*column(50, 700, text), *caption]]))
    [answer] = Summarizer.load().read(document).summarize(about="boats of the northern harbor", sentences=1)
    assert answer.beside == "caption"
    assert answer.page == 1
    assert answer.boxes
