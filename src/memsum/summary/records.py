"""The JSON of summaries, as types; a key that is not required is left out where it has no value."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from memsum.document.document import Box
from memsum.languages.section_names import QuoteKind
from memsum.options import Reason
from memsum.query.passages import Beside
from memsum.query.relevance import Answer

ContextKind = Literal["before", "lead-in", "question", "heading", "head", "after"]


class ContextRecord(TypedDict):
    """What a quote is not understood without; what is no sentence has no index."""

    index: NotRequired[int]
    text: str
    start: int
    end: int
    kind: ContextKind
    page: NotRequired[int]
    speaker: NotRequired[str]


class QuoteRecord(TypedDict):
    """A verbatim quote and its position; of several documents, in the one that `source` names."""

    source: NotRequired[str]
    index: NotRequired[int]
    beside: NotRequired[Beside]
    text: str
    start: int
    end: int
    score: float
    step: int
    section: NotRequired[str]
    kind: NotRequired[QuoteKind]
    page: NotRequired[int]
    speaker: NotRequired[str]
    time: NotRequired[str]
    context: NotRequired[ContextRecord]
    after: NotRequired[ContextRecord]
    relevance: NotRequired[float]
    answer: NotRequired[Answer]
    boxes: NotRequired[list[Box]]


class StopRecord(TypedDict):
    """Why a summary ends, and the model's probability of stopping there."""

    reason: Reason
    probability: float


class FactRecord(TypedDict):
    """What the document's head states, such as its status, and where that line is."""

    name: str
    value: str
    start: int
    end: int


class SizeRecord(TypedDict):
    """The size of the document, and its title, authors and facts, where they are known."""

    sentences: int
    words: int
    title: NotRequired[str]
    authors: NotRequired[list[str]]
    facts: NotRequired[dict[str, FactRecord]]


class PartRecord(SizeRecord):
    """One of several documents."""

    id: str


class SectionRecord(TypedDict):
    """A section, and the indexes of the sentences that are quoted from it."""

    title: str | None
    sentences: list[int]


class AbstractRecord(TypedDict):
    """A sentence of the document's own abstract; of several documents, of the one that `source` names."""

    source: NotRequired[str]
    text: str
    start: int
    end: int


class KeywordRecord(TypedDict):
    """A term of the document: its salience, its count, and the sentences it occurs in."""

    text: str
    score: float
    count: int
    sentences: list[int]


class ExplanationRecord(TypedDict):
    """The model's scores of all sentences at each step (null: cannot be extracted), and its stop probabilities."""

    scores: list[list[float | None]]
    stops: list[float]
    reasons: list[dict[str, float]]


class SummaryRecord(TypedDict):
    """A summary."""

    id: str | int | None
    sentences: list[QuoteRecord]
    stop: StopRecord
    document: SizeRecord
    documents: NotRequired[list[PartRecord]]
    model: str
    version: str
    about: NotRequired[str]
    found: NotRequired[bool]
    answered: NotRequired[float]
    sections: NotRequired[list[SectionRecord]]
    abstract: NotRequired[list[AbstractRecord]]
    keywords: NotRequired[list[KeywordRecord]]
    confidence: NotRequired[float]
    warnings: NotRequired[list[str]]
    explain: NotRequired[ExplanationRecord]


class AnswersRecord(TypedDict):
    """The answers to several questions, in order."""

    id: str | int | None
    answers: list[SummaryRecord]


class FailureRecord(TypedDict):
    """A document of a batch that could not be summarized."""

    id: str | int | None
    error: str
    hint: NotRequired[str]
