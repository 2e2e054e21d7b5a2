"""The page of a summary: quotes link to their places, nothing of a document is ever markup, nothing is loaded."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum import Document, Summary, SummarySentence, read_document
from memsum.summary import Explanation, Stop
from memsum.summary.blocks import cut_all
from memsum.summary.html import heat_rows

TEXT = """\
# The new bridge

## Results

The new bridge carried 4,000 cars
a day. Nobody had expected that many.

- It was painted twice.
- It was never closed.

## Discussion

We think the toll is too low. A higher one would pay for the paint.

## References

1. Miller A. Bridges. 1999.
"""


def summarize(document: Document, *picks: int, explain: bool = False) -> Summary:
    """A summary of chosen sentences, taken in the order given; each step likes its choice and the next sentence."""
    count = len(document.sentences)
    sentences = []
    scores: list[tuple[float | None, ...]] = []
    for step, index in enumerate(picks):
        quote = document.sentences[index]
        sentences.append(SummarySentence(index, quote.text, quote.start, quote.end, 0.8, step, quote.section))
        gone = set(picks[:step])
        row = [None if i in gone else {index: 0.8, index + 1: 0.4}.get(i, 0.0) for i in range(count)]
        scores.append(tuple(row))
    return Summary(
        (document,),
        tuple(sorted(sentences, key=lambda sentence: sentence.index)),
        Stop("policy", 0.7),
        "default",
        explanation=Explanation(tuple(scores), (0.1,) * len(picks) + (0.7,)) if explain else None,
    )


@pytest.fixture
def document() -> Document:
    return read_document(TEXT)


def test_quotes_link_to_marked_sentences(document: Document) -> None:
    page = lxml.html.fromstring(summarize(document, 4, 0).to_html())
    links = page.xpath("//ol[@class='list']//a")
    assert [link.text for link in links] == [
        "The new bridge carried 4,000 cars a day.",
        "We think the toll is too low.",
    ]
    for link, step in zip(links, ("2", "1"), strict=True):
        mark = page.get_element_by_id(link.get("href")[1:])
        assert mark.tag == "mark"
        assert mark.text_content() == step + link.text
        back = mark.find("a").get("href")[1:]
        assert link.getparent() is page.get_element_by_id(back)


def test_the_document_is_whole_and_keeps_its_structure(document: Document) -> None:
    page = lxml.html.fromstring(summarize(document, 1).to_html())
    article = page.get_element_by_id("document")
    assert [node.text_content() for node in article.xpath(".//h3")] == ["Results", "Discussion", "References"]
    assert [node.text_content() for node in article.xpath(".//p[@class='item']")] == [
        "It was painted twice.",
        "It was never closed.",
    ]
    assert "Miller A. Bridges." in article.xpath("string(.//p[@class='reference'])")
    assert len(article.xpath(".//mark")) == 1


def test_the_map_shows_where_the_quotes_are(document: Document) -> None:
    page = lxml.html.fromstring(summarize(document, 0, 5).to_html())
    marks = page.xpath("//nav[@class='map']//rect[@class='mark']")
    tops = [float(mark.get("y")) for mark in marks]
    assert tops == sorted(tops)
    assert 0 < tops[0] < 300 < tops[1] < 1000
    assert all(float(mark.get("y")) + float(mark.get("height")) <= 1000 for mark in marks)
    assert len(page.xpath("//nav[@class='map']//rect[@class='section']")) == 3


def test_it_is_self_contained_and_its_policy_allows_only_its_style(document: Document) -> None:
    html = summarize(document, 0, explain=True).to_html()
    assert not re.search(r"<(script|img|link|iframe|object)\b|\bsrc=|https?:|url\(|@import|\sstyle=|\son\w+=", html)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style
    policy = lxml.html.fromstring(html).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert b64encode(sha256(style[1].encode()).digest()).decode() in policy


def test_scripts_in_a_document_are_text() -> None:
    hostile = (
        "# <script>alert(1)</script>\n\nThe pump ran <img src=x onerror=alert(2)> all night. "
        "It stopped </mark></article><script>alert(3)</script> at dawn. {{ 7 * 7 }} \"quoted' & done.\n"
    )
    html = summarize(read_document(hostile, format="plain"), 0, 1, explain=True).to_html()
    page = lxml.html.fromstring(html)
    assert not page.xpath("//script | //img")
    assert "<script>alert(3)</script>" in page.get_element_by_id("document").text_content()
    assert "{{ 7 * 7 }}" in page.text_content()


def test_explain_shows_every_step(document: Document) -> None:
    summary = summarize(document, 4, 0, explain=True)
    first, second, end = heat_rows(summary)
    assert (first.taken and first.taken.index, second.taken and second.taken.index, end.taken) == (4, 0, None)
    assert dict(first.shades) == {10: "M4 0h1v1h-1z", 5: "M5 0h1v1h-1z"}
    assert first.gone == ""
    assert second.gone == "M4 0h1v1h-1z"
    assert (first.stop, end.stop) == (0.1, 0.7)
    page = lxml.html.fromstring(summary.to_html())
    assert len(page.xpath("//details[@class='heat']//tbody/tr")) == 3
    titles = page.xpath("//details[@class='heat']//title/text()")
    assert "0.800 (taken): We think the toll is too low." in titles
    for target in page.xpath("//details[@class='heat']//a/@href"):
        page.get_element_by_id(target[1:])


def test_without_explain_there_is_no_heat_map(document: Document) -> None:
    assert "<details" not in summarize(document, 4).to_html()
    assert heat_rows(summarize(document, 4)) == []


def test_an_empty_summary_is_a_page(document: Document) -> None:
    assert "None was taken." in summarize(document, explain=True).to_html()


def test_a_row_is_what_its_sentences_leave_of_it() -> None:
    row = "Tickets | A ticket costs 5 euros on every day of the week. | Since 2019"
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in (["For"] * 3, ["---"] * 3, row.split(" | ")))
    document = read_document(f"# Ferry\n\nThe ferry runs every day of the year.\n\n{table}")
    block = cut_all([document], [])[-1]
    assert block.text == row
    assert [(span.text, span.sentence, span.is_first) for span in block.spans] == [
        ("Tickets | ", 2, True),
        ("A ticket costs 5 euros on every day of the week.", 1, True),
        (" | Since 2019", 2, False),
    ]


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=8))
def test_spans_are_the_document(sentences: list[str]) -> None:
    document = Document.from_sentences(sentences)
    parts = cut_all([document], [])
    shown = [span.sentence for part in parts for span in part.spans if span.sentence is not None]
    assert shown == sorted(shown)
    readable = [
        i
        for i, sentence in enumerate(sentences)
        if any(part.text.strip() for part in cut_all([Document.from_sentences([sentence])], []))
    ]
    assert set(shown) >= set(readable)
    page = lxml.html.fromstring(summarize(document, *range(len(sentences)), explain=True).to_html())
    assert len(page.xpath("//article//mark")) == len(shown)
