"""Several documents as one text, in which each knows where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memsum.document.document import Block, Document, Sentence
from memsum.document.source import with_sentences
from memsum.errors import DocumentError


@dataclass(frozen=True, slots=True)
class Part:
    """One of several documents: what it is called, and its first sentence and character in the whole."""

    name: str
    document: Document
    first: int
    start: int


def join_documents(named: Sequence[tuple[str, Document]]) -> tuple[Document, tuple[Part, ...]]:
    """One document of several, each under its name; pages and sections stay, boxes on pages do not."""
    if not named:
        raise DocumentError("There is no document to summarise.")
    text = ""
    blocks: list[Block] = []
    sentences: list[Sentence] = []
    parts: list[Part] = []
    warnings: list[str] = []
    for name, own in named:
        try:
            document, of_document = with_sentences(own)
        except DocumentError as error:
            raise DocumentError(f"{name}: {error.message}", error.hint) from None
        blocks.append(Block("title", len(text), len(text) + len(name)))
        text += f"{name}\n\n"
        start = len(text)
        parts.append(Part(name, document, len(sentences), start))
        blocks += [replace(block, start=block.start + start, end=block.end + start) for block in document.blocks]
        sentences += [
            replace(sentence, start=sentence.start + start, end=sentence.end + start, boxes=())
            for sentence in document.sentences
        ]
        warnings += [f"{name}: {warning}" for warning in (*document.warnings, *of_document)]
        text += f"{document.text}\n\n"
    languages = {part.document.language for part in parts}
    joined = Document(
        text,
        tuple(blocks),
        tuple(sentences),
        format="several",
        warnings=tuple(warnings),
        language=languages.pop() if len(languages) == 1 else None,
    )
    return joined, tuple(parts)
