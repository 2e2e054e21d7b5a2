from __future__ import annotations

from pathlib import Path

import pytest

from memsum.document import read_document
from memsum.errors import DocumentError

from ...helpers import sentences

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A worn pump – The Well</title>
<style>p { color: red }</style><script>document.write("never")</script></head>
<body>
<header><a href="/">The Well</a></header>
<nav><ul><li><a href="/a">Home</a></li><li><a href="/b">All the news of the village</a></li></ul></nav>
<div class="cookie-banner"><p>We use cookies to make this site work for you, and for our partners.</p></div>
<main>
<h1>A worn pump</h1>
<p class="byline">By Anna Berg</p>
<p>The pump of the village had lost <b>a third</b> of its flow, and nobody knew why. It was opened in the spring.</p>
<h2>What was found</h2>
<p>The wheel was worn<sup><a href="#n1">[1]</a></sup>, and it had turned 10<sup>9</sup> times.<br>It was replaced.</p>
<ul><li>The seal was sound.</li><li>The <a href="#v">valve</a> was not.</li></ul>
<figure><img src="x.png" alt="a wheel"><figcaption>The wheel, before the repair.</figcaption></figure>
<table><caption>Flow by month.</caption><tr><th>month</th><td>12.5</td></tr></table>
<aside><p>Read more about wells and pumps in our archive of the last ten years.</p></aside>
<h2>References</h2>
<ol><li>Berg, A. On pumps. 1999.</li></ol>
</main>
<footer><p>© The Well. All rights are reserved by the owners of this site.</p></footer>
</body></html>"""


def test_the_article_and_not_the_page_around_it() -> None:
    document = read_document(PAGE)
    assert document.format == "html"
    assert document.title == "A worn pump"
    assert sentences(document) == [
        "The pump of the village had lost a third of its flow, and nobody knew why.",
        "It was opened in the spring.",
        "The wheel was worn[1], and it had turned 10^9 times.",
        "It was replaced.",
        "The seal was sound.",
        "The valve was not.",
    ]
    assert document.sentences[3].section == "What was found"
    kinds = {document.text[block.start : block.end]: block.kind for block in document.blocks}
    assert kinds["The wheel, before the repair."] == "caption"
    assert kinds["Flow by month."] == "caption"
    assert kinds["month | 12.5"] == "table"
    assert kinds["Berg, A. On pumps. 1999."] == "reference"
    for outside in ("never", "color", "cookies", "news of the village", "rights"):
        assert outside not in document.text


def test_without_landmarks_the_densest_part_is_the_article() -> None:
    prose = "<p>The pump was opened, the wheel was measured, and the result was written down in the book.</p>" * 5
    menu = "<div>" + "".join(f'<a href="/{n}">Some other page of the site</a> ' for n in range(20)) + "</div>"
    page = (
        f"<html><body>{menu}<div id=wrap><div id=text>{prose}</div><div class=sidebar>{menu}</div></div></body></html>"
    )
    document = read_document(page)
    assert len(document.sentences) == 5
    assert "other page" not in " ".join(sentences(document))


def test_scripts_are_neither_run_nor_text() -> None:
    page = (
        "<html><body><p>Before<script>alert('x')</script> and after.</p><p onclick='x()'>&lt;script&gt; is a tag.</p>"
    )
    document = read_document(page)
    assert sentences(document) == ["Before and after.", "<script> is a tag."]


@pytest.mark.parametrize(
    "data",
    [
        "<html><head><meta charset='iso-8859-1'></head><body><p>Ein großer Brunnen.</p>".encode("latin-1"),
        "<html><body><p>Ein großer Brunnen.</p>".encode("cp1252"),
        "<html><body><p>Ein großer Brunnen.</p>".encode(),
        "<html><body><p>Ein großer Brunnen.</p>".encode("utf-16"),
    ],
)
def test_encodings(data: bytes) -> None:
    assert read_document(data).text == "Ein großer Brunnen."


def test_deep_nesting_is_survived() -> None:
    page = "<html><body>" + "<div>" * 240 + "The pump was old." + "</div>" * 240
    assert read_document(page).text == "The pump was old."
    with pytest.raises(DocumentError, match="deeper than can be read"):
        read_document(page.replace("div>", "div><div>"))


def test_an_empty_page_is_an_error() -> None:
    with pytest.raises(DocumentError, match="empty"):
        read_document("<html><body><script>1</script></body></html>")


def test_items_know_the_lead_in_of_their_list() -> None:
    path = Path(__file__).parents[2] / "data" / "gold" / "html" / "whats-new.html"
    document = read_document(path)
    texts = [s.text for s in document.sentences]
    lead_ins = {s.text: texts[s.lead_in] for s in document.sentences if s.lead_in is not None}
    assert lead_ins == {
        "negative levels": "These are not allowed any more:",
        "levels in feet": "These are not allowed any more:",
        "even whole feet": "levels in feet",
    }


def test_contents_a_bar_of_links_and_the_title_again_are_no_text() -> None:
    questions = ["Who pays for the crane?", "The crane does not lift my boat.", "May I lift it myself?"]
    contents = "".join(f'<li><a href="#q{number}">{text}</a></li>' for number, text in enumerate(questions))
    bar = " · ".join(f'<a href="/{name}">{name}</a>' for name in ("Start", "Fees", "Contact"))
    document = read_document(
        f"<html><head><title>The crane</title></head><body><div>The crane</div><h2>{bar}</h2><ol>{contents}</ol>"
        "<p>The harbour pays for the crane, and boats over nine tons are not lifted by it.</p>"
        '<ul><li><a href="#q1">Fees</a> are due before the lift.</li><li>Tips are not.</li><li>Rope is lent.</li></ul>'
    )
    assert [(sentence.section, sentence.text) for sentence in document.sentences] == [
        (None, "The harbour pays for the crane, and boats over nine tons are not lifted by it."),
        (None, "Fees are due before the lift."),
        (None, "Tips are not."),
        (None, "Rope is lent."),
    ]
