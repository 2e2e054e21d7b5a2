"""The finished items of a job: a file that only grows, so that whatever a kill leaves of it is a valid prefix."""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import IO

from memsum.errors import CorpusError
from memsum.files import is_object, lock


class Mark(Enum):
    """The outcome of an item: the first byte of its line in the journal."""

    KEPT = "+"
    FLAGGED = "~"  # kept, and worth counting apart
    FAILED = "-"


_DIGITS = 10  # of a position: no job has so many items
_MARKS = {mark.value.encode(): mark for mark in Mark}


@dataclass(frozen=True)
class Outcome:
    """The result of an item: a line of JSON, without its end; `error` is the reason if it failed."""

    line: str
    error: str | None = None
    flagged: bool = False

    @property
    def mark(self) -> Mark:
        return Mark.FAILED if self.error is not None else Mark.FLAGGED if self.flagged else Mark.KEPT


@dataclass(frozen=True)
class Entry:
    """A finished item: its position in the input, from 1, its line with its end, and whether it failed."""

    position: int
    line: bytes
    failed: bool


class Journal:
    """A header line that says what the job is, then one marked line per item, in the order in which they are finished.

    With `numbered`, each line begins with the position of its item; without, items are finished in their order, and the
    position is the number of the line.
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, object],
        *,
        numbered: bool = False,
        restart: bool = False,
        resume: bool = True,
    ) -> None:
        """Continue the journal at this path if it is of the same job, or start it.

        With `restart` whatever is there is thrown away, and without `resume` what the same job left.
        """
        self.path = path
        self.counts = dict.fromkeys(Mark, 0)
        self._numbered = numbered
        self._finished = bytearray()  # a bit for each position: 12 MB for 100 million items
        self._header = f"#{json.dumps(settings, sort_keys=True)}\n".encode()
        # Opened without truncation first: the lock must be ours before anything is thrown away.
        self._file: IO[bytes] = path.open("r+b" if path.exists() else "w+b")
        try:
            if not lock(self._file):
                raise CorpusError(
                    f"Another process is working on {self.path} right now.", "Wait for it, or write to another file."
                )
            self._continue(restart, resume)
        except BaseException:
            self._file.close()
            raise

    @property
    def done(self) -> int:
        return sum(self.counts.values())

    @property
    def kept(self) -> int:
        return self.counts[Mark.KEPT] + self.counts[Mark.FLAGGED]

    @property
    def failed(self) -> int:
        return self.counts[Mark.FAILED]

    def add(self, position: int, outcome: Outcome) -> None:
        line = f"{position} {outcome.line}" if self._numbered else outcome.line
        self._file.write(outcome.mark.value.encode() + line.encode() + b"\n")
        self._file.flush()
        self._count(outcome.mark, position)

    def __contains__(self, position: object) -> bool:
        if not isinstance(position, int):
            return False
        if not self._numbered:
            return position <= self.done
        return position // 8 < len(self._finished) and bool(self._finished[position // 8] >> position % 8 & 1)

    def entries(self, *, ordered: bool = False) -> Iterator[Entry]:
        """Give the finished items in the order in which they were finished, or in that of the input.

        An ordered run leaves an ascending sequence, and a retry another one behind it: they only need to be merged.
        """
        if not (ordered and self._numbered):
            return self._between(0, None)
        starts, offset, before = [0], 0, 0
        for _, line in self._lines(0, None):
            position = int(line[: line.index(b" ")])
            if position < before:
                starts.append(offset)
            before, offset = position, offset + 1 + len(line)
        runs = [self._between(start, end) for start, end in pairwise([*starts, offset])]
        return heapq.merge(*runs, key=lambda entry: entry.position)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        if not self.done:  # a run that failed before its first item leaves nothing to resume
            self.path.unlink(missing_ok=True)

    def _between(self, start: int, end: int | None) -> Iterator[Entry]:
        for number, (mark, line) in enumerate(self._lines(start, end), start=1):
            position, _, rest = line.partition(b" ") if self._numbered else (number, b"", line)
            yield Entry(int(position), rest, mark is Mark.FAILED)

    def _lines(self, start: int, end: int | None) -> Iterator[tuple[Mark, bytes]]:
        """Yield the lines between two offsets from the first, each with its end."""
        with self.path.open("rb") as file:
            file.seek(len(self._header) + start)
            for line in file:
                if start == end:
                    return
                yield _MARKS[line[:1]], line[1:]
                start += len(line)

    def _count(self, mark: Mark, position: int) -> None:
        self.counts[mark] += 1
        if not self._numbered:
            return
        if position // 8 >= len(self._finished):
            self._finished.extend(bytes(position // 8 + 1 - len(self._finished)))
        self._finished[position // 8] |= 1 << position % 8

    def _position(self, line: bytes) -> int | None:
        """Return the position of a line's item; None if the line is cut off or damaged, or its item finished before."""
        if not line.endswith(b"\n") or b"\0" in line:  # JSON has no NUL; a power cut leaves some
            return None
        if not self._numbered:
            return 0
        number, _, rest = line[1:].partition(b" ")
        if not (number.isdigit() and len(number) < _DIGITS and is_object(rest)):
            return None
        position = int(number)
        return None if position == 0 or position in self else position

    def _continue(self, restart: bool, resume: bool) -> None:
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
                "Finish that run with its own arguments, or add --restart to discard its work.",
            )
        end = len(header)
        for line in self._file if resume else ():
            mark, position = _MARKS.get(line[:1]), self._position(line)
            if mark is None or position is None:  # what follows is done again
                break
            self._count(mark, position)
            end += len(line)
        self._file.seek(end)
        self._file.truncate()
        os.fsync(self._file.fileno())
