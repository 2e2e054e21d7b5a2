"""What requests look like: they are checked against this, and the API is described by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from memsum.document.formats import TITLES
from memsum.summary import SummarySettings

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

    file: File = Field(description=f"{TITLES}.")

    @property
    def source(self) -> Source:
        """What to read."""
        return self.file


class FilesBody(Form):
    """A form with one file or several."""

    most_files = MOST_DOCUMENTS

    file: list[File] = Field(min_length=1, description=f"{TITLES}; as many as wanted.")

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
