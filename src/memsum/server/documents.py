"""A document as the page shows it: its blocks, what is known of its sentences, and the order of their extraction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from memsum.document import Sentence
from memsum.document.document import Box
from memsum.printable import one_line
from memsum.query.located import LocatedRecord
from memsum.query.passages import Beside
from memsum.server.requests import WIDTHS
from memsum.server.responses import (
    BesideAnswer,
    BlockAnswer,
    BoxAnswer,
    ExtractionAnswer,
    FileAnswer,
    PagesAnswer,
    PieceAnswer,
    PositionAnswer,
)
from memsum.server.store import Kept
from memsum.summary import Summary, count_words
from memsum.summary.blocks import cut
from memsum.summary.records import KeywordRecord
from memsum.summary.summary import Context, SummarySentence

if TYPE_CHECKING:
    from memsum.reading import Reading


def extractions(reading: Reading, summary: Summary) -> list[ExtractionAnswer]:
    """List the extractions in order, each with its context."""
    answers: list[ExtractionAnswer] = []
    for sentence, context in zip(summary, reading.contexts.find(summary.sentences), strict=True):
        answer: ExtractionAnswer = {"index": sentence.number, "score": round(sentence.score, 6)}
        if sentence.relevance is not None and sentence.answer is not None:
            answer["relevance"] = round(sentence.relevance, 6)
            answer["answer"] = sentence.answer
        if context is not None:
            answer["context"] = _beside(sentence, context)
        if (after := reading.contexts.after(sentence)) is not None:
            answer["after"] = _beside(sentence, after)
        answers.append(answer)
    return answers


def _beside(sentence: SummarySentence, context: Context) -> BesideAnswer:
    record: BesideAnswer = {"text": one_line(context.text), "kind": context.kind}
    if context.index is not None:
        record["index"] = sentence.first + context.index
    return record


def keywords(reading: Reading) -> list[KeywordRecord]:
    """List the keywords of the document."""
    return [
        {"text": one_line(k.text), "score": round(k.score, 3), "count": k.count, "sentences": list(k.sentences)}
        for k in reading.keywords
    ]


def files(kept: Kept) -> list[FileAnswer]:
    """List the documents that are kept as one; mostly it is one."""
    reading = kept.reading
    named = zip(reading.names or (kept.name,), reading.documents, reading.firsts, strict=False)
    return [
        {
            "name": one_line(name),
            "title": one_line(document.title) if document.title else None,
            "authors": [one_line(author) for author in document.authors],
            "facts": [
                one_line(document.text[fact.start : fact.end]) for fact in document.facts if fact.name != "authors"
            ],
            "format": document.format,
            "pages": len(document.sheets),
            "first": first,
            "sentences": len(document.sentences),
        }
        for name, document, first in named
    ]


def blocks(reading: Reading) -> list[BlockAnswer]:
    """List the blocks of the document; of several documents, each is under its name."""
    shown: list[BlockAnswer] = []
    for number, document in enumerate(reading.documents):
        if reading.names:
            shown.append({"kind": "file", "level": 1, "pieces": [{"text": one_line(reading.names[number])}]})
        for block in cut(document, reading.passages.of_document(number)):
            pieces: list[PieceAnswer] = [
                {"text": span.text} if span.sentence is None else {"text": span.text, "sentence": span.sentence}
                for span in block.spans
            ]
            answer: BlockAnswer = {"kind": block.kind, "level": block.level, "pieces": pieces}
            if block.reason is not None:
                answer["reason"] = block.reason
            if block.time is not None:
                answer["time"] = one_line(block.time)
            shown.append(answer)
    return shown


def _sentences(reading: Reading) -> list[tuple[int, Sentence, str | None, Beside | None]]:
    """List all sentences with their document, its top section, and where they stand if not in the running text."""
    running: list[tuple[int, Sentence, str | None, Beside | None]] = [
        (number, sentence, title and one_line(title), None)
        for number, document in enumerate(reading.documents)
        for title, members in document.top_sections()
        for sentence in members
    ]
    besides = sorted((one for one in reading.passages.members if one.beside), key=lambda one: one.number)
    return [*running, *((one.document, one.sentence, None, one.beside) for one in besides)]


def positions(reading: Reading) -> list[PositionAnswer]:
    """Describe the position of each sentence; behind those of the running text come abstracts and captions."""
    return [
        {
            "words": count_words(sentence.text),
            "kind": kind,
            "document": document,
            "top": top,
            "section": sentence.section and one_line(sentence.section),
            "page": sentence.page,
            "speaker": sentence.speaker and one_line(sentence.speaker),
            "time": sentence.time and one_line(sentence.time),
            "beside": beside,
        }
        for (document, sentence, top, beside), kind in zip_longest(_sentences(reading), reading.kinds)
    ]


def pages(kept: Kept) -> PagesAnswer:
    """Describe the pages of all PDFs, counted through, and where on them each sentence stands."""
    sheets = kept.pages
    sizes = [(document, number, *sheet.size) for document, number, sheet in sheets]
    return {
        "pages": [
            {"document": document, "number": number, "width": round(width, 2), "height": round(height, 2)}
            for document, number, width, height in sizes
        ],
        "boxes": [_shares(kept, document, sentence.boxes) for document, sentence, _, _ in _sentences(kept.reading)],
        "widths": list(WIDTHS),
    }


def _shares(kept: Kept, document: int, boxes: Sequence[Box]) -> list[BoxAnswer]:
    """Return boxes of a document as shares of the pages that are counted through; none if it has no pages."""
    first = kept.first_pages.get(document)
    if first is None:
        return []
    found: list[BoxAnswer] = []
    for box in boxes:
        page = first + box.page
        left, top, right, bottom = (round(share, 4) for share in kept.pages[page - 1][2].shares(box))
        found.append((page, left, top, right, bottom))
    return found


def add_shares(kept: Kept, quotes: Sequence[LocatedRecord]) -> None:
    """Add where quotes stand on the pages as they are drawn."""
    for quote in quotes:
        add_shares(kept, quote.get("parts", ()))
        for place in quote["occurrences"]:
            document = kept.reading.names.index(place["source"]) if "source" in place else 0
            if shares := _shares(kept, document, place.get("boxes", ())):
                place["shares"] = shares
