"""`memsum evaluate`: score models, baselines and anyone's predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.console import progress_bar
from memsum.cli.options import Device, Limit, Output, ReportFormat

if TYPE_CHECKING:
    from memsum.options import SummaryOptions


def evaluate(
    corpus: Annotated[str, typer.Argument(metavar="DATA", help="Corpus with human summaries, or `-`.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="[NAME=]MODEL", help="A model folder, `default`, or hf:owner/name."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline", "-b", metavar="NAME", help="lead-K, random-K, centroid-K, lexrank-K, oracle or oracle-K."
        ),
    ] = None,
    predictions: Annotated[
        list[str] | None,
        typer.Option("--predictions", "-p", metavar="[NAME=]FILE", help="Predictions of any system, as JSONL."),
    ] = None,
    *,
    options: Annotated[SummaryOptions, "sentences", "max_sentences", "stop_threshold", "block_trigrams"],
    limit: Limit = None,
    format_: ReportFormat = "table",
    output: Output = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the resampling and of random-K.")] = 2022,
    device: Device = "auto",
) -> None:
    """Score summaries against human ones: ROUGE F1 with 95 % intervals, lengths, repeats.

    Several systems are compared by paired bootstrap: the first (models come first, then predictions, then
    baselines) with each of the others. A predictions file has one object per line, with `summary` or `indices`.

        memsum evaluate test.jsonl --model run/model --baseline lead-10 --baseline oracle

        memsum evaluate test.jsonl --model run/model --predictions bart=bart.jsonl --format markdown
    """
    from memsum.files import check_output, write_atomically
    from memsum_train.evaluation.baselines import parse_baseline
    from memsum_train.evaluation.data import load_data
    from memsum_train.evaluation.measuring import evaluate as evaluate_systems
    from memsum_train.evaluation.measuring import render
    from memsum_train.evaluation.systems import open_models, open_predictions
    from memsum_train.report.table import terminal

    baselines = [parse_baseline(name, blocking=options.block_trigrams, seed=seed) for name in baseline or []]
    if output is not None:
        check_output(output)
    data = load_data(corpus, limit)
    systems = [*open_models(model or [], device, options), *open_predictions(predictions or [], data), *baselines]
    with progress_bar("evaluating", lambda: len(data) * len(systems)) as advance:
        scores = evaluate_systems(systems, data, advance)
    shown = render(scores, data.signature, format_, seed, **({} if output else terminal()))
    if output is not None:
        write_atomically(output, f"{shown}\n".encode())
    else:
        typer.echo(shown)
