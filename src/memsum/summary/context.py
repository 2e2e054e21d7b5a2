"""Contexts of quotes: the lead-in, the sentence before, the question, or the item of the agenda that one needs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from memsum.document import Block, Document
from memsum.document.tables import Tables
from memsum.languages.low_value import low_value
from memsum.languages.needs_context import NEEDED, needs_context
from memsum.query.passages import Passages
from memsum.summary.summary import Context, SummarySentence, count_words

_MINUTES = re.compile(r"\b(?:minutes|meeting|agenda)\b", re.IGNORECASE)
_SHORT_OUTCOME = 14  # words
_FEWEST_QUESTIONS = 3  # of questions with answers
_QUESTION_NUMBER = re.compile(r"(\(?)(?:Q ?)?\d{1,3}([.):])\s")
_DEFINITE = re.compile(r"(?:The|Since then|Until then|By then|After that|Before that)\b(?! (?:first|last|only) )")
_GREETING = 0.8  # of low value: from here on a sentence explains nothing


class Contexts:
    """What quotes of one or several documents need to be understood."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def add(self, quotes: Sequence[SummarySentence]) -> list[SummarySentence]:
        """Add to each quote its context, and to an answer what it announces, unless that is quoted itself."""
        quoted = {quote.number for quote in quotes}

        def unquoted(quote: SummarySentence, beside: Context | None) -> Context | None:
            is_quoted = beside is not None and beside.index is not None and quote.first + beside.index in quoted
            return None if is_quoted else beside

        return [
            replace(quote, context=unquoted(quote, context), after=unquoted(quote, self.after(quote)))
            for quote, context in zip(quotes, self.find(quotes), strict=True)
        ]

    def after(self, quote: SummarySentence) -> Context | None:
        """Return what follows an answer that announces it: the next sentence, the first item, or a piece of code."""
        if quote.relevance is None or not quote.text.rstrip().endswith(":"):
            return None
        passages = self._passages[quote.document]
        following = bisect_left(passages.members, quote.end, key=lambda passage: passage.sentence.start)
        if following == len(passages) or passages.members[following].sentence.section != quote.section:
            return None
        passage = passages.members[following]
        own, index = passage.sentence, passage.number if passage.beside is None else None
        return Context(index, own.text, own.start, own.end, "after", own.page, own.speaker)

    def find(self, quotes: Sequence[SummarySentence]) -> list[Context | None]:
        """Return what each quote needs: head of a table, lead-in, sentence before, question or heading, if any."""
        if all(document.language not in ("en", None) for document in self._documents):  # the wording is English
            needs = [False] * len(quotes)
        else:
            depends = needs_context([quote.text for quote in quotes]) >= NEEDED
            needs = [own or self._is_definite(quote) for quote, own in zip(quotes, depends.tolist(), strict=True)]
        return [
            self._beside(quote) or (None if quote.beside else self._sentence(quote, need) or self._question(quote))
            for quote, need in zip(quotes, needs, strict=True)
        ]

    def _beside(self, quote: SummarySentence) -> Context | None:
        """Return the head of what stands in a table, and the sentence before a piece of code."""
        document = self._documents[quote.document]
        tables, _, _ = self._structures[quote.document]
        if (head := tables.head_of(quote.start, quote.end)) is not None:
            return Context(None, document.text[slice(*head)], *head, "head", quote.page)
        index = bisect_left(document.sentences, quote.start, key=lambda sentence: sentence.start) - 1
        if quote.beside != "code" or index < 0 or document.sentences[index].section != quote.section:
            return None
        own = document.sentences[index]
        return Context(index, own.text, own.start, own.end, "before", own.page, own.speaker)

    def _is_definite(self, quote: SummarySentence) -> bool:
        """Tell whether an answer speaks of what its paragraph has named: "The cost of one trip was 41 euros"."""
        if quote.relevance is None or not _DEFINITE.match(quote.text):
            return False
        blocks = self._documents[quote.document].blocks
        return blocks[bisect_right(blocks, quote.start, key=lambda block: block.start) - 1].start < quote.start

    def _sentence(self, quote: SummarySentence, is_dependent: bool) -> Context | None:
        """Return the sentence that leads a quote in, or the one before it where it needs that."""
        sentences = self._documents[quote.document].sentences
        kind: Literal["before", "lead-in"] = "lead-in"
        index = sentences[quote.index].lead_in
        if index is None and is_dependent:
            kind = "before"
            index = next((one for one in range(quote.index - 1, -1, -1) if sentences[one].text.strip()), None)
            if index is not None:
                # A greeting or a label explains nothing, but a question does.
                text = sentences[index].text.rstrip()
                explains = text.endswith(("?", ":")) or low_value([text])[0] < _GREETING
                if sentences[index].section != quote.section or not explains:
                    index = None
        if index is None:
            return None
        own = sentences[index]
        return Context(index, own.text, own.start, own.end, kind, own.page, own.speaker)

    def _question(self, quote: SummarySentence) -> Context | None:
        """Return the question that a quote answers in a FAQ, or the item of the agenda that a short one is about."""
        document, (_, headings, questions) = self._documents[quote.document], self._structures[quote.document]
        above = bisect_right(headings, quote.start, key=lambda block: block.start) - 1
        if above >= 0 and headings[above] in questions and headings[above].end < quote.end:
            start, end = headings[above].start, headings[above].end
            index = bisect_left(document.sentences, start, key=lambda sentence: sentence.start)
            is_sentence = index < len(document.sentences) and document.sentences[index].start == start
            return Context(index if is_sentence else None, document.text[start:end], start, end, "question", quote.page)
        if not _MINUTES.search(document.title or "") or count_words(quote.text) > _SHORT_OUTCOME:
            return None
        items = (block for block in document.blocks if block.kind == "heading" and block.end <= quote.start)
        item = max(items, key=lambda block: block.start, default=None)
        text = "" if item is None else document.text[item.start : item.end]
        if item is None or not any(map(str.isalpha, text)):  # a date
            return None
        return Context(None, text, item.start, item.end, "heading")

    @cached_property
    def _passages(self) -> list[Passages]:
        return [Passages.of([document]) for document in self._documents]

    @cached_property
    def _structures(self) -> list[tuple[Tables, list[Block], frozenset[Block]]]:
        return [(Tables(document), *_find_questions(document)) for document in self._documents]


def _find_questions(document: Document) -> tuple[list[Block], frozenset[Block]]:
    """Return headings with blocks that only ask a question, and these alone: none unless most have answers."""
    text = [document.text[block.start : block.end] for block in document.blocks]
    asks = [
        own.endswith("?") and block.speaker is None and (block.kind == "heading" or not re.search(r"[.!?]\s", own))
        for block, own in zip(document.blocks, text, strict=True)
    ]
    questions = {block for block, own, after in zip(document.blocks, asks, asks[1:], strict=False) if own and not after}
    if not questions:
        return [block for block in document.blocks if block.kind == "heading"], frozenset()
    numbers = [_QUESTION_NUMBER.match(own) for own in text]
    numbered = {block: found.groups() for block, found in zip(document.blocks, numbers, strict=True) if found}
    shapes = {numbered[block] for block in questions if block in numbered}
    if 2 * sum(block in numbered for block in questions) > len(questions):  # so are those that only state a problem
        questions |= {block for block, shape in numbered.items() if shape in shapes and block.kind != "item"}
    marks = [block for block in document.blocks if block.kind == "heading" or block in questions]
    is_faq = len(questions) >= _FEWEST_QUESTIONS and len(questions) > len(marks) / 2
    return marks, frozenset(questions if is_faq else ())
