"""Warnings that a reader should see before trusting a summary, in one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memsum.document.document import SEARCHED
from memsum.document.makeup import Makeup, makeup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memsum.document import Document
    from memsum.query.relevance import Relevance

_ANSWERED = 0.4  # probability that the quotes answer a question, below which a reader is warned
_QUOTED = "memsum quotes sentences, so most of it is left out."
_MADE_OF: dict[Makeup, str] = {
    "table": f"Most of this document is a table; {_QUOTED}",
    "code": f"Most of this document is code; {_QUOTED}",
    "form": f"This document is a form; {_QUOTED}",
    "references": f"Most of this document is a list of references; {_QUOTED}",
    "man page": "This document is a man page: the summary quotes its sentences, not the list of its options.",
    "no text": f"Little of this document is running text; {_QUOTED}",
    "speech": "People speak freely here: quotes may mean little without what was said around them.",
    "story": "This document tells a story: quotes show parts of it, not its plot.",
}
_UNSEARCHED = 50  # words that were not searched, of which a reader is told
_COVERED = 0.9  # share of the main sections with a quote from which on a summary covers the document


def of_question(relevance: Relevance | None, documents: Sequence[Document]) -> tuple[str, ...]:
    """Warn of a question without a topic or answer, with what was not searched for it; None where none was asked."""
    if relevance is None:
        return ()
    if relevance.is_general:
        return ("The question names no topic: this is a summary of the whole document.",)
    if relevance.found and relevance.answered < _ANSWERED:
        return ("The document may not answer the question; these sentences come closest.",)
    words = sum(
        len(document.text[block.start : block.end].split())
        for document in documents
        for block in document.blocks
        if block.kind == "reference" or (block.kind == "boilerplate" and block.reason not in SEARCHED)
    )
    if relevance.found or words < _UNSEARCHED:
        return ()
    return (f"{words:,} words of references, and of what stands around the text, were not searched.",)


def of_makeup(documents: Sequence[Document], names: Sequence[str] = ()) -> tuple[str, ...]:
    """Say of documents that are not made of sentences to quote, or are hard to quote, what they are."""
    found = [
        (name, _MADE_OF[kind]) for name, own in zip(names or [""], documents, strict=True) if (kind := makeup(own))
    ]
    return tuple(f"{name}: {text}" if name else text for name, text in found)


def partial(covered: int, sections: int, format: str) -> tuple[str, ...]:  # noqa: A002
    """Warn of a summary of a long document that leaves main sections, or slides, out."""
    if covered >= _COVERED * sections:
        return ()
    parts = "slides" if format == "pptx" else "main sections"
    return (f"This summary covers only a part of the document: {covered} of its {sections} {parts}.",)
