"""What a model reads of one or several documents: the sentences that can be quoted, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from memsum.arrays import I64
from memsum.document import Document
from memsum.features.outline import Outline
from memsum.text import tokenize


@dataclass(frozen=True)
class SourceText:
    """N sentences of one or several documents, and what is known of each."""

    sentences: Sequence[str]
    sections: Sequence[str | None]  # heading of the top-level section of each
    headings: Sequence[str | None]  # nearest heading above each
    speakers: Sequence[str | None]
    numbers: I64  # (N,) number of each among all sentences of all documents, blank ones included
    total: int  # sentences of all documents, blank ones included
    titles: Sequence[str | None]  # of each document
    bounds: Sequence[int] = field(repr=False)  # where each document begins, and the end
    outline: Outline = field(repr=False)

    @classmethod
    def of_documents(cls, documents: Sequence[Document], *, with_blanks: bool = False) -> SourceText:
        """Gather the sentences of documents; one that is blank, or cut by code, cannot be quoted and is left out.

        A document of nothing but such parts is read as it is, and so are blanks `with_blanks`.
        """
        sentences = [sentence for document in documents for sentence in document.sentences]
        sections = [title for document in documents for title, members in document.top_sections() for _ in members]
        numbers = [number for number, one in enumerate(sentences) if with_blanks or one.text.strip()]
        if not with_blanks:
            numbers = [number for number in numbers if not sentences[number].is_cut] or numbers
        firsts = np.cumsum([0, *(len(document.sentences) for document in documents)])
        kept = [sentences[number] for number in numbers]
        return cls(
            [sentence.text for sentence in kept],
            [sections[number] for number in numbers],
            [sentence.section for sentence in kept],
            [sentence.speaker for sentence in kept],
            np.array(numbers, np.int64),
            len(sentences),
            [document.title for document in documents],
            np.searchsorted(numbers, firsts).tolist(),
            Outline.join([Outline.of(document) for document in documents])[np.array(numbers, np.int64)],
        )

    @classmethod
    def of_sentences(
        cls, sentences: Sequence[str], headings: Sequence[str | None] | None = None, title: str | None = None
    ) -> SourceText:
        """Wrap the sentences of one document; `headings` are those of the sentences' top-level sections."""
        count = len(sentences)
        unknown = [None] * count
        sections = headings or unknown
        return cls(
            sentences,
            sections,
            sections,
            unknown,
            np.arange(count),
            count,
            [title],
            [0, count],
            Outline.of_headings(sections),
        )

    @cached_property
    def tokens(self) -> list[list[str]]:
        return list(map(tokenize, self.sentences))

    @property
    def title(self) -> str | None:
        """The titles of all documents, if there are any."""
        return " ".join(title for title in self.titles if title) or None

    def documents(self) -> Iterator[tuple[Sequence[str], Sequence[str | None], str | None, list[list[str]]]]:
        """Yield sentences, headings, title and tokens of each document."""
        for (start, end), title in zip(pairwise(self.bounds), self.titles, strict=True):
            yield self.sentences[start:end], self.sections[start:end], title, self.tokens[start:end]
