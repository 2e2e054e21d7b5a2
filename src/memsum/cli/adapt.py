"""`memsum adapt`: fine-tune a model on one's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.options import Device


def adapt(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Corpus of some dozens of documents with summaries.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the adapted model.")],
    model: Annotated[str, typer.Option(help="Model to start from: a folder.")] = "default",
    validation: Annotated[
        Path | None,
        typer.Option("--validation", help="Documents to judge by; otherwise a fifth of DATA is kept aside."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the split and the training.")] = 0,
    device: Device = "auto",
) -> None:
    """Fine-tune a model on a hundred of your own documents, in about a minute.

    Episodes are searched where DATA has none. The table compares the model before and after on
    documents it did not learn from; if nothing got better, the output is the model as it was.

        memsum adapt my-papers.jsonl --output my-model
    """
    from memsum.cli.training import run_adaptation

    run_adaptation(data, model, output, validation=validation, seed=seed, device=device)
