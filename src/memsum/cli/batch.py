"""`memsum batch`: many documents in, a file of summaries out, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.console import FAILED, INTERRUPTED, fail, progress_bar, say
from memsum.cli.options import FORMATS, Address, Engine, Language, Model, Restart

if TYPE_CHECKING:
    from memsum.options import SummaryOptions

SOME_FAILED = 3
_MOST_NAMES = 20  # of skipped files


def batch(
    documents: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help='JSON lines or Parquet with "text", a string or a list of sentences (.gz, .zst, `-`), or a folder of '
            f"files: {FORMATS}.",
            show_default=False,
        ),
    ],
    summaries: Annotated[
        str, typer.Argument(metavar="OUT", help="JSON lines, in the order of IN (.gz, .zst, `-`).", show_default=False)
    ],
    *,
    text_key: Annotated[str, typer.Option(metavar="KEY", help="Key or column of the text.")] = "text",
    id_key: Annotated[str, typer.Option(metavar="KEY", help="Key or column of the id.")] = "id",
    options: SummaryOptions,
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
    """Summarize many documents: IN is a file of JSON lines or a folder; OUT gets one line per document.

    A document keeps its "id", or gets its line number or file name; its "about" overrides --about. One that fails gets
    an "error" instead, and is listed in OUT.errors.jsonl. An interrupted run is resumed by the same command.
    Exit status: 0 if all documents were summarized, 3 if some were not, 1 if none was.

        memsum batch papers.jsonl summaries.jsonl --sentences 5

        memsum batch pdfs/ summaries.jsonl.zst --workers 8
    """
    from memsum.batch.inputs import Folder
    from memsum.batch.run import Run, choose_engine
    from memsum.batch.summaries import BatchSettings, find_documents, run_batch
    from memsum.jsonl import STANDARD

    settings = BatchSettings(model, options, language, threads, text_key, id_key)
    chosen = choose_engine(engine, workers, address, threads)
    source = find_documents(documents, settings)
    if isinstance(source, Folder) and (names := source.skipped()):  # so that none is missed by mistake
        more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        files = "1 file" if len(names) == 1 else f"{len(names):,} files"
        say(f"Skipped {files} with unsupported extensions: {', '.join(names[:_MOST_NAMES])}{more}.")
    try:
        with progress_bar("summarizing", source.count) as advance:
            run = Run(chosen, not unordered, restart, retry_failed, advance=advance)
            counts = run_batch(source, summaries, settings, run, seconds=timeout)
    except KeyboardInterrupt:
        if STANDARD in (documents, summaries):
            raise
        continues = " without --restart" if restart else ""
        fail(f"Interrupted; the same command{continues} resumes it.")
        raise SystemExit(INTERRUPTED) from None
    before = f"{summaries} is complete already: " if counts.again else ""
    say(f"{before}{counts.kept:,} summarized, {counts.failed:,} failed.")
    if counts.first_error:
        fail(counts.first_error if counts.failed == 1 else f"first of {counts.failed:,}: {counts.first_error}")
    if counts.errors:
        say(f"{counts.errors} lists the reasons; --retry-failed retries these documents.")
    if counts.failed:
        raise typer.Exit(SOME_FAILED if counts.kept else FAILED)
