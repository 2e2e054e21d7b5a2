"""What commands show beside their results: messages on stderr with the exit status, and the progress of long jobs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from memsum.printable import one_line

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT


def fail(message: str, hint: str | None = None) -> None:
    """Report an error, in one sentence and a hint."""
    typer.secho(f"memsum: {one_line(message)}", fg="red", err=True)
    if hint:
        typer.secho(f"        {one_line(hint)}", err=True)


def warn(message: str) -> None:
    """Report a warning about a result."""
    typer.secho(f"memsum: {one_line(message)}", fg="yellow", err=True)


def say(message: str) -> None:
    """Report what was done or is being done."""
    typer.echo(one_line(message), err=True)


_MINUTE = 60.0


@contextmanager
def progress_bar(title: str, count: Callable[[], int | None]) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the number of finished documents.

    The first call reports what an earlier run had done, and does not count as speed. The total is counted only if it
    will be shown.
    """
    if not sys.stderr.isatty():
        yield _Log(title, count)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        """Documents per second, over the last half minute."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed or 0:,.1f} docs/s")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Speed(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=count())
        begun = False

        def advance(done: int) -> None:
            nonlocal begun
            if begun:
                progress.advance(task, done)
            else:
                progress.reset(task, completed=done)
                begun = True

        yield advance


class _Log:
    """A line on stderr every minute, for jobs that nobody watches; a shorter job prints none."""

    def __init__(self, title: str, count: Callable[[], int | None]) -> None:
        self._title = title
        self._count = count
        self._before: int | None = None
        self._done = 0
        self._began = self._next = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if self._before is None:
            self._before, self._began, self._next = done, now, now + _MINUTE
        self._done += done
        if now >= self._next:
            self._next = now + _MINUTE
            print(self._line(now - self._began), file=sys.stderr, flush=True)

    def _line(self, seconds: float) -> str:
        speed = (self._done - (self._before or 0)) / seconds
        total = self._total()
        of, left = "", ""
        if total is not None:
            of = f" of {total:,}"
            left = f", {_duration((total - self._done) / speed)} left" if speed else ""
        return f"{self._title}: {self._done:,}{of} documents, {speed:,.1f} docs/s{left}"

    def _total(self) -> int | None:
        total = self._count()
        self._count = lambda: total
        return total


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
