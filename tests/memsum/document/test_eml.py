"""Mail files: the words of a message, its subject, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.document import read_document
from memsum.errors import DocumentError

from ...helpers import texts

GOLD = Path(__file__).parents[2] / "data" / "gold" / "eml"
HEAD = "From: Anna <anna@mill.example>\nMessage-ID: <1@mill.example>\n"

PIECES = [*'ab:-;="\n \t<>?', "--x", "\n\n", "Content-Type: ", "multipart/mixed", "boundary=x", "=?utf-8?q?"]


def multipart(kind: str, boundary: str, *parts: str) -> str:
    inside = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{inside}--{boundary}--\n'


def test_a_mail_with_alternatives_and_an_attachment() -> None:
    document = read_document(GOLD / "alternative.eml")
    assert document.format == "eml"
    assert document.title == "Das Mehl für Leeds"
    assert "From: Anna Björk <anna@mill.example>" in texts(document, "boilerplate")
    assert "> Where is it?" in texts(document, "boilerplate")
    assert document.warnings == ("The mail's attachments were not read: “prices.pdf”.",)


def test_html_is_read_where_there_is_no_plain_text() -> None:
    document = read_document(GOLD / "html-only.eml")
    assert document.title == "Works in Mill Lane"
    assert document.warnings == ()


def test_what_only_begins_like_a_mail_is_plain_text() -> None:
    assert read_document("Subject: The flour\n\nIt came late.").format == "plain"
    assert read_document(f"{HEAD}Subject: The flour\n\nIt came late.").format == "eml"
    assert read_document("Note: this is from me.\n\nMessage-ID: none.").format == "plain"


def test_a_mail_without_text_says_what_it_has() -> None:
    attachment = 'Content-Type: image/png; name="mill.png"\n\nabc'
    with pytest.raises(DocumentError, match=r"The mail has no text but 1 attachment\."):
        read_document(HEAD + multipart("mixed", "x", attachment))
    with pytest.raises(DocumentError, match=r"The mail has no text\."):
        read_document(f"{HEAD}\n")


def test_a_mail_of_any_kind_of_text_is_read_but_a_part_beside_others_is_not() -> None:
    mail = read_document(f"{HEAD}Subject: The flour\nContent-Type: text/asciidoc\n\nThe flour came late.")
    assert [sentence.text for sentence in mail.sentences] == ["The flour came late."]
    beside = multipart("mixed", "x", "\nThe flour came late.", "Content-Type: text/calendar\n\nBEGIN:VCALENDAR")
    assert [sentence.text for sentence in read_document(HEAD + beside).sentences] == ["The flour came late."]


def test_parts_are_counted_over_the_whole_mail() -> None:
    inner = multipart("mixed", "y", *["\na"] * 40)
    with pytest.raises(DocumentError, match="more than 1,000 parts"):
        read_document(HEAD + multipart("mixed", "x", *[inner] * 40))


def test_a_field_of_no_known_encoding_stays_as_it_is() -> None:
    document = read_document("From: a\nMessage-ID: b\nSubject: =?\u00b2?q?x?=\n\nThe pump ran.", format="eml")
    assert document.title == "=?\u00b2?q?x?="


def test_parts_inside_each_other_and_without_end() -> None:
    plain = "Content-Type: text/plain\n\nThe flour came late."
    document = read_document(HEAD + multipart("mixed", "x", multipart("related", "y", plain)))
    assert [s.text for s in document.sentences] == ["The flour came late."]
    cut = (HEAD + multipart("mixed", "x", plain)).removesuffix("--x--\n")
    assert [s.text for s in read_document(cut).sentences] == ["The flour came late."]
    deep = plain
    for depth in range(30):
        deep = multipart("mixed", f"b{depth}", deep)
    with pytest.raises(DocumentError, match="too deep inside each other"):
        read_document(HEAD + deep)
    with pytest.raises(DocumentError, match="more than 1,000 parts"):
        read_document(HEAD + multipart("mixed", "x", *[plain] * 1_100))
    with pytest.raises(DocumentError, match="head of the mail"):
        read_document(f"{HEAD}X-Long: {'a' * 300_000}\n\nHello.")


@pytest.mark.parametrize("charset", ["utf-8", "no-such-thing", "punycode", "unicode_escape", "zlib", ""])
def test_any_charset_is_read(charset: str) -> None:
    mail = f"{HEAD}Content-Type: text/plain; charset={charset}\n\nThe Mühle is open."
    assert [s.text for s in read_document(mail.encode()).sentences] == ["The Mühle is open."]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES)))
def test_any_mail_is_a_document_or_an_error(pieces: list[str]) -> None:
    try:
        document = read_document(HEAD + "".join(pieces), format="eml")
    except DocumentError:
        return
    assert all(document.text[s.start : s.end] == s.text for s in document.sentences)
