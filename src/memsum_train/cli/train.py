"""`memsum train`: from corpora to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.options import Device, Processes


def train(
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="TRAIN",
            help="Corpora to learn from: a file, a folder, a pattern in quotes, or several, separated by commas.",
            show_default=False,
        ),
    ] = None,
    validation: Annotated[
        str | None, typer.Argument(metavar="VALID", help="Corpora to validate on, likewise.", show_default=False)
    ] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the run; an interrupted run is resumed.")],
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Settings that come with memsum: default (the model that ships), or paper (that of the paper).",
            show_default="default",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings in TOML, such as the train.toml of another run.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, such as hits.documents=9000. Repeatable."),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Word vectors: a folder of `memsum corpus vectors`, or a GloVe, word2vec or fastText text file.",
            show_default="learned from TRAIN",
        ),
    ] = None,
    init: Annotated[str | None, typer.Option(metavar="MODEL", help="Model to start from, such as default.")] = None,
    keys: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Everyday documents with keys, to learn what readers want of them."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="The files that keys name.", show_default="documents, beside the keys"),
    ] = None,
    chapters: Annotated[
        str | None, typer.Option(metavar="FILE", help="Chapters with summaries, to learn the length of long ones.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed of weights, order and samples.", show_default="0")
    ] = None,
    processes: Processes = None,
    device: Device = "auto",
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard the training in the output folder and start again.")
    ] = False,
) -> None:
    """Train a model from documents with summaries: TRAIN and VALID are corpora, OUTPUT/model is ready for use.

    Corpora are JSONL files of texts and summaries, or of papers (`abstract`, `sections`). Documents are split into
    sentences, high-ROUGE episodes are found, word vectors, salience and lengths learned, the network trained, its
    threshold chosen, and its scores written to a card. Interrupt it whenever you like: the same command resumes it.

        memsum train train.jsonl valid.jsonl --output run

        memsum train 'papers-train-*.jsonl.zst,bills-train.jsonl' '*-valid.jsonl' --output run

    All settings are in a file; each run writes its own to OUTPUT/train.toml:

        memsum train --config run/train.toml --seed 1 --output second
    """
    import os
    import sys

    from rich.console import Console

    from memsum.cli.training_display import TrainingDisplay
    from memsum.training.recipe.run import run_recipe
    from memsum.training.recipe.settings import given_settings, parse_changes, read_recipe

    given = given_settings(
        train=corpus.split(",") if corpus else (),
        valid=validation.split(",") if validation else (),
        keys=keys,
        documents=documents,
        chapters=chapters,
        vectors=vectors,
        init=init,
        seed=seed,
    )
    chosen = read_recipe(recipe, config, parse_changes(settings or ()), given)
    console = Console(file=sys.stderr, quiet=os.environ.get("RANK", "0") != "0")  # torchrun's first process speaks
    with TrainingDisplay(console) as display:
        model = run_recipe(
            chosen, output, device=device, processes=processes or 0, restart=restart, listener=display.listener
        )
    console.print(f"The model is in {model}; its card has the scores.", highlight=False, soft_wrap=True)
