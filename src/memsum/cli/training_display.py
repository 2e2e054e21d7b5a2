"""How a training is shown: a progress bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from memsum.training.learning.checkpoint import TrainingProgress
from memsum.training.learning.trainer import Callbacks
from memsum.training.learning.validation import Validation

_LOG_SECONDS = 30.0


class TrainingDisplay:
    """Progress bar with speed, remaining time, loss and the last validation; a context, in which it is shown."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.callbacks = Callbacks(self._update, self._validate, self._reading, self._start)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._updates = 0
        self._loss = 0.0
        self._validation = ""
        self._began: tuple[float, int] | None = None
        self._logged = 0.0
        self._read = 0

    def __enter__(self) -> TrainingDisplay:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def _reading(self, what: str) -> None:
        self._read += 1
        if self._task is None:
            self._task = self._bar.add_task("", total=None, state="")
        self._bar.update(self._task, description=what, completed=self._read)

    def _start(self, updates: int) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._updates = updates
        self._task = self._bar.add_task("training", total=updates, state="")

    def _update(self, done: TrainingProgress, loss: float) -> None:
        self._loss = loss if not self._loss else 0.98 * self._loss + 0.02 * loss
        now = time.monotonic()
        self._began = self._began or (now, done.documents)
        speed = (done.documents - self._began[1]) / max(now - self._began[0], 1e-9)
        state = f"{speed:.1f} docs/s · loss {self._loss:.3f}{self._validation}"
        assert self._task is not None  # noqa: S101
        self._bar.update(self._task, completed=done.update, state=state)
        if not self.console.is_terminal and now - self._logged > _LOG_SECONDS:
            self._logged = now
            self.console.print(f"update {done.update}/{self._updates} · {state}", highlight=False)

    def _validate(self, result: Validation) -> None:
        self._validation = f" · validation {100 * result.score:.2f}"
        for source, point in result.by_source.items():
            rouge = f"{100 * point.rouge1:.2f} / {100 * point.rouge2:.2f} / {100 * point.rouge_lsum:.2f}"
            stop = f"{point.sentences:.1f} sentences (stop at {point.threshold}, at most {point.maximum})"
            self.console.print(f"  {source}: ROUGE-1/2/L {rouge}, {stop}", highlight=False)
