"""What a worker's process does for a request: parse, read, summarise, keep, show again at another length."""

from __future__ import annotations

import json
import logging
import math
import re
import time
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from memsum._version import __version__
from memsum.document import Document
from memsum.document.reading import read_isolated
from memsum.document.sandbox import SECONDS
from memsum.errors import DocumentError, DocumentTooLargeError, MemsumError
from memsum.models import StopSettings
from memsum.server.errors import Refusal, too_late
from memsum.server.inputs import parse_document, parse_json
from memsum.server.readings import Kept, Readings
from memsum.server.requests import (
    BatchRequest,
    Format,
    Options,
    ReadingOptions,
    ReadingRequest,
    ShownOptions,
    Source,
    SummarizeOptions,
    SummarizeRequest,
    Upload,
)
from memsum.server.settings import Settings
from memsum.summarizer import Reading, Summarizer
from memsum.summary import Length, Progress, Reason, Summary, count_words
from memsum.summary.blocks import cut
from memsum.summary.highlight import highlight_pdf
from memsum.summary.places import one_line

_LOG = logging.getLogger("memsum.server")
_FORMS: dict[Format, tuple[str, str]] = {
    "json": ("application/json", "json"),
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
        return _service.about(), b""
    if _service is None:
        raise RuntimeError("no model was loaded")
    return _service.answer(header, body)


@dataclass(frozen=True)
class TimedLength(Length):
    """A length that gives up at a deadline: each step of the episode asks it whether to go on."""

    deadline: float = math.inf
    seconds: float = math.inf

    def end(self, progress: Progress, own: StopSettings) -> Reason | None:
        """Why the summary ends before the next sentence, if it does."""
        if time.monotonic() > self.deadline:
            raise too_late(self.seconds)
        return super().end(progress, own)


class Service:
    """A summarizer behind the limits of a server; one request at a time."""

    def __init__(self, summarizer: Summarizer, settings: Settings, place: int = 0) -> None:
        self._summarizer = summarizer
        self._settings = settings
        self._documents = self._sentences = 0
        self.readings = Readings(settings.reading_bytes, settings.reading_seconds, place)

    def about(self) -> dict[str, Any]:
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
        deadline = time.monotonic() + header["left"]
        try:
            about, content = self._answer(header, body, deadline)
        except MemsumError as error:
            status, retry = (error.status, error.retry_after) if isinstance(error, Refusal) else (422, None)
            about = {"status": status, "message": error.message, "hint": error.hint, "retry_after": retry}
            content = b""
        except Exception:
            _LOG.exception("%s failed", header["operation"])
            says = "The server failed; its log says why."
            about, content = {"status": 500, "message": says, "hint": None, "retry_after": None}, b""
        self.readings.drop()
        counted = {"documents": self._documents, "sentences": self._sentences, "readings": len(self.readings)}
        return {**about, **counted}, content

    def _answer(self, header: dict[str, Any], body: bytes, deadline: float) -> Answer:
        kind = header.get("content_type", "")
        match header["operation"]:
            case "summarize":
                source, options = parse_document(kind, body, SummarizeRequest, SummarizeOptions)
                return {}, self.summarize(source, options, deadline)
            case "batch":
                return {}, self.batch(parse_json(kind, body, BatchRequest), deadline)
            case "read":
                source, reading = parse_document(kind, body, ReadingRequest, ReadingOptions)
                return {}, self.read(source, block_trigrams=reading.block_trigrams, deadline=deadline)
            case "order":
                return {}, self.order(header["reading"], header["extractions"], deadline)
            case "show":
                shown = ShownOptions.model_validate(header["options"])
                return self.show(header["reading"], shown, shown.format, deadline)
            case "forget":
                self.readings.forget(header["reading"])
        return {}, b""

    def summarize(self, source: Source, options: SummarizeOptions, deadline: float) -> bytes:
        """A summary as JSON."""
        return _json(self._summary(source, options, options.id, deadline).to_dict())

    def batch(self, request: BatchRequest, deadline: float) -> bytes:
        """Summaries as JSON; a document that cannot be summarised does not stop the others."""
        request.length()
        if len(request.documents) > self._settings.documents:
            raise Refusal(413, f"A batch has at most {self._settings.documents} documents.", "Send several batches.")
        answers: list[dict[str, Any]] = []
        for place, document in enumerate(request.documents):
            name = place if document.id is None else document.id
            try:
                answers.append(self._summary(document.text, request, name, deadline).to_dict())
            except MemsumError as error:
                if isinstance(error, Refusal) and error.status == 503:
                    raise
                answers.append({"id": name, "error": error.message})
        return _json({"summaries": answers})

    def read(self, source: Source, *, block_trigrams: bool, deadline: float) -> bytes:
        """Read a document and keep it: what a page needs to show it and its summaries, as JSON."""
        document = self._open(source, deadline)
        reading = self._begin(document, block_trigrams=block_trigrams)
        own = reading.summary(length=self._timed(Length(), deadline), order="extraction")
        upload = source if isinstance(source, Upload) else None
        pdf = upload.content if upload and document.format == "pdf" else None
        document = reading.document  # where there is only an abstract, its sentences are the abstract's
        parts = [
            {"kind": part.kind, "level": part.level, "pieces": [_piece(p.text, p.sentence) for p in part.spans]}
            for part in cut(document)
        ]
        places = [
            {
                "words": count_words(s.text),
                "section": s.section and one_line(s.section),
                "page": s.page,
                "speaker": s.speaker and one_line(s.speaker),
            }
            for s in document.sentences
        ]
        return _json(
            {
                "id": self.readings.keep(Kept(reading, upload.name if upload else "summary", pdf)),
                "seconds": self._settings.reading_seconds,
                "title": one_line(document.title) if document.title else None,
                "format": document.format,
                "own": len(own),
                **_order(own, complete=own.stop.reason == "document"),
                "parts": parts,
                "sentences": places,
                "document": {"sentences": len(places), "words": own.document_words},
                "model": own.model,
                "version": __version__,
                "warnings": list(own.warnings),
            }
        )

    def order(self, name: str, count: int, deadline: float) -> bytes:
        """The first extractions of a document that is kept, as JSON."""
        reading = self.readings.use(name).reading
        summary = reading.summary(length=self._timed(Length(sentences=count), deadline), order="extraction")
        return _json(_order(summary, complete=summary.stop.reason == "document"))

    def show(self, name: str, options: Options, form: Format, deadline: float) -> Answer:
        """A summary of a document that is kept, as a file."""
        kept = self.readings.use(name)
        summary = self._take(kept.reading, options, deadline)
        if form == "pdf":
            if kept.pdf is None:
                raise Refusal(422, "This document is not a PDF.", "Choose another format.")
            content = highlight_pdf(kept.pdf, summary, seconds=deadline - time.monotonic())
        elif form == "json":
            content = _json(summary.to_dict())
        else:
            text = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}[form]()
            content = f"{text}\n".encode("utf-8", "replace")
        media_type, extension = _FORMS[form]
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(kept.name).stem).strip("-.") or "summary"
        name = f"{stem}-{'marked' if form == 'pdf' else 'summary'}.{extension}"
        return {"media_type": media_type, "name": name}, content

    def _summary(self, source: Source, options: Options, name: str | int | None, deadline: float) -> Summary:
        options.length()  # what cannot be asked for is said before anyone waits
        reading = self._begin(self._open(source, deadline), block_trigrams=options.block_trigrams, id=name)
        return self._take(reading, options, deadline)

    def _begin(self, document: Document, *, block_trigrams: bool, id: str | int | None = None) -> Reading:  # noqa: A002
        reading = self._summarizer.begin(document, block_trigrams=block_trigrams, id=id)
        self._documents, self._sentences = self._documents + 1, self._sentences + len(document.sentences)
        return reading

    def _take(self, reading: Reading, options: Options, deadline: float) -> Summary:
        length = self._timed(options.length(), deadline)
        summary = reading.summary(length=length, order=options.order)
        if not options.explain:
            return summary
        if len(summary) * len(reading.document.sentences) > self._settings.explained:
            raise Refusal(422, "The explanation of this summary would be too large.", "Ask for fewer sentences.")
        return reading.summary(length=length, order=options.order, explain=True)

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
        try:
            if left <= 0:
                raise TimeoutError
            return read_isolated(
                content, seconds=min(left, SECONDS), most_bytes=most, most_sentences=self._settings.sentences
            )
        except DocumentTooLargeError:
            raise self._too_large() from None
        except DocumentError as error:
            raise DocumentError(f"{prefix}{error.message}", error.hint) from None
        except TimeoutError:
            raise too_late(self._settings.seconds) from None

    def _too_large(self) -> Refusal:
        limits = self._settings
        return Refusal(
            413,
            f"The document has more than {limits.text_bytes:,} bytes of text or {limits.sentences:,} sentences.",
            "Split it into parts.",
        )

    def _timed(self, length: Length, deadline: float) -> TimedLength:
        return TimedLength(**vars(length), deadline=deadline, seconds=self._settings.seconds)


def _order(summary: Summary, *, complete: bool) -> dict[str, Any]:
    extractions = [{"index": sentence.index, "score": round(sentence.score, 6)} for sentence in summary]
    return {"extractions": extractions, "complete": complete}


def _piece(text: str, sentence: int | None) -> dict[str, Any]:
    return {"text": text} if sentence is None else {"text": text, "sentence": sentence}


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
