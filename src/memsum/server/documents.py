"""A document as the page shows it: its blocks, what is known of its sentences, and the order of their extraction."""

from __future__ import annotations

from memsum.document import Document
from memsum.document.together import Part
from memsum.reading import Reading
from memsum.server.answers import BlockAnswer, ExtractionAnswer, FileAnswer, KeywordAnswer, PieceAnswer, PlaceAnswer
from memsum.server.store import Kept
from memsum.summary import Summary, count_words
from memsum.summary.blocks import cut
from memsum.summary.places import one_line


def extractions(reading: Reading, summary: Summary) -> list[ExtractionAnswer]:
    """What was extracted, in order, each with what it needs to be understood."""
    answers: list[ExtractionAnswer] = []
    for sentence in summary:
        answer: ExtractionAnswer = {"index": sentence.index, "score": round(sentence.score, 6)}
        if sentence.relevance is not None:
            answer["relevance"] = round(sentence.relevance, 6)
        if (context := reading.context(sentence)) is not None:
            answer["context"] = context.index
        answers.append(answer)
    return answers


def keywords(reading: Reading) -> list[KeywordAnswer]:
    """The document's own terms."""
    return [
        {"text": one_line(k.text), "score": round(k.score, 3), "count": k.count, "sentences": list(k.sentences)}
        for k in reading.keywords
    ]


def files(kept: Kept) -> list[FileAnswer]:
    """The documents that are kept as one; mostly it is one."""
    whole = Part(kept.name, kept.reading.document, 0, 0)
    return [
        {
            "name": one_line(part.name),
            "title": one_line(part.document.title) if part.document.title else None,
            "format": part.document.format,
            "first": part.first,
            "sentences": len(part.document.sentences),
        }
        for part in kept.reading.parts or (whole,)
    ]


def blocks(reading: Reading) -> list[BlockAnswer]:
    """All that is shown; of several documents each is under its name."""
    if not reading.parts:
        return _blocks_of(reading.document, 0)
    shown: list[BlockAnswer] = []
    for part in reading.parts:
        shown.append({"kind": "file", "level": 1, "pieces": [{"text": one_line(part.name)}]})
        shown += _blocks_of(part.document, part.first)
    return shown


def _blocks_of(document: Document, first: int) -> list[BlockAnswer]:
    def piece(text: str, sentence: int | None) -> PieceAnswer:
        return {"text": text} if sentence is None else {"text": text, "sentence": first + sentence}

    return [
        {"kind": block.kind, "level": block.level, "pieces": [piece(span.text, span.sentence) for span in block.spans]}
        for block in cut(document)
    ]


def places(reading: Reading) -> list[PlaceAnswer]:
    """What is known of each sentence."""
    documents = [part.document for part in reading.parts] or [reading.document]
    found = [
        (number, title and one_line(title), sentence)
        for number, document in enumerate(documents)
        for title, members in document.top_sections()
        for sentence in members
    ]
    return [
        {
            "words": count_words(sentence.text),
            "kind": kind,
            "document": number,
            "top": top,
            "section": sentence.section and one_line(sentence.section),
            "page": sentence.page,
            "speaker": sentence.speaker and one_line(sentence.speaker),
        }
        for (number, top, sentence), kind in zip(found, reading.kinds, strict=True)
    ]
