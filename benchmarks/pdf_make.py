"""Typesets an invented paper in the layouts of publishers: LaTeX classes, a browser's print, ReportLab."""

# ruff: noqa: E501

from __future__ import annotations

import html
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from pdf_text import Paper

ESCAPES = {"%": r"\%", "&": r"\&", "“": "``", "”": "''", "–": "--", "°": r"\textdegree{}", "#": r"\#",
           "±": r"$\pm$", "×": r"$\times$"}  # fmt: skip
TABLE = [["site", "depth", "rate", "error"], ["north", "12.5", "0.31", "0.04"], ["south", "8.0", "0.52", "0.07"],
         ["delta", "3.1", "0.77", "0.02"]]  # fmt: skip
DRAWING = r"\setlength{\unitlength}{1mm}\begin{picture}(60,22)\put(0,0){\line(1,0){60}}\put(0,0){\line(0,1){22}}\put(20,8){upper layer}\put(30,15){lower layer}\put(25,-4){time / d}\end{picture}\vspace{4mm}"


def tex(text: str) -> str:
    """Text for LaTeX; notes in double braces become footnotes."""
    text = re.sub("|".join(map(re.escape, ESCAPES)), lambda found: ESCAPES[found[0]], text)
    return text.replace("{{", r"\footnote{").replace("}}", "}")


def tex_body(paper: Paper, drop_cap: bool = False) -> str:
    """Sections, floats and references."""
    out: list[str] = []
    in_list = False
    for number, (kind, text) in enumerate(paper.flow):
        if in_list and kind != "item":
            out.append(r"\end{itemize}")
            in_list = False
        star = "*" if kind.startswith("wide") else ""
        if kind == "h1":
            out.append(rf"\section{{{tex(text)}}}")
        elif kind == "h2":
            out.append(rf"\subsection{{{tex(text)}}}")
        elif kind == "equation":
            out.append(
                r"\begin{equation} Q_{i} = \sum_{k=1}^{n} \frac{\alpha_k x_k^2}{1 + e^{-t}} + \int_0^T f(s)\,ds, \end{equation}"
            )
        elif kind == "item":
            out.extend([] if in_list else [r"\begin{itemize}"])
            in_list = True
            out.append(rf"\item {tex(text)}")
        elif kind.endswith("figure"):
            out.append(
                rf"\begin{{figure{star}}}[t]\centering {DRAWING}\caption{{{tex(text)}}}\label{{f{number}}}\end{{figure{star}}}"
            )
        elif kind.endswith("table"):
            rows = "\\\\\n".join(" & ".join(row) for row in TABLE)
            out.append(
                rf"\begin{{table{star}}}[t]\centering\caption{{{tex(text)}}}\begin{{tabular}}{{lrrr}}\hline {rows}\\\hline\end{{tabular}}\end{{table{star}}}"
            )
        elif drop_cap:
            first, rest = text.split(" ", 1)
            out.append(rf"\IEEEPARstart{{{first[0]}}}{{{first[1:]}}} {tex(rest)}" + "\n")
            drop_cap = False
        else:
            out.append(tex(text) + "\n")
    items = "\n".join(rf"\bibitem{{k{n}}} {tex(entry)}" for n, entry in enumerate(paper.references))
    return (
        "\n".join(out)
        + rf"""
\begin{{thebibliography}}{{99}}
{items}
\end{{thebibliography}}"""
    )


def latex(options: str, preamble: str, front: str) -> Callable[[Paper, Path], None]:
    """A maker for a document class; `front` is a format string of title, authors, affiliation and abstract."""

    def make(paper: Paper, path: Path) -> None:
        names = " and ".join(paper.authors)
        fields = {
            "title": tex(paper.title),
            "names": names,
            "affiliation": paper.affiliation,
            "abstract": tex(paper.abstract),
        }
        for n, author in enumerate(paper.authors):
            fields[f"a{n}"] = author
        head = re.sub(r"<(\w+)>", lambda slot: fields[slot[1]], front)
        source = "\n".join(
            [
                rf"\documentclass{options}",
                r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp}",
                preamble or r"\usepackage{lmodern}",
                r"\begin{document}",
                head,
                tex_body(paper, drop_cap="IEEEtran" in options),
                r"\end{document}",
            ]
        )
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.tex").write_text(source, encoding="utf-8")
            for _ in range(2):
                run = subprocess.run(
                    ["pdflatex", "-interaction=nonstopmode", "p.tex"], cwd=folder, capture_output=True, timeout=120
                )
            made = Path(folder) / "p.pdf"
            if not made.exists():
                raise RuntimeError(run.stdout.decode(errors="replace")[-2000:])
            path.write_bytes(made.read_bytes())

    return make


ARTICLE = r"\title{<title>}\author{<a0> \and <a1> \and <a2> \\ <affiliation>}\date{}\maketitle\begin{abstract}<abstract>\end{abstract}"
IEEE = (
    r"\title{<title>}\author{\IEEEauthorblockN{<names>}\IEEEauthorblockA{<affiliation>}}\maketitle"
    r"\begin{abstract}<abstract>\end{abstract}\begin{IEEEkeywords}lakes, rates\end{IEEEkeywords}"
)
IEEE_JOURNAL = (
    r"\title{<title>}\author{<names>\thanks{<affiliation>.}\thanks{Manuscript received May 1.}}"
    r"\markboth{Journal of Invented Results, Vol. 1}{Berg: On Lakes}\maketitle"
    r"\begin{abstract}<abstract>\end{abstract}\begin{IEEEkeywords}lakes, rates\end{IEEEkeywords}"
)
ELSEVIER = (
    r"\begin{frontmatter}\title{<title>}\author[1]{<a0>}\author[1]{<a1>}\address[1]{<affiliation>}"
    r"\begin{abstract}<abstract>\end{abstract}\begin{keyword}lakes\sep rates\end{keyword}\end{frontmatter}"
)
REVTEX = (
    r"\title{<title>}\author{<a0>}\author{<a1>}\affiliation{<affiliation>}\date{\today}"
    r"\begin{abstract}<abstract>\end{abstract}\maketitle"
)
LLNCS = (
    r"\title{<title>}\author{<a0> \and <a1>}\institute{<affiliation>}\maketitle\begin{abstract}<abstract>\end{abstract}"
)
ACM = (
    r"\title{<title>}\author{<a0>}\affiliation{\institution{University of Northfield}\city{Northfield}\country{Norway}}"
    r"\author{<a1>}\affiliation{\institution{University of Northfield}\city{Northfield}\country{Norway}}"
    r"\begin{abstract}<abstract>\end{abstract}\keywords{lakes, rates}\maketitle"
)
AMS = r"\title{<title>}\author{<a0>}\address{<affiliation>}\begin{abstract}<abstract>\end{abstract}\maketitle"
KOMA = r"\title{<title>}\author{<names>}\date{}\maketitle\begin{abstract}<abstract>\end{abstract}"
TIMES = r"\usepackage{mathptmx}"
FANCY = (
    r"\usepackage{lmodern}\usepackage{fancyhdr}\pagestyle{fancy}\lhead{A. Berg et al.}\rhead{Preprint}\cfoot{\thepage}"
)


CSS = {
    "browser-one": "body{font:11pt/1.4 serif;text-align:justify;hyphens:auto}",
    "browser-two": "body{font:10pt/1.3 serif;text-align:justify;hyphens:auto;columns:2;column-gap:8mm}h1,.front{column-span:all}",
    "browser-ragged": "body{font:11pt/1.5 sans-serif}p{margin:0 0 1em}",
    "browser-three": "body{font:9pt/1.25 serif;text-align:justify;hyphens:auto;columns:3;column-gap:6mm}h1,.front{column-span:all}",
}


def browser(style: str) -> Callable[[Paper, Path], None]:
    """A maker by Chromium's print to PDF."""

    def make(paper: Paper, path: Path) -> None:
        front = f"<h1>{paper.title}</h1><div class=front><p>{', '.join(paper.authors)}</p><p>{paper.affiliation}</p>"
        parts = [front, f"<h2>Abstract</h2><p>{html.escape(paper.abstract)}</p></div>"]
        notes: list[str] = []
        for kind, text in paper.flow:
            note = re.search(r"\{\{(.*)\}\}", text)
            clean = html.escape(re.sub(r"\{\{.*\}\}", "", text))
            notes.extend([note[1]] if note else [])
            if kind in ("h1", "h2"):
                parts.append(f"<h{int(kind[1]) + 1}>{clean}</h{int(kind[1]) + 1}>")
            elif kind == "equation":
                parts.append("<p style='text-align:center'>Q = αx² + βt</p>")
            elif kind == "item":
                parts.append(f"<ul><li>{clean}</li></ul>")
            elif kind.endswith("figure"):
                parts.append(
                    f"<figure><svg width=200 height=60><rect width=200 height=60 fill=#ddd /></svg><figcaption>Figure 1: {clean}</figcaption></figure>"
                )
            elif kind.endswith("table"):
                rows = "".join(
                    "<tr>" + "".join(f"<td style='padding:0 2em'>{cell}</td>" for cell in row) + "</tr>"
                    for row in TABLE
                )
                parts.append(f"<figure><figcaption>Table 1: {clean}</figcaption><table>{rows}</table></figure>")
            else:
                parts.append(f"<p>{clean}</p>")
        parts.append(
            "<h2>References</h2><ol>"
            + "".join(f"<li>{html.escape(entry)}</li>" for entry in paper.references)
            + "</ol>"
        )
        css = "@page{size:A4;margin:20mm}figure{break-inside:avoid}figcaption{font-size:85%}li{margin:0}" + CSS[style]
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "p.html"
            page.write_text(
                f"<!doctype html><html lang=en><meta charset=utf-8><style>{css}</style>{''.join(parts)}",
                encoding="utf-8",
            )
            subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 f"--user-data-dir={folder}/profile", f"--print-to-pdf={path}", page.as_uri()],
                capture_output=True, timeout=120, check=True,
            )  # fmt: skip

    return make


def reportlab(columns: int, font: str, *, justify: bool, hyphens: bool) -> Callable[[Paper, Path], None]:
    """A maker by ReportLab, with running heads, page numbers and footnotes at the end of a page."""

    def make(paper: Paper, path: Path) -> None:
        from reportlab.lib.pagesizes import A4
        from reportlab.lib.styles import ParagraphStyle
        from reportlab.pdfgen.canvas import Canvas
        from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table

        def furniture(canvas: Canvas, document: BaseDocTemplate) -> None:
            canvas.setFont(font, 8)
            canvas.drawString(60, 800, paper.title[:50] if document.page % 2 else "Berg et al.")
            canvas.drawRightString(535, 800, "Reports on Lakes 7 (2031)")
            canvas.drawCentredString(297, 30, f"– {document.page} –")

        width = (475 - 18 * (columns - 1)) / columns
        frames = [Frame(60 + n * (width + 18), 50, width, 735, 0, 0, 0, 0) for n in range(columns)]
        document = BaseDocTemplate(str(path), pagesize=A4)
        document.addPageTemplates(PageTemplate(frames=frames, onPage=furniture))
        body = ParagraphStyle("body", fontName=font, fontSize=10, leading=12.5, alignment=4 if justify else 0, spaceAfter=0,
                              firstLineIndent=12, hyphenationLang="en_GB" if hyphens else "", embeddedHyphenation=1)  # fmt: skip
        bold = {"Times-Roman": "Times-Bold", "Helvetica": "Helvetica-Bold"}[font]
        heads = {
            n: ParagraphStyle(f"h{n}", fontName=bold, fontSize=15 - 2 * n, leading=17, spaceBefore=8, spaceAfter=4)
            for n in (0, 1, 2)
        }
        small = ParagraphStyle(
            "small", parent=body, fontSize=8.5, leading=10, firstLineIndent=0, spaceBefore=6, spaceAfter=10
        )
        item = ParagraphStyle("item", parent=body, leftIndent=14, firstLineIndent=0, bulletIndent=4)
        story: list[Flowable] = [
            Paragraph(paper.title, heads[0]),
            Paragraph(", ".join(paper.authors), small),
            Paragraph(paper.affiliation, small),
        ]
        story += [Paragraph("Abstract", heads[2]), Paragraph(html.escape(paper.abstract), body)]
        for kind, text in paper.flow:
            clean = html.escape(re.sub(r"\{\{.*\}\}", "", text))
            if kind in ("h1", "h2"):
                story.append(Paragraph(clean, heads[int(kind[1])]))
            elif kind == "equation":
                story.append(
                    Paragraph(
                        "Q = a x + b t",
                        ParagraphStyle("equation", parent=body, alignment=1, spaceBefore=6, spaceAfter=6),
                    )
                )
            elif kind == "item":
                story.append(Paragraph(clean, item, bulletText="•"))
            elif kind.endswith("figure"):
                story.append(Paragraph(f"<b>Fig. 1.</b> {clean}", small))
            elif kind.endswith("table"):
                story.append(Paragraph(f"<b>Table 1.</b> {clean}", small))
                story.append(Table(TABLE))
            else:
                story.append(Paragraph(clean, body))
        story.append(Paragraph("References", heads[1]))
        story += [Paragraph(f"{n}. {html.escape(entry)}", small) for n, entry in enumerate(paper.references, 1)]
        document.build(story)

    return make


LAYOUTS: dict[str, Callable[[Paper, Path], None]] = {
    "article": latex("{article}", "", ARTICLE),
    "article-bitmap-fonts": latex("{article}", "% no scalable fonts", ARTICLE),
    "article-two": latex("[twocolumn]{article}", "", ARTICLE),
    "article-11pt-times": latex("[11pt]{article}", TIMES + r"\usepackage[margin=1in]{geometry}" + FANCY, ARTICLE),
    "article-two-tight": latex("[twocolumn,9pt]{extarticle}", TIMES + r"\usepackage[margin=18mm,columnsep=6mm]{geometry}", ARTICLE),
    "article-double": latex("[12pt]{article}", r"\usepackage{lmodern}\linespread{1.6}", ARTICLE),
    "article-line-numbers": latex("[11pt]{article}", r"\usepackage{lmodern}\usepackage[left]{lineno}\linenumbers", ARTICLE),
    "ieee-conference": latex("[conference]{IEEEtran}", "", IEEE),
    "ieee-journal": latex("[journal]{IEEEtran}", "", IEEE_JOURNAL),
    "elsevier-preprint": latex("[preprint,12pt]{elsarticle}", "", ELSEVIER),
    "elsevier-3p": latex("[final,3p,times]{elsarticle}", "", ELSEVIER),
    "elsevier-5p": latex("[final,5p,times,twocolumn]{elsarticle}", "", ELSEVIER),
    "revtex-prl": latex("[aps,prl,twocolumn,nofootinbib]{revtex4-2}", "", REVTEX),
    "revtex-preprint": latex("[aps,prb,preprint,nofootinbib]{revtex4-2}", "", REVTEX),
    "aip": latex("[aip,jcp,reprint,nofootinbib]{revtex4-2}", "", REVTEX),
    "springer-llncs": latex("{llncs}", "", LLNCS),
    "acm-sigconf": latex("[sigconf,nonacm]{acmart}", "", ACM),
    "acm-small": latex("[acmsmall,nonacm]{acmart}", "", ACM),
    "ams": latex("{amsart}", "", AMS),
    "koma": latex("[paper=a4,parskip=half]{scrartcl}", "", KOMA),
    "koma-two": latex("[paper=a4,twocolumn,DIV=14]{scrartcl}", r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}", KOMA),
    "report": latex("[11pt,a4paper]{report}", FANCY + r"\renewcommand{\thesection}{\arabic{section}}", KOMA),
    **{name: browser(name) for name in CSS},
    "reportlab-one": reportlab(1, "Times-Roman", justify=True, hyphens=True),
    "reportlab-two": reportlab(2, "Times-Roman", justify=True, hyphens=True),
    "reportlab-ragged": reportlab(2, "Helvetica", justify=False, hyphens=False),
}  # fmt: skip
