"""`memsum train`: from corpora to a model."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.console import Progress, duration, say
from memsum.cli.options import Device, Processes

_LOG_SECONDS = 15.0
_SETTLED = 5.0  # seconds of work from which on its speed tells the time left


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
            help="Settings that come with memsum: default (what ships); paper:pubmed, paper:arxiv, paper:pubmed-trunc, "
            "paper:govreport (the paper's); paper-small (its network, for few documents).",
            show_default="default",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings in TOML, such as the train.toml of another run.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a setting, such as ngram_gain.documents=9000. Repeatable."
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Word vectors: a GloVe, word2vec or fastText text file, or the phases/vectors of another run.",
            show_default="learned from TRAIN",
        ),
    ] = None,
    init: Annotated[str | None, typer.Option(metavar="MODEL", help="Model to start from, such as default.")] = None,
    keys: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Documents with keys, to learn what readers must know of them."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="The files that keys name.", show_default="documents, beside the keys"),
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
    from memsum_train import functions
    from memsum_train.recipe.run import Listener
    from memsum_train.recipe.settings import parse_changes

    speaks = os.environ.get("RANK", "0") == "0"  # torchrun's first process
    shown = _Shown()
    with Progress(shown.line, _LOG_SECONDS if speaks else math.inf) as progress:

        def report(what: str, done: int, total: int) -> None:
            shown.report(what, done, total)
            progress.update()

        model = functions.train(
            corpus.split(",") if corpus else (),
            validation.split(",") if validation else (),
            output,
            recipe=recipe,
            config=config,
            settings=parse_changes(settings or ()),
            vectors=vectors,
            init=init,
            keys=keys,
            documents=documents,
            seed=seed,
            processes=processes,
            device=device,
            restart=restart,
            listener=Listener(shown.phase, report, say),
        )
    if speaks:
        say(f"The model is in {model}; its card has the scores.")


class _Shown:
    """The phase of a training, what is done right now, and the time left."""

    def __init__(self) -> None:
        self._where = self._what = ""
        self._done = self._total = self._first = 0
        self._began = time.monotonic()

    def phase(self, number: int, count: int, about: str) -> None:
        self._where, self._what = f"phase {number} of {count}", ""
        say(f"{self._where}: {about}")

    def report(self, what: str, done: int, total: int) -> None:
        if (what.rpartition(", ")[2], total) != (self._what.rpartition(", ")[2], self._total) or done < self._done:
            self._began, self._first = time.monotonic(), done
        self._what, self._done, self._total = what, done, total

    def line(self) -> str:
        done, total, passed = self._done, self._total, time.monotonic() - self._began
        of = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
        parts = [self._where, f"{self._what}{of}"]
        fresh = done - self._first
        if total and fresh and passed > _SETTLED:
            parts.append(f"{duration(passed / fresh * (total - done))} left")
        elif passed > _SETTLED:
            parts.append(f"since {duration(passed)}")
        return " · ".join(part for part in parts if part)
