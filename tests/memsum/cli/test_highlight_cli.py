from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from pypdf import PdfReader

from ...helpers import make_page, run

SAMPLE = Path(__file__).parents[3] / "docs" / "sample"
LIBRARY = SAMPLE / "library-hours.md"


highlight = partial(run, "highlight")


def test_a_pdf_stays_a_pdf(model: list[str], tmp_path: Path) -> None:
    paper, marked = tmp_path / "paper.pdf", tmp_path / "marked.pdf"
    paper.write_bytes(
        make_page(
            ["The tide turned at noon on the last day. Nobody in the", "harbour saw it. The boats were gone by then."]
        )
    )
    before = paper.read_bytes()
    result = highlight(paper, "-o", marked, *model, "--sentences", 2)
    assert result.stderr.endswith(f"{marked}: 2 of 3 sentences highlighted.\n")
    notes = [note.get_object() for note in PdfReader(marked).pages[0]["/Annots"]]
    assert [note["/Subtype"] for note in notes] == ["/Highlight"] * 2
    assert sorted(note["/Contents"][:14] for note in notes) == ["Summary, 1 of ", "Summary, 2 of "]
    assert paper.read_bytes() == before


def test_a_pdf_can_become_a_page(model: list[str], tmp_path: Path) -> None:
    paper, marked = tmp_path / "paper.pdf", tmp_path / "marked.html"
    paper.write_bytes(make_page(["The tide turned at noon on the last day. Nobody saw it."]))
    highlight(paper, "-o", marked, *model, "--format", "html")
    assert marked.read_text().startswith("<!doctype html>")


def test_other_documents_become_pages(model: list[str], tmp_path: Path) -> None:
    marked = tmp_path / "library.html"
    highlight(LIBRARY, "-o", marked, *model, "--sentences", 3)
    assert marked.read_text().count("<mark") == 3


def test_only_what_is_asked_for_is_marked(tmp_path: Path) -> None:
    meeting, marked = LIBRARY.parents[1] / "demo" / "harbour-meeting.txt", tmp_path / "ice.html"
    highlight(meeting, "-o", marked, "--about", "the ice machine", "--sentences", 2)
    marks = re.findall("<mark[^>]*>(.*?)</mark>", marked.read_text())
    assert len(marks) == 2
    assert all("ice machine" in mark for mark in marks)


def test_what_cannot_be_is_one_sentence(model: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    result = highlight(LIBRARY, "-o", out, *model, "--format", "pdf", status=1)
    assert result.stderr.startswith(f"memsum: {LIBRARY}: This is not a PDF, so it cannot be highlighted as one.\n")
    assert not out.exists()
    absent = highlight(tmp_path / "absent.pdf", "-o", out, *model, status=1)
    assert absent.stderr == "memsum: absent.pdf: The file cannot be read (No such file or directory).\n"
    copy = tmp_path / "copy.md"
    copy.write_text(LIBRARY.read_text())
    over = highlight(copy, "-o", tmp_path / "." / "copy.md", *model, status=1)
    assert "--output must differ from the input file" in over.stderr
    assert copy.read_text() == LIBRARY.read_text()


def test_summarize_writes_the_same_page(model: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("summarize", LIBRARY, *model, "--format", "html", "-n", 3, "--explain", "-o", page)
    html = page.read_text()
    assert html.count("<mark") == 3
    assert "How the model chose" in html
    two = run("summarize", LIBRARY, LIBRARY, *model, "--format", "html", status=1)
    assert two.stderr.splitlines()[0] == "memsum: A page of HTML shows one document."


LINES = ["The crane costs 4,100 euros, says the harbor master.", "Nobody saw the boats on the last day."]
ANSWER = "It says “the crane costs 4,200 euros” and “nobody saw the boats” and “zebras were seen”."


def test_quotes_of_others_are_highlighted_in_a_pdf(tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(make_page(LINES))
    result = highlight(paper, "--quotes", "-", stdin=ANSWER)
    assert "[-4,200-]{+4,100+}" in result.stderr
    assert result.stderr.endswith("paper.quotes.pdf: 3 quotes: 1 same words, 1 edited, 1 not found.\n")
    notes = [note.get_object() for note in PdfReader(tmp_path / "paper.quotes.pdf").pages[0]["/Annots"]]
    assert [note["/Contents"].partition(":")[0] for note in notes] == ["~ edited", "✓ same words"]
    assert notes[0]["/C"] != notes[1]["/C"]


def test_quotes_of_others_are_highlighted_in_a_page(tmp_path: Path) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text("\n\n".join(LINES))
    answer = tmp_path / "answer.txt"
    answer.write_text(ANSWER + " <b>“euros, says the harbor master”</b>", encoding="utf-8")
    highlight(paper, "--quotes", answer, "-o", tmp_path / "marked.html")
    page = (tmp_path / "marked.html").read_text("utf-8")
    assert re.findall('<mark class="([a-z-]+)"', page) == ["edited", "exact", "same-words"]
    assert "✗ not found: zebras were seen" in page
