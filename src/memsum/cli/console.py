"""What commands show beside their results: messages on stderr with the exit status, and the progress of long jobs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import typer

from memsum.printable import message_line

if TYPE_CHECKING:
    from rich.live import Live

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT


def fail(message: str, hint: str | None = None) -> None:
    """Report an error, in one sentence and a hint."""
    typer.secho(f"memsum: {message_line(message)}", fg="red", err=True)
    if hint:
        typer.secho(f"        {message_line(hint)}", err=True)


def warn(message: str) -> None:
    """Report a warning about a result."""
    typer.secho(f"memsum: {message_line(message)}", fg="yellow", err=True)


def say(message: str) -> None:
    """Report what was done or is being done."""
    typer.echo(message_line(message), err=True)


class Progress:
    """The line of a long job: it ticks on a terminal; in a log it is printed now and then, as the job goes on."""

    def __init__(self, line: Callable[[], str], log_seconds: float = 60.0) -> None:
        self._line = line
        self._log_seconds = log_seconds
        self._next = time.monotonic() + log_seconds
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live
            from rich.text import Text

            shown = Console(stderr=True)
            self._live = Live(get_renderable=lambda: Text(message_line(self._line())), console=shown, transient=True)
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self) -> None:
        """Print the line in a log, if it is time."""
        now = time.monotonic()
        if self._live is None and now >= self._next:
            self._next = now + self._log_seconds
            print(message_line(self._line()), file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str, count: Callable[[], int | None]) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the number of finished documents.

    The first call reports what an earlier run had done, and does not count as speed. The total is counted only if it
    will be shown.
    """
    before: int | None = None
    done, began = 0, time.monotonic()
    counted = cache(count)

    def line() -> str:
        speed = (done - (before or 0)) / max(time.monotonic() - began, 1e-9)
        total = counted()
        of = "" if total is None else f" of {total:,}"
        left = f", {duration((total - done) / speed)} left" if total is not None and speed else ""
        return f"{title}: {done:,}{of} documents, {speed:,.1f} docs/s{left}"

    def advance(finished: int) -> None:
        nonlocal before, done, began
        if before is None:
            before, began = finished, time.monotonic()
        done += finished
        progress.update()

    if sys.stderr.isatty():
        counted()
    with Progress(line) as progress:
        yield advance


def duration(seconds: float) -> str:
    """Write seconds as people say them."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes and rest else f"{minutes} min" if minutes else f"{rest} s"
