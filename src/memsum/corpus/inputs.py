"""Where the documents of a corpus come from: JSONL files, document files and folders, datasets of the Hub."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memsum.corpus.jobs import Item, fingerprint, line_items
from memsum.corpus.sources.documents import DOCUMENT_SUFFIXES
from memsum.corpus.sources.hub import HubDataset, hub_rows
from memsum.errors import CorpusError
from memsum.jobs.lines import STANDARD, is_stream, read_lines

_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")


class Input(Protocol):
    """A source of items that can be read again in the same order."""

    def items(self) -> Iterator[Item]:
        """Give its documents one by one."""

    def fingerprint(self) -> str:
        """Give what changes when the source does."""

    def count(self) -> int | None:
        """Count its documents, if that can be known."""


@dataclass(frozen=True)
class Lines:
    """A JSONL file."""

    path: str

    def items(self) -> Iterator[Item]:
        """Give its lines."""
        return line_items(self.path)

    def fingerprint(self) -> str:
        """Give what changes when the file does."""
        return fingerprint(self.path)

    def count(self) -> int | None:
        """Count its lines; a stream can be read only once."""
        return None if is_stream(self.path) else sum(1 for _ in read_lines(self.path))


@dataclass(frozen=True)
class Documents:
    """A document file, or a folder of them at any depth; files of other kinds and hidden ones are left alone."""

    path: str
    suffixes: frozenset[str] = DOCUMENT_SUFFIXES

    def items(self) -> Iterator[Item]:
        """Give its files, sorted by name within each folder."""
        for path in self._files():
            yield Item(str(path), path)

    def fingerprint(self) -> str:
        """Give what changes when a file of the folder does."""
        digest = hashlib.sha256()
        for path in self._files():
            digest.update(fingerprint(str(path)).encode("utf-8", "surrogateescape"))
        return f"{Path(self.path).resolve()} {digest.hexdigest()}"

    def count(self) -> int | None:
        """Count its files."""
        return sum(1 for _ in self._files())

    def others(self) -> Iterator[Path]:
        """Give the files of the folder that have another suffix."""
        return (path for path in self._visible() if path.suffix.lower() not in self.suffixes)

    def _visible(self) -> Iterator[Path]:
        """Give the files of the folder that are not hidden."""
        for folder, folders, names in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))

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
class HubRow:
    """A row of a dataset, with the names of its columns."""

    dataset: HubDataset
    record: dict[str, object]


@dataclass(frozen=True)
class Hub:
    """A dataset of the Hugging Face Hub."""

    dataset: HubDataset

    def items(self) -> Iterator[Item]:
        """Give its rows."""
        for number, record in enumerate(hub_rows(self.dataset), start=1):
            yield Item(f"{self.dataset.name} ({self.dataset.split})", HubRow(self.dataset, record), number)

    def fingerprint(self) -> str:
        """Give its name: what is behind it is taken to stay."""
        return repr(self.dataset)

    def count(self) -> int | None:
        """Leave it open: the Hub is asked only when the rows are."""
        return None


def is_document(name: str) -> bool:
    """Tell a document file from a JSONL file by its name."""
    return Path(name).suffix.lower() in DOCUMENT_SUFFIXES


def find_input(source: str, dataset: HubDataset | None = None) -> Input:
    """Find what a source is: a path that exists, `-`, or else the name of a dataset, read as `dataset` says."""
    path = Path(source)
    if source == STANDARD:
        return Lines(source)
    if path.is_dir() or (path.exists() and is_document(source)):
        return Documents(source)
    if path.exists():
        return Lines(source)
    if dataset is not None and _HUB_NAME.fullmatch(source) and not re.search(r"\.(jsonl?|zst|gz|xml|txt)$", source):
        return Hub(dataset)
    raise CorpusError(f"There is no file or folder {source}.")
