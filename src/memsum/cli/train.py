"""`memsum train`: learn a model from a corpus with episodes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_type_hints

import typer

from memsum.cli.options import Device

_FLAGS = ("objective", "epochs", "batch", "learning_rate", "seed")  # settings that have a flag of their own
_NETWORK = {"local": str, "local_encoder": str, "context": str, "stopping": str, "dropout": str}
_TOP_LEVEL = {"system": str, "keep_repeats": bool}


def train(
    corpus: Annotated[Path, typer.Argument(metavar="TRAIN", help="Corpus with episodes (memsum corpus episodes).")],
    validation: Annotated[Path, typer.Argument(metavar="VAL", help="Corpus to validate on; it needs no episodes.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the run; an interrupted run is resumed.")],
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors: a folder of `memsum corpus vectors`, or a GloVe, word2vec or fastText text file."
        ),
    ] = None,
    init: Annotated[str | None, typer.Option(help="Model to continue from: its network, words and weights.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings in TOML, such as the train.toml of another run."),
    ] = None,
    history: Annotated[
        Literal["attention", "gru", "counted", "none"] | None,
        typer.Option(help="Extraction history: the paper's is attention, the default model's counted."),
    ] = None,
    settings: dict[str, Any],
    device: Device = "auto",
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard the training in the output folder and start again.")
    ] = False,
) -> None:
    """Train a model: TRAIN and VAL are corpora, the best model is kept in OUTPUT/model.

    Interrupt it whenever you like: the same command resumes it.
    Several processes can share the work, on one machine or many:

        memsum train train.jsonl valid.jsonl --vectors vectors --output run

        torchrun --nproc-per-node 2 -m memsum train train.jsonl valid.jsonl --vectors vectors --output run

    All other settings are in a file; each run writes its own to OUTPUT/train.toml:

        memsum train train.jsonl valid.jsonl --vectors vectors --config run/train.toml --seed 1 --output second
    """
    import sys

    from rich.console import Console

    from memsum.cli.training_display import TrainingDisplay
    from memsum.errors import MissingExtraError
    from memsum.training.learning.checkpoint import CHECKPOINT_FILE
    from memsum.training.learning.config import read_settings
    from memsum.training.learning.distributed import join_world
    from memsum.training.learning.metrics import plot_metrics
    from memsum.training.learning.run import run_training
    from memsum.training.learning.trainer import MODEL_FOLDER

    chosen = read_settings(config, settings, {"history": history})
    with join_world(device) as world:
        console = Console(file=sys.stderr, quiet=not world.is_main)
        if world.is_main and not (output / CHECKPOINT_FILE).exists():
            _check(corpus)
            _check(validation)
        with TrainingDisplay(console) as display:
            done = run_training(
                corpus,
                validation,
                output,
                chosen.training,
                vectors=vectors,
                init=init,
                network=chosen.network,
                keep_repeats=chosen.keep_repeats,
                restart=restart,
                world=world,
                callbacks=display.callbacks,
            )
        if world.is_main:
            try:
                plot_metrics(output)
            except MissingExtraError as error:
                console.print(f"No plot of the curves: {error.message} {error.hint}", highlight=False)
            best = f"Best validation {100 * done.best:.2f} at update {done.best_update}"
            console.print(f"{best}: {output / MODEL_FOLDER}", highlight=False)


def _check(corpus: Path) -> None:
    """Say which documents of a corpus teach nothing or the wrong thing, and refuse it if most do."""
    from memsum.cli.console import say, warn
    from memsum.training.corpus.check import check_corpus
    from memsum.training.corpus.records import fix_command

    check = check_corpus(corpus)
    check.require_usable()
    for sentence in check.sentences():
        warn(sentence)
    if check.faults:
        say(f"To leave them out: {fix_command(corpus, 'check')}")


def training_flags() -> list[inspect.Parameter]:
    """Return the flags of `TrainingConfig`, with its help and its defaults.

    Settings that had a flag in version 0.2 keep it, hidden, to report where they are now.
    """
    from dataclasses import fields

    from memsum.training.learning.config import RENAMED, TrainingConfig

    hints, known = get_type_hints(TrainingConfig), {one.name: one for one in fields(TrainingConfig)}
    flags = []
    for name in _FLAGS:
        shown = "the network's" if name == "objective" else str(known[name].default)
        flags.append(_flag(name, hints[name], help=known[name].metadata["help"], show_default=shown))
    former = dict.fromkeys([name for name in (*known, *RENAMED) if name not in _FLAGS], str)
    return flags + [_flag(name, kind, hidden=True) for name, kind in {**former, **_NETWORK, **_TOP_LEVEL}.items()]


def gather_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that have a flag; refuse the others."""
    for name, value in given.items():
        if name not in _FLAGS and value is not None:
            _refuse(name, value)
    return {name: given[name] for name in _FLAGS}


def _flag(name: str, kind: Any, **about: Any) -> inspect.Parameter:
    hint = Annotated[kind | None, typer.Option(f"--{name.replace('_', '-')}", **about)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)


def _refuse(name: str, value: str | bool) -> NoReturn:
    """Refuse a flag of version 0.2 whose setting is in a file now."""
    from memsum.errors import TrainingError
    from memsum.training.learning.config import RENAMED

    table = "" if name in _TOP_LEVEL else "under [network] " if name in _NETWORK else "under [training] "
    key = {**RENAMED, "local_encoder": "local"}.get(name, name)
    is_text = isinstance(value, str) and not value.replace(".", "").isdecimal()
    raise TrainingError(
        f"--{name.replace('_', '-')} is a setting of a file now.",
        f"Write `{key} = {repr(value) if is_text else str(value).lower()}` {table}into a TOML file for --config.",
    )
