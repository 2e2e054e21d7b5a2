"""The work of a worker process on a request: parse, read, summarize, keep, show again at another length."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePath
from typing import Any

from memsum._version import __version__
from memsum.document import Document
from memsum.document.load import read_isolated, read_or_recognize
from memsum.document.readers.pdf.images import MEDIA_TYPE, draw_page
from memsum.document.source import refuse_address, with_sentences
from memsum.errors import DocumentError, DocumentTooLargeError, MemsumError
from memsum.isolation import SECONDS, Answer, resident_mb
from memsum.options import SummaryOptions
from memsum.printable import one_line
from memsum.reading import Reading
from memsum.server.answers import ModelAnswer, OrderAnswer, ReadingAnswer
from memsum.server.documents import blocks, extractions, files, keywords, pages, positions
from memsum.server.errors import FAILED, too_late
from memsum.server.inputs import JSON, parse
from memsum.server.middleware import Refusal
from memsum.server.requests import (
    BatchRequest,
    Format,
    Named,
    OrderOptions,
    ReadingForm,
    ReadingRequest,
    ShownOptions,
    Source,
    SummarizeForm,
    SummarizeRequest,
    TogetherForm,
    TogetherRequest,
    Upload,
)
from memsum.server.settings import Settings
from memsum.server.store import Kept, Readings
from memsum.summarizer import Summarizer
from memsum.summary import Summary
from memsum.summary.highlight import highlight_pdf
from memsum.summary.summary import answers_record

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


def answer(header: dict[str, Any], body: bytes) -> Answer:
    """Answer a request; the first one loads the model."""
    global _service
    if header["operation"] == "load":
        try:
            summarizer = Summarizer.load(Path(header["folder"]), threads=1)
        except MemsumError as error:
            return {"message": error.message, "hint": error.hint}, b""
        summarizer.name = header["name"]
        with suppress(OSError, AttributeError):  # not on Windows
            os.nice(_NICE)
        _service = Service(summarizer, Settings(**header["limits"]), header["worker"])
        read_isolated("The process that reads documents is started now.")  # the first document need not wait for it
        return dict(_service.about()), b""
    if _service is None:
        raise RuntimeError("no model was loaded")
    return _service.answer(header, body)


class Service:
    """A summarizer behind the limits of a server; one request at a time."""

    def __init__(self, summarizer: Summarizer, settings: Settings, worker: int = 0) -> None:
        self._summarizer = summarizer
        self._settings = settings
        self._documents = self._sentences = 0
        self.readings = Readings(settings.reading_bytes, settings.reading_seconds, worker)

    def about(self) -> ModelAnswer:
        runtime, stop = self._summarizer.runtime, self._summarizer.runtime.config.stop
        return {
            "name": self._summarizer.name,
            "stop_threshold": stop.threshold,
            "max_sentences": stop.max_sentences,
            "words": len(runtime.encoder.vectors.vocabulary),
        }

    def answer(self, header: dict[str, Any], body: bytes) -> Answer:
        """Answer a request; an error is an answer too."""
        self._documents = self._sentences = 0
        content = b""
        try:
            about, content = self._answer(header, body, time.monotonic() + header["left"])
        except TimeoutError:
            about = _refusal(too_late(self._settings.seconds))
        except MemsumError as error:
            about = _refusal(error)
        except MemoryError:
            about = _refusal(Refusal(503, "The document needs more memory than it may take.", "Split it into parts."))
        except Exception:
            _LOG.exception("%s failed", header["operation"])
            about = _refusal(Refusal(500, FAILED))
        self.readings.drop()
        counted = {"documents": self._documents, "sentences": self._sentences, "readings": len(self.readings)}
        return {**about, **counted, "memory_mb": resident_mb()}, content

    def _answer(self, header: dict[str, Any], body: bytes, deadline: float) -> Answer:
        kind = header.get("content_type", "")
        match header["operation"]:
            case "summarize":
                return {}, self.summarize(parse(kind, body, SummarizeRequest, SummarizeForm), deadline)
            case "batch":
                return {}, self.batch(parse(kind, body, BatchRequest), deadline)
            case "together":
                return {}, self.together(parse(kind, body, TogetherRequest, TogetherForm), deadline)
            case "read":
                return {}, self.read(parse(kind, body, ReadingRequest, ReadingForm), deadline)
            case "order":
                return {}, self.order(header["reading"], OrderOptions.model_validate(header["options"]), deadline)
            case "document":
                return {}, self.document(header["reading"], deadline)
            case "pages":
                return {}, self.pages(header["reading"])
            case "draw":
                return self.draw(header["reading"], header["page"], header["width"], deadline)
            case "show":
                return self.show(header["reading"], ShownOptions.model_validate(header["options"]), deadline)
            case "forget":
                self.readings.forget(header["reading"])
        return {}, b""

    def summarize(self, request: SummarizeRequest | SummarizeForm, deadline: float) -> bytes:
        return _json(self._record(request.source, request.options, request.id, deadline, request.language))

    def batch(self, request: BatchRequest, deadline: float) -> bytes:
        """Return summaries as JSON; a document that cannot be summarized does not stop the others."""
        if len(request.documents) > self._settings.documents:
            raise Refusal(413, f"A batch has at most {self._settings.documents} documents.", "Send several batches.")
        answers: list[dict[str, Any]] = []
        for index, document in enumerate(request.documents):
            name = index if document.id is None else document.id
            try:
                answers.append(self._record(document.text, request.options, name, deadline, request.language))
            except MemsumError as error:
                answers.append({"id": name, "error": error.message})
        return _json({"summaries": answers})

    def together(self, request: TogetherRequest | TogetherForm, deadline: float) -> bytes:
        reading, _ = self._read_together(request.sources, deadline, request.language)
        return _json(self._answers(reading, request.options, deadline))

    def read(self, request: ReadingRequest | ReadingForm, deadline: float) -> bytes:
        """Read and keep a document; return as JSON what a page needs to show it and its summaries."""
        if len(request.sources) > 1:
            name = "documents"
            reading, sources = self._read_together(request.sources, deadline, request.language)
        else:
            [(name, source)] = request.sources
            reading, sources = self._read(self._open(source, deadline, request.language)), [source]
        pdfs = tuple(
            source.content if isinstance(source, Upload) and document.format == "pdf" else None
            for source, document in zip(sources, reading.documents, strict=True)
        )
        reading.defaults = request.options
        return self.document(self.readings.keep(Kept(reading, name, pdfs)), deadline)

    def document(self, name: str, deadline: float) -> bytes:
        """Return as JSON what a page needs to show a kept document and its summaries."""
        kept = self.readings.use(name)
        reading = kept.reading
        own = reading.summarize(OrderOptions().of_sentences(), deadline=deadline)
        document = reading.documents[0]
        several = len(reading.documents) > 1
        order = extractions(reading, own)
        answer: ReadingAnswer = {
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
        return _json(answer)

    def order(self, name: str, options: OrderOptions, deadline: float) -> bytes:
        """Return the first extractions of a kept document as JSON."""
        reading = self.readings.use(name).reading
        own = reading.summarize(options.of_sentences(), deadline=deadline)
        summary = reading.summarize(options.of_sentences(options.extractions), deadline=deadline)
        answer: OrderAnswer = {
            "extractions": extractions(reading, summary),
            "chosen": extractions(reading, own),
            "complete": summary.stop.reason == "document",
            "found": own.found,
            "warnings": list(own.warnings),
        }
        return _json(answer)

    def pages(self, name: str) -> bytes:
        """Return as JSON the sizes of the pages of PDFs, and where on them the sentences stand."""
        return _json(pages(self._with_pages(name)))

    def draw(self, name: str, number: int, width: int, deadline: float) -> Answer:
        """Return a picture of a page; the pages of several PDFs are counted through."""
        kept = self._with_pages(name)
        sheets = kept.pages
        if not 1 <= number <= len(sheets):
            raise Refusal(404, f"The document has {len(sheets)} {'page' if len(sheets) == 1 else 'pages'}.")
        document, own, _ = sheets[number - 1]
        pdf, left = kept.pdfs[document] or b"", deadline - time.monotonic()
        image = kept.images.get(number, width, lambda _, width: draw_page(pdf, own, width, seconds=left))
        return {"media_type": MEDIA_TYPE}, image

    def _with_pages(self, name: str) -> Kept:
        kept = self.readings.use(name)
        if not any(kept.pdfs):
            raise Refusal(422, "This document is not a PDF.", "Choose another format.")
        return kept

    def show(self, name: str, options: ShownOptions, deadline: float) -> Answer:
        kept = self.readings.use(name)
        summary = self._summarize(kept.reading, options.options, deadline)
        if options.format == "pdf":
            pdfs = self._with_pages(name).pdfs
            if len(pdfs) > 1:
                raise Refusal(422, "Several documents cannot be highlighted as one PDF.", "Choose another format.")
            content = highlight_pdf(pdfs[0] or b"", summary, seconds=deadline - time.monotonic())
        elif options.format == "json":
            content = _json(summary.to_dict())
        else:
            shown = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}
            content = f"{shown[options.format]()}\n".encode("utf-8", "replace")
        media_type, extension = _FORMS[options.format]
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(kept.name).stem).strip("-.") or "summary"
        name = f"{stem}-{'marked' if options.format == 'pdf' else 'summary'}.{extension}"
        return {"media_type": media_type, "name": name}, content

    def _record(
        self, source: Source, options: SummaryOptions, name: str | int | None, deadline: float, language: str | None
    ) -> dict[str, Any]:
        return self._answers(self._read(self._open(source, deadline, language), name), options, deadline)

    def _answers(self, reading: Reading, options: SummaryOptions, deadline: float) -> dict[str, Any]:
        """Return the summary as JSON, or an answer to each question."""
        return answers_record([self._summarize(reading, one, deadline) for one in options.each()])

    def _read(self, document: Document, name: str | int | None = None) -> Reading:
        reading = self._summarizer.read(document, id=name)
        self._documents, self._sentences = self._documents + 1, self._sentences + len(document.sentences)
        return reading

    def _read_together(
        self, named: Sequence[Named], deadline: float, language: str | None
    ) -> tuple[Reading, list[Source]]:
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
                document, _ = with_sentences(self._open(source, deadline, language))
            except DocumentError as error:
                says = error.message if error.message.startswith(f"{name}: ") else f"{name}: {error.message}"
                failures.append(DocumentError(says, error.hint))
                continue
            documents[_distinct(name, documents)] = document
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

    def _summarize(self, reading: Reading, options: SummaryOptions, deadline: float) -> Summary:
        summary = reading.summarize(replace(options, explain=False), deadline=deadline)
        if not options.explain:
            return summary
        if len(summary) * summary.document_sentences > self._settings.explained:
            raise Refusal(422, "The explanation of this summary would be too large.", "Ask for fewer sentences.")
        return reading.summarize(options)  # no step is taken again

    def _open(self, source: Source, deadline: float, language: str | None) -> Document:
        """Return the document, within the limits; all but lists of sentences are read in another process."""
        if isinstance(source, list):
            size = sum(len(sentence.encode("utf-8", "replace")) + 1 for sentence in source)
            if size > self._settings.text_bytes or len(source) > self._settings.sentences:
                raise self._too_large()
            document = Document.from_sentences(source, language)
        else:
            document = self._parse(source, deadline, language)
        if len(document.sentences) > self._settings.sentences:
            raise self._too_large()
        return document

    def _parse(self, source: str | Upload, deadline: float, language: str | None) -> Document:
        content, prefix = (source, "") if isinstance(source, str) else (source.content, f"{source.name}: ")
        if isinstance(source, str):
            refuse_address(source.strip(), "Download what is there, and give the file or its text.")
        most = self._settings.text_bytes
        if isinstance(content, str) and len(content.encode("utf-8", "replace")) > most:
            raise self._too_large()
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            return read_or_recognize(
                content,
                language=language,
                seconds=min(left, SECONDS),
                scan_seconds=left,
                most_bytes=most,
                most_sentences=self._settings.sentences,
            )
        except DocumentTooLargeError:
            raise self._too_large() from None
        except DocumentError as error:
            raise DocumentError(f"{prefix}{error.message}", error.hint) from None

    def _too_large(self, what: str = "document has") -> Refusal:
        limits = self._settings
        return Refusal(
            413,
            f"The {what} more than {limits.text_bytes:,} bytes of text or {limits.sentences:,} sentences.",
            "Split it into parts.",
        )


def _refusal(error: MemsumError) -> dict[str, Any]:
    status, retry = (error.status, error.retry_after) if isinstance(error, Refusal) else (422, None)
    return {"status": status, "message": error.message, "hint": error.hint, "retry_after": retry}


def _distinct(name: str, others: Container[str]) -> str:
    return next(one for n in count(1) if (one := name if n == 1 else f"{name} ({n})") not in others)


def _json(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
