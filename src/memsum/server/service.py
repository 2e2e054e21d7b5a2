"""What a worker's process does for a request: parse, read, summarise, keep, show again at another length."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePath
from typing import Any

from memsum._version import __version__
from memsum.document import Document
from memsum.document.load import read_isolated
from memsum.document.source import with_sentences
from memsum.errors import DocumentError, DocumentTooLargeError, MemsumError
from memsum.isolation import SECONDS
from memsum.reading import Reading
from memsum.server.answers import (
    ModelAnswer,
    OrderAnswer,
    ReadingAnswer,
)
from memsum.server.documents import blocks, extractions, files, keywords, places
from memsum.server.errors import FAILED, too_late
from memsum.server.inputs import JSON, parse
from memsum.server.middleware import Refusal
from memsum.server.requests import (
    BatchRequest,
    Format,
    Named,
    Options,
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
from memsum.summary.places import one_line

_LOG = logging.getLogger("memsum.server")
_FORMS: dict[Format, tuple[str, str]] = {
    "json": (JSON, "json"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "text": ("text/plain; charset=utf-8", "txt"),
    "html": ("text/html; charset=utf-8", "html"),
    "pdf": ("application/pdf", "pdf"),
}

Answer = tuple[dict[str, Any], bytes]

_service: Service | None = None


def answer(header: dict[str, Any], body: bytes) -> Answer:
    """The way in: the first request loads the model."""
    global _service
    if header["operation"] == "load":
        try:
            summarizer = Summarizer.load(Path(header["folder"]), threads=1)
        except MemsumError as error:
            return {"message": error.message, "hint": error.hint}, b""
        summarizer.name = header["name"]
        _service = Service(summarizer, Settings(**header["limits"]), header["place"])
        read_isolated("The process that reads documents is started now.")  # the first document need not wait for it
        return {**_service.about()}, b""
    if _service is None:
        raise RuntimeError("no model was loaded")
    return _service.answer(header, body)


class Service:
    """A summarizer behind the limits of a server; one request at a time."""

    def __init__(self, summarizer: Summarizer, settings: Settings, place: int = 0) -> None:
        self._summarizer = summarizer
        self._settings = settings
        self._documents = self._sentences = 0
        self.readings = Readings(settings.reading_bytes, settings.reading_seconds, place)

    def about(self) -> ModelAnswer:
        """What is known of the model."""
        runtime, stop = self._summarizer.runtime, self._summarizer.runtime.config.stop
        return {
            "name": self._summarizer.name,
            "stop_threshold": stop.threshold,
            "max_sentences": stop.max_sentences,
            "words": len(runtime.encoder.vectors.vocabulary),
        }

    def answer(self, header: dict[str, Any], body: bytes) -> Answer:
        """Answer a request, whatever it is; what goes wrong is an answer too."""
        self._documents = self._sentences = 0
        content = b""
        try:
            about, content = self._answer(header, body, time.monotonic() + header["left"])
        except TimeoutError:
            about = _refusal(too_late(self._settings.seconds))
        except MemsumError as error:
            about = _refusal(error)
        except Exception:
            _LOG.exception("%s failed", header["operation"])
            about = _refusal(Refusal(500, FAILED))
        self.readings.drop()
        counted = {"documents": self._documents, "sentences": self._sentences, "readings": len(self.readings)}
        return {**about, **counted}, content

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
            case "show":
                return self.show(header["reading"], ShownOptions.model_validate(header["options"]), deadline)
            case "forget":
                self.readings.forget(header["reading"])
        return {}, b""

    def summarize(self, request: SummarizeRequest | SummarizeForm, deadline: float) -> bytes:
        """A summary as JSON."""
        return _json(self._summary(request.source, request, request.id, deadline).to_dict())

    def batch(self, request: BatchRequest, deadline: float) -> bytes:
        """Summaries as JSON; a document that cannot be summarised does not stop the others."""
        if len(request.documents) > self._settings.documents:
            raise Refusal(413, f"A batch has at most {self._settings.documents} documents.", "Send several batches.")
        answers: list[dict[str, Any]] = []
        for place, document in enumerate(request.documents):
            name = place if document.id is None else document.id
            try:
                answers.append(self._summary(document.text, request, name, deadline).to_dict())
            except MemsumError as error:
                answers.append({"id": name, "error": error.message})
        return _json({"summaries": answers})

    def together(self, request: TogetherRequest | TogetherForm, deadline: float) -> bytes:
        """One summary of several documents as JSON."""
        reading = self._begin_together(request.sources, block_trigrams=request.block_trigrams, deadline=deadline)
        return _json(self._take(reading, request, deadline).to_dict())

    def read(self, request: ReadingRequest | ReadingForm, deadline: float) -> bytes:
        """Read a document and keep it: what a page needs to show it and its summaries, as JSON."""
        if len(request.sources) > 1:
            reading = self._begin_together(request.sources, block_trigrams=request.block_trigrams, deadline=deadline)
            return self.document(self.readings.keep(Kept(reading, "documents")), deadline)
        [(name, source)] = request.sources
        reading = self._begin(self._open(source, deadline), block_trigrams=request.block_trigrams)
        pdf = source.content if isinstance(source, Upload) and reading.document.format == "pdf" else None
        return self.document(self.readings.keep(Kept(reading, name, pdf)), deadline)

    def document(self, name: str, deadline: float) -> bytes:
        """A document that is kept: what a page needs to show it and its summaries, as JSON."""
        kept = self.readings.use(name)
        reading = kept.reading
        own = reading.take(OrderOptions().settings(), deadline)
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
            "documents": files(kept),
            "keywords": keywords(reading),
            "parts": blocks(reading),
            "sentences": places(reading),
            "document": {"sentences": own.document_sentences, "words": own.document_words},
            "model": own.model,
            "version": __version__,
            "warnings": list(own.warnings),
        }
        return _json(answer)

    def order(self, name: str, options: OrderOptions, deadline: float) -> bytes:
        """The first extractions of a document that is kept, as JSON."""
        reading = self.readings.use(name).reading
        own = reading.take(options.settings(), deadline)
        summary = reading.take(options.settings(sentences=options.extractions), deadline)
        answer: OrderAnswer = {
            "extractions": extractions(reading, summary),
            "chosen": extractions(reading, own),
            "complete": summary.stop.reason == "document",
        }
        return _json(answer)

    def show(self, name: str, options: ShownOptions, deadline: float) -> Answer:
        """A summary of a document that is kept, as a file."""
        kept = self.readings.use(name)
        summary = self._take(kept.reading, options, deadline)
        if options.format == "pdf":
            if kept.pdf is None:
                raise Refusal(422, "This document is not a PDF.", "Choose another format.")
            content = highlight_pdf(kept.pdf, summary, seconds=deadline - time.monotonic())
        elif options.format == "json":
            content = _json(summary.to_dict())
        else:
            shown = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}
            content = f"{shown[options.format]()}\n".encode("utf-8", "replace")
        media_type, extension = _FORMS[options.format]
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(kept.name).stem).strip("-.") or "summary"
        name = f"{stem}-{'marked' if options.format == 'pdf' else 'summary'}.{extension}"
        return {"media_type": media_type, "name": name}, content

    def _summary(self, source: Source, options: Options, name: str | int | None, deadline: float) -> Summary:
        reading = self._begin(self._open(source, deadline), block_trigrams=options.block_trigrams, id=name)
        return self._take(reading, options, deadline)

    def _begin(self, document: Document, *, block_trigrams: bool, id: str | int | None = None) -> Reading:  # noqa: A002
        reading = self._summarizer.begin(document, block_trigrams=block_trigrams, id=id)
        self._documents, self._sentences = self._documents + 1, self._sentences + len(document.sentences)
        return reading

    def _begin_together(self, named: Sequence[Named], *, block_trigrams: bool, deadline: float) -> Reading:
        """Several documents as one; those that cannot be read are left out with a warning, if others can."""
        if len(named) > self._settings.documents:
            raise Refusal(413, f"At most {self._settings.documents} documents are summarised together.")
        documents: dict[str, Document] = {}
        failures: list[DocumentError] = []
        sentences = size = 0
        for name, source in named:
            try:
                document, _ = with_sentences(self._open(source, deadline))
            except DocumentError as error:
                says = error.message if error.message.startswith(f"{name}: ") else f"{name}: {error.message}"
                failures.append(DocumentError(says, error.hint))
                continue
            documents[_distinct(name, documents)] = document
            sentences += len(document.sentences)
            size += len(document.text.encode("utf-8", "replace"))
            if sentences > self._settings.sentences or size > self._settings.text_bytes:
                raise self._too_large("documents have")
        if not documents:
            raise failures[0]
        reading = self._summarizer.begin_together(
            list(documents.values()), block_trigrams=block_trigrams, ids=list(documents)
        )
        reading.warnings = (*(f"Left out: {failure.message}" for failure in failures), *reading.warnings)
        self._documents, self._sentences = self._documents + len(documents), self._sentences + sentences
        return reading

    def _take(self, reading: Reading, options: Options, deadline: float) -> Summary:
        summary = reading.take(replace(options.settings, explain=False), deadline)
        if not options.explain:
            return summary
        if len(summary) * summary.document_sentences > self._settings.explained:
            raise Refusal(422, "The explanation of this summary would be too large.", "Ask for fewer sentences.")
        return reading.take(options.settings)  # no step is taken again

    def _open(self, source: Source, deadline: float) -> Document:
        """The document, within the limits; all but lists of sentences are read in yet another process."""
        if isinstance(source, list):
            size = sum(len(sentence.encode("utf-8", "replace")) + 1 for sentence in source)
            if size > self._settings.text_bytes or len(source) > self._settings.sentences:
                raise self._too_large()
            document = Document.from_sentences(source)
        else:
            document = self._read(source, deadline)
        if len(document.sentences) > self._settings.sentences:
            raise self._too_large()
        return document

    def _read(self, source: str | Upload, deadline: float) -> Document:
        content, prefix = (source, "") if isinstance(source, str) else (source.content, f"{source.name}: ")
        most = self._settings.text_bytes
        if isinstance(content, str) and len(content.encode("utf-8", "replace")) > most:
            raise self._too_large()
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            return read_isolated(
                content, seconds=min(left, SECONDS), most_bytes=most, most_sentences=self._settings.sentences
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
    """A name that no other document has."""
    return next(one for n in count(1) if (one := name if n == 1 else f"{name} ({n})") not in others)


def _json(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
