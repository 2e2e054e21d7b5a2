"""`memsum highlight`: the document itself, with its summary highlighted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsum.cli.console import say, warn
from memsum.cli.locate import Quotes, read_quotes
from memsum.cli.options import Language, Model, Threads

if TYPE_CHECKING:
    from memsum.options import SummaryOptions


def highlight(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The document; a PDF stays a PDF.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write here.", show_default="FILE.highlighted.pdf or .html"),
    ] = None,
    format_: Annotated[
        Literal["pdf", "html"] | None,
        typer.Option(
            "--format",
            "-f",
            help="Choose html for a web page of any document.",
            show_default="pdf for a PDF, else html",
        ),
    ] = None,
    quotes: Quotes = None,
    options: SummaryOptions,
    language: Language = None,
    model: Model = "default",
    threads: Threads = None,
) -> None:
    """Highlight the sentences that say the most in the document itself.

    A PDF gets real highlight annotations, with the order and score of each sentence in their notes. Other documents
    become an HTML page with a map of where the sentences are.

        memsum highlight paper.pdf

        memsum highlight report.md --output report.html --words 150

        memsum highlight paper.pdf --output costs.pdf --about "what it costs"

    Or highlight what others quote, such as an assistant; what they edited has another color:

        memsum highlight paper.pdf --quotes answer.txt
    """
    from memsum.document import read_document
    from memsum.errors import MemsumError
    from memsum.files import check_output
    from memsum.query.locate import locate
    from memsum.query.located import summary_line
    from memsum.summarizer import Summarizer
    from memsum.summary.highlight import write_quotes

    if output is not None:
        if output.exists() and file.exists() and output.samefile(file):
            raise MemsumError("--output must differ from the input file.")
        check_output(output)
    if quotes is not None:
        wanted = read_quotes(quotes)
        document = read_document(file, language=language)
        found = locate(document, wanted)
        form = format_ or ("pdf" if document.format == "pdf" else "html")
        output = output or file.with_name(f"{file.stem}.quotes.{form}")
        write_quotes(document, found, output, form, file)
        for one in found:
            if not one.is_found:
                warn(one.to_text().partition("\n")[0])
        say(f"{output}: {summary_line(found)}.")
        return
    reading = Summarizer.load(model, threads=threads).read(file, language=language)
    form = format_ or ("pdf" if reading.document.format == "pdf" else "html")
    output = output or file.with_name(f"{file.stem}.highlighted.{form}")
    summary = reading.summarize(options)
    summary.highlight(output, format=form)
    for warning in summary.warnings:
        warn(warning)
    say(f"{output}: {len(summary)} of {len(summary.document.sentences):,} sentences highlighted.")
