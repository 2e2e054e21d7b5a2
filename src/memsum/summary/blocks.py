"""A document cut up for showing: blocks, and in each of them the spans that are sentences and those that are not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memsum.document.document import Block, BlockKind, Document
from memsum.printable import one_line, printable
from memsum.query.passages import Passage, Passages


@dataclass(frozen=True, slots=True)
class Span:
    """Text that is safe to print, of the sentence with a number or of none; `is_first` where that begins."""

    text: str
    sentence: int | None = None
    is_first: bool = True


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block as `Document` has it; the highest heading has the level 1."""

    kind: BlockKind
    level: int
    spans: tuple[Span, ...]
    reason: str | None = None
    time: str | None = None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


def cut_all(documents: Sequence[Document], names: Sequence[str]) -> list[ShownBlock]:
    """Cut documents up one after the other, each under its name; their sentences are counted through."""
    passages = Passages.of(documents)
    parts: list[ShownBlock] = []
    for index, document in enumerate(documents):
        parts += [ShownBlock("title", 1, (Span(one_line(names[index])),))] if names else []
        parts += cut(document, passages.of_document(index))
    return parts


def cut(document: Document, passages: Sequence[Passage]) -> list[ShownBlock]:
    """Return the blocks in order, without what is only markup; the passages are those of this document."""
    top = min((block.level for block in document.blocks if block.kind == "heading"), default=1)
    parts = []
    first = 0
    for block in document.blocks:
        while first < len(passages) and passages[first].sentence.end <= block.start:
            first += 1
        spans = tuple(span for span in _spans(document, block, passages, first) if span.text)
        if any(not span.text.isspace() for span in spans):
            level = max(1, block.level - top + 1) if block.kind == "heading" else block.level
            parts.append(ShownBlock(block.kind, level, spans, block.reason, block.time))
    return parts


def _spans(document: Document, block: Block, passages: Sequence[Passage], first: int) -> Iterator[Span]:
    """Yield what a block holds; `first` is the first sentence that ends behind its start.

    Sentences in a row of a table lie in the passage that is the row: it is what is left of them.
    """
    at = block.start
    shown = _safe_code if block.kind == "code" else safe
    row: int | None = None
    is_begun = False
    for index in range(first, len(passages)):
        sentence = passages[index].sentence
        if sentence.start >= block.end:
            break
        if passages[index].beside == "table":
            row = passages[index].number
            continue
        start, end = max(sentence.start, block.start), min(sentence.end, block.end)
        yield Span(shown(document.text[at:start]), row, is_first=not is_begun)
        is_begun |= at < start
        yield Span(shown(document.text[start:end]), passages[index].number, is_first=start == sentence.start)
        at = end
    yield Span(shown(document.text[at : block.end]), row, is_first=not is_begun)


def safe(text: str) -> str:
    """Put a text on one line; a space at either end remains."""
    line = one_line(text)
    if not line:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{line}{' ' if text[-1].isspace() else ''}"


def _safe_code(text: str) -> str:
    """Keep the lines of code, and what they are indented by."""
    return printable(re.sub(r"\r\n?|[\v\f\x85]", "\n", text))
