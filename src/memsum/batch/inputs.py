"""Where the documents of a batch come from: JSON lines, a Parquet file, or a folder of document files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memsum.batch.work import Content, File, Row
from memsum.corpus.files import STANDARD, is_stream, read_lines
from memsum.corpus.inputs import Documents
from memsum.corpus.inputs import Lines as CorpusLines
from memsum.corpus.jobs import fingerprint
from memsum.document.readers import SUFFIXES
from memsum.errors import DocumentError, MissingExtraError

PARQUET_SUFFIXES = frozenset({".parquet", ".pq"})
_COLUMNS = ("id", "text")
_ROWS = 64


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
        columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
        batches = file.iter_batches(batch_size=_ROWS, columns=columns, use_threads=False)
        number = 0
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError) as error:  # what pyarrow makes of damaged data
                raise DocumentError(f"{self.path} is damaged after row {number}: {_reason(error)}.") from None
            if batch is None:
                return
            for record in batch.to_pylist():
                number += 1
                yield Row(number, record)

    def fingerprint(self) -> str:
        """Give what changes when the file does."""
        return fingerprint(self.path)

    def count(self) -> int | None:
        """Count its rows."""
        return int(self._open().metadata.num_rows)

    def _open(self) -> Any:
        try:
            import pyarrow.parquet  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtraError("Reading Parquet files", "cluster") from None
        try:
            # A stream with a small buffer: with the default a whole row group of texts would be in memory.
            file = pyarrow.parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 20)
        except ValueError as error:
            raise DocumentError(f"{self.path} is no Parquet file, or damaged: {_reason(error)}.") from None
        if "text" not in file.schema_arrow.names:
            names = ", ".join(f'"{name}"' for name in file.schema_arrow.names)
            raise DocumentError(f'{self.path} has no column "text"; its columns are {names or "none"}.')
        return file


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


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0].rstrip(".")
