"""Inputs of jobs: JSON lines, tables, files and folders; each can be read again, also by other machines."""

from __future__ import annotations

import hashlib
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from memsum.errors import CorpusError, DocumentError, MissingExtraError, reason_of
from memsum.files import corpus_hint
from memsum.jsonl import STANDARD, Line, is_remote, is_stream, read_lines, remote_fingerprint

_TABLE_SUFFIXES = frozenset({".parquet", ".pq"})
_ROWS = 64
_FREE = 64 * 2**20  # bytes that a column of a row group may become, however small it is
_MOST_RATIO = 50  # and how many times its own size; texts reach 10


@dataclass(frozen=True)
class Row:
    """A record that is read already, such as a row of a table, and its number from 1."""

    number: int
    record: Mapping[str, object]


@dataclass(frozen=True)
class File:
    """A document file, and its path within the input."""

    path: Path
    id: str


Content = Line | Row | File


@dataclass(frozen=True)
class Item:
    """One document of a job: its position among all, from 1, its content, and its input."""

    position: int
    content: Content
    input: str

    @property
    def source(self) -> str:
        return str(self.content.path) if isinstance(self.content, File) else self.input

    @property
    def number(self) -> int | None:
        """The number of its line or row, if it has one."""
        return None if isinstance(self.content, File) else self.content.number

    @property
    def name(self) -> str:
        """Return how a message names it."""
        return name_record(self.source, self.number)


def name_record(source: str, number: object) -> str:
    """Name a record by its file and its line, if it has one."""
    return source if number is None else f"{source}, line {number}"


Part = Callable[[], Iterator[Item]]


@dataclass(frozen=True)
class Input(ABC):
    """A source of documents that gives the same ones in the same order when it is read again."""

    path: str
    weight: ClassVar[int] = 1  # for how many bytes of text a byte of an item stands

    @abstractmethod
    def contents(self) -> Iterator[Content]:
        """Give its documents one by one, in constant memory."""

    def fingerprint(self) -> str:
        """Give what changes when the source does."""
        return fingerprint(self.path)

    @abstractmethod
    def count(self) -> int | None:
        """Count its documents, if that can be known."""

    @property
    def once(self) -> bool:
        return False

    def items(self) -> Iterator[Item]:
        return (Item(position, content, self.path) for position, content in enumerate(self.contents(), start=1))

    def positions(self) -> Iterator[int]:
        """Give the positions of its documents, with as little reading as possible."""
        return (item.position for item in self.items())

    def parts(self) -> Sequence[Part]:
        """Give the parts of it that can be read side by side; the positions ascend from part to part."""
        return [self.items]


@dataclass(frozen=True)
class Lines(Input):
    """A JSONL file, plain or compressed, or the standard input."""

    def contents(self) -> Iterator[Content]:
        return read_lines(self.path)

    def count(self) -> int | None:
        return None if self.once else sum(1 for _ in read_lines(self.path))

    @property
    def once(self) -> bool:
        return is_stream(self.path)


@dataclass(frozen=True)
class Folder(Input):
    """A folder of document files at any depth, or a single one; files of other kinds and hidden ones are left alone."""

    suffixes: frozenset[str]
    weight: ClassVar[int] = 192  # the path of a file, some 220 bytes, stands for a document of 40 kB

    def contents(self) -> Iterator[Content]:
        root = Path(self.path) if Path(self.path).is_dir() else Path(self.path).parent
        return (File(path, path.relative_to(root).as_posix()) for path in self._files())

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for path in self._files():
            digest.update(fingerprint(str(path)).encode("utf-8", "surrogateescape"))
        return f"{Path(self.path).resolve()} {digest.hexdigest()}"

    def count(self) -> int | None:
        return sum(1 for _ in self._files())

    def skipped(self) -> list[str]:
        """Name the files that are not documents, going by their suffix."""
        others = (path for path in self._visible() if path.suffix.lower() not in self.suffixes)
        return [path.relative_to(self.path).as_posix() for path in others]

    def _visible(self) -> Iterator[Path]:
        """Yield the files in the folder; a link that leads out of it is none of them."""
        inside = Path(self.path).resolve()
        for folder, folders, names in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            paths = (Path(folder, name) for name in sorted(names) if not name.startswith("."))
            yield from (one for one in paths if not one.is_symlink() or one.resolve().is_relative_to(inside))

    def _files(self) -> Iterator[Path]:
        if Path(self.path).is_file():
            yield Path(self.path)
            return
        found = False
        for path in self._visible():
            if path.suffix.lower() in self.suffixes:
                found = True
                yield path
        if not found:
            raise CorpusError(f"{self.path} holds no document ({', '.join(sorted(self.suffixes))}).")


@dataclass(frozen=True)
class Table(Input):
    """A Parquet file; only these columns are read, of which the first must be there, or by default all."""

    columns: tuple[str, ...] = ()

    def contents(self) -> Iterator[Content]:
        file = self._open()
        return (item.content for i in range(file.metadata.num_row_groups) for item in self._group(i, file))

    def count(self) -> int | None:
        return int(self._open().metadata.num_rows)

    def positions(self) -> Iterator[int]:
        return iter(range(1, int(self._open().metadata.num_rows) + 1))

    def parts(self) -> Sequence[Part]:
        return [partial(self._group, i) for i in range(self._open().metadata.num_row_groups)]

    def _group(self, group: int, file: Any = None) -> Iterator[Item]:
        """Yield the rows of a row group; a bomb is refused before it is opened."""
        file = file or self._open()
        columns = [name for name in self.columns or file.schema_arrow.names if name in file.schema_arrow.names]
        number = sum(file.metadata.row_group(i).num_rows for i in range(group))
        try:
            for column in map(file.metadata.row_group(group).column, range(file.metadata.num_columns)):
                unpacked = column.total_uncompressed_size
                if unpacked > _FREE + _MOST_RATIO * column.total_compressed_size:
                    raise DocumentError(
                        f"{self.path} would become {unpacked:,} bytes, far more than texts of its size.",
                        "Write it again with smaller row groups.",
                    )
            for batch in file.iter_batches(batch_size=_ROWS, row_groups=[group], columns=columns, use_threads=False):
                for row in range(batch.num_rows):  # not all at once: each would get a copy of what they share
                    record = {name: batch.column(name)[row].as_py() for name in columns}
                    number += 1
                    yield Item(number, Row(number, record), self.path)
        except (OSError, ValueError) as error:  # what pyarrow makes of damaged data
            raise DocumentError(f"{self.path} is damaged after row {number}: {reason_of(error)}.") from None

    def _open(self) -> Any:
        try:
            import pyarrow.parquet  # type: ignore[import-untyped]

            # A stream with a small buffer: with the default a whole row group of texts would be in memory.
            file = pyarrow.parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 20)
            text = self.columns[0] if self.columns else "text"
            if any(field.name == text and pyarrow.types.is_string(field.type) for field in file.schema_arrow):
                # A text that is stored once for many rows stays one.
                file = pyarrow.parquet.ParquetFile(
                    self.path, pre_buffer=False, buffer_size=1 << 20, read_dictionary=[text]
                )
        except ImportError:
            raise MissingExtraError("Reading Parquet files", "cluster") from None
        except ValueError as error:
            raise DocumentError(f"{self.path} is no Parquet file, or damaged: {reason_of(error)}.") from None
        names = file.schema_arrow.names
        if self.columns and self.columns[0] not in names:
            listed = ", ".join(f'"{name}"' for name in names) or "none"
            raise DocumentError(
                f'{self.path} has no column "{self.columns[0]}"; its columns are {listed}.',
                corpus_hint(dict.fromkeys(names)) or "Name the column of the text: --text-key COLUMN",
            )
        return file


@dataclass(frozen=True)
class Several(Input):
    """Several inputs, one after the other."""

    inputs: tuple[Input, ...]

    def contents(self) -> Iterator[Content]:
        return (item.content for item in self.items())

    def items(self) -> Iterator[Item]:
        everything = (item for each in self.inputs for item in each.items())
        return (replace(item, position=position) for position, item in enumerate(everything, start=1))

    def fingerprint(self) -> str:
        return "\n".join(each.fingerprint() for each in self.inputs)

    def count(self) -> int | None:
        counts = [each.count() for each in self.inputs]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    @property
    def once(self) -> bool:
        return any(each.once for each in self.inputs)


def find_input(source: str, suffixes: frozenset[str], columns: tuple[str, ...] = ()) -> Input:
    """Find what a source is, by its name and by what it holds; `suffixes` are those of document files."""
    path = Path(source)
    suffix = PurePosixPath(source).suffix.lower()
    if is_remote(source):
        return Table(source, columns) if suffix in _TABLE_SUFFIXES else Lines(source)
    if source == STANDARD:
        return Lines(source)
    if not path.exists():
        raise CorpusError(f"There is no file or folder {source}.")
    if path.is_dir() or suffix in suffixes:
        return Folder(source, suffixes)
    is_table = suffix in _TABLE_SUFFIXES
    if not is_table and path.is_file():
        with path.open("rb") as file:
            is_table = file.read(4) == b"PAR1"
    return Table(source, columns) if is_table else Lines(source)


def fingerprint(path: str) -> str:
    """Give what changes when a file does; a stream is never the same twice."""
    if is_stream(path):
        return f"{path} {uuid.uuid4()}"
    if is_remote(path):
        return remote_fingerprint(path)
    with Path(path).open("rb") as file:  # times can be set, and some copies keep them
        return f"{Path(path).resolve()} {hashlib.file_digest(file, 'sha256').hexdigest()}"


def weigh(item: Item) -> int:
    """Estimate how many bytes a document has in memory; a file is not yet read."""
    if isinstance(item.content, Line):
        return len(item.content.raw)
    values = item.content.record.values() if isinstance(item.content, Row) else ()
    parts = (part for value in values for part in (value if isinstance(value, list) else [value]))
    return sum(len(part) for part in parts if isinstance(part, str))
