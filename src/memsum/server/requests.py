"""Requests of the API: they are checked against these models, and the API is described by them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model, model_validator

from memsum.document.formats import TITLES
from memsum.document.load import check_language
from memsum.options import SummaryOptions, option_types
from memsum.query.located import find_quotes

Format = Literal["json", "markdown", "text", "html", "pdf"]

_WIDTH = 800  # pixels
WIDTHS = (_WIDTH, 2 * _WIDTH)  # of the pictures of pages
MOST_EXTRACTIONS = 200
MOST_DOCUMENTS = 64
MOST_QUOTES = 1_000
_MOST = 100_000  # of anything that is counted
Identifier = Annotated[str, Field(max_length=200)] | Annotated[int, Field(ge=-(2**53), le=2**53)]
# Validation that goes on after the first error keeps a kilobyte for each of millions.
Text = Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1, fail_fast=True)]


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    name: str
    content: bytes = field(repr=False)


Source = Upload | str | list[str]
Named = tuple[str, Source]
File = Annotated[Upload, WithJsonSchema({"type": "string", "format": "binary"})]

_TEXT = Field(description="A text, or a list of sentences that is taken as it is.")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Reads(_Strict):
    """A request with documents to read."""

    language: Annotated[str, Field(max_length=35)] | None = Field(
        None, description="Code of the documents' language, such as de; by default it is detected."
    )
    strict: bool = Field(False, description="Leave out hidden sentences even where they are much of a document.")

    @model_validator(mode="after")
    def _is_language(self) -> Self:
        check_language(self.language)
        return self


class TextBody(Reads):
    """A request in JSON."""

    text: Text = _TEXT

    @property
    def source(self) -> Source:
        return self.text


class Form(Reads):
    """A request as a form."""

    most_files: ClassVar[int]


class FileBody(Form):
    """A form with a file."""

    most_files = 1

    file: File = Field(description=f"{TITLES}.")

    @property
    def source(self) -> Source:
        return self.file


class FilesBody(Form):
    """A form with one file or several."""

    most_files = MOST_DOCUMENTS

    file: list[File] = Field(min_length=1, description=f"{TITLES}; several are allowed.")

    @property
    def sources(self) -> list[Named]:
        return [(file.name, file) for file in self.file]


class _Options(BaseModel):
    """Options of a summary, as far as a request may have them; the fields are those of `SummaryOptions`."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @cached_property
    def options(self) -> SummaryOptions:
        names = option_types().keys() & type(self).model_fields.keys()
        return SummaryOptions(**{name: getattr(self, name) for name in names})

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        _ = self.options  # refuse before anyone waits
        return self


def _make_model(name: str, says: str, *names: str) -> Any:
    """Make a model with some of the options of a summary, or all."""
    fields: dict[str, Any] = {}
    for option, (hint, declared) in option_types().items():
        bounds = {bound: declared.metadata[bound] for bound in ("ge", "gt", "le") if bound in declared.metadata}
        if int in (hint, *get_args(hint)):
            bounds["le"] = _MOST
        fields[option] = (hint, Field(declared.default, description=declared.metadata["help"], **bounds))
    chosen = {option: fields[option] for option in names or fields}
    return create_model(name, __base__=_Options, __doc__=says, **chosen)


if TYPE_CHECKING:
    Options = _Options
    _OrderOptions = _Options
    ReadingOptions = _Options
else:
    Options = _make_model("Options", "The options of a summary; if no length is given, the model decides.")
    _OrderOptions = _make_model("OrderOptions", "Options of an extraction order.", "about", "by", "spread")
    _of_reading = [name for name, (_, option) in option_types().items() if "of_reading" in option.metadata]
    ReadingOptions = _make_model("ReadingOptions", "Options of all summaries of a document to keep.", *_of_reading)


class ShownOptions(Options):
    """Options and format of a summary of a kept document."""

    format: Format = "json"


class OrderOptions(_OrderOptions):
    """Options of an extraction order."""

    extractions: int = Field(default=30, ge=1, le=MOST_EXTRACTIONS, description="Number of sentences.")

    def of_sentences(self, sentences: int | None = None) -> SummaryOptions:
        """Return the options for so many sentences, or as many as the model chooses."""
        return replace(self.options, sentences=sentences, order="extraction", context=False)


class PageOptions(_Strict):
    """Options of the picture of a page."""

    width: int = Field(default=_WIDTH, ge=_WIDTH, le=WIDTHS[-1], multiple_of=_WIDTH, description="Width in pixels.")


class PageRequest(PageOptions):
    """A page, counted through all PDFs, and the options of its picture."""

    page: int


class SummarizeOptions(Options):
    """Options of one document."""

    id: Identifier | None = Field(None, description="Returned in the answer.")


class SummarizeRequest(SummarizeOptions, TextBody):
    """A text and the options of its summary."""


class SummarizeForm(SummarizeOptions, FileBody):
    """A file and the options of its summary."""


class BatchDocument(_Strict):
    """A document of a batch; an empty one fails alone."""

    text: str | Annotated[list[str], Field(fail_fast=True)] = _TEXT
    id: Identifier | None = Field(
        None, description="Returned in the answer; by default the index in the batch, from 0."
    )


class BatchRequest(Options, Reads):
    """Several documents and the options of their summaries."""

    documents: list[BatchDocument] = Field(
        min_length=1, fail_fast=True, description="Each with a `text`, and an `id` if you like."
    )


class TogetherRequest(BatchRequest):
    """Several documents, summarized as one."""

    @property
    def sources(self) -> list[Named]:
        return [
            (f"document {number}" if document.id is None else str(document.id), document.text)
            for number, document in enumerate(self.documents, 1)
        ]


class TogetherForm(Options, FilesBody):
    """Several files, summarized as one."""


Quotes = Annotated[
    str | Annotated[list[str], Field(min_length=1, max_length=MOST_QUOTES, fail_fast=True)],
    Field(description="The quotes, or a text that has them in quotation marks, such as an assistant's answer."),
]


class QuotesRequest(_Strict):
    """Quotes to look up."""

    quotes: Quotes

    @cached_property
    def wanted(self) -> list[str]:
        return find_quotes(self.quotes) if isinstance(self.quotes, str) else self.quotes

    @model_validator(mode="after")
    def _are_some(self) -> Self:
        if not 0 < len(self.wanted) <= MOST_QUOTES:
            raise ValueError(f"there are {len(self.wanted):,} quotes; from 1 to {MOST_QUOTES:,} are looked up at once")
        return self


class LocateRequest(QuotesRequest, TextBody):
    """A text, and quotes to look up in it."""

    id: Identifier | None = Field(None, description="Returned in the answer.")


class LocateForm(QuotesRequest, FileBody):
    """A file, and quotes to look up in it."""

    id: Identifier | None = Field(None, description="Returned in the answer.")


class ReadRequest(TextBody):
    """A text to read."""


class ReadForm(FileBody):
    """A file to read."""


class ReadingRequest(ReadingOptions, TextBody):
    """A text to read and keep for a while."""

    @property
    def sources(self) -> list[Named]:
        return [("summary", self.text)]


class ReadingForm(ReadingOptions, FilesBody):
    """A file to read and keep for a while, or several to be read as one."""
