"""`memsum highlight`: the document itself, with its summary marked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from memsum.cli.console import say, warn
from memsum.cli.options import (
    About,
    BlockTrigrams,
    By,
    Characters,
    Language,
    MaxSentences,
    MinSentences,
    Model,
    NoContext,
    Ratio,
    Sentences,
    Spread,
    StopThreshold,
    Threads,
    Words,
)


def highlight(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The document; a PDF stays a PDF.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write here; must differ from FILE.")],
    format_: Annotated[
        Literal["pdf", "html"] | None,
        typer.Option(
            "--format",
            "-f",
            help="Choose html for a web page of any document.",
            show_default="pdf for a PDF, else html",
        ),
    ] = None,
    sentences: Sentences = None,
    words: Words = None,
    characters: Characters = None,
    ratio: Ratio = None,
    stop_threshold: StopThreshold = None,
    max_sentences: MaxSentences = None,
    min_sentences: MinSentences = 1,
    about: About = None,
    block_trigrams: BlockTrigrams = False,
    by: By = None,
    spread: Spread = False,
    no_context: NoContext = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the scores of every step; HTML only.")] = False,
    language: Language = None,
    model: Model = "default",
    threads: Threads = None,
) -> None:
    """Highlight the sentences that say the most in the document itself.

    A PDF gets real highlight annotations, with the order and score of each sentence in their notes. Other documents
    become an HTML page with a map of where the sentences are.

        memsum highlight paper.pdf --output marked.pdf

        memsum highlight report.md --output report.html --words 150

        memsum highlight paper.pdf --output costs.pdf --about "what it costs"
    """
    from memsum.document import read_document
    from memsum.errors import DocumentError, MemsumError
    from memsum.files import check_output, write_atomically
    from memsum.summarizer import Summarizer
    from memsum.summary import Length, SummarySettings
    from memsum.summary.highlight import highlight_pdf

    length = Length(sentences, words, characters, ratio, stop_threshold, max_sentences, min_sentences)
    settings = SummarySettings(length, by=by, spread=spread, context=not no_context, explain=explain, about=about)
    if output.exists() and file.exists() and output.samefile(file):
        raise MemsumError("The marked document may not replace the document.", "Choose another output.")
    check_output(output)
    if format_:
        _check_suffix(output, format_)
    summarizer = Summarizer.load(model, threads=threads)
    document = read_document(file, language=language)
    is_pdf = document.format == "pdf"
    if format_ is None:
        _check_suffix(output, "pdf" if is_pdf else "html")
    if format_ == "pdf" and not is_pdf:
        raise DocumentError(
            f"{file.name}: This is not a PDF, so it cannot be marked as one.", "Choose the format html."
        )
    summary = summarizer.begin(document, block_trigrams=block_trigrams, id=str(file)).take(settings)
    for warning in summary.warnings:
        warn(warning)
    if is_pdf and format_ != "html":
        write_atomically(output, highlight_pdf(file.read_bytes(), summary))
    else:
        write_atomically(output, f"{summary.to_html()}\n".encode("utf-8", "replace"))
    say(f"{output}: {len(summary)} of {len(summary.document.sentences):,} sentences marked.")


def _check_suffix(output: Path, form: Literal["pdf", "html"]) -> None:
    """Refuse a name that promises another format than what is written."""
    from memsum.document.formats import SUFFIXES, format_named
    from memsum.errors import MemsumError

    suffix = output.suffix.lower()
    if suffix in SUFFIXES.difference(format_named(form).suffixes):
        raise MemsumError(
            f"The marked document is {'a PDF' if form == 'pdf' else 'a page of HTML'}, and {output.name} does not end "
            f"like one.",
            f"Call it {output.with_suffix(f'.{form}').name}, or choose the other format.",
        )
