"""What a person does not see is not text: in no format, neither in the text nor as the title."""

from __future__ import annotations

import pytest

from memsum.document import read_document
from memsum.document.readers import pdf
from memsum.document.readers.hidden import without_hidden
from memsum.document.readers.html import parse_html
from memsum.document.readers.pdf.visible import Budget
from memsum.errors import DocumentError

from . import hidden
from .hidden import SECRET, SHOWN


@pytest.mark.parametrize("name", list(hidden.CASES))
def test_what_nobody_sees_is_not_read(name: str) -> None:
    document = read_document(hidden.CASES[name](), isolated=False)
    said = " ".join(document.text.split())
    assert SECRET not in said
    assert "password" not in said
    assert "password" not in (document.title or "")
    assert not any("password" in warning for warning in document.warnings)
    assert [one for one in SHOWN if one not in said] == []


def test_the_set_of_hidden_texts_is_large() -> None:
    assert len(hidden.CASES) >= 270


@pytest.mark.parametrize(
    ("css", "shown"),
    [
        (".a{display:none}.a.b{display:block}", '<p class="a b">It is seen by all of us.</p>'),
        ("@media print{.a{display:none}}", '<p class="a">It is seen by all of us.</p>'),
        ("@media (max-width:600px){.a{display:none}}", '<p class="a">It is seen by all of us.</p>'),
        (".a:hover{display:none}", '<p class="a">It is seen by all of us.</p>'),
        (
            ".a{visibility:hidden}.b{visibility:visible}",
            '<div class="a"><p class="b">It is seen by all of us.</p></div>',
        ),
        (".a{font-size:0}.b{font-size:12px}", '<div class="a"><p class="b">It is seen by all of us.</p></div>'),
        (".a{background:#123;color:#fff}", '<p class="a">It is seen by all of us.</p>'),
        (".a{background:navy}.b{color:white}", '<div class="a"><p class="b">It is seen by all of us.</p></div>'),
        (".a .b{display:none}", '<div class="a"></div><p class="b">It is seen by all of us.</p>'),
        ("p{margin-left:-10px;opacity:.8;position:absolute;left:20px}", "<p>It is seen by all of us.</p>"),
        ("body{opacity:0}", "<p>It is seen by all of us.</p>"),
        ("@keyframes x{from{opacity:0}} @font-face{font-family:a}", "<p>It is seen by all of us.</p>"),
        ("", '<p>It is <span style="display:none">not </span>seen by all of us.</p>'),
        ("", '<p aria-hidden="true">It is seen by all of us.</p>'),
        ("", '<div style="flex:1;width:0;overflow:hidden">It is seen by all of us.</div>'),
        (".a{ .b{display:none} }", '<p class="b">It is seen by all of us.</p>'),
        ("body{background:#111;color:#eee}", "<p>It is seen by all of us.</p>"),
        ("@media (prefers-color-scheme:dark){body{background:#000}}", "<p>It is seen by all of us.</p>"),
        ("@keyframes x{from{opacity:0}}.a{animation:x 1s}", '<p class="a">It is seen by all of us.</p>'),
        (".a{background:#06c url(x.png)}.b{color:#06c}", '<p class="a"><b class="b">It is seen by all of us.</b></p>'),
        ("", "<details><summary>More.</summary><p>It is seen by all of us.</p></details>"),
    ],
)
def test_what_people_see_is_read(css: str, shown: str) -> None:
    assert "It is seen by all of us." in read_document(hidden.html_page(shown, css)).text


@pytest.mark.parametrize(
    "drawn",
    [
        b"0.6 g\n%s0 g\n",
        b"0 0 0.5 rg 40 675 500 18 re f 1 g\n%s0 g\n",
        b"0.9 g 40 675 500 18 re f 0 g\n%s",
        b"q 40 675 500 18 re 40 600 20 20 re W n %s Q\n",
        b"q /G gs %s Q\n",
    ],
)
def test_what_is_seen_of_a_pdf_is_read(drawn: bytes) -> None:
    line = b"q BT /F1 10 Tf 50 680 Td (It is seen by all of us.) Tj ET Q\n"
    page = hidden.pdf_page(drawn % line, b"/ExtGState << /G << /ca 0.6 >> >>")
    assert "It is seen by all of us." in read_document(page, isolated=False).text


def test_pages_of_which_nobody_knows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "Budget", lambda: Budget(0))
    document = read_document(hidden.CASES["pdf: low alpha"](), isolated=False)
    assert document.warnings == ("On 1 pages it was not checked whether all words can be seen.",)


def test_rules_that_would_take_too_long_are_refused() -> None:
    rules = "".join(f".a{number} .x{{opacity:0}}" for number in range(3000))
    root, _ = parse_html(hidden.html_page("<i class=x>a</i>" * 3000, rules))
    with pytest.raises(DocumentError, match="more style rules"):
        without_hidden(root)


@pytest.mark.parametrize(
    ("head", "attributes", "count"),
    [
        ("<style>h1 ~ div + p.x{display:none}</style>", "class=x", "One sentence"),
        ("<style>p.x:not(.y:first-child){visibility:hidden}</style>", "class=x", "One sentence"),
        ("<style>p:nth-child(2n+1){display:none}</style>", "", "6 sentences"),
        ("<style>@keyframes k{to{opacity:0}} .x{animation:k 0s forwards}</style>", "class=x", "One sentence"),
        ("", 'style="mix-blend-mode:screen"', "One sentence"),
        ("<link rel=stylesheet href=a.css>", "class=is-hidden", "One sentence"),
        ("<link rel=stylesheet href=a.css>", 'class=x style="color:white"', "One sentence"),
        ("<link rel=stylesheet href=a.css>", "class=note", None),
        ("<link rel=stylesheet href=a.css>", "id=hideout", None),
        ("<style>.menu:not(:hover) p{display:none}</style>", "", None),
        ("<style>p::before{display:none} p:first-line{opacity:0} *:lang(de){color:red}</style>", "", None),
    ],
)
def test_where_it_is_not_decided_a_warning_counts_sentences(head: str, attributes: str, count: str | None) -> None:
    shown = "".join(f"<p>The tide rose over pier {n} in the morning and fell again at noon.</p>" for n in range(5))
    page = f"<html><head>{head}</head><body><h1>Tides</h1>{shown}<p {attributes}>It is for few.</p></body></html>"
    warnings = read_document(page).warnings
    assert [one for one in warnings if "hidden from people" in one] == (
        [f"{count} may be hidden from people: that depends on a style sheet that was not read or not understood."]
        if count
        else []
    )


def test_white_words_in_a_painted_cell_are_read() -> None:
    painted = hidden.word_table("<w:shd w:val='clear' w:fill='204080'/>", "It is seen by all of us.")
    assert "It is seen by all of us." in read_document(painted, isolated=False).text
