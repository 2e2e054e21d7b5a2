"""What is searched for answers, in reading order: sentences, also of abstracts, captions and notes, rows, code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

import numpy as np

from memsum.arrays import I64
from memsum.document import Document
from memsum.document.document import SEARCHED, Sentence
from memsum.document.tables import HEAD, Tables, has_data

Beside = Literal["abstract", "caption", "table", "code", "note", "status"]
_LINES, _CHARACTERS = 8, 600  # of a piece of code, which is quoted as a whole


@dataclass(frozen=True)
class Passage:
    """A sentence that can answer a question; `beside` says where it stands if it is not of the running text.

    A row of a table, or a sentence in one, is found by the words of its `head`, too.
    """

    sentence: Sentence
    document: int
    number: int  # of the sentence among those of the running texts of all documents; then the others are counted
    beside: Beside | None = None
    head: str = ""

    @property
    def heading(self) -> str:
        """The heading of its section, and the heads of its row or column."""
        return f"{self.sentence.section or ''} {self.head}".strip()


@dataclass(frozen=True)
class Passages:
    """All sentences of one or several documents that can answer a question; blank ones cannot."""

    members: Sequence[Passage]
    total: int  # numbers of sentences, blank ones included
    firsts: Sequence[int] = (0,)  # number of each document's first sentence

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Passages:
        """Gather the sentences of documents."""
        firsts = [0, *accumulate(len(document.sentences) for document in documents)]
        number = firsts[-1]
        members: list[Passage] = []
        for position, document in enumerate(documents):
            starts = {sentence.start for sentence in document.sentences}
            besides: list[tuple[Sentence, Beside]] = [
                (sentence, "abstract") for sentence in document.abstract if sentence.start not in starts
            ]
            besides += _besides(document)
            tables = Tables(document)

            def head_of(sentence: Sentence, document: Document = document, tables: Tables = tables) -> str:
                start, end = tables.head_of(sentence.start, sentence.end) or (0, 0)
                return document.text[start:end]

            own = [
                Passage(sentence, position, first, head=head_of(sentence))
                for first, sentence in enumerate(document.sentences, firsts[position])
            ]
            for sentence, beside in besides:
                if sentence.text.strip():
                    own.append(Passage(sentence, position, number, beside, head_of(sentence)))
                    number += 1
            own.sort(key=lambda passage: passage.sentence.start)
            members += [passage for passage in own if passage.sentence.text.strip()]
        return cls(members, number, firsts)

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def texts(self) -> list[str]:
        """The sentences."""
        return [passage.sentence.text for passage in self.members]

    @cached_property
    def numbers(self) -> I64:
        """Number of each sentence, (N,)."""
        return np.array([passage.number for passage in self.members], np.int64)

    @cached_property
    def befores(self) -> I64:
        """Row of the sentence that each is read behind: its list's lead-in, or the one before in its section; or −1."""
        rows = {passage.number: row for row, passage in enumerate(self.members)}
        found = []
        for row, passage in enumerate(self.members):
            before = self.members[row - 1] if row else passage
            is_near = before.document == passage.document and before.sentence.section == passage.sentence.section
            lead_in = passage.sentence.lead_in
            if lead_in is not None:
                found.append(rows.get(self.firsts[passage.document] + lead_in, -1))
            else:
                found.append(row - 1 if row and is_near else -1)
        return np.array(found, np.int64)

    def of_document(self, index: int) -> list[Passage]:
        """Return the sentences of one of the documents."""
        return [passage for passage in self.members if passage.document == index]

    @property
    def is_transcript(self) -> bool:
        """Tell whether most sentences are somebody's."""
        return 2 * sum(passage.sentence.speaker is not None for passage in self.members) > len(self.members)

    @cached_property
    def by_number(self) -> dict[int, Passage]:
        """The sentences by their numbers."""
        return {passage.number: passage for passage in self.members}


def _besides(document: Document) -> Iterator[tuple[Sentence, Beside]]:
    """Yield what is no running text and may answer a question: captions, notes, rows without prose, pieces of code."""
    text = document.text
    for block in document.blocks:
        spans: Iterable[tuple[int, int]] = ()
        kind: Beside = "caption"
        if block.kind == "caption" or (block.kind == "boilerplate" and block.reason in SEARCHED):
            from memsum.document.sentences import each_sentence  # here: few documents need it, and it takes 5 ms

            spans = each_sentence(text[block.start : block.end], document.language)
            kind = "caption" if block.kind == "caption" else "note"
        elif block.kind == "table" and block.level != HEAD:
            spans, kind = ((0, block.end - block.start),) if has_data(text[block.start : block.end]) else (), "table"
        elif block.kind == "code":
            spans, kind = _pieces(text[block.start : block.end]), "code"
        for start, end in spans:
            start, end = block.start + start, block.start + end
            boxes = document.boxes(start, end)
            page = boxes[0].page if boxes else None
            yield Sentence(text[start:end], start, end, block.section, page, boxes), kind


def _pieces(code: str) -> Iterator[tuple[int, int]]:
    """Yield code in pieces of whole lines, short enough to be quoted."""
    start = end = count = 0
    while start < len(code):
        stop = code.find("\n", end)
        stop = len(code) if stop < 0 else stop
        count += 1
        if count > 1 and (count > _LINES or stop - start > _CHARACTERS):
            yield start, end - 1
            start, count = end, 1
        end = stop + 1
        if stop == len(code):
            yield start, stop
            break
