"""Encodes sentences that no question has needed yet, in a thread of low priority, while none is asked.

Later questions find their candidates encoded. Answers do not depend on it, only how soon they come.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_PAUSE = 0.1  # seconds after the last question: a process that answers once and ends, or goes on asking, is not slowed
_NICE = 10


class Task(Protocol):
    """Work in small parts."""

    def encode_some(self) -> bool:
        """Do a part that takes a few hundredths of a second, and tell whether there was one to do."""


class Background:
    """Tasks of a process, the last one first; one that nobody holds any more is dropped. Threads may share it."""

    def __init__(self) -> None:
        self._reset()
        atexit.register(self.end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._tasks: list[weakref.ref[Task]] = []
        self._asking = 0
        self._asked = 0.0
        self._thread: threading.Thread | None = None

    @contextmanager
    def paused(self, task: Task) -> Iterator[None]:
        """Do nothing in the background while a question is answered; go on with this task afterwards."""
        with self._changed:
            self._asking += 1
        try:
            yield
        finally:
            with self._changed:
                self._asking -= 1
                self._asked = time.monotonic()
                self._tasks = [one for one in self._tasks if one() not in (None, task)] + [weakref.ref(task)]
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="memsum-background", daemon=True)
                    self._thread.start()

    def end(self) -> None:
        """Drop all tasks, and wait for the part that is being done."""
        with self._changed:
            self._tasks.clear()
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        if sys.platform == "linux":  # elsewhere this would be the priority of the process
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        while True:
            with self._changed:
                while self._tasks and (self._asking or time.monotonic() < self._asked + _PAUSE):
                    self._changed.wait(_PAUSE)
                if not self._tasks:
                    self._thread = None
                    return
                last = self._tasks[-1]
            task = last()
            if task is None or not task.encode_some():
                with self._changed:
                    self._tasks = [one for one in self._tasks if one is not last]
            del task  # or a document that nobody holds would stay


BACKGROUND = Background()
