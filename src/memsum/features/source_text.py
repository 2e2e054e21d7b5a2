"""What a model reads of one or several documents: the sentences that can be quoted, and where each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from memsum.arrays import I64, Bools
from memsum.document import Document
from memsum.text import tokenize

_MAIN = 3  # sections that a document is divided into, at least


@dataclass(frozen=True)
class Outline:
    """The structure around N sentences; numbers only grow, and equal ones are of one section, or of one paragraph."""

    sections: I64  # (N,) by the nearest heading above; 0 where there is none
    headings: Sequence[str]  # of each section, by its number
    levels: I64  # (N,) of that heading
    main: I64  # (N,) main section: the shallowest headings that divide the document
    titles: Sequence[str | None]  # of each main section, by its number
    paragraphs: I64  # (N,)
    items: Bools  # (N,) of a list
    spoken: Bools  # (N,) turns of a transcript

    @classmethod
    def of(cls, document: Document) -> Outline:
        """Read the structure off a document's blocks."""
        blocks, sentences = document.blocks, document.sentences
        starts = np.array([block.start for block in blocks], np.int64)
        first = np.array([sentence.start for sentence in sentences], np.int64)
        paragraphs = np.maximum(np.searchsorted(starts, first, side="right") - 1, 0)
        numbers = [number for number, block in enumerate(blocks) if block.kind == "heading"]
        sections = np.searchsorted(np.array(numbers, np.int64), paragraphs, side="right")
        levels = np.array([0, *(blocks[number].level for number in numbers)], np.int64)
        headings = ["", *(document.text[blocks[number].start : blocks[number].end] for number in numbers)]
        # A title that is a heading divides nothing: the first level counts that makes several sections with sentences.
        is_main = np.ones(len(levels), bool)
        for level in sorted(set(levels[1:].tolist())):
            is_main = levels <= level
            if len(set(np.cumsum(is_main)[sections].tolist())) >= _MAIN:
                break
        items = np.array([block.kind == "item" for block in blocks] or [False])
        return cls(
            sections,
            headings,
            levels[sections],
            np.cumsum(is_main)[sections] - 1,
            [headings[first] or None for first in np.flatnonzero(is_main).tolist()],
            paragraphs,
            items[paragraphs],
            np.array([sentence.speaker is not None for sentence in sentences], bool),
        )

    @classmethod
    def of_headings(
        cls,
        titles: Sequence[str | None],
        headings: Sequence[str | None] | None = None,
        paragraphs: Sequence[int] | None = None,
    ) -> Outline:
        """Divide sentences by the titles of their top-level sections, and what else is known of the document.

        Without `paragraphs`, numbers that only grow, those of a section are one.
        """
        count = len(titles)
        main, sections = np.zeros((2, count), np.int64)
        names, tops, levels = [""], [""], np.ones(count, np.int64)
        last: tuple[str | None, str | None] = (None, None)
        for sentence, (title, heading) in enumerate(zip(titles, headings or titles, strict=True)):
            if title != last[0]:
                tops.append(title or "")
            if (title, heading) != last:
                names.append(heading or title or "")
                last = title, heading
            levels[sentence] = 0 if not names[-1] else 1 if heading == title else 2
            main[sentence], sections[sentence] = len(tops) - 1, len(names) - 1
        numbers = sections if paragraphs is None else sections + np.array(paragraphs, np.int64)
        nothing = np.zeros(count, bool)
        return cls(sections, names, levels, main, [name or None for name in tops], numbers, nothing, nothing)

    @classmethod
    def join(cls, outlines: Sequence[Outline]) -> Outline:
        """Join the structures of several documents, each with numbers of its own."""
        if len(outlines) == 1:
            return outlines[0]
        # A section's number is also its heading's index.
        firsts = np.cumsum([0, *(len(outline.headings) for outline in outlines)])
        mains = np.cumsum([0, *(len(outline.titles) for outline in outlines)])
        paragraphs = np.cumsum([0, *(int(outline.paragraphs.max(initial=0)) + 1 for outline in outlines)])
        return cls(
            np.concatenate([outline.sections + first for outline, first in zip(outlines, firsts, strict=False)]),
            [heading for outline in outlines for heading in outline.headings],
            np.concatenate([outline.levels for outline in outlines]),
            np.concatenate([outline.main + first for outline, first in zip(outlines, mains, strict=False)]),
            [title for outline in outlines for title in outline.titles],
            np.concatenate([outline.paragraphs + first for outline, first in zip(outlines, paragraphs, strict=False)]),
            np.concatenate([outline.items for outline in outlines]),
            np.concatenate([outline.spoken for outline in outlines]),
        )

    def __len__(self) -> int:
        return len(self.sections)

    def __getitem__(self, rows: I64 | slice) -> Outline:
        """Return the structure around some of the sentences."""
        return Outline(
            self.sections[rows],
            self.headings,
            self.levels[rows],
            self.main[rows],
            self.titles,
            self.paragraphs[rows],
            self.items[rows],
            self.spoken[rows],
        )


@dataclass(frozen=True)
class SourceText:
    """N sentences of one or several documents, and what is known of each."""

    sentences: Sequence[str]
    sections: Sequence[str | None]  # heading of the top-level section of each
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
        return cls(
            [sentences[number].text for number in numbers],
            [sections[number] for number in numbers],
            np.array(numbers, np.int64),
            len(sentences),
            [document.title for document in documents],
            np.searchsorted(numbers, firsts).tolist(),
            Outline.join([Outline.of(document) for document in documents])[np.array(numbers, np.int64)],
        )

    @classmethod
    def of_sentences(
        cls,
        sentences: Sequence[str],
        headings: Sequence[str | None] | None = None,
        title: str | None = None,
        outline: Outline | None = None,
    ) -> SourceText:
        """Wrap the sentences of one document; `headings` are those of the sentences' top-level sections."""
        count = len(sentences)
        sections = headings or [None] * count
        return cls(
            sentences,
            sections,
            np.arange(count),
            count,
            [title],
            [0, count],
            outline or Outline.of_headings(sections),
        )

    @cached_property
    def tokens(self) -> list[list[str]]:
        return list(map(tokenize, self.sentences))

    @property
    def title(self) -> str | None:
        """The titles of all documents, if there are any."""
        return " ".join(title for title in self.titles if title) or None
