"""A document as the page shows it: its blocks, what is known of its sentences, and the order of their extraction."""

from __future__ import annotations

from memsum.document import Sentence
from memsum.document.document import Box, Sheet
from memsum.english.section_names import QuoteKind
from memsum.printable import one_line
from memsum.query.passages import Beside, Passage
from memsum.reading import Reading
from memsum.server.answers import (
    BlockAnswer,
    BoxAnswer,
    ExtractionAnswer,
    FileAnswer,
    KeywordAnswer,
    PageAnswer,
    PagesAnswer,
    PieceAnswer,
    PositionAnswer,
)
from memsum.server.requests import WIDTHS
from memsum.server.store import Kept
from memsum.summary import Summary, count_words
from memsum.summary.blocks import Span, cut


def extractions(reading: Reading, summary: Summary) -> list[ExtractionAnswer]:
    """List the extractions in order, each with its context."""
    answers: list[ExtractionAnswer] = []
    for sentence, context in zip(summary, reading.contexts(summary.sentences), strict=True):
        answer: ExtractionAnswer = {"index": sentence.number, "score": round(sentence.score, 6)}
        if sentence.relevance is not None and sentence.answer is not None:
            answer["relevance"] = round(sentence.relevance, 6)
            answer["answer"] = sentence.answer
        if context is not None and context.index is not None:
            answer["context"] = sentence.first + context.index
        answers.append(answer)
    return answers


def keywords(reading: Reading) -> list[KeywordAnswer]:
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
        shown += [
            {"kind": block.kind, "level": block.level, "pieces": [_piece(span) for span in block.spans]}
            for block in cut(document, reading.passages.of_document(number))
        ]
    return shown


def _piece(span: Span) -> PieceAnswer:
    return {"text": span.text} if span.sentence is None else {"text": span.text, "sentence": span.sentence}


def positions(reading: Reading) -> list[PositionAnswer]:
    """Describe the position of each sentence; behind those of the running text come abstracts and captions."""
    found = [
        (number, title and one_line(title), sentence)
        for number, document in enumerate(reading.documents)
        for title, members in document.top_sections()
        for sentence in members
    ]
    running = [
        _position(sentence, number, kind, top)
        for (number, top, sentence), kind in zip(found, reading.kinds, strict=True)
    ]
    return [*running, *(_position(one.sentence, one.document, beside=one.beside) for one in _besides(reading))]


def _besides(reading: Reading) -> list[Passage]:
    """List the sentences of abstracts and captions by their numbers."""
    return sorted((one for one in reading.passages.members if one.beside), key=lambda one: one.number)


def _position(
    sentence: Sentence,
    document: int,
    kind: QuoteKind | None = None,
    top: str | None = None,
    beside: Beside | None = None,
) -> PositionAnswer:
    return {
        "words": count_words(sentence.text),
        "kind": kind,
        "document": document,
        "top": top,
        "section": sentence.section and one_line(sentence.section),
        "page": sentence.page,
        "speaker": sentence.speaker and one_line(sentence.speaker),
        "beside": beside,
    }


def pages(kept: Kept) -> PagesAnswer:
    """Describe the pages of all PDFs, counted through, and where on them each sentence stands."""
    sheets, reading = kept.pages, kept.reading
    firsts: dict[int, int] = {}
    for at, (document, _, _) in enumerate(sheets):
        firsts.setdefault(document, at)

    def place(document: int, box: Box) -> BoxAnswer:
        page = firsts[document] + box.page
        left, top, right, bottom = (round(share, 4) for share in sheets[page - 1][2].shares(box))
        return page, left, top, right, bottom

    running = [(at, sentence) for at, document in enumerate(reading.documents) for sentence in document.sentences]
    besides = [(one.document, one.sentence) for one in _besides(reading)]
    return {
        "pages": [_page(*sheet) for sheet in sheets],
        "boxes": [
            [place(at, box) for box in sentence.boxes] if at in firsts else [] for at, sentence in [*running, *besides]
        ],
        "widths": list(WIDTHS),
    }


def _page(document: int, number: int, sheet: Sheet) -> PageAnswer:
    width, height = sheet.size
    return {"document": document, "number": number, "width": round(width, 2), "height": round(height, 2)}
