from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memsum.document import Document, read_document
from memsum.document.formats import FORMATS
from memsum.errors import DocumentError

PIECES = [
    *("a", "B", "1", ".", "#", "-", "*", ">", "|", "`", "~", "=", "[", "](x)", "![", "<!--", "-->", "<b>", "é"),
    *(" ", "\n", "\r\n", "\t", "---\n", "title: x\n", "References\n", "1. ", "Fig. ", "\x0c", "\x85", "\u2028"),
    *("\U0001f600", "\ud800"),
]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)

TAGS = "p sec title sup xref list list-item def-list def-item fig caption alternatives"
XML = st.recursive(
    st.sampled_from(["One. Two.", "12", " ", "&alpha;", "&unknown;", "&amp;"]),
    lambda inside: st.tuples(st.sampled_from(TAGS.split()), st.lists(inside, max_size=4)).map(
        lambda node: f"<{node[0]}>{''.join(node[1])}</{node[0]}>"
    ),
).map(lambda inside: f"<!DOCTYPE article SYSTEM 'a.dtd'><article><body>{inside}</body></article>")


def check(document: Document) -> None:
    for sentences in (document.sentences, document.abstract):
        at = 0
        for sentence in sentences:
            assert document.text[sentence.start : sentence.end] == sentence.text
            assert sentence.text == sentence.text.strip() != ""
            assert at <= sentence.start
            at = sentence.end
    at = 0
    for block in document.blocks:
        assert at <= block.start <= block.end <= len(document.text)
        at = block.end


def read_or_refuse(source: str | bytes, format_name: str | None = None) -> Document | None:
    try:
        return read_document(source, format=format_name, isolated=False)  # what goes wrong shall be seen
    except DocumentError:
        return None


@settings(deadline=None)  # the first example imports the reader
@given(st.text() | MARKUP, st.sampled_from([None, "plain", "markdown"]))
@example("---\r\ntitle: \r\n---", "markdown")
def test_text_keeps_its_offsets(text: str, format_name: str | None) -> None:
    document = read_or_refuse(text, format_name)
    if document is not None:
        check(document)
        if document.format == "plain":
            assert document.text == text


@settings(deadline=None)  # the first example imports the reader
@given(
    st.binary()
    | st.text().map(lambda text: text.encode("utf-16", "replace"))
    | MARKUP.map(lambda text: text.encode("cp1252", "replace"))
)
def test_bytes_become_a_document_or_an_error(data: bytes) -> None:
    for format_name in (None, *(reader.name for reader in FORMATS)):
        document = read_or_refuse(data, format_name)
        if document is not None:
            check(document)


@settings(deadline=None)  # the first example imports the reader
@given(XML)
def test_xml_becomes_a_document_or_an_error(xml: str) -> None:
    document = read_or_refuse(xml)
    if document is not None:
        check(document)
