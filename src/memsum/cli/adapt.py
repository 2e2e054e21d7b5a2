"""`memsum adapt`: fine-tune a model on one's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.options import Device

if TYPE_CHECKING:
    from memsum.training.learning.adapt import Adaptation
    from memsum.training.report.table import Table


def adapt(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Corpus of at least a few dozen documents with summaries.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the adapted model to.")],
    model: Annotated[str, typer.Option(help="Model to start from: a name or a folder.")] = "default",
    validation: Annotated[
        Path | None,
        typer.Option(help="Documents to validate on; by default a fifth of DATA is held out."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the split and the training.")] = 0,
    device: Device = "auto",
) -> None:
    """Fine-tune a model on a hundred of your own documents, in about a minute.

    Episodes are searched for where DATA has none. The table compares the model before and after on
    documents it did not learn from, with the interval of the difference; if they score no better,
    the output is the model as it was.

        memsum adapt my-papers.jsonl --output my-model
    """
    import sys

    from rich.console import Console

    from memsum.cli.training_display import TrainingDisplay
    from memsum.model import resolve_model
    from memsum.training.corpus.records import read_corpus
    from memsum.training.learning.adapt import adapt as adapt_model
    from memsum.training.learning.distributed import join_world
    from memsum.training.report.table import as_text, terminal

    examples = list(read_corpus(data))
    held_out = list(read_corpus(validation)) if validation is not None else None
    with join_world(device) as world:
        console = Console(file=sys.stderr, quiet=not world.is_main)
        with TrainingDisplay(console) as display:
            result = adapt_model(
                examples,
                resolve_model(model),
                output,
                world,
                held_out=held_out,
                seed=seed,
                callbacks=display.callbacks,
            )
        if world.is_main:
            typer.echo(as_text(_comparison(result), **terminal()))
            said = "The adapted model" if result.kept else "It is no better, so this is the model as it was"
            console.print(f"{said}: {output}", highlight=False)


def _comparison(result: Adaptation) -> Table:
    from memsum.training.report.table import Number, Row, Table
    from memsum.training.rouge import Signature

    rows: list[Row] = []
    for name, point in (("before", result.before), ("after", result.after)):
        rouge = (Number(100 * value) for value in (point.rouge1, point.rouge2, point.rouge_lsum))
        rows.append((name, *rouge, Number(point.sentences, digits=1), f"{point.threshold}", f"{point.maximum}"))
    rows.append(("difference", *(Number.difference(gain, 100) for gain in result.gains), "", "", ""))
    title = f"Adapted on {result.trained_on} documents, judged on {result.judged_on} others"
    head = ("", "ROUGE-1", "ROUGE-2", "ROUGE-L", "sentences", "stop at", "at most")
    return Table("adaptation", title, head, tuple(rows), (str(Signature("rouge1/2/Lsum")),))
