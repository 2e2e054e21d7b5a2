"""What requests and answers look like: requests are checked against it, and the API is described by it.

Answers are typed dictionaries: they cost nothing, and mypy and the tests hold the answers to them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar, Literal, NotRequired, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from typing_extensions import TypedDict

from memsum.summary import SummarySettings
from memsum.text.sections import QuoteKind

Format = Literal["json", "markdown", "text", "html", "pdf"]

MOST_EXTRACTIONS = 200
MOST_DOCUMENTS = 64
_MOST = 100_000
Count = Annotated[int, Field(ge=1, le=_MOST)]
Share = Annotated[float, Field(ge=0, le=1)]
Identifier = Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=-(2**53), le=2**53)]
Text = Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)]


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    name: str
    content: bytes = field(repr=False)


Source = Upload | str | list[str]
Named = tuple[str, Source]
File = Annotated[Upload, WithJsonSchema({"type": "string", "format": "binary"})]

_TEXT = Field(description="A text, or a list of sentences that is taken as it is.")
_OF_READING = {"block_trigrams"}  # options that hold for all summaries of a document
_ABOUT = Field(default=None, description="A question or a topic: only what bears on it is quoted.")
_BY = Field(default=None, description="Each section has its share of the quotes, under its heading.")
_SPREAD = Field(default=False, description="Quotes are evenly spread over the document.")
_BLOCKED = Field(False, description="Pass over what shares three words in a row with the summary.")


class TextBody(BaseModel):
    """A request in JSON."""

    text: Text = _TEXT

    @property
    def source(self) -> Source:
        """What to read."""
        return self.text


class Form(BaseModel):
    """A request as a form."""

    most_files: ClassVar[int]


class FileBody(Form):
    """A form with a file."""

    most_files = 1

    file: File = Field(description="PDF, DOCX, HTML, LaTeX, Markdown, JATS or text.")

    @property
    def source(self) -> Source:
        """What to read."""
        return self.file


class FilesBody(Form):
    """A form with one file or several."""

    most_files = MOST_DOCUMENTS

    file: list[File] = Field(
        min_length=1, description="PDF, DOCX, HTML, LaTeX, Markdown, JATS or text; as many as wanted."
    )

    @property
    def sources(self) -> list[Named]:
        """What to read, each with its name."""
        return [(file.name, file) for file in self.file]


class Options(BaseModel):
    """All that one can ask of a summary; if nothing is said of its length, the policy decides."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    sentences: Count | None = Field(None, description="Exactly this many sentences.")
    words: Count | None = Field(None, description="At most this many words.")
    characters: Count | None = Field(None, description="At most this many characters.")
    ratio: Annotated[float, Field(gt=0, le=1)] | None = Field(None, description="This share of the sentences.")
    stop_threshold: Share | None = Field(None, description="The policy stops at this probability.")
    max_sentences: Count | None = Field(None, description="The policy stops here at the latest.")
    min_sentences: Annotated[int, Field(ge=0, le=_MOST)] = Field(1, description="At least this many sentences.")

    about: str | None = _ABOUT
    order: Literal["document", "extraction"] = Field("document", description="The order of the sentences.")
    by: Literal["section"] | None = _BY
    spread: bool = _SPREAD
    context: bool = Field(True, description="Quotes that need the sentence before them carry it.")
    keywords: bool = Field(False, description="Add the document's own terms.")
    explain: bool = Field(False, description="Add the scores of all sentences at every step.")
    block_trigrams: bool = _BLOCKED

    @cached_property
    def settings(self) -> SummarySettings:
        """What is asked of the summary, as the library takes it."""
        return SummarySettings.of({name: getattr(self, name) for name in Options.model_fields.keys() - _OF_READING})

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        _ = self.settings  # what cannot be asked for is said before anyone waits
        return self


class ShownOptions(Options):
    """How to show a summary of a document that is kept."""

    format: Format = "json"


class OrderOptions(BaseModel):
    """Which order of extraction."""

    model_config = ConfigDict(extra="forbid")

    extractions: int = Field(default=30, ge=1, le=MOST_EXTRACTIONS, description="How many sentences.")
    about: str | None = _ABOUT
    by: Literal["section"] | None = _BY
    spread: bool = _SPREAD

    def settings(self, sentences: int | None = None) -> SummarySettings:
        """As the library takes it, for so many sentences, or as many as the policy chooses."""
        given = {name: getattr(self, name) for name in ("about", "by", "spread")}
        return SummarySettings.of({**given, "sentences": sentences, "order": "extraction", "context": False})

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        self.settings()
        return self


class SummarizeOptions(Options):
    """What goes with one document."""

    id: Identifier | None = Field(None, description="Comes back in the answer.")


class SummarizeRequest(SummarizeOptions, TextBody):
    """A text and what to make of it."""


class SummarizeForm(SummarizeOptions, FileBody):
    """A file and what to make of it."""


class BatchDocument(BaseModel):
    """A document of a batch; an empty one fails alone."""

    model_config = ConfigDict(extra="forbid")

    text: str | list[str] = _TEXT
    id: Identifier | None = Field(
        None, description="Comes back in the answer; if missing, the place in the batch, from 0."
    )


class BatchRequest(Options):
    """Several documents, summarised alike."""

    documents: list[BatchDocument] = Field(min_length=1)


class TogetherRequest(BatchRequest):
    """Several documents, summarised as one."""

    @property
    def sources(self) -> list[Named]:
        """What to read, each with its name."""
        return [
            (f"document {place}" if document.id is None else str(document.id), document.text)
            for place, document in enumerate(self.documents, 1)
        ]


class TogetherForm(Options, FilesBody):
    """Several files, summarised as one."""


class ReadingOptions(BaseModel):
    """What goes with a document to keep."""

    model_config = ConfigDict(extra="forbid")

    block_trigrams: bool = _BLOCKED


class ReadingRequest(ReadingOptions, TextBody):
    """A text to read and keep for a while."""

    @property
    def sources(self) -> list[Named]:
        """What to read, with a name for its summaries."""
        return [("summary", self.text)]


class ReadingForm(ReadingOptions, FilesBody):
    """A file to read and keep for a while, or several to be read as one."""


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
