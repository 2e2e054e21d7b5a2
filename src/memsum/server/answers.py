"""What answers look like, for the description of the API; the tests hold the answers to it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class SentenceOut(BaseModel):
    """A verbatim quote and its place."""

    index: int
    text: str
    start: int
    end: int
    score: float
    step: int
    section: str | None = None
    page: int | None = None


class StopOut(BaseModel):
    """Why the summary ends."""

    reason: str
    probability: float


class DocumentOut(BaseModel):
    """The size of the document."""

    sentences: int
    words: int


class ExplainOut(BaseModel):
    """The scores of all sentences at each step (null: not to be had), and the probability of stopping before each."""

    scores: list[list[float | None]]
    stops: list[float]


class SummaryOut(BaseModel):
    """A summary."""

    id: str | int | None
    sentences: list[SentenceOut]
    stop: StopOut
    document: DocumentOut
    model: str
    version: str
    warnings: list[str] = []
    explain: ExplainOut | None = None


class FailureOut(BaseModel):
    """A document of a batch that could not be summarised."""

    id: str | int | None
    error: str


class BatchOut(BaseModel):
    """One answer a document, in order."""

    summaries: list[SummaryOut | FailureOut]


class PieceOut(BaseModel):
    """A piece of text; `sentence` is its number, if it is one of the sentences that can be quoted."""

    text: str
    sentence: int | None = None


class PartOut(BaseModel):
    """A block of the document."""

    kind: str
    level: int
    pieces: list[PieceOut]


class PlaceOut(BaseModel):
    """What a sentence counts, and where it stands."""

    words: int
    section: str | None = None
    page: int | None = None


class ExtractionOut(BaseModel):
    """A sentence that the policy took."""

    index: int
    score: float


class OrderOut(BaseModel):
    """The order of extraction: every summary is a beginning of it. `complete` if there is nothing behind it."""

    extractions: list[ExtractionOut]
    complete: bool


class ReadingOut(OrderOut):
    """A document that was read: all that a page needs to show summaries of any length."""

    id: str
    seconds: float
    title: str | None
    format: str
    own: int
    parts: list[PartOut]
    sentences: list[PlaceOut]
    document: DocumentOut
    model: str
    version: str
    warnings: list[str]


class ModelOut(BaseModel):
    """A model that answers."""

    name: str
    stop_threshold: float
    max_sentences: int
    words: int


class ModelsOut(BaseModel):
    """The models of this server."""

    models: list[ModelOut]
    version: str


class HealthOut(BaseModel):
    """The server is there."""

    status: Literal["ok"] = "ok"


class ErrorOut(BaseModel):
    """What went wrong, in one sentence, and at times what to do."""

    error: str
    hint: str | None = None
