"""`memsum tune`: where a model best stops."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memsum.cli.console import progress_bar
from memsum.cli.options import Device, Limit


def _unchanged(help_: str) -> Any:
    return typer.Option(min=0, help=help_, show_default="unchanged")


def tune(
    validation: Annotated[str, typer.Argument(metavar="VALIDATION", help="Corpus with human summaries, or `-`.")],
    model: Annotated[str, typer.Option("--model", "-m", metavar="FOLDER", help="The model folder.")],
    max_sentences: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Maximum numbers of sentences to try, such as 3-25 or 5,7,10.")
    ] = "3-25",
    lengths: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Learn from this corpus how long human summaries are, and stop accordingly.",
            show_default="as the model does now",
        ),
    ] = None,
    brevity: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="Penalties for long sentences to try, such as 0,0.3,0.6.",
            show_default="the model's own",
        ),
    ] = None,
    low_value: Annotated[
        float | None, _unchanged("Penalty for low-value sentences (headings, fragments, boilerplate).")
    ] = None,
    needs_context: Annotated[float | None, _unchanged("Penalty for sentences that need the one before.")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the figure here (PNG or SVG).", show_default="FOLDER/stopping.png"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the scores, but leave the model unchanged.")] = False,
    limit: Limit = None,
    device: Device = "auto",
) -> None:
    """Find the stop threshold and the maximum number of sentences that score best, and write them into the model.

    The model reads each document once, or once per --brevity; all thresholds from 0.05 to 1.0 and all maxima are
    scored from that.

        memsum tune valid.jsonl --model run/model

    With --lengths the model stops at the length that human summaries of similar documents have. For mixed kinds of
    documents that works better than what the network learns about stopping:

        memsum tune valid.jsonl --model run/model --lengths train.jsonl --brevity 0,0.3,0.6,0.9 --max-sentences 40
    """
    from memsum.batch.inputs import Lines
    from memsum.errors import MissingExtraError
    from memsum.files import check_output
    from memsum.model import resolve_model
    from memsum.printable import one_line
    from memsum_train.corpus.records import read_corpus
    from memsum_train.evaluation import tuning
    from memsum_train.evaluation.data import load_data
    from memsum_train.evaluation.playing import open_model
    from memsum_train.learning.signals import fit_length, measure_lengths
    from memsum_train.report.table import as_text, terminal

    maxima, brevities = tuning.parse_maxima(max_sentences), tuning.parse_brevities(brevity)
    if plot is not None:
        check_output(plot)
    folder = resolve_model(model) if dry_run else tuning.require_own(model)
    data = load_data(validation, limit)
    opened = open_model(folder, device)
    length = None
    if lengths is not None:
        with progress_bar("measuring summaries", Lines(str(lengths)).count) as advance:
            length = fit_length(measure_lengths(read_corpus(lengths), opened.encoder, advance))
    times = len({opened.config.penalties.brevity, *brevities})
    with progress_bar("tuning", lambda: times * len(data)) as advance:
        found = tuning.tune(opened, data, maxima, length=length, brevities=brevities, advance=advance)
    for table in tuning.tuning_tables(found):
        typer.echo(as_text(table, stacked=True, **terminal()))
    typer.echo(f"{tuning.verdict(found)}\n{one_line(found.signature)}")
    if not dry_run:
        given = {"low_value": low_value, "needs_context": needs_context}
        tuning.keep(found, opened.config, folder, **given)
    if plot is not None:
        tuning.plot_tuning(found, plot)
    elif not dry_run:
        try:
            tuning.plot_tuning(found, folder / tuning.PLOT_FILE)
        except MissingExtraError as error:
            typer.echo(f"No figure was drawn. {error.hint}", err=True)
