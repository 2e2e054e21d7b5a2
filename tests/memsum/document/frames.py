"""Files of each format around a text, or around the format's own marks."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable


def _word(text: str) -> bytes:
    """A Word document with a text in one paragraph; where the text is XML, that is the body."""
    is_xml = text.startswith("<w:")
    body = text if is_xml else f"<w:p><w:r><w:t>{re.sub('[<&]|[^ -~]', ' ', text)}</w:t></w:r></w:p>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return out.getvalue()


def _packed(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _epub(text: str) -> bytes:
    """An e-book with a text as its only chapter."""
    package = '<package xmlns="http://www.idpf.org/2007/opf"><item id="a" href="a"/><itemref idref="a"/></package>'
    return _packed({"book.opf": package, "a": f"<html><body><p>The pump ran.</p>{text}</body></html>"})


def _odt(text: str) -> bytes:
    """An OpenDocument text with a text in its body."""
    names = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text"))
    body = f"<office:body><office:text>{text}</office:text></office:body>"
    return _packed({"content.xml": f"<office:document-content {names}>{body}</office:document-content>"})


def _pptx(text: str) -> bytes:
    """Slides, of which one has a text in it."""
    main, link = (
        f"http://schemas.openxmlformats.org/{name}"
        for name in ("presentationml/2006/main", "officeDocument/2006/relationships")
    )
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "presentation.xml": f'<p:presentation xmlns:p="{main}" xmlns:r="{link}"><p:sldId r:id="a"/></p:presentation>',
        "_rels/presentation.xml.rels": f'<x xmlns="{relations}"><Relationship Id="a" Target="a.xml"/></x>',
        "a.xml": f'<p:sld xmlns:p="{main}" xmlns:a="a">{text}</p:sld>',
    }
    return _packed({f"ppt/{name}": part for name, part in parts.items()})


FRAMES: dict[str, Callable[[str], str | bytes]] = {
    "docx": _word,
    "epub": _epub,
    "odt": _odt,
    "pptx": _pptx,
    "eml": lambda text: f"From: a\nMessage-ID: b\n{text}",
    "html": lambda text: f"<html><body><p>The pump ran.</p>{text}",
    "jats": lambda text: f"<article><body><p>The pump ran.</p>{text}</body></article>",
    "latex": lambda text: f"\\documentclass{{a}}\\begin{{document}}The pump ran. {text}",
    "markdown": lambda text: f"# Pump\n\n{text}",
    "notebook": lambda text: json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "source": [text]}]}
    ),
}
