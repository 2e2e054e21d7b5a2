"""Typesets an invented paper with other engines and shapes: Typst, groff, LibreOffice, slides, reviews, contents."""

# ruff: noqa: E501

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from pdf_make import ARTICLE, KOMA, TABLE, latex
from pdf_text import Paper

Maker = Callable[[Paper, Path], None]
_NOTE = re.compile(r"\{\{(.*?)\}\}")


def typst(settings: str) -> Maker:
    """A maker by Typst (the wheel of PyPI)."""

    def make(paper: Paper, path: Path) -> None:
        import typst as engine

        out = [settings, f"#align(center)[#text(17pt, weight: \"bold\")[{_typst(paper.title)}]\n\n{', '.join(paper.authors)}\n\n#text(9pt)[{paper.affiliation}]]",
               f"#heading(numbering: none)[Abstract]\n{_typst(paper.abstract)}"]  # fmt: skip
        for kind, text in paper.flow:
            shown = _typst(text)
            if kind in ("h1", "h2"):
                out.append(f"{'=' * int(kind[1])} {shown}")
            elif kind == "equation":
                out.append("$ Q_i = sum_(k=1)^n (alpha_k x_k^2) / (1 + e^(-t)) $")
            elif kind == "item":
                out.append(f"- {shown}")
            elif kind.endswith("figure"):
                out.append(f"#figure(rect(width: 60%, height: 2cm)[upper layer], caption: [{shown}])")
            elif kind.endswith("table"):
                cells = ", ".join(f"[{cell}]" for row in TABLE for cell in row)
                out.append(f"#figure(table(columns: 4, {cells}), caption: [{shown}])")
            else:
                out.append(shown)
        out.append("#heading(numbering: none)[References]")
        out.extend(f"#par[\\[{n}\\] {_typst(entry)}]" for n, entry in enumerate(paper.references, 1))
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "p.typ"
            source.write_text("\n\n".join(out), encoding="utf-8")
            engine.compile(source, output=path)

    return make


def _typst(text: str) -> str:
    parts = _NOTE.split(text)
    shown = [re.sub(r"([\\\[\]#$*_@<>`~=])", r"\\\1", part) for part in parts]
    return "".join(f"#footnote[{part}]" if n % 2 else part for n, part in enumerate(shown))


def groff(*, two: bool) -> Maker:
    """A maker by groff's ms macros."""

    def make(paper: Paper, path: Path) -> None:
        out = [".nr PS 10", ".nr VS 12", ".TL", paper.title]
        for author in paper.authors:
            out += [".AU", author]
        out += [".AI", paper.affiliation, ".AB", paper.abstract, ".AE", *([".2C"] if two else [])]
        for kind, text in paper.flow:
            note = _NOTE.search(text)
            shown = _NOTE.sub("\\**", text)
            if kind in ("h1", "h2"):
                out += [f".NH {kind[1]}", shown]
            elif kind == "equation":
                out += [".DS C", "Q = a x + b t", ".DE"]
            elif kind == "item":
                out += [".IP \\(bu 3", shown]
            elif kind.endswith("figure") or kind.endswith("table"):
                out += [
                    ".KF",
                    ".ps 8",
                    f"{'Figure' if kind.endswith('figure') else 'Table'} 1. {shown}",
                    ".ps 10",
                    ".KE",
                ]
            else:
                out += [".PP", shown]
            if note:
                out += [".FS", note[1], ".FE"]
        out += [".SH", "References"]
        for n, entry in enumerate(paper.references, 1):
            out += [f".IP [{n}] 5", entry]
        run = subprocess.run(
            ["groff", "-ms", "-k", "-Tpdf"], input="\n".join(out).encode(), capture_output=True, timeout=120, check=True
        )
        path.write_bytes(run.stdout)

    return make


def office(font: str, size: float, *, justify: bool, columns: int = 1) -> Maker:
    """A maker by LibreOffice Writer, from a Word document with a header and a footer."""

    def make(paper: Paper, path: Path) -> None:
        from docx import Document
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn
        from docx.shared import Pt

        document = Document()
        normal = document.styles["Normal"]
        normal.font.name, normal.font.size = font, Pt(size)
        section = document.sections[0]
        section.header.paragraphs[0].text = "Reports on Lakes\tVol. 7\tDraft"
        section.footer.paragraphs[0].text = "University of Northfield"
        if columns > 1:
            section._sectPr.xpath("./w:cols")[0].set(qn("w:num"), str(columns))
        settings = document.settings.element
        settings.append(OxmlElement("w:autoHyphenation"))

        def add(text: str, style: str | None = None) -> None:
            paragraph = document.add_paragraph(text, style)
            if justify and style is None:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.JUSTIFY

        document.add_heading(paper.title, 0)
        add(", ".join(paper.authors))
        add(paper.affiliation)
        document.add_heading("Abstract", 1)
        add(paper.abstract)
        for kind, text in paper.flow:
            clean = _NOTE.sub("", text)
            if kind in ("h1", "h2"):
                document.add_heading(clean, int(kind[1]))
            elif kind == "item":
                add(clean, "List Bullet")
            elif kind == "equation":
                document.add_paragraph("Q = a x + b t").alignment = WD_ALIGN_PARAGRAPH.CENTER
            elif kind.endswith("figure"):
                add(f"Figure 1: {clean}", "Caption")
            elif kind.endswith("table"):
                add(f"Table 1: {clean}", "Caption")
                table = document.add_table(len(TABLE), 4)
                for row, cells in zip(TABLE, table.rows, strict=True):
                    for value, cell in zip(row, cells.cells, strict=True):
                        cell.text = value
            else:
                add(clean)
        document.add_heading("References", 1)
        for n, entry in enumerate(paper.references, 1):
            add(f"[{n}] {entry}")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "p.docx"
            document.save(str(source))
            _convert(source, Path(folder), path, "writer_pdf_Export")

    return make


def _convert(source: Path, folder: Path, path: Path, filter_name: str) -> None:
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", f"pdf:{filter_name}", "--outdir", str(folder), str(source)],
        capture_output=True, timeout=240, check=True,
    )  # fmt: skip
    path.write_bytes(source.with_suffix(".pdf").read_bytes())


def slides(preamble: str) -> Maker:
    """A maker by LaTeX's beamer: every sentence a bullet, a title and a footer on every slide."""

    def make(paper: Paper, path: Path) -> None:
        out = [r"\documentclass{beamer}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{lmodern}\usepackage{textcomp}", preamble,
               rf"\title{{{paper.title}}}\author{{{', '.join(paper.authors)}}}\begin{{document}}\frame{{\titlepage}}"]  # fmt: skip
        title = ""
        for kind, text in paper.flow:
            if kind.startswith("h"):
                title = text
            elif kind in ("p", "item"):
                from pdf_make import tex

                items = "\n".join(rf"\item {tex(sentence)}" for sentence in sentences(text)[:4])
                out.append(rf"\begin{{frame}}{{{title}}}\begin{{itemize}}{items}\end{{itemize}}\end{{frame}}")
        out.append(r"\end{document}")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.tex").write_text("\n".join(out), encoding="utf-8")
            for _ in range(2):
                subprocess.run(
                    ["pdflatex", "-interaction=nonstopmode", "p.tex"], cwd=folder, capture_output=True, timeout=240
                )
            path.write_bytes((Path(folder) / "p.pdf").read_bytes())

    return make


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph of ours, without notes."""
    return re.split(r"(?<=[.?])\s(?=[A-Z])(?<!Dr\.\s)(?<!Fig\.\s)(?<!al\.\s)", _NOTE.sub("", text))


REVIEW = (
    r"\usepackage{mathptmx}\usepackage[margin=25mm]{geometry}\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}"
    r"\chead{Under review as a conference paper at Lakes 2031}\cfoot{\thepage}\usepackage[switch]{lineno}\linenumbers"
)
RUN_IN = r"\usepackage{lmodern}\setcounter{secnumdepth}{1}\let\subsection\paragraph"
CONTENTS = KOMA.replace(r"\maketitle", r"\maketitle\tableofcontents")

ENGINES: dict[str, Maker] = {
    "typst-one": typst('#set page(paper: "a4", numbering: "1", header: [Reports on Lakes #h(1fr) Vol. 7])\n#set par(justify: true)\n#set text(lang: "en", hyphenate: true)\n#set heading(numbering: "1.1")'),
    "typst-two": typst('#set page(paper: "a4", columns: 2, numbering: "1")\n#set par(justify: true, first-line-indent: 1em, spacing: 0.65em)\n#set text(9.5pt, lang: "en", hyphenate: true)\n#set heading(numbering: "1.1")'),
    "groff-one": groff(two=False),
    "groff-two": groff(two=True),
    "office-one": office("Liberation Serif", 11, justify=True),
    "office-two": office("Liberation Serif", 10, justify=True, columns=2),
    "office-sans": office("Liberation Sans", 10.5, justify=False),
    "slides-plain": slides(""),
    "slides-footer": slides(r"\usetheme{Madrid}"),
    "review-two": latex("[twocolumn]{article}", REVIEW, ARTICLE),
    "run-in": latex("[11pt]{article}", RUN_IN, ARTICLE),
    "contents": latex("[11pt,a4paper]{report}", r"\usepackage{lmodern}\renewcommand{\thesection}{\arabic{section}}", CONTENTS),
}  # fmt: skip
