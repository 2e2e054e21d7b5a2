"""Documents as plain data, for the way from one process to another."""

from __future__ import annotations

import json
from typing import Any

from memsum.document.model import Block, Box, Document, Sentence
from memsum.errors import DocumentError, ScanError

Packed = tuple[dict[str, Any], bytes]


class DocumentTooLargeError(DocumentError):
    """A document with more text than its caller takes."""


_KINDS: dict[object, type[DocumentError]] = {"large": DocumentTooLargeError, "scan": ScanError}


def read_packed(header: dict[str, Any], data: bytes) -> Packed:
    """Read a document in a sandbox; the header says how."""
    from memsum.document.readers import read_document, read_scan

    content = data.decode("utf-8", "surrogatepass") if header["text"] else data
    try:
        language = header.get("language")
        if header.get("scan"):
            document = read_scan(data, language)
        else:
            document = read_document(content, format=header["format"], language=language, isolated=False)
        size = len(document.text.encode("utf-8", "surrogatepass"))
        if size > header["most_bytes"]:
            raise DocumentTooLargeError(
                f"The document has more than {header['most_bytes']:,} bytes of text.", "Split it into parts."
            )
        most = header.get("most_sentences")
        if most is not None and len(document.sentences) > most:
            raise DocumentTooLargeError(f"The document has more than {most:,} sentences.", "Split it into parts.")
    except DocumentError as error:
        return pack_error(error)
    return {}, pack(document)


def pack_error(error: DocumentError) -> Packed:
    """Why there is no answer."""
    kind = next((name for name, one in _KINDS.items() if isinstance(error, one)), None)
    return {"message": error.message, "hint": error.hint, "kind": kind}, b""


def raise_error(answer: dict[str, Any]) -> None:
    """Raise the error that an answer is, if it is one."""
    if "message" in answer:
        hint = answer.get("hint")
        raise _KINDS.get(answer.get("kind"), DocumentError)(str(answer["message"]), None if hint is None else str(hint))


def pack(document: Document) -> bytes:
    """A document as JSON."""
    # A heading stands above many sentences: it is sent once.
    sentences = (*document.sentences, *document.abstract)
    sections = list(dict.fromkeys([*(one.section for one in document.blocks), *(one.section for one in sentences)]))
    places = {section: place for place, section in enumerate(sections)}
    data = {
        "text": document.text,
        "title": document.title,
        "format": document.format,
        "warnings": document.warnings,
        "language": document.language,
        "sections": sections,
        "blocks": [
            [one.kind, one.start, one.end, places[one.section], one.level, one.speaker] for one in document.blocks
        ],
        "sentences": [_row(sentence, places) for sentence in document.sentences],
        "abstract": [_row(sentence, places) for sentence in document.abstract],
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack(answer: dict[str, Any], data: bytes) -> Document:
    """What `read_packed` made: the document, or the error is raised. The sender is not trusted."""
    raise_error(answer)
    try:
        return _document(json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise DocumentError("The document was read, but what came back is damaged.") from None


def _row(sentence: Sentence, places: dict[str | None, int]) -> list[Any]:
    return [sentence.start, sentence.end, places[sentence.section], sentence.page, sentence.boxes, sentence.speaker]


def _document(found: dict[str, Any]) -> Document:
    text, sections = found["text"], found["sections"]
    return Document(
        text,
        tuple(Block(kind, start, end, sections[at], *rest) for kind, start, end, at, *rest in found["blocks"]),
        tuple(_sentence(text, sections, row) for row in found["sentences"]),
        tuple(_sentence(text, sections, row) for row in found["abstract"]),
        found["title"],
        found["format"],
        tuple(found["warnings"]),
        found["language"],
    )


def _sentence(text: str, sections: list[str | None], row: list[Any]) -> Sentence:
    start, end, at, page, boxes, speaker = row
    return Sentence(text[start:end], start, end, sections[at], page, tuple(Box(*box) for box in boxes), speaker)
