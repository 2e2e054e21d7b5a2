"""Makes the gold PDFs of the tests, each for one fault of reading, with the sentences that must be read.

    python benchmarks/pdf_gold.py tests/data/gold/pdf [CASE...]

Needs pdflatex (Debian: texlive-latex-extra), and typst from PyPI.
"""

# ruff: noqa: E501

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from textwrap import dedent

STORY = """The mill on the upper brook was built in 1874 and ground rye for three villages.
Its wheel was made of oak and turned on an iron shaft that came by rail from the coast.
In the dry summer of 1911 the brook carried so little water that the wheel stood still for nine weeks.
The miller then bought a small gas engine, which he had seen at a fair in the county town.
After the war the engine was replaced by an electric motor, and the wheel was left to rot.
A local society has now rebuilt the wheel from the old drawings and opens the mill on Sundays."""
SENTENCES = STORY.split("\n")
PLAIN = r"\documentclass[10pt]{article}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{mathptmx}\usepackage[paperwidth=15cm,paperheight=20cm,margin=20mm]{geometry}"


def raw(content: str, lines: list[str], *, picture: bool = False, mode: int = 0) -> bytes:
    """A page of lines in Helvetica, drawn in a mode, with more content before and behind (parted by "@")."""
    before, _, behind = content.partition("@")
    shown = "".join(f"BT {mode} Tr /F1 11 Tf 50 {700 - 14 * n} Td ({line}) Tj ET\n" for n, line in enumerate(lines))
    stream = (before + shown + behind).encode("latin-1")
    pixel = b"\x80" * 64
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >>"
        b" /XObject << /P 6 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 64 >>\n"
        b"stream\n%s\nendstream" % pixel,
    ]
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 7\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"trailer << /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start


def hidden(x: float, y: float, *lines: str) -> str:
    """Lines that no reader sees, between the lines of the story."""
    return "".join(f"BT /F1 11 Tf {x} {y - 14 * n} Td ({line}) Tj ET\n" for n, line in enumerate(lines))


def latex(source: str) -> bytes:
    """What pdflatex makes of a document."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "p.tex").write_text(dedent(source), encoding="utf-8")
        for _ in range(2):
            run = subprocess.run(
                ["pdflatex", "-interaction=nonstopmode", "p.tex"], cwd=folder, capture_output=True, timeout=120
            )
        made = Path(folder) / "p.pdf"
        if not made.exists():
            sys.exit(run.stdout.decode(errors="replace")[-2000:])
        return made.read_bytes()


def typst(source: str) -> bytes:
    """What Typst makes of a document."""
    import typst as engine

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.typ"
        path.write_text(dedent(source), encoding="utf-8")
        return engine.compile(path)


LINES = [
    "The mill on the upper brook was built in 1874 and ground rye for three villages. Its",
    "wheel was made of oak and turned on an iron shaft that came by rail from the coast. In",
    "the dry summer of 1911 the brook carried so little water that the wheel stood still for nine",
    "weeks.",
]
PARTS = ["The pond", "The wheel", "The shaft", "The gear", "The stone floor", "The granary", "The bakery"]
SECRET = ("axis label of the cropped plot", "another label nobody sees")
COMPOUNDS = """The engineers preferred a machine-learning method with hard-attention layers.
A forward-backward pass over the previously-studied series took less than an hour.
The representation of the long-term record was written by a self-taught bookkeeper.
Misunderstandings about the water-soluble coating led to a decision-making crisis.
Every hyperparameter was chosen by a peer-reviewed, open-source procedure of the university."""


def cases() -> dict[str, tuple[bytes, list[str]]]:
    """The name of each gold document, the document and its sentences."""
    story = " ".join(SENTENCES)
    head, tail = " ".join(SENTENCES[:3]), " ".join(SENTENCES[3:])
    bullets = ["The wheel turns again", "The millstones were cut anew", "The roof is still the old one"]
    items = "".join(rf"\item {bullet}" for bullet in bullets)
    narrow = r"\usepackage[paperwidth=9cm,paperheight=20cm,margin=15mm]{geometry}"
    return {
        "outside-the-page": (raw(hidden(50, -14, *SECRET) + hidden(700, 693, *SECRET) + "@", LINES), SENTENCES[:3]),
        "outside-its-clip": (raw("q 300 500 100 50 re W n " + hidden(60, 693, *SECRET) + "Q @", LINES), SENTENCES[:3]),
        "not-drawn": (raw("3 Tr " + hidden(60, 693, *SECRET) + "@", LINES), SENTENCES[:3]),
        "painted-over": (raw(hidden(50, 640, *SECRET) + " 1 g 40 600 300 60 re f 0 g @", LINES), SENTENCES[:3]),
        "white-on-white": (raw("1 g " + hidden(50, 640, *SECRET) + "0 g @", LINES), SENTENCES[:3]),
        "white-on-dark": (raw("0.1 g 0 0 600 800 re f 1 g @", LINES), SENTENCES[:3]),
        "text-of-a-scan": (raw("q 600 0 0 800 0 0 cm /P Do Q @", LINES, mode=3), SENTENCES[:3]),
        "hyphens": (latex(PLAIN.replace(r"\usepackage[paperwidth=15cm,paperheight=20cm,margin=20mm]{geometry}", narrow) + rf"""
            \begin{{document}}\sloppy {" ".join(COMPOUNDS.split())}\end{{document}}"""), COMPOUNDS.split("\n")),
        "headings-in-the-line": (latex(PLAIN + rf"""
            \begin{{document}}\section{{The mill}}{head}
            \paragraph{{Later Owners}}{SENTENCES[3]}
            \paragraph{{The wheel.}}{SENTENCES[4]}
            \par\medskip\noindent\textbf{{Theorem 1.}} {SENTENCES[5]}\end{{document}}"""), SENTENCES),
        "marks-of-notes": (latex(PLAIN + rf"""
            \begin{{document}}{SENTENCES[0]}\footnote{{A fourth village had its own mill.}} {SENTENCES[1][:-1]}\footnote{{From Husum.}}.
            {SENTENCES[2]} The flow was $10^6$ litres a day and the pond had 40 m$^2$.\end{{document}}"""),
            [*SENTENCES[:3], "The flow was 10^6 litres a day and the pond had 40 m2."]),
        "marks-in-the-font": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set text(10pt)
            {SENTENCES[0]}#footnote[A fourth village had its own mill.] {SENTENCES[1]} {SENTENCES[2]}"""), SENTENCES[:3]),
        "contents": (latex(PLAIN.replace("article", "report") + rf"""
            \title{{The mill on the upper brook}}\author{{Anna Berg}}\date{{}}
            \begin{{document}}\maketitle\tableofcontents
            \chapter{{The building}}\section{{The wheel}}{head}\section{{The shaft}}{SENTENCES[3]}
            \chapter{{Later years}}\section{{The war}}{SENTENCES[4]}\section{{Today}}{SENTENCES[5]}\end{{document}}"""), SENTENCES),
        "authors-and-addresses": (latex(PLAIN + rf"""
            \begin{{document}}\begin{{center}}{{\LARGE The mill on the upper brook and its wheel}}\\[3mm]
            {{\large Anna Berg\textsuperscript{{1}}, Tom\'as Ruiz\textsuperscript{{2}} and Wen Li\textsuperscript{{1,*}}}}\\[2mm]
            {{\small \textsuperscript{{1}} Institute of Rural History, University of Northfield, 12 Harbour Road, Northfield\\
            \textsuperscript{{2}} Society for Old Mills, Brook Lane, Upper Village}}\end{{center}}\bigskip
            {head}\par {tail}\end{{document}}"""), SENTENCES),
        "review": (latex(PLAIN + rf"""
            \usepackage{{fancyhdr}}\usepackage{{lineno}}\pagestyle{{fancy}}\fancyhf{{}}\chead{{Under review as a paper of the Mill Conference}}\cfoot{{\thepage}}
            \begin{{document}}\linenumbers {head}\par {tail}\newpage {SENTENCES[2]} {SENTENCES[0]}\end{{document}}"""),
            [*SENTENCES, SENTENCES[2], SENTENCES[0]]),
        "slides": (latex(rf"""
            \documentclass{{beamer}}\usepackage[T1]{{fontenc}}\usepackage{{mathptmx}}\begin{{document}}
            \begin{{frame}}{{What was done}}\begin{{itemize}}{items}\end{{itemize}}\end{{frame}}
            \begin{{frame}}{{What is left}}\begin{{itemize}}\item {SENTENCES[5]}\item {SENTENCES[1]}\end{{itemize}}\end{{frame}}\end{{document}}"""),
            [*bullets, SENTENCES[5], SENTENCES[1]]),
        "algorithm": (latex(PLAIN + rf"""
            \begin{{document}}{head}\par\medskip\noindent\rule{{\textwidth}}{{0.6pt}}\\
            \textbf{{Algorithm 1}} Opening the sluice\\[-2mm]\rule{{\textwidth}}{{0.4pt}}\\
            \textbf{{Require:}} water level $h$\\1: \textbf{{for}} each morning \textbf{{do}}\\2: \quad read the gauge\\
            3: \quad \textbf{{if}} $h > 2$ \textbf{{then}}\\4: \quad\quad open the sluice\\5: \quad \textbf{{end if}}\\6: \textbf{{end for}}\\[-2mm]\rule{{\textwidth}}{{0.4pt}}
            \par {tail}\end{{document}}"""), SENTENCES),
        "captions-as-large-as-the-text": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set par(justify: true, first-line-indent: 1em, spacing: 0.65em)
            #set text(10pt)
            {head}
            #figure(rect(width: 50%, height: 1cm)[oak], caption: [The wheel before it was repaired by the members of the society, seen from the garden of the inn.])
            {tail}"""), SENTENCES),
        "two-columns": (latex(PLAIN.replace("[10pt]", "[10pt,twocolumn]") + rf"""
            \begin{{document}}\twocolumn[\begin{{center}}\Large The mill on the upper brook\end{{center}}]{story}\newpage {SENTENCES[0]}\end{{document}}"""),
            [*SENTENCES, SENTENCES[0]]),
        "drawn-bullets": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set text(10pt)
            #set list(marker: box(circle(radius: 1.5pt, fill: black)), indent: 1.5em)
            {SENTENCES[0]}

            Visitors of the mill must not:
            - climb on the wheel or on the frame that carries it;
            - open the sluice; or
            - leave children in the yard without somebody who looks after them while the wheel turns.

            {SENTENCES[5]}"""), [SENTENCES[0], "Visitors of the mill must not:", "climb on the wheel or on the frame that carries it;",
            "open the sluice; or", "leave children in the yard without somebody who looks after them while the wheel turns.", SENTENCES[5]]),
        "memo": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set text(10pt)
            #set par(spacing: 1.8em)
            *MEMORANDUM*

            TO: #h(2em) All members

            FROM: #h(2em) Anna Berg, treasurer

            SUBJECT: #h(2em) Sundays at the mill

            {SENTENCES[5]} {SENTENCES[0]}

            From April on, the following applies:

            #par[1.#h(1em)Two members open the mill at ten.]

            #par[2.#h(1em)The sluice is closed at five.]

            Please say by Friday which Sundays suit you.

            Signed: #box(width: 4cm, repeat[\\_])"""), [SENTENCES[5], SENTENCES[0], "From April on, the following applies:",
            "Two members open the mill at ten.", "The sluice is closed at five.", "Please say by Friday which Sundays suit you."]),
        "clauses": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set text(10pt)
            #set par(spacing: 0.65em)
            *1. THE BUILDING*

            1.1 {SENTENCES[0]}

            1.2 {SENTENCES[1]}

            *2. THE ENGINE*

            2.1 {SENTENCES[3]}

            2.2 {SENTENCES[4]}"""), [SENTENCES[0], SENTENCES[1], SENTENCES[3], SENTENCES[4]]),
        "contents-that-count": (typst("""
            #set page(width: 15cm, height: 18cm, footer: context align(right)[#counter(page).display()])
            #set text(10pt)
            #text(24pt)[The mill on the upper brook]

            A guide for visitors
            #pagebreak()
            #text(14pt)[*Contents*]
            """ + "\n".join(f"#par[{n} {part} #h(1fr) {n + 2}]" for n, part in enumerate(PARTS, 1)) + "".join(
                f"\n#pagebreak()\n= {n} {part}\n{part} of the mill is described on this page of the guide.\n" for n, part in enumerate(PARTS, 1))),
            [f"{part} of the mill is described on this page of the guide." for part in PARTS]),
        "formulas-inside-sentences": (latex(PLAIN + rf"""
            \begin{{document}}{head} The power of the wheel is given by
            \[ P = \eta \, \rho \, g \, Q \, h \]
            where $h$ is the height of the fall. {SENTENCES[3]} The flow was computed as
            \begin{{equation}} Q(t) = A(t) \, v(t), \qquad v(t) = \frac{{1}}{{n}} R(t) \end{{equation}}
            {SENTENCES[4]} {SENTENCES[5]}\end{{document}}"""), [*SENTENCES[:3], "The power of the wheel is given by",
            "where h is the height of the fall.", SENTENCES[3], "The flow was computed as", *SENTENCES[4:]]),
        "cells-of-several-lines": (latex(PLAIN + rf"""
            \begin{{document}}{head}\par\medskip\noindent\begin{{tabular}}{{lllp{{4.5cm}}}}
            Part & Wood & Years & What is known of it\\
            Wheel & oak & 40 & the spokes were renewed by a carpenter of the village, who left his name\\
            Shaft & iron & 90 & it came by rail from the coast, and its maker is unknown\\
            Gear & beech & 12 & its teeth had to be replaced when the brook was high
            \end{{tabular}}\par\medskip {tail}\end{{document}}"""), SENTENCES),
        "warnings-and-large-quotations": (typst(f"""
            #set page(width: 15cm, height: 18cm)
            #set text(10pt)
            = The mill on the upper brook
            == How it was built
            {SENTENCES[0]} {SENTENCES[1]} {SENTENCES[2]}

            #text(16pt, style: "italic")[“The wheel stood still for nine weeks.”]

            {SENTENCES[3]}

            *WARNING*

            Nobody may stand behind the wheel while it turns.

            {SENTENCES[4]}"""), [*SENTENCES[:4], "Nobody may stand behind the wheel while it turns.", SENTENCES[4]]),
        "addresses-over-two-lines": (raw("@", [
            "The drawings of the wheel are at https://www.mill-society.", "example/drawings/ and may be copied by everybody.", "Write to anna.berg@upper.",
            "org if you want to help on Sundays at the mill."]), ["The drawings of the wheel are at https://www.mill-society.example/drawings/ and may be copied by everybody.",
            "Write to anna.berg@upper.org if you want to help on Sundays at the mill."]),
    }  # fmt: skip


def main() -> None:
    """Write the documents and their sentences into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:]
    for name, (data, sentences) in cases().items():
        if wanted and name not in wanted:
            continue
        (folder / f"{name}.pdf").write_bytes(data)
        (folder / f"{name}.expected").write_text("".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8")


if __name__ == "__main__":
    main()
