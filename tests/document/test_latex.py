from __future__ import annotations

import pytest

from memsum.document import Document, read_document
from memsum.document.readers.latex_text import plain

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
