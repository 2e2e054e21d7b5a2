"""The work on one document, the same on every engine: what a record, a row or a file becomes, to the last byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memsum._version import __version__
from memsum.document import Document, read_document
from memsum.document.sandbox import kill_self_after
from memsum.errors import DocumentError, MemsumError
from memsum.files import json_line, listing
from memsum.jobs.lines import Line
from memsum.models import ModelConfig, check_files, find_model
from memsum.models.registry import DEFAULT
from memsum.models.verify import FileRecord
from memsum.summarizer import Summarizer
from memsum.summary import Length, Order

SECONDS = 120.0  # for one document


@dataclass(frozen=True)
class BatchSettings:
    """All that the result of a document depends on, besides the document."""

    model: str = DEFAULT
    length: Length = field(default_factory=Length)
    order: Order = "document"
    block_trigrams: bool = False
    explain: bool = False
    threads: int = 1

    def identity(self) -> dict[str, object]:
        """Give what two runs must have in common to give the same lines, as JSON; raises if there is no such model."""
        source = find_model(self.model)
        ModelConfig.load(source.folder)
        check_files(source.folder)
        paths = sorted(path for path in source.folder.iterdir() if path.is_file() and path.suffix != ".md")
        files = {path.name: FileRecord.of(path).sha256 for path in paths}
        return {**asdict(self), "model": source.name, "model_files": files, "version": __version__}


@dataclass(frozen=True)
class Row:
    """A record that is read already, such as a row of a table, and its number from 1."""

    number: int
    record: Mapping[str, object]


@dataclass(frozen=True)
class File:
    """A document file, and what it is called in the output."""

    path: Path
    id: str


Content = Line | Row | File


@dataclass(frozen=True)
class Outcome:
    """What a document became: a line of JSON, without its end; `error` says why there is no summary in it."""

    id: str | int
    line: str
    error: str | None = None

    @classmethod
    def failure(cls, identity: str | int, reason: str) -> Outcome:
        """Account for a document that cannot be summarised."""
        return cls(identity, json_line({"id": identity, "error": reason}), reason)


class Worker:
    """Summarises one document after the other; the model is loaded with the first, and stays behind when pickled.

    With `seconds`, the process of a document that takes longer is ended by the system, whatever it is doing: only for
    processes whose death is noticed and made up for.
    """

    def __init__(self, settings: BatchSettings, seconds: float = 0.0) -> None:
        self.settings = settings
        self.seconds = seconds
        self._summarizer: Summarizer | None = None

    def __reduce__(self) -> tuple[type[Worker], tuple[BatchSettings, float]]:
        return Worker, (self.settings, self.seconds)

    def __call__(self, content: Content) -> Outcome:
        """Summarise a document; only a model that cannot be loaded is an exception, not a failed document."""
        summarizer = self.load()
        kill_self_after(self.seconds)
        try:
            return self._summarize(summarizer, content)
        finally:
            kill_self_after(0)

    def _summarize(self, summarizer: Summarizer, content: Content) -> Outcome:
        identity: str | int = content.id if isinstance(content, File) else content.number
        try:
            if isinstance(content, File):
                source: str | list[str] | Document = read_document(content.path, isolated=True)
            else:
                record = _record(content)
                identity = _id(record, content.number)
                source = _text(record)
            summary = summarizer.summarize(
                source,
                length=self.settings.length,
                order=self.settings.order,
                block_trigrams=self.settings.block_trigrams,
                explain=self.settings.explain,
                id=identity,
            )
            return Outcome(identity, json_line(summary.to_dict()))
        except MemsumError as error:
            return Outcome.failure(identity, error.message)
        except Exception as error:  # what one document does wrong must not end the work on a million others
            return Outcome.failure(identity, f"Unexpected {type(error).__name__}: {error}.")

    def load(self) -> Summarizer:
        """Load the model now, if that was not done yet."""
        if self._summarizer is None:
            self._summarizer = Summarizer.load(self.settings.model, threads=self.settings.threads)
        return self._summarizer


def identify(content: Content) -> str | int:
    """Tell what a document is called in the output: its "id", its path, or its number."""
    if isinstance(content, File):
        return content.id
    try:
        return _id(_record(content), content.number)
    except MemsumError:
        return content.number


def weigh(content: Content) -> int:
    """Tell about how many bytes it has in memory; a file is not yet read."""
    if isinstance(content, Line):
        return len(content.raw)
    text = content.record.get("text") if isinstance(content, Row) else None
    return len(text) if isinstance(text, str) else sum(map(len, text)) if isinstance(text, list) else 0


def _record(content: Line | Row) -> Mapping[str, object]:
    return content.parse() if isinstance(content, Line) else content.record


def _id(record: Mapping[str, object], number: int) -> str | int:
    identity = record.get("id")
    if identity is None:
        return number
    if isinstance(identity, bool) or not isinstance(identity, (str, int)):
        raise DocumentError('The "id" is neither a string nor a whole number.')
    return identity


def _text(record: Mapping[str, object]) -> str | list[str]:
    text = record.get("text")
    if isinstance(text, str) or (isinstance(text, list) and all(isinstance(part, str) for part in text)):
        return text
    if text is None and "text" in record:
        raise DocumentError('The "text" of the record is null.', "Give a string or a list of sentences.")
    if text is None:
        raise DocumentError(f'The record has no "text"; its keys are {listing(record)}.')
    raise DocumentError('The "text" is neither a string nor a list of strings.')
