"""Summarize many documents: the work on one of them, equal on every engine to the last byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from memsum._version import __version__
from memsum.batch.inputs import Content, File, Input, Item, Row, find_input
from memsum.batch.journal import Outcome
from memsum.batch.run import Job, JobResult, Run, refuse_overwriting, run_job
from memsum.document import Document, read_document
from memsum.document.formats import SUFFIXES
from memsum.document.load import check_language
from memsum.document.source import reject_path_text
from memsum.errors import DocumentError, MemsumError
from memsum.files import check_output, corpus_hint, json_line, listing
from memsum.isolation import kill_self_after
from memsum.jsonl import STANDARD, Line, is_stream
from memsum.languages.detection import is_language
from memsum.model import ModelConfig, check_files, find_model
from memsum.model.registry import DEFAULT
from memsum.model.verify import FileRecord
from memsum.options import SummaryOptions
from memsum.parallel import TIMED_OUT
from memsum.query.located import find_quotes, quotes_record
from memsum.summarizer import Summarizer
from memsum.summary.summary import answers_record

SECONDS = 120.0  # for one document
_MEMORY_MB = 600  # address space of a worker, besides its model: at most 700 MB are used in all
_THREAD_MB = 128  # more for each thread


@dataclass(frozen=True)
class BatchSettings:
    """Everything the result of a document depends on, besides the document."""

    model: str = DEFAULT
    options: SummaryOptions = field(default_factory=SummaryOptions)
    language: str | None = None
    threads: int = 1
    text_key: str = "text"
    id_key: str = "id"

    def __post_init__(self) -> None:
        check_language(self.language)

    def identity(self) -> dict[str, object]:
        """Return what two runs must have in common to give the same lines, as JSON; raise if there is no such model."""
        source = find_model(self.model)
        ModelConfig.load(source.folder)
        check_files(source.folder)
        paths = sorted(path for path in source.folder.iterdir() if path.is_file() and path.suffix != ".md")
        files = {path.name: FileRecord.of(path).sha256 for path in paths}
        return {**asdict(self), "model": source.name, "model_files": files, "version": __version__}


def find_documents(source: str, settings: BatchSettings | None = None) -> Input:
    """Open the source of documents: records with a text, perhaps an id, "about" or "quotes", or a folder."""
    settings = settings or BatchSettings()
    return find_input(source, SUFFIXES, (settings.text_key, settings.id_key, "about", "quotes", "language"))


def run_batch(
    documents: Input, output: str, settings: BatchSettings, run: Run, *, seconds: float = SECONDS
) -> JobResult:
    """Write a line for each document to the output; one that takes longer than `seconds` has failed."""
    refuse_overwriting(documents.path, output)
    if not is_stream(output):
        check_output(Path(output))
    job = Job(
        {
            "job": "batch",
            "input": STANDARD if documents.once else documents.fingerprint(),
            "ordered": run.ordered,
            **settings.identity(),
        },
        Worker(settings, seconds).work,
        partial(_lost, seconds, settings.id_key),
        one_line_per_item=True,
        threads=settings.threads,
        # Of the model, word vectors are mapped, whatever their size.
        memory_mb=_MEMORY_MB
        + _THREAD_MB * (settings.threads - 1)
        + sum(path.stat().st_size for path in find_model(settings.model).folder.iterdir()) // 2**20,
    )
    return run_job(job, documents, output, run)


class Worker:
    """Summarizes one document after the other; the model is loaded with the first, and is not pickled.

    With `seconds`, the system ends the process of a document that takes longer: only for processes that are replaced.
    """

    def __init__(self, settings: BatchSettings, seconds: float = 0.0) -> None:
        self.settings = settings
        self.seconds = seconds
        self._summarizer: Summarizer | None = None

    def __reduce__(self) -> tuple[type[Worker], tuple[BatchSettings, float]]:
        return Worker, (self.settings, self.seconds)

    def work(self, item: Item) -> Outcome:
        return self(item.content)

    def __call__(self, content: Content) -> Outcome:
        """Summarize a document; only a model that cannot be loaded is an exception, not a failed document."""
        summarizer = self.load()
        kill_self_after(self.seconds)
        try:
            return self._summarize(summarizer, content)
        finally:
            kill_self_after(0)

    def _summarize(self, summarizer: Summarizer, content: Content) -> Outcome:
        identity: str | int = content.id if isinstance(content, File) else content.number
        options, language = self.settings.options, self.settings.language
        quotes: list[str] | None = None
        try:
            if isinstance(content, File):
                source: str | list[str] | Document = read_document(content.path, language=language)
            else:
                record = _record(content)
                identity = _id(record, content.number, self.settings.id_key)
                source = text = _text(record, self.settings.text_key)
                if (about := record.get("about")) is not None:
                    options = replace(options, about=_checked_about(about))
                quotes = _checked_quotes(record.get("quotes"))
                own = record.get("language")  # another column of this name may mean something else
                language = own if isinstance(own, str) and is_language(own) else language
                if isinstance(text, str):
                    reject_path_text(text, check_disk=False)
                    # Here: a worker is a process with limits of its own.
                    source = read_document(text, language=language, isolated=False)
            reading = summarizer.read(source, language=language, id=identity)
            if quotes is not None:
                return Outcome(json_line(quotes_record(identity, reading.locate(quotes))))
            record_of = answers_record([reading.summarize(one) for one in options.each()])
            return Outcome(json_line(record_of))
        except MemsumError as error:
            return failure(identity, error.message, error.hint)
        except MemoryError:
            return failure(identity, "It needs more memory than a document may take.", "Split it into parts.")
        except Exception as error:  # one document must not end the work on a million others
            return failure(identity, f"Unexpected {type(error).__name__}: {error}.")

    def load(self) -> Summarizer:
        if self._summarizer is None:
            self._summarizer = Summarizer.load(self.settings.model, threads=self.settings.threads)
        return self._summarizer


def failure(identity: str | int, reason: str, hint: str | None = None) -> Outcome:
    """Record a document that cannot be summarized."""
    return Outcome(json_line({"id": identity, "error": reason} | ({"hint": hint} if hint else {})), reason)


def identify(content: Content, id_key: str = "id") -> str | int:
    """Return the name of a document in the output: its id, its path, or its number."""
    if isinstance(content, File):
        return content.id
    try:
        return _id(_record(content), content.number, id_key)
    except MemsumError:
        return content.number


def _lost(seconds: float, id_key: str, item: Item, status: int | None) -> Outcome:
    reason = f"The process that summarized it died (exit status {status}); it may have run out of memory."
    if status == TIMED_OUT:
        reason = f"It took longer than {seconds:g} seconds."
    elif status is None:
        reason = "The process that summarized it died; it may have run out of memory or time."
    return failure(identify(item.content, id_key), reason)


def _record(content: Line | Row) -> Mapping[str, object]:
    return content.parse() if isinstance(content, Line) else content.record


def _id(record: Mapping[str, object], number: int, key: str) -> str | int:
    identity = record.get(key)
    if identity is None:
        return number
    if isinstance(identity, bool) or not isinstance(identity, (str, int)):
        raise DocumentError(f'The "{key}" is neither a string nor a whole number.')
    return identity


def _text(record: Mapping[str, object], key: str) -> str | list[str]:
    text = record.get(key)
    if isinstance(text, str) or (isinstance(text, list) and all(isinstance(part, str) for part in text)):
        return text
    if text is None and key in record:
        raise DocumentError(f'The "{key}" of the record is null.', "Give a string or a list of sentences.")
    if text is None:
        hint = corpus_hint(record) or "Name the key of the text: --text-key KEY"
        raise DocumentError(f'The record has no "{key}"; its keys are {listing(record)}.', hint)
    raise DocumentError(f'The "{key}" is neither a string nor a list of strings.')


def _checked_quotes(quotes: object) -> list[str] | None:
    """Return the quotes that are to be looked up in a document instead of a summary of it, if it has some."""
    if quotes is None or (isinstance(quotes, list) and all(isinstance(one, str) for one in quotes)):
        return quotes
    if isinstance(quotes, str):
        return find_quotes(quotes)
    raise DocumentError('The "quotes" are neither a string nor a list of strings.')


def _checked_about(about: object) -> str | tuple[str, ...]:
    if isinstance(about, str):
        return about
    if isinstance(about, list) and about and all(isinstance(one, str) for one in about):
        return tuple(about)
    raise DocumentError('The "about" is neither a string nor a list of strings.', "Give a question or a topic.")
