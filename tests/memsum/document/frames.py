"""Files of each format, made here so that every byte of them is known: of parts, and around a text or marks."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable

OASIS = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in {
        "office": "office",
        "text": "text",
        "style": "style",
        "table": "table",
        "draw": "drawing",
    }.items()
)
P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def pack(parts: dict[str, str], mimetype: str | None = None) -> bytes:
    """A ZIP archive; `mimetype` stands first and is not compressed, as e-books and OpenDocument want it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if mimetype:
            archive.writestr(zipfile.ZipInfo("mimetype", (2021, 5, 4, 0, 0, 0)), mimetype)
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (2021, 5, 4, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
    return out.getvalue()


def unpack(data: bytes) -> dict[str, str]:
    """The parts of an archive by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def epub(chapters: dict[str, str], *, title: str = "", extra: str = "", spine: str = "") -> bytes:
    """An e-book of chapters by file name; each is the inside of a body, unless it begins with "<?xml"."""
    items = "".join(f'<item id="c{i}" href="{name}"/>' for i, name in enumerate(chapters))
    references = spine or "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{f'<dc:title>{title}</dc:title>' if title else ''}</metadata>"
        f"<manifest>{items}{extra}</manifest><spine>{references}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    html = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head>'
    pages = {
        f"OEBPS/{name}": body if body.startswith("<?xml") else f"{html}<body>{body}</body></html>"
        for name, body in chapters.items()
    }
    return pack({"META-INF/container.xml": container, "OEBPS/book.opf": package, **pages}, "application/epub+zip")


def odt(body: str, styles: str = "") -> bytes:
    """An OpenDocument text with this body and these automatic styles."""
    content = (
        f"<office:document-content {OASIS}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return pack({"content.xml": content}, "application/vnd.oasis.opendocument.text")


def shape(kind: str | None, *lines: str) -> str:
    """A shape of a slide with lines of text."""
    holder = "" if kind is None else f'<p:ph type="{kind}"/>' if kind else "<p:ph/>"
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def pptx(slides: list[str], notes: dict[int, str] | None = None, hidden: tuple[int, ...] = ()) -> bytes:
    """A presentation of slides, each the inside of a tree of shapes; notes by the number of the slide, from 0."""
    ids = "".join(f'<p:sldId r:id="r{i}"/>' for i in range(len(slides)))
    links = "".join(f'<Relationship Id="r{i}" Target="slides/slide{i}.xml"/>' for i in range(len(slides)))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": f"<p:presentation {P}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{RELATIONS}">{links}</Relationships>',
    }
    for i, tree in enumerate(slides):
        show = ' show="0"' if i in hidden else ""
        parts[f"ppt/slides/slide{i}.xml"] = f"<p:sld {P}{show}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"
    for i, tree in (notes or {}).items():
        link = f'<Relationship Id="n" Type="x/notesSlide" Target="../notesSlides/notesSlide{i}.xml"/>'
        parts[f"ppt/slides/_rels/slide{i}.xml.rels"] = f'<Relationships xmlns="{RELATIONS}">{link}</Relationships>'
        parts[f"ppt/notesSlides/notesSlide{i}.xml"] = (
            f"<p:notes {P}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:notes>"
        )
    return pack(parts)


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word(body: str, parts: dict[str, str] | None = None) -> bytes:
    """A Word document with this body and further parts."""
    document = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    return pack({"[Content_Types].xml": "<Types/>", "word/document.xml": document, **(parts or {})})


def _word(text: str) -> bytes:
    """One with a text in a paragraph; where the text is XML, that is the body."""
    is_xml = text.startswith("<w:")
    return word(text if is_xml else f"<w:p><w:r><w:t>{re.sub('[<&]|[^ -~]', ' ', text)}</w:t></w:r></w:p>")


FRAMES: dict[str, Callable[[str], str | bytes]] = {
    "docx": _word,
    "epub": lambda text: epub({"a.xhtml": f"<p>The pump ran.</p>{text}"}),
    "odt": odt,
    "pptx": lambda text: pptx([text]),
    "eml": lambda text: f"From: a\nMessage-ID: b\n{text}",
    "html": lambda text: f"<html><body><p>The pump ran.</p>{text}",
    "jats": lambda text: f"<article><body><p>The pump ran.</p>{text}</body></article>",
    "latex": lambda text: f"\\documentclass{{a}}\\begin{{document}}The pump ran. {text}",
    "markdown": lambda text: f"# Pump\n\n{text}",
    "notebook": lambda text: json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "source": [text]}]}
    ),
}
