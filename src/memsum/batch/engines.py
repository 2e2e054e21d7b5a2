"""What is done with each document of a job, and who does it: processes of this machine here, a Ray cluster beside."""

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
    """What becomes of each item, and the settings by which a later run knows that it continues the same job.

    `work` is pickled and answers for its own errors, except for a MemsumError, which ends the job. `lost` tells what
    became of an item that a process died of, by the exit status, or None where that is not known.
    """

    settings: Mapping[str, object]
    work: Callable[[Item], Outcome]
    lost: Callable[[Item, int | None], Outcome]
    # Each item has a line in the output, also one that failed or that a process of this machine died of; the finished
    # run is recorded, and those that failed can be retried. Without, a process that dies ends the job.
    every_item: bool = False
    threads: int = 1  # cores for one item


class Engine(Protocol):
    """What does the work: gives the place and the outcome of each item, in order or as they come, each exactly once."""

    def check(self, source: Input) -> None:
        """Refuse an input that this engine cannot read."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """Do the items of an input whose places are not done, without running far ahead of the reader."""


@dataclass(frozen=True)
class LocalEngine:
    """Processes of this machine."""

    workers: int = 1

    def check(self, source: Input) -> None:
        """Read any."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """Share the items out."""
        items = (item for item in source.items() if item.place not in done)
        lost = job.lost if job.every_item else None
        with closing(map_parallel(job.work, items, self.workers, ordered=ordered, lost=lost, weigh=weigh)) as results:
            for item, outcome in results:
                yield item.place, outcome
