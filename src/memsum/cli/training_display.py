"""How a training is shown: its phase, what is done right now, and the time left."""

from __future__ import annotations

import threading
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from memsum.training.recipe.run import Listener

_LOG_SECONDS = 15.0
_SETTLED = 5.0  # seconds of work from which on its speed tells the time left


class TrainingDisplay:
    """One line that ticks on a terminal, a line now and then in a log; a context, in which it is shown."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.listener = Listener(self._phase, self._report, self._say)
        self._ended = threading.Event()
        self._log = threading.Thread(target=self._keep_logging, daemon=True)
        self._where = self._what = ""
        self._done = self._total = self._first = 0
        self._began = time.monotonic()
        self._live = Live(get_renderable=self._line, console=console, refresh_per_second=2, transient=True)

    def __enter__(self) -> TrainingDisplay:
        if self.console.is_terminal:
            self._live.start()
        elif not self.console.quiet:
            self._log.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._live.stop()

    def _phase(self, number: int, count: int, about: str) -> None:
        self._where, self._what = f"phase {number} of {count}", ""
        self._say(f"{self._where}: {about}")

    def _report(self, what: str, done: int, total: int) -> None:
        if (what.rpartition(", ")[2], total) != (self._what.rpartition(", ")[2], self._total) or done < self._done:
            self._began, self._first = time.monotonic(), done
        self._what, self._done, self._total = what, done, total

    def _say(self, message: str) -> None:
        self.console.print(message, highlight=False, soft_wrap=True, markup=False)

    def _keep_logging(self) -> None:
        while not self._ended.wait(_LOG_SECONDS):
            self._say(str(self._line()))

    def _line(self) -> Text:
        done, total = self._done, self._total
        passed = time.monotonic() - self._began
        parts = [self._where, self._what]
        if total:
            parts[-1] += f" {done:,} of {total:,}"
        elif done:
            parts[-1] += f" {done:,}"
        fresh = done - self._first
        if total and fresh and passed > _SETTLED:
            parts.append(f"{duration(passed / fresh * (total - done))} left")
        elif passed > _SETTLED:
            parts.append(f"since {duration(passed)}")
        return Text(" · ".join(part for part in parts if part))


def duration(seconds: float) -> str:
    """Write seconds as people say them."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes and rest else f"{minutes} min" if minutes else f"{rest} s"
