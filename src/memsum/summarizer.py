"""Load a model once and summarize any number of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from memsum.document import Document
from memsum.document.source import Source, load_stream, open_document
from memsum.errors import MemsumError
from memsum.model import find_model
from memsum.model.registry import DEFAULT
from memsum.model.runtime import Runtime
from memsum.options import SummaryKeywords, SummaryOptions, with_options
from memsum.reading import Reading
from memsum.summary import Summary

if TYPE_CHECKING:
    from typing_extensions import Unpack


@with_options
def summarize(
    source: Source,
    *,
    model: str | Path = DEFAULT,
    language: str | None = None,
    id: str | int | None = None,  # noqa: A002
    **options: Unpack[SummaryKeywords],
) -> Summary:
    """Summarize a document in one call; the model is loaded at the first call and kept.

    The source is a text (a str), a file (a Path, bytes, or a file object), a Document, or a list of sentences; a str is
    never taken for a path. The model decides how long the summary is unless the options say so. The language, such as
    "de", is detected unless it is given; the id comes back in the summary.
    """
    checked = SummaryOptions.of(options)  # validate before loading the model
    return _load(model).read(source, language=language, id=id).summarize(checked)


@cache
def _load(model: str | Path) -> Summarizer:
    return Summarizer.load(model)


@dataclass(frozen=True)
class Failure:
    """A source that could not be summarized, and why."""

    source: Source
    error: MemsumError


class Summarizer:
    """A loaded model. Threads may share it."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.runtime = runtime
        self.name = name

    def __repr__(self) -> str:
        return f"Summarizer({self.name!r})"

    @classmethod
    def load(cls, model: str | Path = DEFAULT, *, threads: int | None = None) -> Summarizer:
        """Load a model: one inside the package by name, a folder, or a repository of the Hugging Face Hub.

        `threads` is the number of cores for one document; by default as many as help.
        """
        if threads is not None and threads < 1:
            raise MemsumError(f"threads must be at least 1, not {threads}.")
        source = find_model(model)
        return cls(Runtime.load(source.folder, threads=threads), source.name)

    @classmethod
    def from_pretrained(cls, model: str | Path = DEFAULT, *, threads: int | None = None) -> Summarizer:
        """Load a model; another name for `load`."""
        return cls.load(model, threads=threads)

    def read(
        self,
        source: Source,
        *,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
    ) -> Reading:
        """Read and encode a document once, for any number of summaries.

        The source is a text (a str), a file (a Path, bytes, or a file object), a Document, or a list of sentences.
        """
        if id is None and isinstance(source, Path):
            id = str(source)  # noqa: A001
        source = load_stream(source)
        document = open_document(source, language)
        pdf = source if isinstance(source, (Path, bytes)) and document.format == "pdf" else None
        return Reading(self.runtime, [document], model=self.name, id=id, pdf=pdf)

    def read_together(
        self,
        sources: Sequence[Source],
        *,
        language: str | None = None,
        ids: Sequence[str | int] | None = None,
    ) -> Reading:
        """Read and encode several documents, for summaries of all of them together.

        A document is named by its id, its path, or its number from 1.
        """
        if isinstance(sources, (str, Path, bytes, Document)):
            raise MemsumError("Several documents are given as a list.", "One alone: summarize(...)")
        if ids is not None and len(ids) != len(sources):
            raise MemsumError(f"There are {len(ids)} ids for {len(sources)} documents.")
        names = [
            str(ids[index] if ids else source if isinstance(source, Path) else f"document {index + 1}")
            for index, source in enumerate(sources)
        ]
        documents = [open_document(load_stream(source), language) for source in sources]
        return Reading(self.runtime, documents, model=self.name, names=names)

    @with_options
    def summarize(
        self,
        source: Source,
        *,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
        **options: Unpack[SummaryKeywords],
    ) -> Summary:
        """Summarize a text (a str), a file (a Path, bytes, or a file object), a Document, or a list of sentences.

        The model decides how long the summary is unless one of `sentences`, `words`, `characters` or `ratio` is given.
        With `about`, the summary is empty if no sentence is relevant. The language, such as "de", is detected unless it
        is given; the id comes back in the summary.
        """
        checked = SummaryOptions.of(options)  # fail early on invalid options
        return self.read(source, language=language, id=id).summarize(checked)

    @with_options
    def summarize_together(
        self,
        sources: Sequence[Source],
        *,
        language: str | None = None,
        ids: Sequence[str | int] | None = None,
        **options: Unpack[SummaryKeywords],
    ) -> Summary:
        """Make one summary of several documents: each is quoted, and none repeats what another states.

        A quote's index and offsets are those in its own document: `summary.documents[quote.document]`. With
        `by="section"` the quotes are grouped by document, and each has its share.
        """
        checked = SummaryOptions.of(options)
        return self.read_together(sources, language=language, ids=ids).summarize(checked)

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise"] = "raise",
        language: str | None = None,
        **options: Unpack[SummaryKeywords],
    ) -> Iterator[Summary]: ...

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["return"],
        language: str | None = None,
        **options: Unpack[SummaryKeywords],
    ) -> Iterator[Summary | Failure]: ...

    @with_options
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise", "return"] = "raise",
        language: str | None = None,
        **options: Unpack[SummaryKeywords],
    ) -> Iterator[Summary | Failure]:
        """Summarize documents one after the other, each when it is asked for, in order.

        With `errors="return"`, a document that cannot be summarized becomes a `Failure` and the others go on.
        """
        checked = SummaryOptions.of(options)

        def summaries() -> Iterator[Summary | Failure]:
            for source in sources:
                try:
                    yield self.read(source, language=language).summarize(checked)
                except MemsumError as error:
                    if errors == "raise":
                        raise
                    yield Failure(source, error)

        return summaries()
