"""`memsum batch` on Ray: the same journal, the same lines and the same files as on one machine."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from memsum import batch
from memsum.batch import BatchSettings, Content, Input, Options, Outcome, Report, Row, Task, Worker
from memsum.batch.inputs import PARQUET_SUFFIXES, Folder, Lines, Table, open_table, table_rows
from memsum.batch.work import identify
from memsum.cluster.connection import connect
from memsum.cluster.mapping import Part, Source, map_on_ray
from memsum.errors import DocumentError
from memsum.jobs.lines import is_remote, is_stream
from memsum.jobs.progress import progress_bar

_FILE = 256  # the path of a file, some 160 bytes, stands for a document of 40 kB


def run_batch(
    documents: str,
    summaries: str,
    settings: BatchSettings,
    options: Options,
    *,
    address: str | None = None,
    workers: int | None = None,
) -> Report:
    """Summarise the documents of a file, on this machine or in object storage, with the workers of a Ray cluster."""
    source = find_input(documents)
    engine = RayEngine(source, address, workers)
    seen = _Numbers(source) if isinstance(source, Table) else source
    with progress_bar("summarising", source.count) as advance:
        return batch.run_batch(seen, summaries, settings, replace(options, advance=advance), engine)


def find_input(source: str) -> Input:
    """Find what a source is: a URI by its name, else as on one machine."""
    if is_remote(source):
        return Table(source) if PurePosixPath(source).suffix.lower() in PARQUET_SUFFIXES else Lines(source)
    found = batch.find_input(source)
    if isinstance(found, Lines) and is_stream(source):
        raise DocumentError(
            "The workers of a Ray cluster read files, which can be read again when one of them is lost.",
            "Write the documents to a file first, or use --engine local.",
        )
    return found


@dataclass(frozen=True)
class RayEngine:
    """The workers of a Ray cluster, each with its own model; they read the documents themselves."""

    documents: Input
    address: str | None = None
    workers: int | None = None

    def __call__(
        self, worker: Worker, tasks: Iterable[Task], *, ordered: bool
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Share the documents among the workers; of the tasks only the places are needed here."""
        places = np.fromiter((task.place for task in tasks), np.int64)
        if not len(places):
            return
        with connect(self.address, self.workers, threads=worker.settings.threads) as pool:
            source = _source(self.documents)
            for place, outcome in map_on_ray(worker, source, places, pool, ordered=ordered, lost=_lost):
                yield Task(place, _NOTHING), outcome


_NOTHING = Row(0, {})


@dataclass(frozen=True)
class _Numbers:
    """A table as the driver sees it: its rows without their texts, which the workers read."""

    table: Table

    @property
    def path(self) -> str:
        """Where it is."""
        return self.table.path

    def contents(self) -> Iterator[Content]:
        """Give empty rows."""
        return (_NOTHING for _ in range(self.count() or 0))

    def fingerprint(self) -> str:
        """Give what changes when the file does."""
        return self.table.fingerprint()

    def count(self) -> int | None:
        """Count the rows."""
        return self.table.count()


def _source(documents: Input) -> Source[Content]:
    """The documents in parts: the row groups of a table; lines, which may be compressed, and files in one."""
    here = not is_remote(documents.path)
    if not isinstance(documents, Table):
        return Source([partial(_whole, documents)], here, weight=_FILE if isinstance(documents, Folder) else 1)
    import pyarrow.parquet  # type: ignore[import-untyped]

    metadata = pyarrow.parquet.ParquetFile(documents.path).metadata
    sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    firsts = np.cumsum([1, *sizes]).tolist()
    parts: list[Part[Content]] = [partial(_row_group, documents.path, i, firsts[i]) for i in range(len(sizes))]
    return Source(parts, here)


def _whole(documents: Input) -> Iterator[tuple[int, Content]]:
    return enumerate(documents.contents(), start=1)


def _row_group(path: str, group: int, number: int) -> Iterator[tuple[int, Content]]:
    for place, record in enumerate(table_rows(path, open_table(path), group), start=number):
        yield place, Row(place, record)


def _lost(content: Content) -> Outcome:
    return Outcome.failure(
        identify(content), "The process that summarised it died; it may have run out of memory or time."
    )
