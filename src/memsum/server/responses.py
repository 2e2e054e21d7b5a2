"""Answers of the API, besides the records of the library."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from memsum.document.records import DocumentRecord
from memsum.languages.section_names import QuoteKind
from memsum.query.passages import Beside
from memsum.query.relevance import Answer
from memsum.summary.records import (
    AnswersRecord,
    ContextKind,
    FailureRecord,
    KeywordRecord,
    SizeRecord,
    SummaryRecord,
)


class BatchAnswer(TypedDict):
    """One answer per document, in order."""

    summaries: list[SummaryRecord | AnswersRecord | FailureRecord]


class PieceAnswer(TypedDict):
    """A piece of text; `sentence` is its number, if it is one of the sentences that can be quoted."""

    text: str
    sentence: NotRequired[int]


class BlockAnswer(TypedDict):
    """A block of the document; where there are several documents, one of the kind `file` begins each."""

    kind: str
    level: int
    pieces: list[PieceAnswer]
    reason: NotRequired[Annotated[str, Field(description="Why it is set aside, such as: a table of contents.")]]
    time: NotRequired[Annotated[str, Field(description="When a turn of a transcript begins.")]]


class FileAnswer(TypedDict):
    """A document among those that were read; `first` is the index of its first sentence."""

    name: str
    title: str | None
    authors: list[str]
    facts: Annotated[list[str], Field(description="Lines of its head, such as its status.")]
    format: str
    pages: Annotated[int, Field(description="0 where the format has none.")]
    first: int
    sentences: int


class PositionAnswer(TypedDict):
    """The size, kind and position of a sentence."""

    words: int
    kind: QuoteKind | None
    document: Annotated[int, Field(description="The index among the documents, from 0.")]
    top: Annotated[str | None, Field(description="The top-level section.")]
    section: str | None
    page: int | None
    speaker: str | None
    time: str | None
    beside: Annotated[Beside | None, Field(description="Where it stands, if not in the running text.")]


class TextsAnswer(TypedDict):
    """The texts of kept documents."""

    documents: list[DocumentRecord]


BoxAnswer = Annotated[
    tuple[int, float, float, float, float],
    Field(description="Page, left, top, right and bottom; the edges are shares of the page, from its upper left."),
]


class PageAnswer(TypedDict):
    """A page: in which document, its number there, and its size in points."""

    document: Annotated[int, Field(description="The index among the documents, from 0.")]
    number: int
    width: float
    height: float


class PagesAnswer(TypedDict):
    """The pages of all PDFs, counted through, and where on them each sentence stands."""

    pages: list[PageAnswer]
    boxes: Annotated[list[list[BoxAnswer]], Field(description="The boxes of each sentence, one for each line.")]
    widths: Annotated[list[int], Field(description="Widths in which pages are drawn, in pixels.")]


class BesideAnswer(TypedDict):
    """What a quote is not understood without; what is no sentence has no index."""

    text: str
    kind: ContextKind
    index: NotRequired[int]


class ExtractionAnswer(TypedDict):
    """An extracted sentence, with what it is not understood without, and what it announces."""

    index: int
    score: float
    relevance: NotRequired[Annotated[float, Field(description="The probability that it answers the question.")]]
    answer: NotRequired[Annotated[Answer, Field(description="The same in words.")]]
    context: NotRequired[BesideAnswer]
    after: NotRequired[BesideAnswer]


class OrderAnswer(TypedDict):
    """The extraction order: every summary is a prefix of this order."""

    extractions: list[ExtractionAnswer]
    chosen: Annotated[
        list[ExtractionAnswer], Field(description="The sentences that the model chooses if no length is given.")
    ]
    complete: Annotated[bool, Field(description="Whether these are all sentences.")]
    found: Annotated[bool, Field(description="Whether the question, if there is one, is probably answered.")]
    warnings: Annotated[list[str], Field(description="What to know before trusting these sentences.")]


class ReadingAnswer(OrderAnswer):
    """A document that was read, with everything a page needs to show summaries of any length."""

    id: str
    seconds: Annotated[float, Field(description="Seconds that it is kept after its last use.")]
    title: str | None
    format: str
    own: Annotated[int, Field(description="The number of sentences that the model chooses.")]
    documents: list[FileAnswer]
    keywords: list[KeywordRecord]
    parts: list[BlockAnswer]
    sentences: list[PositionAnswer]
    document: SizeRecord
    model: str
    version: str


class QuestionsAnswer(TypedDict):
    """Questions that a kept document answers."""

    questions: list[str]


class ModelAnswer(TypedDict):
    """A model that answers."""

    name: str
    stop_threshold: float
    max_sentences: int
    words: int


class ModelsAnswer(TypedDict):
    """The models of this server."""

    models: list[ModelAnswer]
    version: str


class HealthAnswer(TypedDict):
    """The server is up."""

    status: Literal["ok"]


class ErrorAnswer(TypedDict):
    """The error in one sentence, and at times a hint."""

    error: str
    hint: NotRequired[str]
