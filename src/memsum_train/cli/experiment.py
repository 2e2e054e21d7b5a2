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
        Path | None, typer.Option("--config", "-c", help="Corpora and settings, as TOML.", show_default=False)
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
    from functools import partial
    from importlib.util import find_spec

    from memsum.errors import MemsumError, MissingExtraError
    from memsum.isolation import cores

    if not all(map(find_spec, ("torch", "numba", "nltk", "matplotlib"))):
        raise MissingExtraError("Running experiments", "train,plots")  # now, and not after hours of training

    from memsum_train.experiments.config import Config, read_config
    from memsum_train.experiments.run import EXPERIMENTS, run_experiments

    files = {"train": train, "valid": valid, "test": test}
    if config is not None:
        if any(files.values()) or vectors is not None:
            raise MemsumError("Corpora and vectors are in the config.", "Give either --config, or the files.")
        chosen = read_config(config, scale)
    elif not all(files.values()):
        raise MemsumError("Experiments need --train, --valid and --test, or a --config.")
    else:
        content = {"scale": scale or "small", "corpora": {corpus_name: files}}
        chosen = Config.make(content | ({"vectors": str(vectors)} if vectors else {}), Path())
    names = tuple(EXPERIMENTS) if name == "all" else (name,)
    say = partial(print, file=sys.stderr)
    folders = run_experiments(names, chosen, output, jobs=jobs or cores(), say=say)
    for folder in folders:
        typer.echo(folder / "README.md")
