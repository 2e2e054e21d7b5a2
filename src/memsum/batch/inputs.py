"""Where the documents of a batch come from: JSON lines, a Parquet file, or a folder of document files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memsum.batch.work import Content, File, Row
from memsum.corpus.inputs import Documents
from memsum.corpus.inputs import Lines as CorpusLines
from memsum.corpus.jobs import fingerprint
from memsum.document.readers import SUFFIXES
from memsum.errors import DocumentError, MissingExtraError, reason_of
from memsum.jobs.lines import STANDARD, is_stream, read_lines

PARQUET_SUFFIXES = frozenset({".parquet", ".pq"})
_COLUMNS = ("id", "text")
_ROWS = 64
_FREE = 64 * 2**20  # bytes that a column of a row group may become, however small it is
_MOST_RATIO = 50  # and how many times its own size; texts reach 10


class Input(Protocol):
    """A source of documents that gives the same ones in the same order when it is read again."""

    @property
    def path(self) -> str:
        """Where it is."""

    def contents(self) -> Iterator[Content]:
        """Give its documents one by one, in constant memory."""

    def fingerprint(self) -> str:
        """Give what changes when the source does."""

    def count(self) -> int | None:
        """Count its documents, if that can be known."""


@dataclass(frozen=True)
class Lines:
    """A JSONL file, plain or compressed, or the standard input."""

    path: str

    def contents(self) -> Iterator[Content]:
        """Give its lines, each as it stands there."""
        return read_lines(self.path)

    def fingerprint(self) -> str:
        """Give what changes when the file does."""
        return STANDARD if is_stream(self.path) else fingerprint(self.path)

    def count(self) -> int | None:
        """Count its lines; a stream can be read only once."""
        return CorpusLines(self.path).count()


@dataclass(frozen=True)
class Folder:
    """A folder of document files at any depth, or a single one; each is called by its path within the folder."""

    path: str

    def contents(self) -> Iterator[Content]:
        """Give its files, sorted by name within each folder."""
        root = Path(self.path) if Path(self.path).is_dir() else Path(self.path).parent
        for item in self._documents.items():
            yield File(Path(item.source), Path(item.source).relative_to(root).as_posix())

    def fingerprint(self) -> str:
        """Give what changes when one of its files does."""
        return self._documents.fingerprint()

    def count(self) -> int | None:
        """Count its files."""
        return self._documents.count()

    def skipped(self) -> list[str]:
        """Name the files that are not documents, going by their suffix."""
        return [path.relative_to(self.path).as_posix() for path in self._documents.others()]

    @property
    def _documents(self) -> Documents:
        return Documents(self.path, SUFFIXES)


@dataclass(frozen=True)
class Table:
    """A Parquet file with a column "text", of strings or of lists of sentences, and perhaps a column "id"."""

    path: str

    def contents(self) -> Iterator[Content]:
        """Give its rows, reading a few at a time."""
        file = self._open()
        batches = table_rows(self.path, file)
        for number, record in enumerate(batches, start=1):
            yield Row(number, record)

    def fingerprint(self) -> str:
        """Give what changes when the file does."""
        return fingerprint(self.path)

    def count(self) -> int | None:
        """Count its rows."""
        return int(self._open().metadata.num_rows)

    def _open(self) -> Any:
        try:
            file = open_table(self.path)
        except ImportError:
            raise MissingExtraError("Reading Parquet files", "cluster") from None
        except ValueError as error:
            raise DocumentError(f"{self.path} is no Parquet file, or damaged: {reason_of(error)}.") from None
        if "text" not in file.schema_arrow.names:
            names = ", ".join(f'"{name}"' for name in file.schema_arrow.names)
            raise DocumentError(f'{self.path} has no column "text"; its columns are {names or "none"}.')
        return file


def open_table(path: str) -> Any:
    """Open a Parquet file so that little of it is in memory at a time."""
    import pyarrow.parquet  # type: ignore[import-untyped]

    # A stream with a small buffer: with the default a whole row group of texts would be in memory.
    file = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    fields = {field.name: field.type for field in file.schema_arrow}
    if not pyarrow.types.is_string(fields.get("text", pyarrow.null())):
        return file
    # A text that is stored once for many rows stays one.
    return pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20, read_dictionary=["text"])


def table_rows(path: str, file: Any, group: int | None = None) -> Iterator[dict[str, object]]:
    """Give the rows of a table, or of one of its row groups, one by one; a bomb is refused before it is opened."""
    groups = range(file.metadata.num_row_groups) if group is None else [group]
    columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
    number = sum(file.metadata.row_group(i).num_rows for i in range(groups[0])) if groups else 0
    try:
        for i in groups:
            _refuse_bomb(path, file.metadata.row_group(i))
            for batch in file.iter_batches(batch_size=_ROWS, row_groups=[i], columns=columns, use_threads=False):
                for row in range(batch.num_rows):  # not all at once: each would get a copy of what they share
                    yield {name: batch.column(name)[row].as_py() for name in columns}
                    number += 1
    except (OSError, ValueError) as error:  # what pyarrow makes of damaged data
        raise DocumentError(f"{path} is damaged after row {number}: {reason_of(error)}.") from None


def _refuse_bomb(path: str, group: Any) -> None:
    for i in range(group.num_columns):
        column = group.column(i)
        if column.total_uncompressed_size > _FREE + _MOST_RATIO * column.total_compressed_size:
            raise DocumentError(
                f"{path} would become {column.total_uncompressed_size:,} bytes, far more than texts of its size.",
                "Write it again with smaller row groups.",
            )


def find_input(source: str) -> Input:
    """Find what a source is, by its name and by what it holds."""
    path = Path(source)
    if source == STANDARD:
        return Lines(source)
    if not path.exists():
        raise DocumentError(f"There is no file or folder {source}.")
    suffix = path.suffix.lower()
    if path.is_dir() or suffix in SUFFIXES:
        return Folder(source)
    if suffix in PARQUET_SUFFIXES or (path.is_file() and _magic(path) == b"PAR1"):
        return Table(source)
    return Lines(source)


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)
