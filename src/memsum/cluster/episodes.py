"""`memsum corpus episodes` on Ray: the same journal and the same bytes as on one machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from memsum.cluster.connection import connect
from memsum.cluster.mapping import Source, map_on_ray
from memsum.corpus.jobs import Item, line_items
from memsum.errors import CorpusError
from memsum.jobs.journal import Mark
from memsum.jobs.lines import is_remote, is_stream


@dataclass(frozen=True)
class RayMap:
    """Maps the lines of a corpus file on a Ray cluster, whose workers read the file themselves."""

    source: str
    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if not is_remote(self.source) and is_stream(self.source):
            raise CorpusError(
                "The workers of a Ray cluster read files, which can be read again when one of them is lost.",
                "Write the corpus to a file first, or use --engine local.",
            )

    def __call__(
        self, function: Callable[[Item], tuple[Mark, str]], items: Iterable[Item]
    ) -> Generator[tuple[Item, tuple[Mark, str]], None, None]:
        """Give each line with what the function makes of it; of the items only the numbers are needed here."""
        numbers = np.fromiter((item.number or 0 for item in items), np.int64)
        if not len(numbers):
            return
        source = Source([partial(_numbered, self.source)], here=not is_remote(self.source))
        with connect(self.address, self.workers) as pool:
            for _, result in map_on_ray(partial(_attempt, function), source, numbers, pool, ordered=True, lost=_lost):
                yield result


def _numbered(path: str) -> Iterator[tuple[int, Item]]:
    return ((item.number or 0, item) for item in line_items(path))


def _attempt(function: Callable[[Item], tuple[Mark, str]], item: Item) -> tuple[Item, tuple[Mark, str]]:
    """A line that is rejected travels back with its reason; of the others the driver knows enough."""
    result = function(item)
    return item if result[0] is Mark.REJECTED else Item(item.source, None, item.number), result


def _lost(item: Item) -> tuple[Item, tuple[Mark, str]]:
    return item, (Mark.REJECTED, "The process that worked on it died; it may have run out of memory.")
