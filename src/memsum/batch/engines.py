"""The work on each document of a job, and the engine of this machine; `ray_engine` is the other one."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from memsum.batch.inputs import Input, Item, weigh
from memsum.batch.journal import Outcome
from memsum.parallel import map_parallel

Results = Generator[tuple[int, Outcome], None, None]


@dataclass(frozen=True)
class Job:
    """The work on each item, and the settings by which a later run knows that it resumes the same job.

    `work` is pickled and handles its own errors, except for a MemsumError, which ends the job. `lost` makes the outcome
    of an item that a process died of, from the exit status, or None where that is not known.
    """

    settings: Mapping[str, object]
    work: Callable[[Item], Outcome]
    lost: Callable[[Item, int | None], Outcome]
    # Each item has a line in the output, also one that failed or that a process of this machine died of; the finished
    # run is recorded, and those that failed can be retried. Without, a process that dies ends the job.
    every_item: bool = False
    threads: int = 1  # cores for one item


class Engine(Protocol):
    """Does the work: gives the position and the outcome of each item, in order or as they come, each exactly once."""

    def check(self, source: Input) -> None:
        """Refuse an input that this engine cannot read."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """Do the items whose positions are not done, without running far ahead of the reader."""


@dataclass(frozen=True)
class LocalEngine:
    """Processes of this machine."""

    workers: int = 1

    def check(self, source: Input) -> None:
        """Accept every input."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        items = (item for item in source.items() if item.position not in done)
        lost = job.lost if job.every_item else None
        with closing(map_parallel(job.work, items, self.workers, ordered=ordered, lost=lost, weigh=weigh)) as results:
            for item, outcome in results:
                yield item.position, outcome
