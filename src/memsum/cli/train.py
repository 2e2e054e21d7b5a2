"""`memsum train`: learn a model from a corpus with episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from memsum.cli.options import Device


def train(
    corpus: Annotated[Path, typer.Argument(metavar="TRAIN", help="Corpus with episodes (memsum corpus episodes).")],
    validation: Annotated[Path, typer.Argument(metavar="VAL", help="Corpus to validate on; it needs no episodes.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the run; an interrupted run is resumed.")],
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors: a folder of `memsum corpus vectors`, or a GloVe, word2vec or fastText text file."
        ),
    ] = None,
    init: Annotated[str | None, typer.Option(help="Model to continue from: its network, words and weights.")] = None,
    system: Annotated[
        Literal["memsum", "neusum", "summarunner"],
        typer.Option(help="neusum and summarunner set the history, the stopping and, by default, the objective."),
    ] = "memsum",
    objective: Annotated[
        Literal["episodes", "gains", "labels", "hits", "rehearsal"] | None,
        typer.Option(
            help="Imitate high-ROUGE episodes, rank by ROUGE gains, or label the best episode; "
            "for --history counted: hits, then rehearsal.",
            show_default="the system's",
        ),
    ] = None,
    local: Annotated[
        Literal["lstm", "mean", "pooled"] | None,
        # torchrun takes --local for the beginning of its own --local-addr: there, use the long name.
        typer.Option("--local", "--local-encoder", help="Local sentence encoder.", show_default="pooled"),
    ] = None,
    context: Annotated[
        Literal["lstm", "none"] | None, typer.Option(help="Global context encoder.", show_default="lstm")
    ] = None,
    history: Annotated[
        Literal["attention", "gru", "counted", "none"] | None,
        typer.Option(help="Extraction history encoder.", show_default="attention"),
    ] = None,
    stopping: Annotated[
        Literal["policy", "fixed", "stop-sentence"] | None,
        typer.Option(help="How an episode ends: by p_stop, by a number, by a sentence.", show_default="policy"),
    ] = None,
    epochs: Annotated[float, typer.Option(help="Passes over the corpus.")] = 8,
    batch: Annotated[int, typer.Option(help="Documents per update, over all processes.")] = 16,
    states: Annotated[
        int, typer.Option(help="States of an episode per document and update; 0: all, as in the paper.")
    ] = 2,
    samples: Annotated[int, typer.Option(help="Episodes per document that rehearsal plays and compares.")] = 2,
    learning_rate: Annotated[
        float, typer.Option(help="Peak learning rate; the paper uses 1e-4 with batches of 128.")
    ] = 1e-3,
    dropout: Annotated[float, typer.Option(help="Dropout rate.")] = 0.1,
    thinning: Annotated[
        float, typer.Option(help="Share of documents shown shorter, with blocks of sentences left out.")
    ] = 0.5,
    joining: Annotated[
        float, typer.Option(help="Share of documents shown with sentences joined, as by a careless splitter.")
    ] = 0.0,
    furniture: Annotated[
        float, typer.Option(help="Share of documents shown with made-up captions, bylines, mail headers and so on.")
    ] = 0.0,
    hiding: Annotated[
        float,
        typer.Option(help="Share of documents shown without one group of signals (title, sections, positions …)."),
    ] = 0.0,
    temperature: Annotated[
        float,
        typer.Option(min=0, max=1, help="1: every document is seen equally often; 0: every source is."),
    ] = 1.0,
    twins: Annotated[
        float, typer.Option(help="Share of documents shown with copied sentences, exact and edited.")
    ] = 0.0,
    repeats: Annotated[
        float,
        typer.Option(help="Weight of the loss against repeating extracted sentences; 0: the paper's loss alone."),
    ] = 1.0,
    average: Annotated[float, typer.Option(help="Decay of the moving average of the weights.")] = 0.999,
    max_sentences: Annotated[int, typer.Option(help="Maximum sentences to extract in validation and rehearsal.")] = 22,
    validate_every: Annotated[int, typer.Option(help="Updates between validations.")] = 500,
    patience: Annotated[int, typer.Option(help="Validations without improvement before stopping.")] = 8,
    precision: Annotated[
        Literal["fp32", "bf16"], typer.Option(help="bf16 is faster on GPUs and on CPUs with AMX.")
    ] = "fp32",
    keep_repeats: Annotated[
        bool,
        typer.Option("--keep-repeats", help="Encode exact repeats of a sentence every time (for redundancy studies)."),
    ] = False,
    seed: Annotated[
        int,
        typer.Option(help="Random seed of weights, order of documents, episodes and dropout."),
    ] = 0,
    device: Device = "auto",
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard the training in the output folder and start again.")
    ] = False,
) -> None:
    """Train a policy: TRAIN and VAL are corpora, the best model is kept in OUTPUT/model.

    Interrupt it whenever you like: the same command resumes it.
    Several processes can share the work, on one machine or many:

        memsum train train.jsonl valid.jsonl --vectors vectors --output run

        torchrun --nproc-per-node 2 -m memsum train train.jsonl valid.jsonl --vectors vectors --output run

    Baselines that learn:

        memsum train train.jsonl valid.jsonl --vectors vectors --system neusum --output neusum
    """
    import sys

    from rich.console import Console

    from memsum.cli.training_display import TrainingDisplay
    from memsum.errors import MissingExtraError
    from memsum.features.encoding import TextSettings
    from memsum.training.learning.config import SYSTEMS, TrainingConfig, choose_blocks
    from memsum.training.learning.distributed import join_world
    from memsum.training.learning.metrics import plot_metrics
    from memsum.training.learning.run import run_training
    from memsum.training.learning.trainer import MODEL_FOLDER

    chosen = {"local": local, "context": context, "history": history, "stopping": stopping}
    config = TrainingConfig(
        objective=objective or ("hits" if history == "counted" else SYSTEMS[system].objective),
        epochs=epochs,
        batch=batch,
        states=states,
        samples=samples,
        learning_rate=learning_rate,
        thinning=thinning,
        joining=joining,
        furniture=furniture,
        hiding=hiding,
        temperature=temperature,
        twins=twins,
        repeats=repeats,
        average=average,
        max_sentences=max_sentences,
        validate_every=validate_every,
        patience=patience,
        precision=precision,
        seed=seed,
    )
    with join_world(device) as world:
        console = Console(file=sys.stderr, quiet=not world.is_main)
        with TrainingDisplay(console) as display:
            done = run_training(
                corpus,
                validation,
                output,
                config,
                world,
                vectors=vectors,
                init=init,
                blocks=choose_blocks(system, chosen),
                dropout=dropout,
                text=TextSettings(collapse_repeats=not keep_repeats, signals=True if history == "counted" else None),
                restart=restart,
                callbacks=display.callbacks,
            )
        if world.is_main:
            try:
                plot_metrics(output)
            except MissingExtraError as error:
                console.print(f"No plot of the curves: {error.message} {error.hint}", highlight=False)
            best = f"Best validation {100 * done.best:.2f} at update {done.best_update}"
            console.print(f"{best}: {output / MODEL_FOLDER}", highlight=False)
