"""What the server does for a request, in a worker's thread: read, summarise, keep, show again at another length."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from memsum._version import __version__
from memsum.document import Document, read_document
from memsum.errors import MemsumError
from memsum.models import StopSettings
from memsum.reading import Reading, open_document
from memsum.server.errors import Refusal, too_late
from memsum.server.metrics import Metrics
from memsum.server.readings import Kept, Readings
from memsum.server.requests import BatchRequest, Options, Source, SummarizeOptions, Upload
from memsum.server.settings import Settings
from memsum.summarizer import Summarizer
from memsum.summary import Length, Progress, Reason, Summary, count_words
from memsum.summary.highlight import highlights_of
from memsum.summary.highlight_isolated import mark_isolated
from memsum.summary.parts import cut
from memsum.summary.places import one_line

Format = Literal["json", "markdown", "text", "html", "pdf"]

_FORMS: dict[Format, tuple[str, str]] = {
    "json": ("application/json", "json"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "text": ("text/plain; charset=utf-8", "txt"),
    "html": ("text/html; charset=utf-8", "html"),
    "pdf": ("application/pdf", "pdf"),
}


@dataclass(frozen=True)
class Shown:
    """A summary in one of its forms, as a file."""

    content: bytes
    media_type: str
    name: str


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
    """A summarizer behind the limits of a server. Threads may share it."""

    def __init__(self, summarizer: Summarizer, settings: Settings, metrics: Metrics) -> None:
        self._summarizer = summarizer
        self._settings = settings
        self._metrics = metrics
        self.readings = Readings(settings.reading_bytes, settings.reading_seconds)

    def summarize(self, source: Source, options: SummarizeOptions, deadline: float) -> bytes:
        """A summary as JSON."""
        return _json(self._summary(source, options, options.id, deadline).to_dict())

    def batch(self, request: BatchRequest, deadline: float) -> bytes:
        """Summaries as JSON; a document that cannot be summarised does not stop the others."""
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
        document = self._open(source)
        reading = self._begin(document, block_trigrams=block_trigrams)
        own = reading.summary(length=self._timed(Length(), deadline), order="extraction")
        upload = source if isinstance(source, Upload) else None
        pdf = upload.content if upload and document.format == "pdf" else None
        document = reading.document  # where there is only an abstract, its sentences are the abstract's
        parts = [
            {"kind": part.kind, "level": part.level, "pieces": [_piece(p.text, p.sentence) for p in part.pieces]}
            for part in cut(document)
        ]
        places = [
            {"words": count_words(s.text), "section": s.section and one_line(s.section), "page": s.page}
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
        with self.readings.use(name, deadline) as kept:
            summary = kept.reading.summary(length=self._timed(Length(sentences=count), deadline), order="extraction")
        return _json(_order(summary, complete=summary.stop.reason == "document"))

    def show(self, name: str, options: Options, form: Format, deadline: float) -> Shown:
        """A summary of a document that is kept, as a file."""
        with self.readings.use(name, deadline) as kept:
            summary = self._take(kept.reading, options, deadline)
        if form == "pdf":
            if kept.pdf is None:
                raise Refusal(422, "This document is not a PDF.", "Choose another format.")
            content = mark_isolated(kept.pdf, highlights_of(summary), deadline - time.monotonic())
        elif form == "json":
            content = _json(summary.to_dict())
        else:
            text = {"markdown": summary.to_markdown, "text": summary.to_text, "html": summary.to_html}[form]()
            content = f"{text}\n".encode("utf-8", "replace")
        media_type, extension = _FORMS[form]
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", PurePath(kept.name).stem).strip("-.") or "summary"
        return Shown(content, media_type, f"{stem}-{'marked' if form == 'pdf' else 'summary'}.{extension}")

    def _summary(self, source: Source, options: Options, name: str | int | None, deadline: float) -> Summary:
        reading = self._begin(self._open(source), block_trigrams=options.block_trigrams, id=name)
        return self._take(reading, options, deadline)

    def _begin(self, document: Document, *, block_trigrams: bool, id: str | int | None = None) -> Reading:  # noqa: A002
        reading = self._summarizer.begin(document, block_trigrams=block_trigrams, id=id)
        self._metrics.summarised(len(document.sentences))
        return reading

    def _take(self, reading: Reading, options: Options, deadline: float) -> Summary:
        length = self._timed(options.length(), deadline)
        summary = reading.summary(length=length, order=options.order)
        if not options.explain:
            return summary
        if len(summary) * len(reading.document.sentences) > self._settings.explained:
            raise Refusal(422, "The explanation of this summary would be too large.", "Ask for fewer sentences.")
        return reading.summary(length=length, order=options.order, explain=True)

    def _open(self, source: Source) -> Document:
        """The document, within the limits."""
        limits = self._settings
        if isinstance(source, Upload):
            document = read_document(source.content, name=source.name, isolated=True)
        else:
            if sum(map(len, source)) > limits.characters:
                raise Refusal(413, f"The text has more than {limits.characters:,} characters.", "Split it into parts.")
            document = open_document(source)
        if len(document.text) > limits.characters or len(document.sentences) > limits.sentences:
            raise Refusal(
                413,
                f"The document has more than {limits.characters:,} characters or {limits.sentences:,} sentences.",
                "Split it into parts.",
            )
        return document

    def _timed(self, length: Length, deadline: float) -> TimedLength:
        return TimedLength(**vars(length), deadline=deadline, seconds=self._settings.seconds)


def _order(summary: Summary, *, complete: bool) -> dict[str, Any]:
    extractions = [{"index": sentence.index, "score": round(sentence.score, 6)} for sentence in summary]
    return {"extractions": extractions, "complete": complete}


def _piece(text: str, sentence: int | None) -> dict[str, Any]:
    return {"text": text} if sentence is None else {"text": text, "sentence": sentence}


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
