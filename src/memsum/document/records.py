"""The JSON of documents, as types."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from memsum.document.document import BlockKind, Box


class SpanRecord(TypedDict):
    """JSON of a sentence, or of a block with its `kind`; keys without a value are left out."""

    start: int
    end: int
    kind: NotRequired[BlockKind]
    level: NotRequired[int]
    section: NotRequired[str]
    page: NotRequired[int]
    speaker: NotRequired[str]
    boxes: NotRequired[list[Box]]


class PageRecord(TypedDict):
    """JSON of a page: its number from 1, and its size in points."""

    number: int
    width: float
    height: float


class DocumentRecord(TypedDict):
    """JSON of a document: the text that offsets point into, and what stands where; no `pages` where there are none."""

    text: str
    format: str
    title: NotRequired[str]
    language: NotRequired[str]
    blocks: list[SpanRecord]
    sentences: list[SpanRecord]
    pages: NotRequired[list[PageRecord]]
    warnings: NotRequired[list[str]]
