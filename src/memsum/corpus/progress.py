"""A progress bar for long jobs, shown only to a person who is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(title: str, count: Callable[[], int | None]) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the number of documents that are done; silent unless stderr is a terminal.

    The total is counted only if it will be shown.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
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
        """Documents a second, over the last half minute."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed or 0:,.1f} docs/s")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Speed(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=count())
        yield lambda done: progress.advance(task, done)
