"""Answers of the API: those of summaries derive from the library's records, the others are typed dictionaries."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, get_type_hints

from pydantic import BaseModel, Field, create_model
from typing_extensions import TypedDict

from memsum.english.section_names import QuoteKind
from memsum.query.passages import Beside
from memsum.query.relevance import Answer
from memsum.summary import Explanation, Stop, SummarySentence


class KeywordAnswer(TypedDict):
    """A term of the document: its salience, its count, and the sentences it occurs in."""

    text: str
    score: float
    count: int
    sentences: list[int]


class AbstractAnswer(TypedDict):
    """A sentence of the document's own abstract; of several documents, of the one that `source` names."""

    source: NotRequired[str]
    text: str
    start: int
    end: int


class DocumentAnswer(TypedDict):
    """The size of the document, and its title and authors, where they are known."""

    sentences: int
    words: int
    title: NotRequired[str]
    authors: NotRequired[list[str]]


class PartAnswer(DocumentAnswer):
    """One of several documents."""

    id: str


def _describe_quote() -> Any:
    """Describe a quote as `SummarySentence.to_dict` writes it: what is None has no key."""
    hints = get_type_hints(SummarySentence)
    declared: dict[str, Any] = {
        one.name: (hints[one.name], ... if one.default is not None else None)
        for one in fields(SummarySentence)
        if one.name not in ("document", "first")
    }
    declared |= {"index": (int | None, None), "answer": (Answer | None, None)}  # abstracts and captions have no index
    says = "A verbatim quote and its position; of several documents, in the one that `source` names."
    return create_model("SentenceAnswer", __doc__=says, **declared)


if TYPE_CHECKING:
    SentenceAnswer = BaseModel
else:
    SentenceAnswer = _describe_quote()


class SectionAnswer(BaseModel):
    """A section, and the indexes of the sentences that are quoted from it."""

    title: str | None
    sentences: list[int]


class SummaryAnswer(BaseModel):
    """A summary; keys without a value are left out."""

    id: str | int | None
    sentences: list[SentenceAnswer]
    stop: Stop
    document: DocumentAnswer
    documents: list[PartAnswer] | None = None
    model: str
    version: str
    about: str | None = None
    found: bool | None = Field(None, description="Whether a relevant sentence was found.")
    answered: float | None = Field(None, description="The probability that the quotes answer the question.")
    sections: list[SectionAnswer] | None = None
    abstract: list[AbstractAnswer] | None = None
    keywords: list[KeywordAnswer] | None = None
    confidence: float | None = None
    warnings: list[str] | None = None
    explain: Explanation | None = None


class SeveralAnswer(BaseModel):
    """The answers to several questions, in order."""

    id: str | int | None
    answers: list[SummaryAnswer]


class FailureAnswer(TypedDict):
    """A document of a batch that could not be summarized."""

    id: str | int | None
    error: str


class BatchAnswer(TypedDict):
    """One answer per document, in order."""

    summaries: list[SummaryAnswer | SeveralAnswer | FailureAnswer]


class PieceAnswer(TypedDict):
    """A piece of text; `sentence` is its number, if it is one of the sentences that can be quoted."""

    text: str
    sentence: NotRequired[int]


class BlockAnswer(TypedDict):
    """A block of the document; where there are several documents, one of the kind `file` begins each."""

    kind: str
    level: int
    pieces: list[PieceAnswer]


class FileAnswer(TypedDict):
    """A document among those that were read; `first` is the index of its first sentence."""

    name: str
    title: str | None
    authors: list[str]
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
    beside: Annotated[Beside | None, Field(description="Where it stands, if not in the running text.")]


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


class ExtractionAnswer(TypedDict):
    """An extracted sentence; `context` is the index of the sentence it is not understood without, if there is one."""

    index: int
    score: float
    relevance: NotRequired[Annotated[float, Field(description="The probability that it answers the question.")]]
    answer: NotRequired[Annotated[Answer, Field(description="The same in words.")]]
    context: NotRequired[int]


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
    keywords: list[KeywordAnswer]
    parts: list[BlockAnswer]
    sentences: list[PositionAnswer]
    document: DocumentAnswer
    model: str
    version: str


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
