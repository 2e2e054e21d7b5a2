"""`memsum batch`: many documents in, a file of summaries out, line by line."""

from __future__ import annotations

from typing import Annotated

import typer

from memsum.cli.console import FAILED, INTERRUPTED, fail, say
from memsum.cli.options import (
    About,
    Address,
    BlockTrigrams,
    By,
    Characters,
    Engine,
    Explain,
    Language,
    MaxSentences,
    MinSentences,
    Model,
    NoContext,
    Order,
    Ratio,
    Restart,
    Sentences,
    Spread,
    StopThreshold,
    Words,
)

SOME_FAILED = 3
_MOST_NAMES = 20  # of skipped files


def batch(
    documents: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help='JSON lines or Parquet with "text", a string or a list of sentences (.gz, .zst, `-`), or a folder of '
            "PDF, DOCX, PPTX, ODT, EPUB, mail, HTML, LaTeX, JATS, Markdown and text files.",
            show_default=False,
        ),
    ],
    summaries: Annotated[
        str, typer.Argument(metavar="OUT", help="JSON lines, in the order of IN (.gz, .zst, `-`).", show_default=False)
    ],
    sentences: Sentences = None,
    words: Words = None,
    characters: Characters = None,
    ratio: Ratio = None,
    stop_threshold: StopThreshold = None,
    max_sentences: MaxSentences = None,
    min_sentences: MinSentences = 1,
    about: About = None,
    order: Order = "document",
    block_trigrams: BlockTrigrams = False,
    by: By = None,
    spread: Spread = False,
    no_context: NoContext = False,
    explain: Explain = False,
    language: Language = None,
    model: Model = "default",
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Cores per document.")] = 1,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-w", min=1, metavar="N", help="Documents at a time.", show_default="one per core"),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, metavar="SECONDS", help="Time limit per document; one that takes longer has failed."),
    ] = 120.0,
    unordered: Annotated[bool, typer.Option("--unordered", help="Write each summary as soon as it is ready.")] = False,
    restart: Restart = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Retry the failed documents of a finished run.")
    ] = False,
    engine: Engine = "local",
    address: Address = None,
) -> None:
    """Summarise many documents: IN is a file of JSON lines or a folder; OUT gets one line per document.

    A document keeps its "id", or gets its line number or file name; its "about" overrides --about. One that cannot be
    summarised gets an "error" instead, and is listed in OUT.errors.jsonl. If it is killed, the same command resumes it.
    Exit status: 0 if all documents were summarised, 3 if some were not, 1 if none was.

        memsum batch papers.jsonl summaries.jsonl --sentences 5

        memsum batch pdfs/ summaries.jsonl.zst --workers 8
    """
    from memsum.batch.inputs import Folder
    from memsum.batch.run import Run, choose_engine
    from memsum.batch.summaries import BatchSettings, find_documents, run_batch
    from memsum.cli.progress import progress_bar
    from memsum.jsonl import STANDARD
    from memsum.summary import Length, SummarySettings

    length = Length(sentences, words, characters, ratio, stop_threshold, max_sentences, min_sentences)
    settings = BatchSettings(
        model,
        SummarySettings(length, order, by, spread, not no_context, explain, about),
        block_trigrams,
        language,
        threads,
    )
    chosen = choose_engine(engine, workers, address, threads)
    source = find_documents(documents)
    if isinstance(source, Folder):
        _tell_skipped(source.skipped())
    try:
        with progress_bar("summarising", source.count) as advance:
            run = Run(chosen, not unordered, restart, retry_failed, advance=advance)
            counts = run_batch(source, summaries, settings, run, seconds=timeout)
    except KeyboardInterrupt:
        if STANDARD in (documents, summaries):
            raise
        continues = " without --restart" if restart else ""
        fail(f"stopped; the same command{continues} continues where it was.")
        raise SystemExit(INTERRUPTED) from None
    before = f"{summaries} is complete already: " if counts.again else ""
    say(f"{before}{counts.kept:,} summarised, {counts.failed:,} failed.")
    if counts.errors:
        say(f"{counts.errors} says why; --retry-failed does them again.")
    if counts.failed:
        raise typer.Exit(SOME_FAILED if counts.kept else FAILED)


def _tell_skipped(names: list[str]) -> None:
    """Files of a folder that are left alone are counted and named, so that none is missed by mistake."""
    if names:
        listed = ", ".join(names[:_MOST_NAMES])
        more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        say(f"{len(names):,} skipped, which are not documents by their names: {listed}{more}.")
