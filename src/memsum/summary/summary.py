"""Summaries: verbatim sentences of documents with their positions, why they end, and every form they are shown in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from memsum._version import __version__
from memsum.document.document import Box, Document, rounded
from memsum.errors import MemsumError
from memsum.languages.section_names import QuoteKind
from memsum.options import Reason
from memsum.query.relevance import Answer, in_words
from memsum.summary.rendering import render_markdown, render_text

if TYPE_CHECKING:
    from memsum.features.keywords import Keyword
    from memsum.query.passages import Beside
    from memsum.summary.records import (
        AnswersRecord,
        ContextKind,
        ContextRecord,
        ExplanationRecord,
        QuoteRecord,
        SummaryRecord,
    )

_DIGITS = 6  # of scores in JSON: more would be noise between platforms
_WORD = re.compile(r"(?<!\S)[^\w\s]*\w")
_UNSPACED = r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"  # compiled when it is first used


@dataclass(frozen=True, slots=True)
class Context:
    """What a quote is not understood without: `document.text[start:end] == text`.

    Its `kind`: the sentence "before" it, the "lead-in" of the list it is an item of, the "question" that it answers,
    the "heading" above it, the "head" of its row or column in a table, or what it announces, "after" it. What is no
    sentence has no `index`.
    """

    index: int | None
    text: str
    start: int
    end: int
    kind: ContextKind = "before"
    page: int | None = None
    speaker: str | None = None

    def to_dict(self) -> ContextRecord:
        """Return JSON; index, page and speaker only where there are any."""
        return cast("ContextRecord", {name: value for name, value in asdict(self).items() if value is not None})


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A quote: `document.text[start:end] == text`, the sentence `index` of its document, taken at `step` (from 0).

    One that is not understood alone has as `context` the sentence before it, the lead-in of its list, its question or
    its heading, unless that is quoted, too; an answer that announces what follows has that as `after`. `kind` is the
    part of the document's argument, where the heading of its section tells.
    """

    index: int
    text: str
    start: int
    end: int
    score: float
    step: int
    section: str | None = None
    page: int | None = None
    speaker: str | None = None
    context: Context | None = None
    after: Context | None = None
    kind: QuoteKind | None = None
    document: int = 0  # the number of its document in `summary.documents`
    source: str | None = None  # the name of its document, where several are summarized together
    first: int = 0  # sentences in the documents before its own
    relevance: float | None = None  # probability that it answers the question, if one was asked
    beside: Beside | None = None  # where it stands, if not in the running text; `index` follows all that are there
    boxes: tuple[Box, ...] = ()  # on the pages of a PDF, one for each line
    time: str | None = None  # when it is said, in a transcript that states it

    @property
    def number(self) -> int:
        """Its number where the sentences of all documents are counted through: that of its scores in `explanation`."""
        return self.first + self.index

    @property
    def answer(self) -> Answer | None:
        """How probably it answers the question, in words, if one was asked."""
        return None if self.relevance is None else in_words(self.relevance)

    def to_dict(self, *, boxes: bool = False) -> QuoteRecord:
        """Return JSON; keys without a value are left out, and the boxes unless they are asked for."""
        record: Any = {"source": self.source} if self.source is not None else {}
        # Only sentences of the running text have an index; those of abstract and captions say where they stand.
        record |= {"index": self.index} if self.beside is None else {"beside": self.beside}
        record |= {"text": self.text, "start": self.start, "end": self.end}
        record |= {"score": round(self.score, _DIGITS), "step": self.step}
        for name in ("section", "kind", "page", "speaker", "time"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        for name, beside in (("context", self.context), ("after", self.after)):
            if beside is not None:
                record[name] = beside.to_dict()
        if self.relevance is not None:
            record |= {"relevance": round(self.relevance, _DIGITS), "answer": self.answer}
        if boxes and self.boxes:
            record["boxes"] = rounded(self.boxes)
        return cast("QuoteRecord", record)


@dataclass(frozen=True, slots=True)
class SummarySection:
    """A section of the document, and its quotes; the part before the first heading has no title."""

    title: str | None
    sentences: tuple[SummarySentence, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a summary ends, and the model's probability of stopping there."""

    reason: Reason
    probability: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """What the rating of a sentence was made of when it was chosen, by name."""

    number: int
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The model's scores of all sentences at each step (None: cannot be extracted), and its stop probabilities.

    `stops` has one more than `scores`: before each step, and after the last. So have `reasons`, the last of which are
    of the sentence that would have come next, if there is one; an answer, whose reason is its relevance, has none.
    """

    scores: tuple[tuple[float | None, ...], ...] = field(repr=False)
    stops: tuple[float, ...]
    reasons: tuple[Reasons, ...] = ()

    def to_dict(self) -> ExplanationRecord:
        """Return JSON, scores rounded."""
        return {
            "scores": [[None if score is None else round(score, _DIGITS) for score in step] for step in self.scores],
            "stops": [round(stop, _DIGITS) for stop in self.stops],
            "reasons": [
                {"sentence": one.number, **{name: round(value, _DIGITS) for name, value in one.parts.items()}}
                for one in self.reasons
            ],
        }


@dataclass(frozen=True, repr=False)
class Summary:
    """The sentences that say the most, in the order that was asked for; iterate over it to get them."""

    documents: tuple[Document, ...]
    sentences: tuple[SummarySentence, ...]
    stop: Stop
    model: str
    id: str | int | None = None
    warnings: tuple[str, ...] = ()
    explanation: Explanation | None = None
    # The share of the summary's words that the model expects in a human summary too, where it can tell.
    confidence: float | None = None
    about: str | None = None  # the question or the topic, if it is not the whole document
    found: bool = True  # whether the documents probably answer the question
    answered: float | None = None  # the probability that the quotes answer it, if one with a topic was asked
    names: tuple[str, ...] = ()  # of the documents, where they are summarized together
    # The quotes by section, in the document's order, where that was asked for; otherwise none.
    sections: tuple[SummarySection, ...] = ()
    version: str = __version__
    # Finds the keywords when they are asked for, and tells if they are shown.
    keyword_source: Callable[[], tuple[Keyword, ...]] | None = field(default=None, compare=False)
    shows_keywords: bool = False
    shows_abstract: bool = False
    shows_boxes: bool = False
    pdf: Path | bytes | None = field(default=None, compare=False)  # the file, if the document is a PDF

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "keywords": self.keywords, "keyword_source": None}

    def __iter__(self) -> Iterator[SummarySentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, index: int) -> SummarySentence: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[SummarySentence, ...]: ...

    def __getitem__(self, index: int | slice) -> SummarySentence | tuple[SummarySentence, ...]:
        return self.sentences[index]

    def __repr__(self) -> str:
        documents = self.document if len(self.documents) == 1 else f"{len(self.documents)} documents"
        return f"{type(self).__name__}({len(self)} of {documents!r}, {self.stop.reason}, model={self.model!r})"

    def __str__(self) -> str:
        return self.text

    @property
    def document(self) -> Document:
        """Return the document, where only one is summarized; otherwise see `documents`."""
        return single_document(self.documents)

    @property
    def groups(self) -> tuple[SummarySection, ...]:
        """Return the quotes as they are shown: by section where that was asked for, otherwise all in one group."""
        return self.sections or (SummarySection(None, self.sentences),)

    @property
    def text(self) -> str:
        """Return the quotes as they stand in the document, one per line, without speakers."""
        return "\n".join(sentence.text for sentence in self.sentences)

    @property
    def abstract(self) -> str:
        """Return the abstract that the document has of its own, each of several on a line; empty without one."""
        texts = (" ".join(sentence.text for sentence in document.abstract) for document in self.documents)
        return "\n".join(text for text in texts if text)

    @cached_property
    def keywords(self) -> tuple[Keyword, ...]:
        """Return the terms of the document, the most salient first; found when they are first asked for."""
        return self.keyword_source() if self.keyword_source else ()

    @cached_property
    def document_words(self) -> int:
        """Words of the running text."""
        return sum(count_words(sentence.text) for document in self.documents for sentence in document.sentences)

    @property
    def document_sentences(self) -> int:
        """Sentences of the running text."""
        return sum(len(document.sentences) for document in self.documents)

    def to_dict(self) -> SummaryRecord:
        """Return JSON: what `memsum summarize --format json` prints and `memsum batch` writes."""
        record: Any = {
            "id": self.id,
            "sentences": [sentence.to_dict(boxes=self.shows_boxes) for sentence in self.sentences],
            "stop": {"reason": self.stop.reason, "probability": round(self.stop.probability, _DIGITS)},
            "document": {"sentences": self.document_sentences, "words": self.document_words},
            "model": self.model,
            "version": self.version,
        }
        if self.about is not None:
            record |= {"about": self.about, "found": self.found}
            record |= {} if self.answered is None else {"answered": round(self.answered, _DIGITS)}
        if self.names:
            record["documents"] = [
                {
                    "sentences": len(document.sentences),
                    "words": sum(count_words(sentence.text) for sentence in document.sentences),
                    **_facts(document),
                    "id": name,
                }
                for document, name in zip(self.documents, self.names, strict=True)
            ]
        else:
            record["document"] |= _facts(self.document)
        if self.sections:
            record["sections"] = [
                {"title": section.title, "sentences": [quote.index for quote in section.sentences]}
                for section in self.sections
            ]
        if self.shows_abstract and self.abstract:
            record["abstract"] = [
                ({"source": name} if self.names else {}) | {"text": one.text, "start": one.start, "end": one.end}
                for name, document in zip(self.names or ("",), self.documents, strict=True)
                for one in document.abstract
            ]
        if self.shows_keywords:
            record["keywords"] = [keyword.to_dict() for keyword in self.keywords]
        if self.confidence is not None:
            record["confidence"] = round(self.confidence, _DIGITS)
        if self.warnings:
            record["warnings"] = list(self.warnings)
        if self.explanation is not None:
            record["explain"] = self.explanation.to_dict()
        return cast("SummaryRecord", record)

    def to_text(self, width: int | None = None, *, color: bool = False) -> str:
        """Render one sentence per line, of several documents after the name of its own; with a width, for a reader."""
        return render_text(self, width, color=color)

    def to_markdown(self) -> str:
        """Render a list of quotes, each with its position."""
        return render_markdown(self)

    def to_html(self) -> str:
        """Render one self-contained page: the quotes, and the document with the quotes highlighted."""
        from memsum.summary.html import render_html

        return render_html(self)

    def highlight(
        self,
        output: str | Path,
        *,
        format: Literal["pdf", "html"] | None = None,  # noqa: A002
        pdf: str | Path | bytes | None = None,
    ) -> None:
        """Write the document with the quotes highlighted: a PDF with annotations, or a page of HTML.

        The format is that of the output's name. A PDF is made of the file that was read; of a Document, give `pdf`.
        """
        from memsum.summary.highlight import write_highlighted

        write_highlighted(self, Path(output), format, Path(pdf) if isinstance(pdf, str) else pdf)

    def _repr_html_(self) -> str:
        """Render what notebooks show."""
        from memsum.summary.html import render_list

        return render_list(self)


def answers_record(summaries: Sequence[Summary]) -> SummaryRecord | AnswersRecord:
    """Return JSON of the one summary of a document, or of its answers to several questions."""
    if len(summaries) == 1:
        return summaries[0].to_dict()
    return {"id": summaries[0].id, "answers": [summary.to_dict() for summary in summaries]}


def single_document(documents: tuple[Document, ...]) -> Document:
    """Return the one document there is."""
    if len(documents) > 1:
        raise MemsumError(
            f"This is a summary of {len(documents)} documents, not of one.", "Its `documents` are a tuple of all."
        )
    return documents[0]


def _facts(document: Document) -> dict[str, Any]:
    """Return title, authors and stated facts of a document, as far as they are known, as JSON."""
    stated = {fact.name: fact._asdict() for fact in document.facts}
    facts = {"title": document.title, "authors": list(document.authors), "facts": stated}
    return {name: value for name, value in facts.items() if value}


def count_words(text: str) -> int:
    """Count words: what stands between white space and has a letter or a digit in it.

    Chinese and Japanese put no space between words: there each character counts, as word processors do it.
    """
    if text.isascii() or max(text) < "\u3041":
        return len(_WORD.findall(text))
    return len(re.findall(_UNSPACED, text)) + len(_WORD.findall(re.sub(_UNSPACED, " ", text)))
