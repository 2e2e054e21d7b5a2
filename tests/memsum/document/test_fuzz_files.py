"""Valid files with bytes changed, cut or repeated: a document that keeps its offsets, or an error in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsum.document import read_document
from memsum.errors import DocumentError

from .frames import W, word

DATA = Path(__file__).parents[2] / "data" / "documents"
HTML = b"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>T</title></head>
<body><nav><a href="/">Home</a></nav><main>
<h1>Pump</h1><p>It was <b>old</b>.<br><br>It ran.</p><ul><li>One.</li></ul>
<table><tr><td>1</td></tr></table></main></body></html>"""
LATEX = rb"""\documentclass{article}\newcommand{\x}[1]{a #1}\title{T}
\begin{document}\begin{abstract}A.\end{abstract}\section{S}
Text $a_b$ \x{y} \footnote{n} \begin{itemize}\item I.\end{itemize}\begin{figure}\caption{C}\end{figure}\end{document}"""


DOCX = word(
    "<w:p><w:pPr><w:pStyle w:val='H'/></w:pPr><w:r><w:t>Pump. It ran.</w:t></w:r></w:p>"
    "<w:tbl><w:tr><w:tc/></w:tr></w:tbl>",
    {"word/styles.xml": f"<w:styles {W}><w:style w:styleId='H'><w:name w:val='heading 1'/></w:style></w:styles>"},
)
GOLD = Path(__file__).parents[2] / "data" / "gold"
FILES = {"pdf": (DATA / "one-column.pdf").read_bytes(), "docx": DOCX, "html": HTML, "latex": LATEX} | {
    path.parent.name: path.read_bytes()
    for path in (
        GOLD / "epub/novel.epub",
        GOLD / "odt/report.odt",
        GOLD / "pptx/talk.pptx",
        GOLD / "eml/alternative.eml",
    )
}


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(changed)))
        end = min(len(changed), at + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(["replace", "delete", "repeat", "cut"]))
        if kind == "replace":
            changed[at:end] = draw(
                st.binary(min_size=1, max_size=8) | st.sampled_from([b"{", b"}", b"<p>", b"9999999999", b"-1", b"\0"])
            )
        elif kind == "delete":
            del changed[at:end]
        elif kind == "repeat":
            changed[at:at] = changed[at:end] * draw(st.integers(1, 50))
        elif draw(st.integers(0, 9)) == 0:
            del changed[at:]
    return bytes(changed)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(draw=st.data())
def test_a_damaged_file_is_a_document_or_an_error(name: str, draw: st.DataObject) -> None:
    data = draw.draw(mutations(FILES[name]))
    for format_name in (None, name):
        try:
            document = read_document(data, format=format_name)
        except DocumentError:
            continue
        for sentence in (*document.abstract, *document.sentences):
            assert document.text[sentence.start : sentence.end] == sentence.text
            assert sentence.page is None or sentence.boxes
