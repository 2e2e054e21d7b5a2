"""What answers look like: typed dictionaries, which cost nothing; the API is described by them, and held to them."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from memsum.english.section_names import QuoteKind


class ContextAnswer(TypedDict):
    """The sentence before a quote that is not understood without it."""

    index: int
    text: str
    start: int
    end: int
    page: NotRequired[int]
    speaker: NotRequired[str]


class KeywordAnswer(TypedDict):
    """A term of the document: how salient it is, how often it occurs, and in which sentences."""

    text: str
    score: float
    count: int
    sentences: list[int]


class SentenceAnswer(TypedDict):
    """A verbatim quote and its place; of several documents, in the one that `source` names."""

    source: NotRequired[str]
    index: int
    text: str
    start: int
    end: int
    score: float
    step: int
    section: NotRequired[str]
    kind: NotRequired[QuoteKind]
    page: NotRequired[int]
    speaker: NotRequired[str]
    relevance: NotRequired[Annotated[float, Field(description="The probability that it bears on the question.")]]
    context: NotRequired[ContextAnswer]


class StopAnswer(TypedDict):
    """Why the summary ends."""

    reason: str
    probability: float


class DocumentAnswer(TypedDict):
    """The size of the document, and its title if it has one."""

    sentences: int
    words: int
    title: NotRequired[str]


class PartAnswer(DocumentAnswer):
    """One of several documents."""

    id: str


class ExplainAnswer(TypedDict):
    """The scores of all sentences at each step (null: not to be had), and the probability of stopping before each."""

    scores: list[list[float | None]]
    stops: list[float]


class SectionAnswer(TypedDict):
    """A section, and the indexes of the sentences that are quoted of it."""

    title: str | None
    sentences: list[int]


class SummaryAnswer(TypedDict):
    """A summary."""

    id: str | int | None
    sentences: list[SentenceAnswer]
    stop: StopAnswer
    document: DocumentAnswer
    documents: NotRequired[list[PartAnswer]]
    model: str
    version: str
    about: NotRequired[str]
    found: NotRequired[Annotated[bool, Field(description="Whether anything bears on the question.")]]
    sections: NotRequired[list[SectionAnswer]]
    keywords: NotRequired[list[KeywordAnswer]]
    confidence: NotRequired[float]
    warnings: NotRequired[list[str]]
    explain: NotRequired[ExplainAnswer]


class FailureAnswer(TypedDict):
    """A document of a batch that could not be summarised."""

    id: str | int | None
    error: str


class BatchAnswer(TypedDict):
    """One answer per document, in order."""

    summaries: list[SummaryAnswer | FailureAnswer]


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
    format: str
    first: int
    sentences: int


class PlaceAnswer(TypedDict):
    """What a sentence counts, where it stands, and what it is there for, where headings tell."""

    words: int
    kind: QuoteKind | None
    document: Annotated[int, Field(description="The place among the documents, from 0.")]
    top: Annotated[str | None, Field(description="The top-level section.")]
    section: str | None
    page: int | None
    speaker: str | None


class ExtractionAnswer(TypedDict):
    """A sentence that the policy took; `context` is the index of the sentence before it, if it needs that."""

    index: int
    score: float
    relevance: NotRequired[float]
    context: NotRequired[int]


class OrderAnswer(TypedDict):
    """The order of extraction: every summary is a beginning of it."""

    extractions: list[ExtractionAnswer]
    chosen: Annotated[list[ExtractionAnswer], Field(description="What the policy chooses if no length is given.")]
    complete: Annotated[bool, Field(description="Whether there is nothing behind the extractions.")]


class ReadingAnswer(OrderAnswer):
    """A document that was read: all that a page needs to show summaries of any length."""

    id: str
    seconds: Annotated[float, Field(description="How long it is kept after its last use.")]
    title: str | None
    format: str
    own: Annotated[int, Field(description="The number of sentences that the policy chooses.")]
    documents: list[FileAnswer]
    keywords: list[KeywordAnswer]
    parts: list[BlockAnswer]
    sentences: list[PlaceAnswer]
    document: DocumentAnswer
    model: str
    version: str
    warnings: list[str]


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
    """The server is there."""

    status: Literal["ok"]


class ErrorAnswer(TypedDict):
    """What went wrong, in one sentence, and at times what to do."""

    error: str
    hint: NotRequired[str]
