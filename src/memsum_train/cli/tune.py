"""`memsum tune`: where a model best stops."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.console import progress_bar
from memsum.cli.options import Device, Limit


def tune(
    validation: Annotated[str, typer.Argument(metavar="VALIDATION", help="Corpus with human summaries, or `-`.")],
    model: Annotated[str, typer.Option("--model", "-m", metavar="FOLDER", help="The model folder.")],
    max_sentences: Annotated[
        int, typer.Option(min=1, metavar="N", help="Try all maximum numbers of sentences up to this one.")
    ] = 25,
    lengths: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Learn from this corpus how long human summaries are, and stop accordingly.",
            show_default="as the model does now",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the scores, but leave the model unchanged.")] = False,
    limit: Limit = None,
    device: Device = "auto",
) -> None:
    """Find the stop threshold and the maximum number of sentences that score best, and write them into the model.

    The model reads each document once; all thresholds from 0.05 to 1.0 and all maxima are scored from that.

        memsum tune valid.jsonl --model run/model

    With --lengths the model stops at the length that human summaries of similar documents have. For mixed kinds of
    documents that works better than what the network learns about stopping:

        memsum tune valid.jsonl --model run/model --lengths train.jsonl --max-sentences 40
    """
    from memsum.batch.inputs import Lines
    from memsum.errors import MemsumError, MissingExtraError
    from memsum.model import resolve_model
    from memsum.printable import one_line
    from memsum_train.corpus.records import read_corpus
    from memsum_train.evaluation import tuning
    from memsum_train.evaluation.data import load_data
    from memsum_train.evaluation.playing import open_model
    from memsum_train.learning.signals import fit_length, measure_lengths
    from memsum_train.report.table import as_text, terminal

    folder = resolve_model(model)
    if not dry_run and folder != Path(model):  # of the package, or of the Hub
        raise MemsumError(f"{model} is not a folder to write into.", "Tune a copy of it, or use --dry-run.")
    data = load_data(validation, limit)
    opened = open_model(folder, device)
    length = None
    if lengths is not None:
        with progress_bar("measuring summaries", Lines(str(lengths)).count) as advance:
            length = fit_length(measure_lengths(read_corpus(lengths), opened.encoder, advance))
    with progress_bar("tuning", lambda: len(data)) as advance:
        found = tuning.tune(opened, data, range(1, max_sentences + 1), length=length, advance=advance)
    typer.echo(as_text(tuning.tuning_table(found), **terminal()))
    typer.echo(f"{tuning.verdict(found)}\n{one_line(found.signature)}")
    if dry_run:
        return
    tuning.keep(found, opened.config, folder)
    try:
        tuning.plot_tuning(found, folder / tuning.PLOT_FILE)
    except MissingExtraError as error:
        typer.echo(f"No figure was drawn. {error.hint}", err=True)
