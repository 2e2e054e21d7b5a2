from __future__ import annotations

from pathlib import Path

import pytest

from memsum.document import Document, read_document
from memsum.document.readers import latex
from memsum.document.readers.latex import plain

from ...helpers import sentences

PAPER = r"""% a comment first
\documentclass[11pt]{article}
\usepackage{amsmath}
\newcommand{\pump}{\textsc{OldPump}}
\newcommand{\flow}[2]{flow of #1~litres in #2}
\def\half{\pump/2}
\title{How \pump{} was \\ repaired}
\author{Anna Berg \and Tom\'as Ruiz}
\begin{document}
\maketitle
\begin{abstract}
A pump was opened. % why not
It was worn.
\end{abstract}
\section{Introduction}\label{sec:intro}
The village relied on \pump{} for years~\cite{berg,ruiz}. Its \flow{40}{May} fell by 38\,\% in
% this line is not there
the spring, see Section~\ref{sec:intro}.\footnote{The bill was paid.}

\begin{figure}[t]
  \centering \includegraphics[width=\linewidth]{wheel.png}
  \caption{The wheel of \pump, with $\alpha_1 = 0.3$.}
\end{figure}
It had ``turned'' $10^{6}$ times --- or more, as in
\begin{equation} E = \frac{m v^2}{2} \label{eq:e} \end{equation}
where $v$ is the speed.

\subsection*{Findings}
Three things stand out:
\begin{itemize}
  \item The wheel was \emph{worn}.
  \item[b)] The na\"{\i}ve estimate of M\"uller \& S\o rensen was wrong.
\end{itemize}
\begin{table} \begin{tabular}{ll} month & 12.5 \\ \end{tabular} \caption{Flow by month.} \end{table}
\begin{thebibliography}{9}
\bibitem{berg} A. Berg. On pumps. 1999.
\end{thebibliography}
\end{document}
Never seen.
"""


def kinds(document: Document) -> dict[str, str]:
    return {document.text[block.start : block.end]: block.kind for block in document.blocks}


def test_a_paper() -> None:
    document = read_document(PAPER)
    assert document.format == "latex"
    assert document.title == "How OldPump was repaired"
    assert [sentence.text for sentence in document.abstract] == ["A pump was opened.", "It was worn."]
    assert [sentence.text for sentence in document.sentences] == [
        "The village relied on OldPump for years [cite].",
        "Its flow of 40 litres in May fell by 38 % in the spring, see Section [ref].",
        "It had “turned” 10^6 times — or more, as in E = (m v^2)/(2) where v is the speed.",
        "Three things stand out:",
        "The wheel was worn.",
        "The naïve estimate of Müller & Sørensen was wrong.",
    ]
    assert document.sentences[-1].section == "Findings"
    found = kinds(document)
    assert found["The wheel of OldPump, with α_1 = 0.3."] == "caption"
    assert found["Flow by month."] == "caption"
    assert found["The bill was paid."] == "boilerplate"
    assert found["A. Berg. On pumps. 1999."] == "reference"
    assert "Never seen" not in document.text
    assert "month & 12.5" not in document.text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"50\% of \$3 \& \#1 \_ \{x\}", "50% of $3 & #1 _ {x}"),
        (r"\textbf{bold \emph{and} nested} text", "bold and nested text"),
        (r"\c{c}a va, \v{S}koda, \AA ngstr\"om, stra\ss e", "ça va, Škoda, Ångström, straße"),
        (r"$\alpha \leq \beta$ and \(x_i\)", "α ≤ β and x_i"),
        (r"a \citep[see][p.~3]{key} b", "a [cite] b"),
        (r"\href{http://x.org}{a link} \url{http://y.org}", "a link http://y.org"),
        (r"pages 1--9 --- ``so'' it is", "pages 1–9 — “so” it is"),
    ],
)
def test_plain_text(source: str, text: str) -> None:
    assert plain(source) == text


def test_macros_that_call_themselves_end() -> None:
    macros = r"\newcommand{\a}{\b\b\b\b}\newcommand{\b}{\a\a\a\a}"
    source = rf"\documentclass{{article}}{macros}\begin{{document}}Hello \a there.\end{{document}}"
    assert "Hello" in read_document(source).text


def test_what_merely_mentions_a_command_is_no_source() -> None:
    assert read_document("Use \\documentclass to begin.\n\nThat is all.").format == "plain"


@pytest.mark.parametrize(
    "hostile", [r"\def\a{", r"\(", r"\begin{equation}", r"\section{", r"\begin{itemize}", "{", "$", "%"]
)
def test_what_is_never_closed_ends(hostile: str) -> None:
    source = rf"\documentclass{{article}}\begin{{document}}Hello there. {hostile * 20_000}"
    assert "Hello there." in read_document(source).text


MAIN = r"""\documentclass{article}
\input{macros}
\begin{document}
The pump was old. \input parts/found.tex
% \input{parts/draft}
\include{parts/end}
\end{document}
"""


def project(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "main.tex"


def test_included_files_are_read_in_their_places(tmp_path: Path) -> None:
    main = project(
        tmp_path,
        {
            "main.tex": MAIN,
            "macros.tex": r"\newcommand{\wheel}{big wheel}",
            "parts/found.tex": "The \\wheel{} was worn.\n\\subfile{parts/sub}",
            "parts/sub.tex": r"\documentclass[../main]{subfiles}\begin{document}It was cast iron.\end{document} Never.",
            "parts/end.tex": "It was replaced.",
            "parts/draft.tex": "Nobody sees this.",
        },
    )
    for isolated in (False, True):
        document = read_document(main, isolated=isolated)
        assert sentences(document) == [
            "The pump was old.",
            "The big wheel was worn.",
            "It was cast iron.",
            "It was replaced.",
        ]
        assert document.warnings == ()


def test_a_main_file_alone_says_what_is_missing(tmp_path: Path) -> None:
    expected = "Parts of the text are in other files, which were not read: “parts/found.tex”, “parts/end”."
    assert read_document(MAIN).warnings == (expected,)
    assert read_document(project(tmp_path, {"main.tex": MAIN})).warnings == (expected,)


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("The secret is out.")
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    names = ["../secret", str(tmp_path / "secret.tex"), "link", "x" * 280]
    body = " ".join(f"\\input{{{name}}}" for name in names)
    main = project(folder, {"main.tex": f"\\documentclass{{a}}\\begin{{document}}Hello. {body}\\end{{document}}"})
    document = read_document(main)
    assert sentences(document) == ["Hello."]
    assert "../secret" in document.warnings[0]


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    many = r"\input{a} \input{b} " * 10
    main = project(
        tmp_path,
        {"main.tex": rf"\documentclass{{a}}\begin{{document}}Hello. {many}", "a.tex": many, "b.tex": f"B. {many}"},
    )
    document = read_document(main)
    assert "not read: “a”, “b”." in document.warnings[0]
    assert len(document.text) < 100_000


def test_included_files_are_followed_within_the_limits_of_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"main.tex": MAIN, "parts/end.tex": "It was replaced.", "parts/found.tex": "It was worn."}
    main = project(tmp_path, files)

    def refuse(*_: object) -> None:
        raise AssertionError("followed outside the other process")

    monkeypatch.setattr(latex, "with_inputs", refuse)
    assert sentences(read_document(main)) == ["The pump was old.", "It was worn.", "It was replaced."]


def test_only_so_many_files_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latex, "_MAX_NAMES", 2)
    body = r"\input{a}\input{b}\input{c}"
    main = project(tmp_path, {"main.tex": rf"\documentclass{{a}}\begin{{document}}Hello. {body}", "c.tex": "See."})
    assert sentences(read_document(main, isolated=False)) == ["Hello."]


def test_macros_that_would_fill_the_memory_are_left_with_a_warning() -> None:
    macro = r"\newcommand{\x}[1]{" + "#1" * 900 + "}"
    document = read_document(rf"\documentclass{{a}}{macro}\begin{{document}}Hello \x{{{'word ' * 3000}}} there.")
    assert len(document.text) < 100_000
    assert "there." in document.text
    assert "macros were left" in document.warnings[0]
