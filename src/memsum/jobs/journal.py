"""What a job has finished so far: a file that only grows, so that whatever a kill leaves of it is a valid beginning."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import IO

from memsum.errors import CorpusError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Mark(Enum):
    """What became of an item: the first byte of its line in the journal."""

    KEPT = "+"
    NOTED = "~"  # kept, and worth counting apart
    REJECTED = "-"


_MARKS = {mark.value.encode(): mark for mark in Mark}


class Journal:
    """A header line that says what the job is, then one marked line an item, in the order of the items."""

    def __init__(self, path: Path, settings: Mapping[str, object], *, restart: bool = False) -> None:
        """Continue the journal at this path if it is of the same job, or start it."""
        self.path = path
        self.counts = dict.fromkeys(Mark, 0)
        self._header = f"#{json.dumps(settings, sort_keys=True)}\n".encode()
        # Opened without truncation first: the lock must be ours before anything is thrown away.
        self._file: IO[bytes] = path.open("r+b" if path.exists() else "w+b")
        try:
            self._lock()
            self._resume(restart)
        except BaseException:
            self._file.close()
            raise

    @property
    def done(self) -> int:
        """Count the items that are finished."""
        return sum(self.counts.values())

    @property
    def kept(self) -> int:
        """Count the items that became records."""
        return self.counts[Mark.KEPT] + self.counts[Mark.NOTED]

    def append(self, mark: Mark, line: str) -> None:
        """Note that the next item is finished."""
        self._file.write(mark.value.encode() + line.encode() + b"\n")
        self._file.flush()
        self.counts[mark] += 1

    def entries(self, start: int = 0, end: int | None = None) -> Iterator[tuple[Mark, bytes]]:
        """Read items back, each line with its end: all, or those between two offsets from the first."""
        with self.path.open("rb") as file:
            file.seek(len(self._header) + start)
            for line in file:
                if start == end:
                    return
                yield _MARKS[line[:1]], line[1:]
                start += len(line)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if not self.done:  # a run that failed before its first item leaves nothing to resume
            self.path.unlink(missing_ok=True)

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CorpusError(
                f"Another process is working on {self.path} right now.", "Wait for it, or write to another file."
            ) from None

    def _resume(self, restart: bool) -> None:
        header = self._file.readline()
        if restart or not header.endswith(b"\n"):
            self._file.seek(0)
            self._file.truncate()
            self._file.write(self._header)
            self._file.flush()
            return
        if header != self._header:
            raise CorpusError(
                f"{self.path} was left by a run with another input or other settings.",
                "Finish that run with its own arguments, or add --restart to throw its work away.",
            )
        end = len(header)
        for line in self._file:
            mark = _MARKS.get(line[:1])
            if mark is None or not line.endswith(b"\n") or b"\0" in line:  # JSON has no NUL; a power cut leaves some
                break
            self.counts[mark] += 1
            end += len(line)
        self._file.seek(end)
        self._file.truncate()
        os.fsync(self._file.fileno())
