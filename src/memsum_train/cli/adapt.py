"""`memsum adapt`: fine-tune a model on one's own documents."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.console import Progress, duration, say
from memsum.cli.options import Device, Processes

if TYPE_CHECKING:
    from memsum_train.learning.adapt import Adaptation
    from memsum_train.report.table import Table

_LOG_SECONDS = 5.0


def adapt(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="Corpus of a few dozen documents with summaries, or keys: documents with what one would quote.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the adapted model to.")],
    model: Annotated[str, typer.Option(help="Model to start from: a name or a folder.")] = "default",
    minutes: Annotated[float, typer.Option(metavar="N", help="Time for all of it, from reading to judging.")] = 2.0,
    votes: Annotated[
        Path | None,
        typer.Option(metavar="STUDY", help="Learn from the summaries preferred in a study or in its records."),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The files that keys name.", show_default="documents, beside DATA"),
    ] = None,
    validation: Annotated[
        Path | None, typer.Option(help="Documents to validate on; by default a fifth of DATA is held out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the split and the training.")] = 0,
    processes: Processes = None,
    device: Device = "auto",
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard an unfinished adaptation in the output folder.")
    ] = False,
) -> None:
    """Fine-tune a model on a hundred of your own documents, in two minutes.

    What does not fit into the time is left out: blocks of long documents, some of many documents. The table compares
    the model before and after on documents it did not learn from, with the interval of the difference; if they
    score no better, the adapted model is rejected, and the output is the model as it was. If interrupted, the same
    command goes on.

        memsum adapt my-papers.jsonl --output my-model

    From the sentences that you would have quoted of thirty documents (lines of name, kind, file, points, poor):

        memsum adapt keys.jsonl --documents folder --output my-model

    From the votes of a blind study:

        memsum adapt --votes study.db --output my-model
    """
    from memsum_train import functions
    from memsum_train.report.table import as_text, terminal

    speaks = os.environ.get("RANK", "0") == "0"  # torchrun's first process
    doing, ends = "starting", time.monotonic()

    def line() -> str:
        return f"{duration(max(0.0, ends - time.monotonic()))} left · {doing}"

    def report(what: str, left: float) -> None:
        nonlocal doing, ends
        doing, ends = what, time.monotonic() + left
        progress.update()

    with Progress(line, _LOG_SECONDS if speaks else math.inf) as progress:
        result = functions.adapt(
            data,
            output,
            model=model,
            votes=votes,
            documents=documents,
            validation=validation,
            minutes=minutes,
            seed=seed,
            processes=processes,
            device=device,
            restart=restart,
            report=report,
            say=say if speaks else lambda message: None,
        )
    if speaks:
        typer.echo(as_text(_comparison(result), **terminal()))
        say(f"{'The adapted model' if result.kept else 'It is no better, so this is the model as it was'}: {output}")


def _comparison(result: Adaptation) -> Table:
    from memsum_train.learning.adapt import ROUGE
    from memsum_train.report.table import Number, Row, Table
    from memsum_train.rouge import rouge_signature

    rows: list[Row] = []
    for name, scores in (("before", result.before), ("after" if result.kept else "rejected", result.after)):
        values = (Number(100 * value) for value in scores.values.mean(axis=0).tolist())
        rows.append((name, *values, Number(scores.sentences, digits=1)))
    rows.append(("difference", *(Number.difference(gain, 100) for gain in result.gains), ""))
    title = f"Adapted on {result.trained_on} documents, judged on {result.judged_on} that it did not learn from"
    is_rouge = result.measures == ROUGE
    note = rouge_signature("rouge1/2/Lsum") if is_rouge else "Points that as many quotes convey, in %"
    return Table("adaptation", title, ("", *result.measures, "sentences"), tuple(rows), (note,))
