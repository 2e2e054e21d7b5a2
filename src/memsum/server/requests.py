"""What requests look like; they are checked against these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memsum.summary import Length, LengthOptions

Format = Literal["json", "markdown", "text", "html", "pdf"]

_MOST = 100_000
Count = Annotated[int, Field(ge=1, le=_MOST)]
Share = Annotated[float, Field(ge=0, le=1)]
Identifier = Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=-(2**53), le=2**53)]
Text = Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)]


class LengthFields(BaseModel):
    """How long the summary is; if nothing is said, the policy decides."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    sentences: Count | None = Field(None, description="Exactly so many sentences.")
    words: Count | None = Field(None, description="At most so many words.")
    characters: Count | None = Field(None, description="At most so many characters.")
    ratio: Annotated[float, Field(gt=0, le=1)] | None = Field(None, description="This share of the sentences.")
    stop_threshold: Share | None = Field(None, description="The policy stops at this probability.")
    max_sentences: Count | None = Field(None, description="The policy stops here at the latest.")
    min_sentences: Annotated[int, Field(ge=0, le=_MOST)] = Field(1, description="At least so many.")

    def length(self) -> Length:
        """Check that the fields go together."""
        options: LengthOptions = {name: getattr(self, name) for name in LengthFields.model_fields}  # type: ignore[assignment]
        return Length(**options)


class Options(LengthFields):
    """All that one can ask of a summary."""

    order: Literal["document", "extraction"] = Field("document", description="The order of the sentences.")
    block_trigrams: bool = Field(False, description="Pass over what shares three words in a row with the summary.")
    explain: bool = Field(False, description="Add the scores of all sentences at every step.")


class SummarizeOptions(Options):
    """What goes with one document."""

    id: Identifier | None = Field(None, description="Comes back in the answer.")


class SummarizeRequest(SummarizeOptions):
    """One document and what to make of it."""

    text: Text = Field(description="A text, or a list of sentences that is taken as it is.")


class BatchDocument(BaseModel):
    """A document of a batch; an empty one fails alone."""

    model_config = ConfigDict(extra="forbid")

    text: str | list[str] = Field(description="A text, or a list of sentences that is taken as it is.")
    id: Identifier | None = Field(
        None, description="Comes back in the answer; if missing, the place in the batch, from 0."
    )


class BatchRequest(Options):
    """Several documents, summarised alike."""

    documents: list[BatchDocument] = Field(min_length=1)


class ShownOptions(Options):
    """How to show a summary of a document that is kept."""

    format: Format = "json"


class ReadingOptions(BaseModel):
    """What goes with a document to keep."""

    model_config = ConfigDict(extra="forbid")

    block_trigrams: bool = Field(False, description="Pass over what shares three words in a row with the summary.")


class ReadingRequest(ReadingOptions):
    """A document to read and keep for a while."""

    text: Text = Field(description="A text, or a list of sentences that is taken as it is.")


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    name: str
    content: bytes


Source = Upload | str | list[str]
