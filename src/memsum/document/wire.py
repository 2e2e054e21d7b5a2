"""Documents as plain data, for the way from one process to another."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from memsum.document.model import Block, Box, Document, Sentence
from memsum.errors import DocumentError


def pack(result: Document | DocumentError) -> bytes:
    """A document, or why there is none, as JSON."""
    if isinstance(result, DocumentError):
        return json.dumps({"message": result.message, "hint": result.hint}).encode()
    data = {
        "text": result.text,
        "title": result.title,
        "format": result.format,
        "warnings": result.warnings,
        "language": result.language,
        "blocks": [_row(block) for block in result.blocks],
        "sentences": [_row(sentence)[1:] for sentence in result.sentences],
        "abstract": [_row(sentence)[1:] for sentence in result.abstract],
    }
    return json.dumps(data).encode()


def unpack(data: bytes) -> Document:
    """What `pack` made: the document, or the error is raised. The sender is not trusted."""
    try:
        found = json.loads(data)
        if "message" in found:
            error = DocumentError(str(found["message"]), None if found["hint"] is None else str(found["hint"]))
        else:
            return _document(found)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise DocumentError("The document was read, but what came back is damaged.") from None
    raise error


def _row(value: Block | Sentence) -> list[Any]:
    return [getattr(value, field.name) for field in fields(value)]


def _document(found: dict[str, Any]) -> Document:
    text = found["text"]
    return Document(
        text,
        tuple(Block(*row) for row in found["blocks"]),
        tuple(_sentence(text, row) for row in found["sentences"]),
        tuple(_sentence(text, row) for row in found["abstract"]),
        found["title"],
        found["format"],
        tuple(found["warnings"]),
        found["language"],
    )


def _sentence(text: str, row: list[Any]) -> Sentence:
    start, end, section, page, boxes, speaker = row
    return Sentence(text[start:end], start, end, section, page, tuple(Box(*box) for box in boxes), speaker)
