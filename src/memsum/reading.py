"""Documents that were read: encoded once, then summarized at any length, by section, about a question."""

from __future__ import annotations

import math
import re
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

from memsum.arrays import F32
from memsum.document import Block, Document, Sentence
from memsum.document.source import with_sentences
from memsum.english.dependence import DEPENDENT, dependence
from memsum.english.low_value import low_value
from memsum.english.section_names import QuoteKind, quote_kinds
from memsum.errors import DocumentError
from memsum.features.characters import split_stems
from memsum.features.keywords import Keyword
from memsum.features.outline import Outline
from memsum.model import StopSettings
from memsum.model.constraints import Quotas
from memsum.model.encoding import encode_documents
from memsum.model.episode import Episode
from memsum.model.neutral import NeutralEncoding
from memsum.model.runtime import Runtime
from memsum.options import Division, Length, Progress, Reason, SummaryKeywords, SummaryOptions, with_options
from memsum.query.answer import begin_answer
from memsum.query.index import EnglishIndex, NeutralIndex
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.relevance import Index, Relevance
from memsum.summary import (
    Context,
    Explanation,
    Stop,
    Summary,
    SummarySection,
    SummarySentence,
    count_words,
    warnings,
)
from memsum.summary.summary import only

if TYPE_CHECKING:
    from typing_extensions import Unpack


_MINUTES = re.compile(r"\b(?:minutes|meeting|agenda)\b", re.IGNORECASE)
_SHORT_OUTCOME = 14  # words
_FEWEST_QUESTIONS = 3  # of questions with answers
_QUESTION_NUMBER = re.compile(r"(\(?)(?:Q ?)?\d{1,3}([.):])\s")
_DEFAULTS = SummaryOptions()
_GREETING = 0.8  # of low value: from here on a sentence explains nothing


class Reading:
    """One document, or several together, encoded: each summary costs only the steps that were not yet taken.

    The sentences of all documents are counted through; the n-th is their sentence with the number n. One thread at a
    time.
    """

    def __init__(
        self,
        runtime: Runtime,
        documents: Sequence[Document],
        *,
        model: str,
        names: Sequence[str] = (),
        id: str | int | None = None,  # noqa: A002
        pdf: Path | bytes | None = None,
    ) -> None:
        """Encode documents; where they are summarized together, they have `names`. `pdf` is the file of a PDF."""
        self.documents, warned = _with_sentences(documents, names)
        self.names = tuple(names)
        self.firsts = [0, *accumulate(len(document.sentences) for document in self.documents)]  # number of each's first
        self._id = id
        self._model = model
        self._stop = runtime.config.stop
        self._pdf = pdf
        self.defaults = _DEFAULTS  # of options that hold for all summaries
        self._encoding = encode_documents(runtime, self.documents)
        self.warnings = (*warned, *self._encoding.caveats)
        self._sentences = [sentence for document in self.documents for sentence in document.sentences]
        # An episode serves every length: one for each way to divide the quotes, with and without trigram blocking, and
        # about the last question.
        self._episodes: dict[tuple[Division | None, bool, bool, bool], Episode] = {}
        self._rated: tuple[Question, Relevance] | None = None
        self._threads = runtime.threads

    def __repr__(self) -> str:
        documents = self.document if len(self.documents) == 1 else f"{len(self.documents)} documents"
        return f"Reading({documents!r}, model={self._model!r})"

    @property
    def document(self) -> Document:
        """The document, where only one was read; otherwise see `documents`."""
        return only(self.documents)

    @with_options
    def summarize(
        self, options: SummaryOptions | None = None, *, deadline: float = math.inf, **keywords: Unpack[SummaryKeywords]
    ) -> Summary:
        """Summarize what was read; each further summary costs only the steps that were not yet taken.

        The options are given as keywords, or checked already as `SummaryOptions`. Raises a TimeoutError at the
        deadline (of `time.monotonic`).
        """
        settings = options or (SummaryOptions.of(keywords) if keywords else _DEFAULTS)
        rated = self._rate(settings.question)
        relevance = None if rated is None or rated.is_general else rated
        blocks = settings.block_trigrams or self.defaults.block_trigrams
        episode = self._episode(settings.division, relevance, blocks, settings.explain)
        length = settings if relevance else _at_least(episode.minimum, settings, self._stop)
        if relevance is None or relevance.found or settings.nearest:
            count, reason = self._extract(episode, length, relevance, deadline)
        else:
            count, reason = 0, "relevance"
        quotes = [self._quote(episode, step, relevance) for step in range(count)]
        if settings.context:
            quotes = self._in_context(quotes)
        order = settings.order or ("document" if relevance is None else "extraction")
        if order == "document":
            quotes.sort(key=lambda quote: (quote.document, quote.start))
        sections, undivided = self._by_section(quotes) if settings.by == "section" else ((), ())
        note = () if settings.abstract or relevance else warnings.of_abstracts(self.documents)
        partial: tuple[str, ...] = ()
        if settings.division is None and relevance is None and self._encoding.is_long:
            sections = self._by_main_section(quotes) if order == "document" else ()
            partial = warnings.partial(*self._covered(quotes))
        confidence = _confidence(episode, quotes) if relevance is None else None  # undefined for answers
        doubt = (self._makeup or warnings.unsure(confidence)) if relevance is None else ()
        return Summary(
            self.documents,
            tuple(quotes),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            (*self.warnings, *note, *undivided, *partial, *doubt, *warnings.of_question(rated)),
            _explain(episode, count, len(self._sentences)) if settings.explain else None,
            confidence=confidence,
            about=None if settings.question is None else settings.question.text,
            found=relevance is None or relevance.found,
            answered=None if relevance is None else relevance.answered,
            sections=sections,
            names=self.names,
            keyword_source=self._encoding.keywords(),
            shows_keywords=settings.keywords,
            shows_abstract=settings.abstract,
            pdf=self._pdf,
        )

    @with_options
    def answer(self, questions: Iterable[str], **keywords: Unpack[SummaryKeywords]) -> list[Summary]:
        """Answer several questions, one summary each; the sentences are encoded once."""
        options = SummaryOptions.of({**keywords, "about": tuple(questions)})
        return [self.summarize(one) for one in options.each()]

    def summary(self, **options: Any) -> Summary:
        """Summarize what was read; deprecated, use `summarize`."""
        warn("Reading.summary is deprecated; use Reading.summarize.", DeprecationWarning, stacklevel=2)
        return self.summarize(**options)

    def take(self, settings: SummaryOptions, deadline: float = math.inf) -> Summary:
        """Summarize what was read; deprecated, use `summarize`."""
        warn("Reading.take is deprecated; use Reading.summarize.", DeprecationWarning, stacklevel=2)
        return self.summarize(settings, deadline=deadline)

    @cached_property
    def scores(self) -> F32:
        """Score of each sentence before any is extracted; NaN where it was not read, such as blank ones."""
        return self._episode(division=None, relevance=None, blocks=False).step_scores(1)[0]

    @cached_property
    def keywords(self) -> tuple[Keyword, ...]:
        """The documents' own terms, the most salient first."""
        finder = self._encoding.keywords()
        return finder.find() if finder is not None else ()

    @cached_property
    def _makeup(self) -> tuple[str, ...]:
        return warnings.of_makeup(self.documents, self.names)

    @cached_property
    def kinds(self) -> list[QuoteKind | None]:
        """Part of the argument that each sentence is, where headings tell."""
        sections = [title for document in self.documents for title, members in document.top_sections() for _ in members]
        if not any(sections):
            return [None] * len(sections)
        return quote_kinds(sections, [sentence.text for sentence in self._sentences])

    @cached_property
    def _groups(self) -> tuple[list[str | None], list[int]]:
        """Titles of the sections, and the section of each sentence; where documents are together, each is one."""
        if self.names:
            return [*self.names], [number for number, own in enumerate(self.documents) for _ in own.sentences]
        sections = self.document.top_sections()
        return [title for title, _ in sections], [i for i, (_, members) in enumerate(sections) for _ in members]

    def _by_section(self, quotes: Sequence[SummarySentence]) -> tuple[tuple[SummarySection, ...], tuple[str, ...]]:
        """Return the quotes of each section that has some, and a warning if there are no sections."""
        titles, sections = self._groups
        if not any(titles):
            return (), ("The document has no headings, so its summary is not divided by section.",)
        members: dict[int, list[SummarySentence]] = defaultdict(list)
        for quote in quotes:
            members[sections[quote.number]].append(quote)
        return tuple(SummarySection(titles[number], tuple(own)) for number, own in sorted(members.items())), ()

    @cached_property
    def _outline(self) -> Outline:
        return Outline.of(self.document)

    def _by_main_section(self, quotes: Sequence[SummarySentence]) -> tuple[SummarySection, ...]:
        """Return the quotes of each main section of a long document, if it has headings."""
        titles, sections = self._outline.titles, self._outline.main
        if not any(titles):
            return ()
        groups = groupby(quotes, key=lambda quote: int(sections[quote.number]))
        return tuple(SummarySection(titles[number], tuple(own)) for number, own in groups)

    def _covered(self, quotes: Sequence[SummarySentence]) -> tuple[int, int]:
        """Return how many main sections have a quote, and how many there are."""
        sections = self._outline.main
        return len({int(sections[quote.number]) for quote in quotes}), len(set(sections.tolist()))

    def _rate(self, question: Question | None) -> Relevance | None:
        """Rate the sentences by a question, if one is asked; the last one is remembered."""
        if question is None:
            return None
        if self._rated is None or self._rated[0] != question:
            self._rated = question, self._index.rate(question)
            self._episodes = {key: episode for key, episode in self._episodes.items() if not key[1]}
        return self._rated[1]

    @cached_property
    def passages(self) -> Passages:
        """All sentences that can answer a question: those of abstracts and captions, too."""
        return Passages.of(self.documents)

    @cached_property
    def _index(self) -> Index:
        if isinstance(self._encoding, NeutralEncoding):
            return NeutralIndex(self.passages, split_stems, self.documents[0].language)
        return EnglishIndex(self.passages, self._threads)

    def _episode(
        self,
        division: Division | None,
        relevance: Relevance | None,
        blocks: bool,
        explain: bool = False,
    ) -> Episode:
        # Abstract and captions are in no section, and have no scores to explain.
        is_running = relevance is not None and (explain or division is not None)
        key = division, relevance is not None, blocks, is_running
        if key not in self._episodes:
            quotas = self._quotas(division, relevance)
            if relevance is None:
                episode = self._encoding.episode(blocking=blocks, quotas=quotas)
            else:
                running = len(self._sentences) if is_running else None
                episode = begin_answer(relevance, self.passages, running=running, blocking=blocks, quotas=quotas)
            self._episodes[key] = episode
        return self._episodes[key]

    def _quotas(self, division: Division | None, relevance: Relevance | None) -> Quotas | None:
        if division == "spread":
            return Quotas("stretch")
        if division == "section":
            return Quotas("section", self._groups[1], every=bool(self.names))
        # Every document has a quote, unless a question asks for what only some of them have.
        return Quotas("document", self._groups[1]) if len(self.documents) > 1 and relevance is None else None

    def _extract(
        self, episode: Episode, length: Length, relevance: Relevance | None, deadline: float
    ) -> tuple[int, Reason]:
        """Return how many sentences a summary has, and why; plays the episode no further than that takes."""
        answer = relevance if length.is_open else None  # where the model decides, only what is relevant is quoted
        total = len(self._sentences) if relevance is None else self.passages.total
        words, characters = 0, -1  # of what is extracted and the next sentence, with a line end between sentences
        for count in range(total):
            if time.monotonic() > deadline:
                raise TimeoutError
            if length.is_budget and (text := self._next(episode, count)) is not None:
                words, characters = words + count_words(text), characters + 1 + len(text)
            reason = length.end(Progress(count, episode.stop(count), words, characters, total), self._stop)
            if reason:
                return count, reason
            if self._next(episode, count) is None:
                return count, "document"
            if answer is not None and count >= length.min_sentences and answer.ends(count, episode.choices[count]):
                return count, "relevance"
        return total, "document"

    def _next(self, episode: Episode, count: int) -> str | None:
        """Return the sentence that follows the first `count`, if one can."""
        episode.extend(count + 1)
        if len(episode.choices) <= count:
            return None
        number = episode.choices[count]
        is_running = number < len(self._sentences)
        return (self._sentences[number] if is_running else self.passages.by_number[number].sentence).text

    def _quote(self, episode: Episode, step: int, relevance: Relevance | None) -> SummarySentence:
        number = episode.choices[step]
        beside = None
        if number < len(self._sentences):
            sentence, document = self._sentences[number], bisect_right(self.firsts, number) - 1
            index, first = number - self.firsts[document], self.firsts[document]
        else:  # of an abstract or a caption
            passage = self.passages.by_number[number]
            sentence, document, beside = passage.sentence, passage.document, passage.beside
            index, first = number, 0
        return SummarySentence(
            index,
            sentence.text,
            sentence.start,
            sentence.end,
            episode.scores[step],
            step,
            sentence.section,
            sentence.page,
            sentence.speaker,
            relevance=None if relevance is None else relevance.of(number),
            kind=None if beside else self.kinds[number],
            document=document,
            source=self.names[document] if self.names else None,
            first=first,
            beside=beside,
        )

    def contexts(self, quotes: Sequence[SummarySentence]) -> list[Context | None]:
        """Return what each quote needs to be understood: lead-in, sentence before, question or heading."""
        if all(document.language not in ("en", None) for document in self.documents):  # the wording is English
            return [self._context(quote, is_dependent=False) for quote in quotes]
        needs = dependence([quote.text for quote in quotes]) >= DEPENDENT
        return [self._context(quote, is_dependent=need) for quote, need in zip(quotes, needs.tolist(), strict=True)]

    def _context(self, quote: SummarySentence, *, is_dependent: bool) -> Context | None:
        sentences = self.documents[quote.document].sentences
        if quote.beside is not None:
            return None
        if (lead_in := sentences[quote.index].lead_in) is not None:
            return _as_context(lead_in, sentences[lead_in], "lead-in")
        if is_dependent:
            before = (index for index in range(quote.index - 1, -1, -1) if sentences[index].text.strip())
            index = next(before, None)
            if index is not None and sentences[index].section == quote.section and _explains(sentences[index]):
                return _as_context(index, sentences[index], "before")
        if (question := self._question(quote)) is not None:
            return question
        return self._heading(quote) if self._are_minutes[quote.document] else None

    @cached_property
    def _questions(self) -> list[tuple[list[Block], frozenset[Block]]]:
        """Return the headings and questions of each document, and which of them are questions of a FAQ."""
        return [_find_questions(document) for document in self.documents]

    def _question(self, quote: SummarySentence) -> Context | None:
        """Return the question that a quote answers, in a document of questions and answers."""
        document, (headings, questions) = self.documents[quote.document], self._questions[quote.document]
        above = bisect_right(headings, quote.start, key=lambda block: block.start) - 1
        if above < 0 or headings[above] not in questions or headings[above].end >= quote.end:
            return None
        start, end = headings[above].start, headings[above].end
        index = bisect_left(document.sentences, start, key=lambda sentence: sentence.start)
        is_sentence = index < len(document.sentences) and document.sentences[index].start == start
        return Context(index if is_sentence else None, document.text[start:end], start, end, "question", quote.page)

    @cached_property
    def _are_minutes(self) -> list[bool]:
        """Tell of each document whether it is minutes, with outcomes below the titles of items."""
        return [_MINUTES.search(document.title or "") is not None for document in self.documents]

    def _heading(self, quote: SummarySentence) -> Context | None:
        """Return the heading above a short quote: the item of the agenda that it is about."""
        document = self.documents[quote.document]
        above = (block for block in document.blocks if block.kind == "heading" and block.end <= quote.start)
        heading = max(above, key=lambda block: block.start, default=None)
        if heading is None or count_words(quote.text) > _SHORT_OUTCOME:
            return None
        text = document.text[heading.start : heading.end]
        is_date = not any(map(str.isalpha, text))
        return None if is_date else Context(None, text, heading.start, heading.end, "heading")

    def _in_context(self, quotes: Sequence[SummarySentence]) -> list[SummarySentence]:
        """Add what a quote needs to be understood, unless it is quoted itself."""
        quoted = {quote.number for quote in quotes}
        return [
            quote if context is None or _number(quote, context) in quoted else replace(quote, context=context)
            for quote, context in zip(quotes, self.contexts(quotes), strict=True)
        ]


def _find_questions(document: Document) -> tuple[list[Block], frozenset[Block]]:
    """Return headings with blocks that only ask a question, and these alone: none unless most have answers."""
    text = [document.text[block.start : block.end] for block in document.blocks]
    asks = [
        own.endswith("?") and block.speaker is None and (block.kind == "heading" or not re.search(r"[.!?]\s", own))
        for block, own in zip(document.blocks, text, strict=True)
    ]
    questions = {block for block, own, after in zip(document.blocks, asks, asks[1:], strict=False) if own and not after}
    if not questions:
        return [block for block in document.blocks if block.kind == "heading"], frozenset()
    numbers = [_QUESTION_NUMBER.match(own) for own in text]
    numbered = {block: found.groups() for block, found in zip(document.blocks, numbers, strict=True) if found}
    shapes = {numbered[block] for block in questions if block in numbered}
    if 2 * sum(block in numbered for block in questions) > len(questions):  # so are those that only state a problem
        questions |= {block for block, shape in numbered.items() if shape in shapes and block.kind != "item"}
    marks = [block for block in document.blocks if block.kind == "heading" or block in questions]
    is_faq = len(questions) >= _FEWEST_QUESTIONS and len(questions) > len(marks) / 2
    return marks, frozenset(questions if is_faq else ())


def _as_context(index: int, sentence: Sentence, kind: Literal["before", "lead-in"]) -> Context:
    return Context(index, sentence.text, sentence.start, sentence.end, kind, sentence.page, sentence.speaker)


def _explains(sentence: Sentence) -> bool:
    """Tell whether a sentence can explain the next one: a greeting or a label does not, but a question does."""
    text = sentence.text.rstrip()
    return text.endswith(("?", ":")) or bool(low_value([text])[0] < _GREETING)


def _number(quote: SummarySentence, context: Context) -> int | None:
    """Return the number of a quote's context where the sentences of all documents are counted through."""
    return None if context.index is None else quote.first + context.index


def _with_sentences(
    documents: Sequence[Document], names: Sequence[str]
) -> tuple[tuple[Document, ...], tuple[str, ...]]:
    """Return documents that have sentences to quote, and their warnings; several are called by their names."""
    if not documents:
        raise DocumentError("There is no document to summarize.")
    found: list[Document] = []
    warned: list[str] = []
    for document, name in zip(documents, [f"{name}: " for name in names] or [""], strict=True):
        try:
            readable, of_document = with_sentences(document)
        except DocumentError as error:
            raise DocumentError(f"{name}{error.message}", error.hint) from None
        found.append(readable)
        warned += [f"{name}{warning}" for warning in (*readable.warnings, *of_document)]
    return tuple(found), tuple(warned)


def _explain(episode: Episode, count: int, sentences: int) -> Explanation:
    # NaN: extracted already, or never read.
    scores = (
        tuple(None if math.isnan(score) else score for score in step[:sentences].tolist())
        for step in episode.step_scores(count)
    )
    return Explanation(tuple(scores), tuple(episode.stops[: count + 1]))


def _at_least(minimum: int, length: Length, own: StopSettings) -> Length:
    """Return the length at which every group that must have a quote has one, where it is left to the model."""
    most = length.max_sentences or own.max_sentences
    if not length.is_open or length.min_sentences >= minimum:
        return length
    return replace(length, min_sentences=max(length.min_sentences, min(minimum, most)))


def _confidence(episode: Episode, quotes: Sequence[SummarySentence]) -> float | None:
    """Return the share of the quotes' words that the model expected in a human summary when it took them."""
    words = [count_words(quote.text) for quote in quotes]
    if not episode.expected or not sum(words):
        return None
    shares = (episode.expected[quote.step] * own for quote, own in zip(quotes, words, strict=True))
    return sum(shares) / sum(words)
