"""A document's own abstract is text like any other, unless it is printed or left out: then the quotes add to it."""

from __future__ import annotations

import pytest

from memsum import Summarizer

PAPER = """\
# On pumps

## Abstract

We tested forty pumps. Most of them leak.

## Results

The pump of the north pier leaked most. Its seal was made of leather. All others had seals of rubber.
"""
ABSTRACT = {"We tested forty pumps.", "Most of them leak."}


def test_it_is_quoted_like_any_part(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(PAPER, sentences=5)
    assert {quote.text for quote in summary} > ABSTRACT
    assert all(summary.document.text[quote.start : quote.end] == quote.text for quote in summary)
    assert [quote.section for quote in summary][:2] == ["Abstract", "Abstract"]


def test_it_is_left_out_where_that_is_asked_for(summarizer: Summarizer) -> None:
    for abstract in (True, False):
        summary = summarizer.summarize(PAPER, sentences=5, abstract=abstract)
        assert len(summary) == 3
        assert not ABSTRACT & {quote.text for quote in summary}


def test_the_quotes_add_to_it(summarizer: Summarizer) -> None:
    copy = "The seals of all pumps of the pier were made of leather and leaked in winter."
    text = f"# Pumps\n\n## Abstract\n\n{copy}\n\n## Results\n\n{copy} The crane of the quay was never tested."
    summary = summarizer.summarize(text, sentences=1, abstract=False)
    assert [quote.text for quote in summary] == ["The crane of the quay was never tested."]


def test_a_document_of_nothing_else_has_a_summary_of_it(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(
        "# Pumps\n\n## Abstract\n\nWe tested forty pumps. Most of them leak.", abstract=False
    )
    assert len(summary) >= 1


def test_it_is_shown_where_that_is_asked_for(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(PAPER, sentences=1, abstract=True)
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


@pytest.mark.parametrize("heading", ["Executive Summary", "TL;DR", "2. Key points"])
def test_the_summary_that_a_document_begins_with_is_one(summarizer: Summarizer, heading: str) -> None:
    own, rest = "Most of the forty pumps leak.", "We looked at them for a year. Each was old. Nobody had oiled them."
    text = f"# Pumps\n\nBy Anna Berg of the harbour.\n\n## {heading}\n\n{own}\n\n## What we did\n\n{rest}\n"
    for options, expected in (({}, True), ({"abstract": False}, False), ({"abstract": True}, False)):
        summary = summarizer.summarize(text.encode(), sentences=5, **options)
        assert (own in [quote.text for quote in summary]) == expected
    assert f"Abstract: {own}" in summary.to_text()
    later = f"# Pumps\n\n{rest} {rest}\n\n## {heading}\n\n{own}\n"
    assert own in summarizer.summarize(later.encode(), sentences=9, abstract=False).text
