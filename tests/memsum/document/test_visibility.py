"""What is certainly hidden is not text, in no format; what may be seen is, and what is much of the prose is, too."""

from __future__ import annotations

import pytest

from memsum.document import read_document
from memsum.document.readers.pdf import words
from memsum.document.readers.pdf.visible import Budget

from . import hidden
from .frames import pptx, shape
from .hidden import SECRET, SHOWN


@pytest.mark.parametrize("name", hidden.LEFT_OUT)
def test_what_is_certainly_hidden_is_not_read(name: str) -> None:
    document = read_document(hidden.CASES[name](), isolated=False, strict=True)
    said = " ".join(document.text.split())
    assert SECRET not in said
    assert "password" not in said
    assert "password" not in (document.title or "")
    assert not any("password" in warning for warning in document.warnings)
    assert [one for one in SHOWN if one not in said] == []


@pytest.mark.parametrize("name", sorted(hidden.READ))
def test_what_may_be_seen_is_read(name: str) -> None:
    said = " ".join(read_document(hidden.CASES[name](), isolated=False, strict=True).text.split())
    assert [one for one in (*SHOWN, SECRET) if one not in said] == []


def test_the_set_of_hidden_texts_is_large() -> None:
    assert len(hidden.LEFT_OUT) >= 115


MANY = " ".join(f"The pump in hall {number} ran without any fault for years." for number in range(8))


@pytest.mark.parametrize(
    ("text", "secret", "warning"),
    [
        (MANY, SECRET, "One sentence that is hidden from people was left out."),
        (MANY, f"{SECRET} {SECRET}", "2 sentences that are hidden from people were left out."),
        (MANY, "Press the red button", None),
        ("It ran.", SECRET, "One sentence that is hidden from people was read, because it is much of the text."),
        ("It ran.", "Press the red button", None),
    ],
)
@pytest.mark.parametrize(
    "page",
    [
        "<html><body><p>{}</p><div hidden><p>{}</p></div></body></html>",
        "<html><body><style>.a{{visibility:hidden}}</style><p>{}</p><div class=a>{}</div></body></html>",
        "# Pumps\n\n{}\n\n<div hidden>\n\n{}\n\n</div>\n",
        "From: a@b.example\nMessage-ID: <1>\nSubject: Pumps\nContent-Type: text/html\n\n<p>{}</p><p hidden>{}</p>",
    ],
)
def test_hidden_sentences_are_counted_and_read_where_they_are_much(
    page: str, text: str, secret: str, warning: str | None
) -> None:
    document = read_document(page.format(text, secret), isolated=False)
    assert [one for one in document.warnings if "hidden" in one] == ([warning] if warning else [])
    assert (secret in document.text) == (warning is not None and "was read" in warning)
    strict = read_document(page.format(text, secret), isolated=False, strict=True)
    assert secret not in strict.text
    left_out = warning and warning.replace("was read, because it is much of the text", "was left out")
    assert [one for one in strict.warnings if "hidden" in one] == ([left_out] if left_out else [])


def test_hidden_slides_are_counted_and_read_where_they_are_much() -> None:
    slides = [shape("body", *SHOWN), shape("body", SECRET, SECRET)]
    document = read_document(pptx(slides, hidden=(1,)), isolated=False)
    assert SECRET in document.text
    assert document.warnings[0] == "1 hidden slide was read."
    strict = read_document(pptx(slides, hidden=(1,)), isolated=False, strict=True)
    assert SECRET not in strict.text
    assert strict.warnings[0] == "1 hidden slide was left out."


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
        ("", '<form id="aspnetForm">It is seen by all of us.</form>'),
        ("", "<dialog open>It is seen by all of us.</dialog>"),
        ("", "<menu><li>It is seen by all of us.</li></menu>"),
        ("", "<h2><button>It is seen by all of us.</button></h2>"),
        ("", '<p class="sr-only">It is seen by all of us.</p>'),
        ("", '<div class="noprint"><p>It is seen by all of us.</p></div>'),
        ("body{visibility:hidden}", "<p>It is seen by all of us.</p>"),
        ("html{opacity:0}", "<p>It is seen by all of us.</p>"),
        (".a{opacity:0;animation:in 1s forwards}", '<p class="a">It is seen by all of us.</p>'),
        (".a{opacity:0}.a.in{opacity:1}", '<p class="a">It is seen by all of us.</p>'),
        (".a{opacity:0;transition:opacity 1s}", '<p class="a">It is seen by all of us.</p>'),
        (".a > .b{display:none}", '<div class="a"><div><p class="b">It is seen by all of us.</p></div></div>'),
        ("@media screen{.a{display:block}}.a{display:none}", '<p class="a">It is seen by all of us.</p>'),
        (".a{display:none}#b{display:block}", '<p class="a" id="b">It is seen by all of us.</p>'),
        (".a{display:none}p{display:block!important}", '<p class="a">It is seen by all of us.</p>'),
        (".a{display:none;display:block}", '<p class="a">It is seen by all of us.</p>'),
        ("p{display:block}", "<p hidden>It is seen by all of us.</p>"),
        ("", "<style media=print>.a{display:none}</style><p class=a>It is seen by all of us.</p>"),
        ("", "<noscript><style>.a{display:none}</style></noscript><p class=a>It is seen by all of us.</p>"),
        (
            ".a{visibility:hidden}.b{visibility:visible}",
            '<div class="a">No. <b class="b">It is seen by all of us.</b></div>',
        ),
    ],
)
def test_what_people_see_is_read(css: str, shown: str) -> None:
    page = hidden.html_page(shown, css)
    assert "It is seen by all of us." in read_document(page, isolated=False, strict=True).text


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
    monkeypatch.setattr(words, "Budget", lambda data: Budget(data, pages=0))
    document = read_document(hidden.CASES["pdf: low alpha"](), isolated=False)
    assert document.warnings == ("On 1 pages it was not checked whether all words can be seen.",)


def test_white_words_in_a_painted_cell_are_read() -> None:
    painted = hidden.word_table("<w:shd w:val='clear' w:fill='204080'/>", "It is seen by all of us.")
    assert "It is seen by all of us." in read_document(painted, isolated=False).text


@pytest.mark.parametrize("mark", ["\f", "\x01", "\x0b", "&#12;", "&#x1;", "\ufffe"])
@pytest.mark.parametrize(
    "page", ["<p><b hidden>No.</b>{}It is seen by all of us.</p>", "<p>{}<script>x</script>{} Yes.</p>"]
)
def test_control_characters_beside_what_is_left_out_are_no_obstacle(page: str, mark: str) -> None:
    for text in (
        page,
        f"# Pumps\n\n{page}\n",
        f"From: a@b.example\nMessage-ID: <1>\nContent-Type: text/html\n\n{page}",
    ):
        assert "." in read_document(text.replace("{}", mark), isolated=False).text


@pytest.mark.parametrize("style", ["<style>.a{" + 30 * "& &{" + "</style>", "<style>" + 2000 * "a:is(" + "</style>"])
def test_rules_inside_each_other_are_cheap(style: str) -> None:
    for text in (f"<html>{style}<p>It is seen by all of us.</p>", f"{style}\n\n# Pumps\n\nIt is seen by all of us.\n"):
        assert "It is seen by all of us." in read_document(text, isolated=False).text


@pytest.mark.parametrize(
    "source",
    [
        "<!-- Use <script> tags -->",
        "<!-- <template> and <p hidden> -->",
        "Use `<template>` and `<span hidden>` as you like.",
        "```\n<template>\n<div hidden>\n```",
        "<p hidden>\n\nIt has no end.",
        "<div hidden>\n\nIt has no end.",
        "Yes <span hidden>and it has no end.",
        "</div>\n\n<div hidden>",
        "<style>p{display:none}</style>",
    ],
)
def test_markdown_is_read_behind_what_hides_nothing(source: str) -> None:
    text = f"# Pumps\n\n{SHOWN[0]}\n\n{source}\n\nIt is seen by all of us.\n\n## Wells\n\n{SHOWN[1]}\n"
    said = read_document(text, isolated=False, strict=True).text
    assert [one for one in (*SHOWN, "It is seen by all of us.", "Wells") if one not in said] == []


def test_a_document_of_which_all_is_hidden_is_read() -> None:
    assert read_document("<html><body><p hidden>Yes</p></body></html>", isolated=False).text == "Yes"
