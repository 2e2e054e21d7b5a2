"""The model is loaded once and summarises any number of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from memsum.document import Document
from memsum.document.source import Source, open_document, text_or_file
from memsum.errors import MemsumError
from memsum.model import find_model
from memsum.model.registry import DEFAULT
from memsum.model.runtime import Runtime
from memsum.reading import Reading
from memsum.summary import Summary, SummaryOptions, SummarySettings

if TYPE_CHECKING:
    from typing_extensions import Unpack


def summarize(
    source: Source,
    *,
    model: str | Path = DEFAULT,
    block_trigrams: bool = False,
    language: str | None = None,
    id: str | int | None = None,  # noqa: A002
    **options: Unpack[SummaryOptions],
) -> Summary:
    """Summarise a document in one call; the model is loaded with the first and stays.

    A Path is a file, and so is a str of one line that names an existing file; every other str is a text. The options
    are those of `Summarizer.summarize`, which takes every str for a text: use that one for texts of others.
    """
    SummarySettings.of(options)  # a slip costs no model
    source = text_or_file(source)
    return _load(model).summarize(source, block_trigrams=block_trigrams, language=language, id=id, **options)


@cache
def _load(model: str | Path) -> Summarizer:
    return Summarizer.load(model)


@dataclass(frozen=True)
class Failure:
    """A source that could not be summarised, and why."""

    source: Source
    error: MemsumError


class Summarizer:
    """A model, ready to summarise. Threads may share it."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.runtime = runtime
        self.name = name

    def __repr__(self) -> str:
        return f"Summarizer({self.name!r})"

    @classmethod
    def load(cls, model: str | Path = DEFAULT, *, threads: int | None = None) -> Summarizer:
        """Load a model: one inside the package by name, a folder, or a repository of the Hugging Face Hub.

        `threads` is how many cores one document may use; by default as many as help.
        """
        if threads is not None and threads < 1:
            raise MemsumError(f"A summary needs at least one thread, not {threads}.")
        source = find_model(model)
        return cls(Runtime.load(source.folder, threads=threads), source.name)

    def begin(
        self,
        source: Source,
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
    ) -> Reading:
        """Read and encode a document, once; take summaries of any length from the result.

        With `block_trigrams`, a sentence that shares three words in a row with an extracted one is passed over. The
        `language` of a text or a file, such as "de", is found unless it is given.
        """
        if id is None and isinstance(source, Path):
            id = str(source)  # noqa: A001
        document = open_document(source, language)
        return Reading(self.runtime, [document], model=self.name, block_trigrams=block_trigrams, id=id)

    def begin_together(
        self,
        sources: Sequence[Source],
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        ids: Sequence[str | int] | None = None,
    ) -> Reading:
        """Read and encode several documents as one; take summaries of all of them from the result.

        A document is called by its id, its path, or its number from 1.
        """
        if isinstance(sources, (str, Path, Document)):
            raise MemsumError("Several documents are given as a list.", "One alone: summarize(...)")
        if ids is not None and len(ids) != len(sources):
            raise MemsumError(f"There are {len(ids)} ids for {len(sources)} documents.")
        names = [
            str(ids[place] if ids else source if isinstance(source, Path) else f"document {place + 1}")
            for place, source in enumerate(sources)
        ]
        documents = [open_document(source, language) for source in sources]
        return Reading(self.runtime, documents, model=self.name, names=names, block_trigrams=block_trigrams)

    def summarize_together(
        self,
        sources: Sequence[Source],
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        ids: Sequence[str | int] | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Make one summary of several documents: each is quoted, and no other repeats what one has said.

        A quote's index and offsets are those in its own document: `summary.documents[quote.document]`. With
        `by="section"` the quotes are grouped by document, and each has its share.
        """
        settings = SummarySettings.of(options)
        return self.begin_together(sources, block_trigrams=block_trigrams, language=language, ids=ids).take(settings)

    def summarize(
        self,
        source: Source,
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Summarise a text (a str), a file (a Path), a Document, or a list of sentences.

        The policy decides how long the summary is, unless one of `sentences`, `words`, `characters` or `ratio` does;
        `stop_threshold` and `max_sentences` change where the policy stops, `min_sentences` is 1 unless it is given. The
        same as a `Length`: `length`. `order` is "document" or "extraction". With `about`, a question or a topic, the
        summary quotes what bears on it; it is empty if nothing does. With `by="section"` each section of the document
        has its share of the quotes, with `spread` they are evenly spread over the document. A quote that is not
        understood without the sentence before it has that as its `context`, unless `context` is False. With `explain`
        the summary has the scores of all sentences at every step.
        """
        settings = SummarySettings.of(options)  # what cannot be asked for is said before anything is read
        return self.begin(source, block_trigrams=block_trigrams, language=language, id=id).take(settings)

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise"] = "raise",
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary]: ...

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["return"],
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | Failure]: ...

    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise", "return"] = "raise",
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | Failure]:
        """Summarise one document after the other, each when it is asked for, in order.

        With `errors="return"`, a document that cannot be summarised comes as a `Failure` and the others go on.
        """
        settings = SummarySettings.of(options)

        def summaries() -> Iterator[Summary | Failure]:
            for source in sources:
                try:
                    yield self.begin(source, block_trigrams=block_trigrams, language=language).take(settings)
                except MemsumError as error:
                    if errors == "raise":
                        raise
                    yield Failure(source, error)

        return summaries()
