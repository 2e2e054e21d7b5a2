"""How a training is shown: progress on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from memsum.errors import MissingExtraError
from memsum.models import resolve_model, write_manifest
from memsum.policy import PolicyConfig
from memsum.policy.export import export_policy
from memsum.policy.folder import load_policy, with_history
from memsum.rouge import Signature
from memsum.text.encoding import TextSettings
from memsum.training.adapt import Adaptation, adapt, adaptation_config
from memsum.training.checkpoint import Progress as Done
from memsum.training.config import TrainingConfig
from memsum.training.distributed import join_world
from memsum.training.loop import MODEL_FOLDER, Trainer, Watch
from memsum.training.metrics import plot_metrics
from memsum.training.presets import require_blocks
from memsum.training.run import fresh_policy, learn_signals, open_init, open_vectors, prepare, read_corpus
from memsum.training.validation import Validation

_LOG_SECONDS = 30.0


class Display:
    """Progress bar with speed, remaining time, loss and the last validation."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._loss = 0.0
        self._validation = ""
        self._began: tuple[float, int] | None = None
        self._logged = 0.0
        self._read = 0

    def reading(self, what: str) -> None:
        """Count documents read before the training begins."""
        self._read += 1
        if self._task is None:
            self._task = self.bar.add_task("", total=None, state="")
        self.bar.update(self._task, description=what, completed=self._read)

    def watch(self, trainer: Trainer) -> Watch:
        """Callbacks for the loop."""
        if self._task is not None:
            self.bar.remove_task(self._task)
        self._task = self.bar.add_task("training", total=trainer.updates, state="")

        def update(done: Done, loss: float) -> None:
            self._loss = loss if not self._loss else 0.98 * self._loss + 0.02 * loss
            now = time.monotonic()
            self._began = self._began or (now, done.documents)
            speed = (done.documents - self._began[1]) / max(now - self._began[0], 1e-9)
            state = f"{speed:.1f} docs/s · loss {self._loss:.3f}{self._validation}"
            assert self._task is not None  # noqa: S101
            self.bar.update(self._task, completed=done.update, state=state)
            if not self.console.is_terminal and now - self._logged > _LOG_SECONDS:
                self._logged = now
                self.console.print(f"update {done.update}/{trainer.updates} · {state}", highlight=False)

        def validation(result: Validation) -> None:
            self._validation = f" · validation {100 * result.score:.2f}"
            for source, point in result.by_source.items():
                rouge = f"{100 * point.rouge1:.2f} / {100 * point.rouge2:.2f} / {100 * point.rouge_lsum:.2f}"
                stop = f"{point.sentences:.1f} sentences (stop at {point.threshold}, at most {point.maximum})"
                self.console.print(f"  {source}: ROUGE-1/2/L {rouge}, {stop}", highlight=False)

        return Watch(update, validation)


def run_training(
    corpus: Path,
    validation: Path,
    output: Path,
    *,
    vectors: Path | None,
    init: str | None,
    blocks: Mapping[str, str],
    dropout: float,
    text: TextSettings,
    config: TrainingConfig,
    device: str,
    restart: bool,
) -> None:
    """Train and say where the model is."""
    with join_world(device) as world:
        console = Console(file=sys.stderr, quiet=not world.leads)
        display = Display(console)
        length, brevity = None, 0.0
        if init is not None:
            policy, encoder, stop, length = open_init(resolve_model(init))
            brevity = stop.brevity
            if blocks.get("history") == "counted" != policy.config.history:
                # The encoders go on from where they are; the memory is another one.
                torch.manual_seed(config.seed)
                policy, encoder = with_history(policy, encoder, "counted")
            require_blocks(policy.config, blocks)
        else:
            assert vectors is not None  # noqa: S101
            network = PolicyConfig.from_dict({**blocks, "dropout": dropout})
            policy, encoder = fresh_policy(network, open_vectors(vectors), text, config.seed)
        with display.bar:
            if policy.config.history == "counted":
                learn_signals(encoder, corpus, output, world, seed=config.seed, advance=display.reading)
                # Its own stop is learned on-policy; before that, it stops by length.
                length, brevity = None if config.objective == "rehearsal" else encoder.length, 0.0
            trainer = prepare(
                policy,
                encoder,
                corpus,
                read_corpus(validation),
                config,
                output,
                world,
                init=init,
                length=length,
                brevity=brevity,
                restart=restart,
                advance=display.reading,
            )
            trainer.watch = display.watch(trainer)
            done = trainer.run()
        if world.leads:
            try:
                plot_metrics(output)
            except MissingExtraError as error:
                console.print(f"No plot of the curves: {error.message} {error.hint}", highlight=False)
            console.print(
                f"Best validation {100 * done.best:.2f} at update {done.best_update}: {output / MODEL_FOLDER}",
                highlight=False,
            )


def run_adaptation(data: Path, model: str, output: Path, *, validation: Path | None, seed: int, device: str) -> None:
    """Adapt and print what it brought."""
    examples = list(read_corpus(data))
    held_out = list(read_corpus(validation)) if validation is not None else None
    with join_world(device) as world:
        console = Console(file=sys.stderr, quiet=not world.leads)
        display = Display(console)
        with display.bar:
            config = replace(adaptation_config(len(examples)), seed=seed)
            result = adapt(
                examples, resolve_model(model), output, world, held_out=held_out, config=config, show=display.watch
            )
        if world.leads:
            export_policy(load_policy(output)[0], output, "int8")
            write_manifest(output)
            Console().print(_comparison(result))
            console.print(f"The adapted model: {output}", highlight=False)


def _comparison(result: Adaptation) -> Table:
    title = f"Adapted on {result.trained_on} documents, judged on {result.judged_on} others"
    table = Table(title=title, caption=str(Signature("rouge1/2/Lsum")))
    for name in ("", "ROUGE-1", "ROUGE-2", "ROUGE-L", "sentences", "stop at", "at most"):
        table.add_column(name, justify="right" if name else "left")
    for name, point in (("before", result.before), ("after", result.after)):
        rouge = [f"{100 * value:.2f}" for value in (point.rouge1, point.rouge2, point.rouge_lsum)]
        table.add_row(name, *rouge, f"{point.sentences:.1f}", f"{point.threshold}", f"{point.maximum}")
    return table
