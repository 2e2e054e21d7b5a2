"""The work of a worker process on a request: parse, read, summarize, keep, show again at another length.

`OPERATIONS` lists all that a worker does; the API has an endpoint for each.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from memsum._version import __version__
from memsum.document import Document
from memsum.document.load import read_isolated, read_or_recognize
from memsum.document.readers.pdf.images import MEDIA_TYPE, draw_page
from memsum.document.source import refuse_address, with_abstract, with_sentences
from memsum.errors import DocumentError, DocumentTooLargeError, MemsumError
from memsum.isolation import SECONDS, SandboxReply, process_memory
from memsum.options import SummaryOptions
from memsum.printable import one_line
from memsum.query.locate import QuoteLocator
from memsum.query.located import LocatedQuote, quotes_record
from memsum.server.documents import add_shares, blocks, extractions, files, keywords, pages, positions
from memsum.server.forms import JSON, parse
from memsum.server.middleware import FAILED, Refusal, too_late
from memsum.server.requests import (
    BatchRequest,
    Form,
    Format,
    LocateForm,
    LocateRequest,
    Named,
    OrderOptions,
    PageRequest,
    QuotesRequest,
    ReadForm,
    ReadingForm,
    ReadingRequest,
    ReadRequest,
    Reads,
    ShownOptions,
    Source,
    SummarizeForm,
    SummarizeRequest,
    TogetherForm,
    TogetherRequest,
    Upload,
)
from memsum.server.responses import OrderAnswer, ReadingAnswer
from memsum.server.settings import Settings
from memsum.server.store import Kept, Readings
from memsum.server.suggestions import suggest
from memsum.summary.highlight import highlight_pdf
from memsum.summary.records import AnswersRecord, FailureRecord, SummaryRecord
from memsum.summary.summary import answers_record

if TYPE_CHECKING:
    from memsum.reading import Reading
    from memsum.summarizer import Summarizer
    from memsum.summary import Summary

_LOG = logging.getLogger("memsum.server")
_FORMS: dict[Format, tuple[str, str]] = {
    "json": (JSON, "json"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "text": ("text/plain; charset=utf-8", "txt"),
    "html": ("text/html; charset=utf-8", "html"),
    "pdf": ("application/pdf", "pdf"),
}

_NICE = 5  # of workers and what they start: the process that accepts requests goes first
_service: Service | None = None


def answer(header: dict[str, Any], body: bytes) -> SandboxReply:
    """Answer a request; the first one loads the model."""
    global _service
    if header["operation"] == "load":
        from memsum.summarizer import Summarizer  # here, so that the server's own process is without it

        try:
            summarizer = Summarizer.load(Path(header["folder"]), threads=1)
        except MemsumError as error:
            return {"message": error.message, "hint": error.hint}, b""
        summarizer.name = header["name"]
        with suppress(OSError, AttributeError):  # not on Windows
            os.nice(_NICE)
        _service = Service(summarizer, Settings(**header["limits"]), header["worker"])
        read_isolated("The process that reads documents is started now.")  # the first document need not wait for it
        stop, words = summarizer.runtime.config.stop, len(summarizer.runtime.encoder.vectors.vocabulary)
        about = {"stop_threshold": stop.threshold, "max_sentences": stop.max_sentences, "words": words}
        return {"name": summarizer.name, **about}, b""
    if _service is None:
        raise RuntimeError("no model was loaded")
    return _service.answer(header, body)


class Service:
    """A summarizer behind the limits of a server; one request at a time."""

    def __init__(self, summarizer: Summarizer, settings: Settings, worker: int = 0) -> None:
        self._summarizer = summarizer
        self._settings = settings
        self._deadline = 0.0  # of the request, by `time.monotonic`
        self._documents = self._sentences = 0  # of the request
        self.readings = Readings(settings.reading_bytes, settings.reading_seconds, worker)

    def answer(self, header: dict[str, Any], body: bytes) -> SandboxReply:
        """Answer a request; an error is an answer too."""
        self._documents = self._sentences = 0
        self._deadline = time.monotonic() + header["left"]
        about: dict[str, Any] = {}
        content, refusal = b"", None
        operation = OPERATIONS.get(header["operation"])  # none that only asks if the worker is there
        try:
            if operation:
                given = [header["reading"]] if "reading" in header else []
                if operation.request and "options" in header:
                    given.append(operation.request.model_validate(header["options"]))
                elif operation.request:
                    given.append(parse(header.get("content_type", ""), body, operation.request, operation.form))
                about, content = operation.handler(self, *given)
        except TimeoutError:
            refusal = too_late(self._settings.seconds)
        except Refusal as error:
            refusal = error
        except MemsumError as error:
            refusal = Refusal(422, error.message, error.hint)
        except MemoryError:
            refusal = Refusal(503, "The document needs more memory than it may take.", "Split it into parts.")
        except Exception:
            _LOG.exception("%s failed", header["operation"])
            refusal = Refusal(500, FAILED)
        if refusal:
            about = {name: getattr(refusal, name) for name in ("status", "message", "hint", "retry_after")}
        self.readings.drop()
        counted = {"documents": self._documents, "sentences": self._sentences, "readings": len(self.readings)}
        return {**about, **counted, "memory_mb": process_memory()[1] // 2**20}, content

    def summarize(self, request: SummarizeRequest | SummarizeForm) -> SandboxReply:
        """Summarize a text, a list of sentences, or a file."""
        return _json(self._record(request.source, request.options, request.id, request))

    def batch(self, request: BatchRequest) -> SandboxReply:
        """Summarize several documents; one that cannot be read gets an error and the others go on."""
        if len(request.documents) > self._settings.documents:
            raise Refusal(413, f"A batch has at most {self._settings.documents} documents.", "Send several batches.")
        answers: list[SummaryRecord | AnswersRecord | FailureRecord] = []
        for index, document in enumerate(request.documents):
            name = index if document.id is None else document.id
            try:
                answers.append(self._record(document.text, request.options, name, request))
            except MemsumError as error:
                answers.append({"id": name, "error": error.message})
        return _json({"summaries": answers})

    def together(self, request: TogetherRequest | TogetherForm) -> SandboxReply:
        """Summarize several documents as one; those that cannot be read are left out, with a warning."""
        reading, _ = self._read_together(request.sources, request)
        return _json(self._answers(reading, request.options))

    def read(self, request: ReadingRequest | ReadingForm) -> SandboxReply:
        """Read a document, or several as one, and keep it for a while, to show summaries of it at any length."""
        if len(request.sources) > 1:
            name = "documents"
            reading, sources = self._read_together(request.sources, request)
        else:
            [(name, source)] = request.sources
            reading, sources = self._read(self._open(source, request)), [source]
        pdfs = tuple(
            source.content if isinstance(source, Upload) and document.format == "pdf" else None
            for source, document in zip(sources, reading.documents, strict=True)
        )
        reading.defaults = request.options
        return self.document(self.readings.keep(Kept(reading, name, pdfs)))

    def locate(self, request: LocateRequest | LocateForm) -> SandboxReply:
        """Tell of each quote if a document has it: exactly, with the same words, edited, or not at all, and where."""
        locator = QuoteLocator(with_abstract(self._open(request.source, request)))
        self._documents += 1
        found: list[LocatedQuote] = []
        for quote in request.wanted:
            self._check_time()
            found.append(locator.locate(quote))
        return _json(quotes_record(request.id, found))

    def locate_kept(self, name: str, request: QuotesRequest) -> SandboxReply:
        kept = self.readings.use(name)
        record = quotes_record(name, kept.reading.locate(request.wanted, deadline=self._deadline))
        add_shares(kept, record["quotes"])
        return _json(record)

    def text(self, request: ReadRequest | ReadForm) -> SandboxReply:
        """Return the text that offsets point into, with its blocks, sentences and pages."""
        self._documents += 1
        return _json(with_abstract(self._open(request.source, request)).to_dict(boxes=True))

    def text_of_kept(self, name: str) -> SandboxReply:
        documents = self.readings.use(name).reading.documents
        return _json({"documents": [document.to_dict(boxes=True) for document in documents]})

    def document(self, name: str) -> SandboxReply:
        kept = self.readings.use(name)
        reading = kept.reading
        own = reading.summarize(OrderOptions().of_sentences(), deadline=self._deadline)
        document = reading.documents[0]
        several = len(reading.documents) > 1
        order = extractions(reading, own)
        record: ReadingAnswer = {
            "id": name,
            "seconds": self._settings.reading_seconds,
            "title": one_line(document.title) if document.title and not several else None,
            "format": "several" if several else document.format,
            "own": len(own),
            "extractions": order,
            "chosen": order,
            "complete": own.stop.reason == "document",
            "found": True,
            "documents": files(kept),
            "keywords": keywords(reading),
            "parts": blocks(reading),
            "sentences": positions(reading),
            "document": {"sentences": own.document_sentences, "words": own.document_words},
            "model": own.model,
            "version": __version__,
            "warnings": list(own.warnings),
        }
        return _json(record)

    def order(self, name: str, options: OrderOptions) -> SandboxReply:
        reading = self.readings.use(name).reading
        own = reading.summarize(options.of_sentences(), deadline=self._deadline)
        summary = reading.summarize(options.of_sentences(options.extractions), deadline=self._deadline)
        record: OrderAnswer = {
            "extractions": extractions(reading, summary),
            "chosen": extractions(reading, own),
            "complete": summary.stop.reason == "document",
            "found": own.found,
            "warnings": list(own.warnings),
        }
        return _json(record)

    def questions(self, name: str) -> SandboxReply:
        """Suggest questions that the document answers."""
        return _json({"questions": suggest(self.readings.use(name).reading, self._deadline)})

    def pages(self, name: str) -> SandboxReply:
        return _json(pages(self._with_pages(name)))

    def draw(self, name: str, options: PageRequest) -> SandboxReply:
        kept = self._with_pages(name)
        if options.page > len(kept.pages):
            raise Refusal(404, f"The document has {len(kept.pages)} {'page' if len(kept.pages) == 1 else 'pages'}.")
        document, own, _ = kept.pages[options.page - 1]
        pdf, left = kept.pdfs[document] or b"", self._deadline - time.monotonic()
        image = kept.images.get(options.page, options.width, lambda _, width: draw_page(pdf, own, width, seconds=left))
        return {"media_type": MEDIA_TYPE}, image

    def show(self, name: str, options: ShownOptions) -> SandboxReply:
        kept = self.readings.use(name)
        summary = self._summarize(kept.reading, options.options)
        if options.format == "pdf":
            pdfs = self._with_pages(name).pdfs
            if len(pdfs) > 1:
                raise Refusal(422, "Several documents cannot be highlighted as one PDF.", "Choose another format.")
            content = highlight_pdf(pdfs[0] or b"", summary, seconds=self._deadline - time.monotonic())
        elif options.format == "json":
            _, content = _json(summary.to_dict())
        else:
            shown = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}
            content = f"{shown[options.format]()}\n".encode("utf-8", "replace")
        media_type, extension = _FORMS[options.format]
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(kept.name).stem).strip("-.") or "summary"
        name = f"{stem}-{'marked' if options.format == 'pdf' else 'summary'}.{extension}"
        return {"media_type": media_type, "name": name}, content

    def forget(self, name: str) -> SandboxReply:
        self.readings.forget(name)
        return {}, b""

    def _with_pages(self, name: str) -> Kept:
        kept = self.readings.use(name)
        if not any(kept.pdfs):
            raise Refusal(422, "This document is not a PDF.", "Choose another format.")
        return kept

    def _record(
        self, source: Source, options: SummaryOptions, name: str | int | None, how: Reads
    ) -> SummaryRecord | AnswersRecord:
        return self._answers(self._read(self._open(source, how), name), options)

    def _answers(self, reading: Reading, options: SummaryOptions) -> SummaryRecord | AnswersRecord:
        """Return the summary as JSON, or an answer to each question."""
        return answers_record([self._summarize(reading, one) for one in options.each()])

    def _summarize(self, reading: Reading, options: SummaryOptions) -> Summary:
        summary = reading.summarize(replace(options, explain=False), deadline=self._deadline)
        if not options.explain:
            return summary
        if len(summary) * summary.document_sentences > self._settings.explained:
            raise Refusal(422, "The explanation of this summary would be too large.", "Ask for fewer sentences.")
        return reading.summarize(options)  # no step is taken again

    def _read(self, document: Document, name: str | int | None = None) -> Reading:
        reading = self._summarizer.read(document, id=name)
        self._documents, self._sentences = self._documents + 1, self._sentences + len(document.sentences)
        return reading

    def _read_together(self, named: Sequence[Named], how: Reads) -> tuple[Reading, list[Source]]:
        """Read several documents as one, and return with them what they were read from.

        Those that cannot be read are left out with a warning, if others can.
        """
        if len(named) > self._settings.documents:
            raise Refusal(413, f"At most {self._settings.documents} documents are summarized together.")
        documents: dict[str, Document] = {}
        sources: list[Source] = []
        failures: list[DocumentError] = []
        sentences = size = 0
        for name, source in named:
            try:
                document, _ = with_sentences(self._open(source, how))
            except DocumentError as error:
                says = error.message if error.message.startswith(f"{name}: ") else f"{name}: {error.message}"
                failures.append(DocumentError(says, error.hint))
                continue
            names = (name if n == 1 else f"{name} ({n})" for n in count(1))
            documents[next(one for one in names if one not in documents)] = document
            sources.append(source)
            sentences += len(document.sentences)
            size += len(document.text.encode("utf-8", "replace"))
            if sentences > self._settings.sentences or size > self._settings.text_bytes:
                raise self._too_large("documents have")
        if not documents:
            raise failures[0]
        reading = self._summarizer.read_together(list(documents.values()), ids=list(documents))
        reading.warnings = (*(f"Left out: {failure.message}" for failure in failures), *reading.warnings)
        self._documents, self._sentences = self._documents + len(documents), self._sentences + sentences
        return reading, sources

    def _open(self, source: Source, how: Reads) -> Document:
        """Return the document, within the limits; all but lists of sentences are read in another process."""
        limits, prefix = self._settings, ""
        content = source.content if isinstance(source, Upload) else source
        if isinstance(source, Upload):
            prefix = f"{source.name}: "
        else:
            texts = [source] if isinstance(source, str) else source
            size = sum(len(text.encode("utf-8", "replace")) for text in texts)
            if size + (0 if isinstance(source, str) else len(source)) > limits.text_bytes:
                raise self._too_large()
        if isinstance(content, list):
            if len(content) > limits.sentences:
                raise self._too_large()
            return Document.from_sentences(content, how.language)
        if isinstance(content, str):
            refuse_address(content.strip(), "Download what is there, and give the file or its text.")
        left = self._check_time()
        try:
            return read_or_recognize(
                content,
                language=how.language,
                strict=how.strict,
                seconds=min(left, SECONDS),
                scan_seconds=left,
                most_bytes=limits.text_bytes,
                most_sentences=limits.sentences,
            )
        except DocumentTooLargeError:
            raise self._too_large() from None
        except DocumentError as error:
            raise DocumentError(f"{prefix}{error.message}", error.hint) from None

    def _check_time(self) -> float:
        """Return the seconds that are left, if there are any."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _too_large(self, what: str = "document has") -> Refusal:
        limits = self._settings
        says = f"The {what} more than {limits.text_bytes:,} bytes of text or {limits.sentences:,} sentences."
        return Refusal(413, says, "Split it into parts.")


class Operation(NamedTuple):
    """What a worker does: by which method, and what its body, or the query of what is kept, is parsed as."""

    handler: Callable[..., SandboxReply]
    request: type[BaseModel] | None = None
    form: type[Form] | None = None


OPERATIONS = {
    "summarize": Operation(Service.summarize, SummarizeRequest, SummarizeForm),
    "batch": Operation(Service.batch, BatchRequest),
    "together": Operation(Service.together, TogetherRequest, TogetherForm),
    "locate": Operation(Service.locate, LocateRequest, LocateForm),
    "text": Operation(Service.text, ReadRequest, ReadForm),
    "read": Operation(Service.read, ReadingRequest, ReadingForm),
    # Of a document that is kept:
    "order": Operation(Service.order, OrderOptions),
    "document": Operation(Service.document),
    "questions": Operation(Service.questions),
    "pages": Operation(Service.pages),
    "draw": Operation(Service.draw, PageRequest),
    "text_of_kept": Operation(Service.text_of_kept),
    "locate_kept": Operation(Service.locate_kept, QuotesRequest),
    "show": Operation(Service.show, ShownOptions),
    "forget": Operation(Service.forget),
}


def _json(record: Mapping[str, Any]) -> SandboxReply:
    return {}, json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
