"""The model is loaded once and summarises any number of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from memsum.errors import MemsumError
from memsum.models import ModelConfig, check_files, find_model
from memsum.models.registry import DEFAULT
from memsum.reading import Order, Reading, Source, check_order, choose_length, open_document, refuse_name
from memsum.runtime import Runtime
from memsum.summary import Length, LengthOptions, Summary

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Failure:
    """A source that could not be summarised, and why."""

    source: Source
    error: MemsumError


class SummaryOptions(LengthOptions, total=False):
    """The keyword arguments of `Summarizer.summarize`."""

    length: Length | None
    order: Order
    block_trigrams: bool
    explain: bool
    language: str | None


class Summarizer:
    """A model, ready to summarise. Threads may share it."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.runtime = runtime
        self.name = name

    @classmethod
    def load(cls, model: str | Path = DEFAULT, *, threads: int | None = None) -> Summarizer:
        """Load a model: one inside the package by name, a folder, or a repository of the Hugging Face Hub.

        `threads` is how many cores one document may use; by default as many as help.
        """
        if threads is not None and threads < 1:
            raise MemsumError(f"A summary needs at least one thread, not {threads}.")
        source = find_model(model)
        ModelConfig.load(source.folder)  # a newer format may have other files: ask for the format before the files
        check_files(source.folder)
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
        if isinstance(source, str):
            refuse_name(source)
        if id is None and isinstance(source, Path):
            id = str(source)  # noqa: A001
        document = open_document(source, language)
        return Reading(self.runtime, document, model=self.name, block_trigrams=block_trigrams, id=id)

    def summarize(
        self,
        source: Source,
        *,
        length: Length | None = None,
        order: Order = "document",
        block_trigrams: bool = False,
        explain: bool = False,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
        **options: Unpack[LengthOptions],
    ) -> Summary:
        """Summarise a text (a str), a file (a Path), a Document, or a list of sentences.

        The policy decides how long the summary is, unless one of `sentences`, `words`, `characters` or `ratio` does;
        `stop_threshold` and `max_sentences` change where the policy stops, `min_sentences` is 1 unless it is given. The
        same as a `Length`: `length`. With `explain` the summary has the scores of all sentences at every step.
        """
        length = choose_length(length, options)
        check_order(order)
        reading = self.begin(source, block_trigrams=block_trigrams, language=language, id=id)
        return reading.summary(length=length, order=order, explain=explain)

    @overload
    def summarize_many(
        self, sources: Iterable[Source], *, errors: Literal["raise"] = "raise", **options: Unpack[SummaryOptions]
    ) -> Iterator[Summary]: ...

    @overload
    def summarize_many(
        self, sources: Iterable[Source], *, errors: Literal["return"], **options: Unpack[SummaryOptions]
    ) -> Iterator[Summary | Failure]: ...

    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise", "return"] = "raise",
        length: Length | None = None,
        order: Order = "document",
        block_trigrams: bool = False,
        explain: bool = False,
        language: str | None = None,
        **options: Unpack[LengthOptions],
    ) -> Iterator[Summary | Failure]:
        """Summarise one document after the other, each when it is asked for, in order.

        With `errors="return"`, a document that cannot be summarised comes as a `Failure` and the others go on.
        """
        length = choose_length(length, options)
        check_order(order)

        def summaries() -> Iterator[Summary | Failure]:
            for source in sources:
                try:
                    yield self.summarize(
                        source,
                        length=length,
                        order=order,
                        block_trigrams=block_trigrams,
                        explain=explain,
                        language=language,
                    )
                except MemsumError as error:
                    if errors == "raise":
                        raise
                    yield Failure(source, error)

        return summaries()
