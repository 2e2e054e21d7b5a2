"""Progress of a long job: a bar for a person, a line per minute for a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
