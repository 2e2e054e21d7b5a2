"""How a summary is shown: JSON as the design has it, text for pipes and for readers, Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memsum import Document, Summary, SummarySentence, __version__, read_document
from memsum.options import Reason
from memsum.summary import Context, Explanation, Stop, SummarySection

TEXT = """\
Results

The new bridge carried 4,000 cars
a day. Nobody had expected that many.

Discussion

We think the toll is too low.
"""


@pytest.fixture
def document() -> Document:
    return read_document(TEXT)


def summarize(document: Document, *picks: int, reason: Reason = "policy", explain: bool = False) -> Summary:
    """A summary of chosen sentences, as if extracted in the order given."""
    sentences = []
    for step, index in enumerate(picks):
        quote = document.sentences[index]
        score = 0.9 - step / 7
        sentences.append(
            SummarySentence(index, quote.text, quote.start, quote.end, score, step, quote.section, quote.page)
        )
    scores = tuple(tuple(0.5 for _ in document.sentences) for _ in picks)
    return Summary(
        (document,),
        tuple(sorted(sentences, key=lambda sentence: sentence.index)),
        Stop(reason, 0.654321987),
        "default",
        id="bridge",
        explanation=Explanation(scores, (0.1,) * len(picks) + (0.654321987,)) if explain else None,
    )


def test_json_is_that_of_the_design(document: Document) -> None:
    record = summarize(document, 2, 0).to_dict()
    assert record == {
        "id": "bridge",
        "sentences": [
            {
                "index": 0,
                "text": "The new bridge carried 4,000 cars\na day.",
                "start": 9,
                "end": 49,
                "score": 0.757143,
                "step": 1,
                "section": "Results",
            },
            {
                "index": 2,
                "text": "We think the toll is too low.",
                "start": 94,
                "end": 123,
                "score": 0.9,
                "step": 0,
                "section": "Discussion",
            },
        ],
        "stop": {"reason": "policy", "probability": 0.654322},
        "document": {"sentences": 3, "words": 20},
        "model": "default",
        "version": __version__,
    }
    assert json.loads(json.dumps(record)) == record


def test_json_has_explanation_and_page_where_they_are(document: Document) -> None:
    record = summarize(document, 1, explain=True).to_dict()
    assert record["explain"] == {"scores": [[0.5, 0.5, 0.5]], "stops": [0.1, 0.654322], "reasons": []}
    assert SummarySentence(0, "A.", 0, 2, 0.5, 0, page=3).to_dict()["page"] == 3


def test_a_summary_is_its_sentences(document: Document) -> None:
    summary = summarize(document, 2, 0)
    assert [sentence.index for sentence in summary] == [0, 2]
    assert len(summary) == 2
    assert summary.text == str(summary) == "The new bridge carried 4,000 cars\na day.\nWe think the toll is too low."


def test_text_for_other_programs_is_one_sentence_a_line(document: Document) -> None:
    assert summarize(document, 2, 0).to_text().splitlines() == [
        "The new bridge carried 4,000 cars a day.",
        "We think the toll is too low.",
    ]


def test_text_for_a_reader_is_wrapped_and_has_places(document: Document) -> None:
    shown = summarize(document, 0).to_text(30)
    assert shown.splitlines() == [
        "• The new bridge carried 4,000",
        "  cars a day.",
        "  Results, sentence 1 of 3",
        "",
        "1 of 3 sentences, the model",
        "stopped here",
    ]
    colored = summarize(document, 0).to_text(30, color=True)
    assert "\x1b[2m  Results, sentence 1 of 3\x1b[0m" in colored
    assert colored.replace("\x1b[2m", "").replace("\x1b[0m", "") == shown


def test_an_explanation_shows_each_step(document: Document) -> None:
    for width in (None, 80):
        rows = summarize(document, 2, 0, explain=True).to_text(width).splitlines()[-4:]
        assert [row.split() for row in rows[1:]] == [
            ["1", "3", "0.900", "0.100"],
            ["2", "1", "0.757", "0.100"],
            ["end", "0.654"],
        ]


def test_markdown_is_a_list_with_places(document: Document) -> None:
    assert summarize(document, 0, reason="sentences").to_markdown().splitlines() == [
        "- The new bridge carried 4,000 cars a day. *(Results, sentence 1 of 3)*",
        "",
        "*1 of 3 sentences, as many as asked for*",
    ]


def test_the_title_is_the_markdowns_heading() -> None:
    document = read_document("# A *short* note\n\nThe tide rose. It fell.\n")
    assert summarize(document, 0).to_markdown().startswith("# A short note\n\n- The tide rose.")


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("<script>alert('x')</script> was found.", "\\<script\\>alert('x')\\</script\\> was found."),
        ("We set *p* to 5_000 [1] & went on.", "We set \\*p\\* to 5\\_000 \\[1\\] \\& went on."),
        ("# is a hash.", "\\# is a hash."),
        ("3. Results follow.", "3\\. Results follow."),
        ("- one item.", "\\- one item."),
    ],
)
def test_markdown_shows_quotes_as_they_are(sentence: str, shown: str) -> None:
    markdown = summarize(Document.from_sentences([sentence]), 0).to_markdown()
    assert markdown.splitlines()[0] == f"- {shown} *(sentence 1 of 1)*"


def test_html_in_a_markdown_document_stays_text() -> None:
    document = read_document("# Note\n\nThe **tide** rose <img src=x onerror=alert(1)> twice.\n")
    shown = summarize(document, 0).to_markdown()
    assert "- The tide rose twice." in shown


def links(markdown: str) -> list[str]:
    """Where the links of a Markdown text lead, by a parser that lets all of them pass."""
    parser = MarkdownIt("commonmark")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    inline = [child for token in parser.parse(markdown) for child in token.children or ()]
    return [str(token.attrs.get("href") or token.attrs.get("src")) for token in inline if token.attrs]


@pytest.mark.parametrize(
    "sentence",
    [
        "[x](javascript:alert(1))",
        "See [x]( JavaScript:alert(1) 'why').",
        "[x](java&#115;cript:alert(1))",
        "[x](javascript\\:alert(1))",
        "[x](<javascript:alert(1)>)",
        "![x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x]: javascript:alert(1) and [x]",
        "[x](vbscript:x) [y](file:///etc/passwd) <javascript:alert(1)>",
    ],
)
def test_links_in_a_markdown_document_cannot_run_anything(sentence: str) -> None:
    document = replace(Document.from_sentences([sentence, "[x]"]), format="markdown", title=sentence)
    assert links(summarize(document, 0, 1).to_markdown()) == []


PIECES = r"[x] ]( [ ] ( ) < > \ : javascript: JAVA script &#58; &colon; a"


@given(st.lists(st.sampled_from([" ", *PIECES.split()]), max_size=14).map("".join))
def test_no_markdown_leads_to_a_script(sentence: str) -> None:
    document = replace(Document.from_sentences([sentence or "x", "[x]"]), format="markdown")
    found = links(summarize(document, 0, 1).to_markdown())
    assert not [link for link in found if re.match(r"(?i)[^a-z]*(javascript|data|vbscript)\s*:", unquote(link))]


def test_a_document_cannot_write_control_codes_to_the_terminal() -> None:
    document = Document.from_sentences(["Red \x1b[31malert\x07 \u202ereversed\ud800 text."])
    summary = summarize(document, 0)
    assert summary.to_text() == "Red [31malert reversed text."
    for shown in (summary.to_text(), summary.to_text(40), summary.to_markdown()):
        assert "\x1b" not in shown
        shown.encode()
    assert summary.to_dict()["sentences"][0]["text"] == document.text


def test_a_summary_without_sentences_can_be_shown(document: Document) -> None:
    summary = summarize(document)
    assert summary.text == summary.to_text() == ""
    assert summary.to_text(60) == "0 of 3 sentences, the model stopped here"
    assert summary.to_markdown() == "*0 of 3 sentences, the model stopped here*"


def test_a_turn_is_shown_with_its_speaker() -> None:
    document = read_document("The bridge\n\nANNA: Close it. It rusts.\nJON [chair]: Why *now*?\nANNA: It rusts.\n")
    picks = [
        SummarySentence(i, quote.text, quote.start, quote.end, 0.5, i, speaker=quote.speaker)
        for i, quote in enumerate(document.sentences[1:3], 1)
    ]
    summary = replace(summarize(document), sentences=tuple(picks))
    assert summary.text == "It rusts.\nWhy *now*?"
    assert summary.to_text() == "ANNA: It rusts.\nJON: Why *now*?"
    assert "• ANNA: It rusts.\n" in summary.to_text(60)
    assert "- **ANNA:** It rusts." in summary.to_markdown()
    assert "- **JON:** Why \\*now\\*?" in summary.to_markdown()
    assert [quote["speaker"] for quote in summary.to_dict()["sentences"]] == ["ANNA", "JON"]
    assert summary.to_dict()["document"]["title"] == "The bridge"
    page = summary.to_html()
    assert "JON: Why *now*?</a>" in page
    assert re.search(r'<p class="paragraph">ANNA: Close it. <mark[^>]*><a[^>]*>2</a>It rusts.</mark></p>', page)


def test_context_is_shown_before_its_quote() -> None:
    document = read_document("## *Results*\n\nThe [new] bridge carried 4,000 cars a day. This was more than hoped.\n")
    quote = document.sentences[1]
    before = Context(0, document.sentences[0].text, document.sentences[0].start, document.sentences[0].end)
    sentence = SummarySentence(1, quote.text, quote.start, quote.end, 0.5, 0, quote.section, context=before)
    summary = replace(summarize(document), sentences=(sentence,))
    said = "The [new] bridge carried 4,000 cars a day."
    assert summary.text == summary.to_text() == "This was more than hoped."
    assert summary.to_text(60).splitlines()[:3] == [
        f"  … {said}",
        "• This was more than hoped.",
        "  Results, sentence 2 of 2",
    ]
    assert summary.to_text(60, color=True).startswith(f"\x1b[2m  … {said}\x1b[0m\n• This")
    assert (
        "- *[The \\[new\\] bridge carried 4,000 cars a day.]* This was more than hoped. *(Results"
        in summary.to_markdown()
    )
    assert re.search(rf'<span class="context">{re.escape(said)}</span>\s*<a href="#s1">This was', summary.to_html())
    assert f"{said}</small> This was" in summary._repr_html_()
    assert summary.to_dict()["sentences"][0]["context"]["text"] == said


def test_sections_are_shown_with_their_headings(document: Document) -> None:
    summary = summarize(document, 2, 0)
    first, second = summary.sentences
    sections = (SummarySection("Results <b>", (first,)), SummarySection("Discussion", (second,)))
    summary = replace(summary, sections=sections)
    assert summary.to_text() == (
        "# Results <b>\nThe new bridge carried 4,000 cars a day.\n\n# Discussion\nWe think the toll is too low."
    )
    assert summary.to_text(60).startswith("# Results <b>\n\n• The new bridge")
    assert "## Results \\<b\\>\n\n- The new bridge" in summary.to_markdown()
    assert "\n\n## Discussion\n\n- We think" in summary.to_markdown()
    for shown in (summary.to_html(), summary._repr_html_()):
        assert "Results &lt;b&gt;" in shown
    assert summary.to_html().count('<ol class="list">') == 2
