"""A document's own abstract is never quoted: it is named, and shown where that is asked for."""

from __future__ import annotations

from memsum import Summarizer

PAPER = """\
# On pumps

## Abstract

We tested forty pumps. Most of them leak.

## Results

The pump of the north pier leaked most. Its seal was made of leather. All others had seals of rubber.
"""
NOTE = "The document has its own abstract."


def test_the_reader_is_told_of_it(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(PAPER, sentences=3)
    assert NOTE in summary.warnings
    assert not {"We tested forty pumps.", "Most of them leak."} & {quote.text for quote in summary}
    assert "Most of them leak." not in summary.to_text()
    assert NOTE not in summarizer.summarize("The tide rose. It fell.").warnings


def test_it_is_shown_where_that_is_asked_for(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(PAPER, sentences=1, abstract=True)
    assert NOTE not in summary.warnings
    assert summary.abstract == "We tested forty pumps. Most of them leak."
    line = "Abstract: We tested forty pumps. Most of them leak."
    assert summary.to_text().startswith(f"{line}\n\n")
    assert summary.to_text(80).startswith(f"{line}\n\n")
    assert line in summary.to_markdown()
    assert line in summary.to_html()
    record = summary.to_dict()["abstract"]
    assert [one["text"] for one in record] == ["We tested forty pumps.", "Most of them leak."]
    assert all(summary.document.text[one["start"] : one["end"]] == one["text"] for one in record)


def test_of_several_documents_each_has_its_own(summarizer: Summarizer) -> None:
    summary = summarizer.summarize_together([PAPER, "The tide rose. It fell."], ids=["a", "b"], abstract=True)
    assert [one["source"] for one in summary.to_dict()["abstract"]] == ["a", "a"]
    plain = summarizer.summarize_together([PAPER, "The tide rose. It fell."], ids=["a", "b"])
    assert "One of the documents has its own abstract." in plain.warnings
