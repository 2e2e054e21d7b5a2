"""What is searched for answers: the sentences of running text, abstract and captions, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

import numpy as np

from memsum.arrays import I64
from memsum.document import Document
from memsum.document.document import Sentence
from memsum.document.sentences import each_sentence

Beside = Literal["abstract", "caption"]


@dataclass(frozen=True)
class Passage:
    """A sentence that can answer a question; `beside` says where it stands if it is not of the running text."""

    sentence: Sentence
    document: int
    number: int  # of the sentence among those of the running texts of all documents; then the others are counted
    beside: Beside | None = None


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
            besides: list[tuple[Sentence, Beside]] = [(sentence, "abstract") for sentence in document.abstract]
            besides += [(sentence, "caption") for sentence in _captions(document)]
            own = [
                Passage(sentence, position, first)
                for first, sentence in enumerate(document.sentences, firsts[position])
            ]
            for sentence, beside in besides:
                if sentence.text.strip():
                    own.append(Passage(sentence, position, number, beside))
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


def _captions(document: Document) -> Iterator[Sentence]:
    for block in document.blocks:
        if block.kind == "caption":
            for start, end in each_sentence(document.text[block.start : block.end], document.language):
                start, end = block.start + start, block.start + end
                yield Sentence(document.text[start:end], start, end, block.section)
