"""What is finished of a batch: the journal's lines, each with the place of its document in the input."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memsum.batch.work import Outcome
from memsum.jobs.journal import Journal, Mark


@dataclass(frozen=True)
class Entry:
    """A finished document: its place in the input, from 1, and its line of the output."""

    place: int
    line: bytes
    failed: bool


class Entries:
    """The finished documents of a batch, kept in a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._done = bytearray()  # a bit for each place: 12 MB for 100 million documents
        for entry in self:
            self._note(entry.place)

    def add(self, place: int, outcome: Outcome) -> None:
        """Keep what became of a document."""
        mark = Mark.KEPT if outcome.error is None else Mark.REJECTED
        self._journal.append(mark, f"{place} {outcome.line}")
        self._note(place)

    def __len__(self) -> int:
        return self._journal.done

    def __contains__(self, place: int) -> bool:
        return place // 8 < len(self._done) and bool(self._done[place // 8] >> place % 8 & 1)

    def __iter__(self) -> Iterator[Entry]:
        """Give them in the order in which they were finished."""
        return self._between(0, None)

    def sorted(self) -> Iterator[Entry]:
        """Give them in the order of the input.

        An ordered run leaves an ascending sequence, and a retry another one behind it: they only need to be merged.
        """
        starts, offset, before = [0], 0, 0
        for _, line in self._journal.entries():
            place = _place(line)
            if place < before:
                starts.append(offset)
            before, offset = place, offset + 1 + len(line)
        runs = [self._between(start, end) for start, end in pairwise([*starts, offset])]
        return heapq.merge(*runs, key=lambda entry: entry.place)

    def _between(self, start: int, end: int | None) -> Iterator[Entry]:
        for mark, line in self._journal.entries(start, end):
            place, _, line = line.partition(b" ")
            yield Entry(int(place), line, mark is Mark.REJECTED)

    def _note(self, place: int) -> None:
        if place // 8 >= len(self._done):
            self._done.extend(bytes(place // 8 + 1 - len(self._done)))
        self._done[place // 8] |= 1 << place % 8


def _place(line: bytes) -> int:
    return int(line[: line.index(b" ")])
