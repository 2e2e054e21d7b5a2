"""`memsum tune`: where a model best stops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.console import progress_bar
from memsum.cli.options import Device, Limit

if TYPE_CHECKING:
    from memsum.features.encoding import TextEncoder
    from memsum.features.expected_length import LengthModel


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
        float | None,
        typer.Option(
            "--low-value",
            "--poor-quotes",
            min=0,
            help="Penalty for low-value sentences (headings, fragments, boilerplate).",
            show_default="unchanged",
        ),
    ] = None,
    short: Annotated[
        float | None,
        typer.Option("--short", "--short-quotes", min=0, help="Penalty for short sentences.", show_default="unchanged"),
    ] = None,
    needs_context: Annotated[
        float | None,
        typer.Option(
            "--needs-context",
            "--dependent-quotes",
            min=0,
            help="Penalty for sentences that need the one before.",
            show_default="unchanged",
        ),
    ] = None,
    fullness: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Preference for longer sentences where a number of sentences is given.",
            show_default="unchanged",
        ),
    ] = None,
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
    from memsum.errors import MissingExtraError
    from memsum.files import check_output
    from memsum.model import resolve_model
    from memsum.training.evaluation.data import load_data
    from memsum.training.evaluation.playing import open_model
    from memsum.training.evaluation.tuning import (
        PLOT_FILE,
        keep,
        parse_brevities,
        parse_maxima,
        plot_tuning,
        require_own,
        tuning_tables,
        verdict,
    )
    from memsum.training.evaluation.tuning import tune as tune_model
    from memsum.training.report.table import as_text, terminal

    maxima, brevities = parse_maxima(max_sentences), parse_brevities(brevity)
    if plot is not None:
        check_output(plot)
    folder = resolve_model(model) if dry_run else require_own(model)
    data = load_data(validation, limit)
    opened = open_model(folder, device)
    length = learn_length(lengths, opened.encoder) if lengths else None
    times = len({opened.config.penalties.brevity, *brevities})
    with progress_bar("tuning", lambda: times * len(data)) as advance:
        tuning = tune_model(opened, data, maxima, length=length, brevities=brevities, advance=advance)
    for table in tuning_tables(tuning):
        typer.echo(as_text(table, stacked=True, **terminal()))
    typer.echo(f"{verdict(tuning)}\n{tuning.signature}")
    if not dry_run:
        keep(
            tuning,
            opened.config,
            folder,
            low_value=low_value,
            short=short,
            needs_context=needs_context,
            fullness=fullness,
        )
    if plot is not None:
        plot_tuning(tuning, plot)
    elif not dry_run:
        try:
            plot_tuning(tuning, folder / PLOT_FILE)
        except MissingExtraError as error:
            typer.echo(f"No figure was drawn. {error.hint}", err=True)


def learn_length(corpus: Path, encoder: TextEncoder) -> LengthModel:
    """Fit a length model to a corpus, with progress."""
    from memsum.batch.inputs import Lines
    from memsum.training.corpus.records import read_corpus
    from memsum.training.learning.length import fit_length, measure_lengths

    with progress_bar("measuring summaries", Lines(str(corpus)).count) as advance:
        return fit_length(measure_lengths(read_corpus(corpus), encoder, advance))
