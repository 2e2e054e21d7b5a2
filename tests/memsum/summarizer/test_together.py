"""Several documents, one summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import MemsumError, Summarizer, read_document

PIER = (
    "# The pier\n\n## What happened\n\nThe pier of the harbour was closed in March. Two beams had rusted through.\n\n"
    "## What was done\n\nHowever, the ferry ran from the old quay. The council paid for new beams of oak.\n"
)


def test_each_quote_names_its_document_and_its_place_there(summarizer: Summarizer, paper: str, tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text(paper, encoding="utf-8")
    summary = summarizer.summarize_together([path, PIER], ratio=1.0)
    own = {str(path): read_document(path), "document 2": read_document(PIER)}
    assert len(summary) == sum(len(document.sentences) for document in own.values())
    for quote, record in zip(summary, summary.to_dict()["sentences"], strict=True):
        document = own[record["source"]]
        assert summary.documents[quote.document] == document
        assert document.text[quote.start : quote.end] == quote.text
        assert quote.source == record["source"]
        assert (quote.index, quote.start, quote.end) == (record["index"], record["start"], record["end"])
        assert document.sentences[record["index"]].text == quote.text
        assert document.text[record["start"] : record["end"]] == quote.text
        assert document.sentences[record["index"]].section == quote.section
    record = summary.to_dict()
    assert [(one["id"], one["sentences"]) for one in record["documents"]] == [(str(path), 11), ("document 2", 4)]
    assert record["documents"][1]["title"] == "The pier"
    assert record["document"]["sentences"] == 15
    assert "title" not in record["document"]


def test_places_are_shown_with_the_name_of_the_document(summarizer: Summarizer) -> None:
    summary = summarizer.summarize_together([PIER, "The tide rose."], ids=["pier.md", 7], ratio=1.0)
    assert "*(pier.md, What happened, sentence 2 of 4)*" in summary.to_markdown()
    assert "*(7, sentence 1 of 1)*" in summary.to_markdown()
    page = summary.to_html()
    assert "pier.md, What was done, sentence 4 of 4" in page
    assert '<h2 class="title">pier.md</h2>' in page
    assert summary[-1].source == "7"
    assert summary[-1].index == 0
    with pytest.raises(MemsumError, match="summary of 2 documents"):
        _ = summary.document


def test_context_stays_in_its_document(summarizer: Summarizer) -> None:
    reading = summarizer.read_together(["The tide rose.", "It fell. They saw it."])
    quotes = [quote for quote in reading.summarize(ratio=1.0, context=False) if quote.document == 1]
    first, second = reading.contexts.add([quotes[0]]), reading.contexts.add([quotes[1]])
    assert first[0].context is None  # the sentence before is of another document
    record = second[0].to_dict()
    assert record["context"] == {"index": 0, "text": "It fell.", "start": 0, "end": 8, "kind": "before"}
    assert record["index"] == 1


def test_what_one_document_says_the_other_does_not_repeat(default: Summarizer) -> None:
    text = Path(__file__).parents[3] / "docs" / "sample" / "library-hours.md"
    copy = text.read_text("utf-8").replace("library", "book library")
    alone = default.summarize(text, sentences=6)
    together = default.summarize_together([text, copy], sentences=6)
    said = [quote.text.replace("book library", "library") for quote in together]
    assert len(set(said)) == 6
    assert len(set(said) & {quote.text for quote in alone}) >= 3


def test_one_document_alone_is_summarized_as_ever(default: Summarizer, paper: str) -> None:
    alone, together = default.summarize(paper), default.summarize_together([paper])
    assert together.text == alone.text
    assert [quote.score for quote in together] == pytest.approx([quote.score for quote in alone], abs=1e-5)


def test_each_document_has_its_share_by_section(default: Summarizer, paper: str) -> None:
    summary = default.summarize_together([paper, PIER], ids=["paper", "pier"], by="section")
    assert [section.title for section in summary.sections] == ["paper", "pier"]
    indices = summary.to_dict()["sections"][1]["sentences"]
    assert all(0 <= index < 4 for index in indices)


def test_every_document_has_a_quote_where_the_number_allows(default: Summarizer, paper: str) -> None:
    documents = [paper, PIER, "The tide rose. Nobody was hurt."]
    reading = default.read_together(documents)
    for options in ({"sentences": 3}, {"sentences": 5}, {}, {"by": "section"}, {"words": 90}):
        summary = reading.summarize(**options)
        assert {quote.document for quote in summary} == {0, 1, 2}
    assert len({quote.document for quote in reading.summarize(sentences=2)}) == 2
    asked = reading.summarize(about="the ferry and the old quay")
    assert {quote.document for quote in asked} == {1}


def test_an_explained_page_points_to_the_sentences_of_every_document(summarizer: Summarizer) -> None:
    summary = summarizer.summarize_together([PIER, "The tide rose."], ids=["pier.md", "tide"], ratio=1.0, explain=True)
    assert summary.explanation is not None
    assert [quote.number for quote in summary] == [0, 1, 2, 3, 4]
    assert all(len(scores) == 5 for scores in summary.explanation.scores)
    for quote in summary:
        assert summary.explanation.scores[quote.step][quote.number] == pytest.approx(quote.score)
    page = summary.to_html()
    assert all(f'id="s{number}"' in page and f'href="#q{number}"' in page for number in range(5))


def test_warnings_name_the_document(summarizer: Summarizer) -> None:
    summary = summarizer.summarize_together(["The tide rose.", "Abstract\n\nThe rule was last amended in 1999."])
    assert any(w.startswith("document 2: The document has an abstract") for w in summary.warnings)


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ([], "no document"),
        ("one text", "given as a list"),
        (["The tide rose.", ""], "empty"),
        (["The tide rose.", "References\n\n1. Smith J. Bees. 2001.\n"], "document 2: The document has no sentences"),
        (["The tide rose.", 3], "got int"),
        (["The tide rose.", Path("missing.pdf")], "missing.pdf"),
    ],
)
def test_what_is_no_document_is_refused(summarizer: Summarizer, sources: list[str], says: str) -> None:
    with pytest.raises(MemsumError, match=says):
        summarizer.summarize_together(sources)


def test_as_many_ids_as_documents(summarizer: Summarizer) -> None:
    with pytest.raises(MemsumError, match="1 ids for 2 documents"):
        summarizer.summarize_together(["The tide rose.", "It fell."], ids=["a"])
