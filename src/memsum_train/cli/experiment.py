"""`memsum experiment`: the paper's tables and figures on any corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def experiment(
    name: Annotated[
        Literal[
            "ablation", "redundancy", "comparison", "stopping", "validation", "positions", "timing", "examples", "all"
        ],
        typer.Argument(help="Which experiment."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the run; an interrupted run is resumed.")],
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Corpora and settings, as TOML or JSON.", show_default=False)
    ] = None,
    scale: Annotated[
        Literal["toy", "small", "full"] | None,
        typer.Option(help="Preset for settings that are not given.", show_default="small"),
    ] = None,
    train: Annotated[Path | None, typer.Option(help="Training corpus.", show_default=False)] = None,
    valid: Annotated[Path | None, typer.Option(help="Validation corpus.", show_default=False)] = None,
    test: Annotated[Path | None, typer.Option(help="Test corpus.", show_default=False)] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors.", show_default="learned from the training corpus")
    ] = None,
    corpus_name: Annotated[str, typer.Option(help="Name of the corpus in tables.")] = "corpus",
    jobs: Annotated[int | None, typer.Option(min=1, help="Trainings at a time.", show_default="one per core")] = None,
) -> None:
    """Reproduce the paper's tables and figures: OUTPUT/NAME gets tables, figures, metrics, and a README with all.

    Interrupt it whenever you like: the same command resumes it. Experiments with the same OUTPUT share
    their trainings and summaries.

        memsum experiment all --scale small --train train.jsonl --valid valid.jsonl --test test.jsonl -o run

        memsum experiment ablation --config papers.toml -o run
    """
    import sys
    from importlib.util import find_spec

    from rich.console import Console

    from memsum.errors import MissingExtraError
    from memsum.isolation import cores

    if not all(map(find_spec, ("torch", "numba", "nltk", "matplotlib"))):
        raise MissingExtraError("Running experiments", "train,plots")  # now, and not after hours of training

    from memsum_train.experiments.config import Config, Corpus, ExperimentError, at_scale, read_config
    from memsum_train.experiments.run import EXPERIMENTS, run_experiments

    files = (train, valid, test)
    chosen: Config
    if config is not None:
        if any(files) or vectors is not None:
            raise ExperimentError("Corpora and vectors are in the config.", "Give either --config, or the files.")
        chosen = read_config(config, scale)
    elif train is None or valid is None or test is None:
        raise ExperimentError("Experiments need --train, --valid and --test, or a --config.")
    else:
        chosen = at_scale(scale or "small", (Corpus(corpus_name, train, valid, test),), vectors)
    console = Console(stderr=True, highlight=False, markup=False)
    names = tuple(EXPERIMENTS) if name == "all" else (name,)
    if console.is_terminal:
        with console.status("") as status:
            folders = run_experiments(names, chosen, output, jobs=jobs or cores(), say=status.update)
    else:
        folders = run_experiments(
            names, chosen, output, jobs=jobs or cores(), say=lambda what: print(what, file=sys.stderr)
        )
    for folder in folders:
        typer.echo(folder / "README.md")
