"""Documents that were read: encoded once, then summarized at any length, by section, about a question."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from memsum.arrays import F32
from memsum.document import Document
from memsum.document.source import with_part, with_sentences
from memsum.errors import DocumentError
from memsum.features.source_text import Outline
from memsum.languages.section_names import QuoteKind, quote_kinds
from memsum.model.constraints import Quotas
from memsum.model.episode import Episode
from memsum.model.runtime import Runtime
from memsum.options import Division, Length, Reason, SummaryKeywords, SummaryOptions, with_options
from memsum.select import select_from
from memsum.summary import (
    Explanation,
    Reasons,
    Stop,
    Summary,
    SummarySection,
    SummarySentence,
    count_words,
    warnings,
)
from memsum.summary.context import Contexts
from memsum.summary.summary import single_document

if TYPE_CHECKING:
    from typing_extensions import Unpack

    # What answers questions is imported when one is asked.
    from memsum.features.keywords import Keyword
    from memsum.query.locate import QuoteLocator
    from memsum.query.located import LocatedQuote
    from memsum.query.passages import Passages
    from memsum.query.question import Question
    from memsum.query.relevance import Index, Relevance


_DEFAULTS = SummaryOptions()


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
        self._encoding = select_from(runtime, self.documents)
        self.warnings = (*warned, *self._encoding.caveats)
        self._sentences = [sentence for document in self.documents for sentence in document.sentences]
        # An episode serves every length: one for each way to divide the quotes, with and without trigram blocking, and
        # about the last question.
        self._episodes: dict[tuple[Division | None, bool, bool, bool, bool], Episode] = {}
        self._rated: tuple[Question, Relevance] | None = None
        self._threads = runtime.threads
        self._runtime = runtime
        self._part: tuple[tuple[tuple[int, int] | None, str | None], Reading] | None = None  # the last one
        self.contexts = Contexts(self.documents)

    def __repr__(self) -> str:
        documents = self.document if len(self.documents) == 1 else f"{len(self.documents)} documents"
        return f"Reading({documents!r}, model={self._model!r})"

    @property
    def held(self) -> int:
        """Sentences that are held in memory: those of a part again, and an index for quotes is worth half of them."""
        own = self.firsts[-1]
        return own + (own // 2 if "_locators" in vars(self) else 0) + (self._part[1].held if self._part else 0)

    @property
    def document(self) -> Document:
        """The document, where only one was read; otherwise see `documents`."""
        return single_document(self.documents)

    @with_options
    def summarize(
        self, options: SummaryOptions | None = None, *, deadline: float = math.inf, **keywords: Unpack[SummaryKeywords]
    ) -> Summary:
        """Summarize what was read; each further summary costs only the steps that were not yet taken.

        The options are given as keywords, or checked already as `SummaryOptions`. Raises a TimeoutError at the
        deadline (of `time.monotonic`).
        """
        settings = options or (SummaryOptions.of(keywords) if keywords else _DEFAULTS)
        if settings.pages is not None or settings.section is not None:
            return self._summarize_part(settings, deadline)
        rated, question = None, settings.question
        if question is not None:
            if self._rated is None or self._rated[0] != question:  # the last one is remembered
                self._rated = question, self._index.rate(question)
                self._episodes = {key: episode for key, episode in self._episodes.items() if not key[1]}
            rated = self._rated[1]
        relevance = None if rated is None or rated.is_general else rated
        blocks = settings.block_trigrams or self.defaults.block_trigrams
        division: Division | None = "spread" if settings.spread else settings.by  # else the model decides
        without_abstract = settings.abstract is not None
        episode = self._episode(division, relevance, blocks, settings.explain, without_abstract)
        length: Length = settings
        if relevance is None and settings.is_open and settings.min_sentences < episode.minimum:
            most = settings.max_sentences or self._stop.max_sentences  # every group that must have a quote has one
            length = replace(settings, min_sentences=max(settings.min_sentences, min(episode.minimum, most)))
        if relevance is None or relevance.found or settings.nearest:
            said = self._statuses() if relevance is None else []
            count, reason = self._extract(episode, length, relevance, deadline, said)
        else:
            said, count, reason = [], 0, "relevance"
        quotes = [self._quote(episode, step, relevance) for step in range(count)]
        if settings.context:
            quotes = self.contexts.add(quotes)
        order = settings.order or ("document" if relevance is None else "extraction")
        if order == "document":
            quotes.sort(key=lambda quote: (quote.document, quote.start))
        sections, undivided = self._by_section(quotes) if settings.by == "section" else ((), ())
        partial: tuple[str, ...] = ()
        if division is None and relevance is None and self._encoding.is_long:
            titles, main = self._outline.titles, self._outline.main.tolist()
            if order == "document" and any(titles):
                groups = groupby(quotes, key=lambda quote: main[quote.number])
                sections = tuple(SummarySection(titles[number], tuple(own)) for number, own in groups)
            covered = {main[quote.number] for quote in quotes}
            partial = warnings.partial(len(covered), len(set(main)), self.document.format)
        confidence = None  # undefined for answers
        words = {quote.step: count_words(quote.text) for quote in quotes}
        if relevance is None and episode.expected and any(words.values()):
            # The share of the quotes' words that the model expected in a human summary when it took them.
            expected = sum(episode.expected[quote.step] * words[quote.step] for quote in quotes)
            confidence = expected / sum(words.values())
        doubt = self._makeup if relevance is None else ()
        if sections and said:
            sections = (SummarySection(None, tuple(said)), *sections)
        return Summary(
            self.documents,
            (*said, *quotes),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            (*self.warnings, *undivided, *partial, *doubt, *warnings.of_question(rated, self.documents)),
            _explain(episode, count, len(self._sentences)) if settings.explain else None,
            confidence=confidence,
            about=None if question is None else question.text,
            found=relevance is None or relevance.found,
            answered=None if relevance is None else relevance.answered,
            sections=sections,
            names=self.names,
            keyword_source=self._encoding.keyword_source() if relevance is None else lambda: self.keywords,
            shows_keywords=settings.keywords,
            shows_abstract=settings.abstract is True,
            shows_boxes=settings.boxes,
            pdf=self._pdf,
        )

    def _summarize_part(self, settings: SummaryOptions, deadline: float) -> Summary:
        """Summarize some pages or a section alone; the indices are those in the whole document."""
        key = settings.page_range, settings.section
        if self._part is None or self._part[0] != key:
            document = with_part(self.document, *key)
            part = Reading(self._runtime, [document], model=self._model, id=self._id, pdf=self._pdf)
            part.defaults = self.defaults
            self._part = key, part
        part = self._part[1]
        summary = part.summarize(replace(settings, pages=None, section=None), deadline=deadline)
        numbers = {member.sentence.start: member.number for member in self.passages.members}

        def moved(quote: SummarySentence) -> SummarySentence:
            context = quote.context
            if context is not None and context.index is not None:
                context = replace(context, index=numbers[context.start])
            return replace(quote, index=numbers[quote.start], context=context)

        def keywords() -> tuple[Keyword, ...]:
            starts = [sentence.start for sentence in part.document.sentences]
            return tuple(
                replace(one, sentences=tuple(numbers[starts[index]] for index in one.sentences))
                for one in summary.keywords
            )

        return replace(
            summary,
            documents=self.documents,
            sentences=tuple(map(moved, summary.sentences)),
            sections=tuple(SummarySection(one.title, tuple(map(moved, one.sentences))) for one in summary.sections),
            keyword_source=keywords,
        )

    @with_options
    def answer(self, questions: Iterable[str], **keywords: Unpack[SummaryKeywords]) -> list[Summary]:
        """Answer several questions, one summary each; the sentences are encoded once."""
        options = SummaryOptions.of({**keywords, "about": tuple(questions)})
        return [self.summarize(one) for one in options.each()]

    def locate(self, quotes: str | Iterable[str], *, deadline: float = math.inf) -> list[LocatedQuote]:
        """Tell of each quote if it is there: word for word, with other words, or not at all, and where.

        Raises a TimeoutError at the deadline (of `time.monotonic`).
        """
        from memsum.query.locate import locate_in

        found: list[LocatedQuote] = []
        for quote in [quotes] if isinstance(quotes, str) else quotes:
            if time.monotonic() > deadline:
                raise TimeoutError
            found.append(locate_in(self._locators, quote))
        return found

    @cached_property
    def _locators(self) -> list[QuoteLocator]:
        from memsum.query.locate import QuoteLocator

        names = self.names or (None,) * len(self.documents)
        return [QuoteLocator(document, name) for document, name in zip(self.documents, names, strict=True)]

    @cached_property
    def scores(self) -> F32:
        """Score of each sentence before any is extracted; NaN where it was not read, such as blank ones."""
        return self._episode(division=None, relevance=None, blocks=False).step_scores(1)[0]

    @cached_property
    def keywords(self) -> tuple[Keyword, ...]:
        """The documents' own terms, the most salient first."""
        return self._encoding.keyword_source()()

    @cached_property
    def _makeup(self) -> tuple[str, ...]:
        """Say of documents that are not made of sentences to quote, or are hard to quote, what they are."""
        found = [
            (name, warnings.MADE_OF[kind])
            for name, document in zip(self.names or [""], self.documents, strict=True)
            if (kind := warnings.makeup(document))
        ]
        return tuple(f"{name}: {text}" if name else text for name, text in found)

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

    @cached_property
    def passages(self) -> Passages:
        """All sentences that can answer a question: those of abstracts and captions, too."""
        from memsum.query.passages import Passages

        return Passages.of(self.documents)

    @cached_property
    def _index(self) -> Index:
        from memsum.query.index import EnglishIndex, NeutralIndex, load_encoder

        if self._encoding.is_foreign:
            language = self.documents[0].language
            return NeutralIndex(self.passages, language, load_encoder(language))
        return EnglishIndex(self.passages, self._threads)

    def _episode(
        self,
        division: Division | None,
        relevance: Relevance | None,
        blocks: bool,
        explain: bool = False,
        without_abstract: bool = False,
    ) -> Episode:
        # Abstract and captions are in no section, and have no scores to explain.
        is_running = relevance is not None and (explain or division is not None)
        without_abstract = without_abstract and relevance is None
        key = division, relevance is not None, blocks, is_running, without_abstract
        if key not in self._episodes:
            quotas = None
            if division == "spread":
                quotas = Quotas("stretch")
            elif division == "section":
                quotas = Quotas("section", self._groups[1], every=bool(self.names))
            elif len(self.documents) > 1 and relevance is None:
                # Every document has a quote, unless a question asks for what only some of them have.
                quotas = Quotas("document", self._groups[1])
            if relevance is None:
                episode = self._encoding.episode(blocking=blocks, quotas=quotas)
                if without_abstract:
                    episode.begin_with(self._abstracts())
            else:
                from memsum.query.answer_episode import begin_answer

                running = len(self._sentences) if is_running else None
                episode = begin_answer(relevance, self.passages, running=running, blocking=blocks, quotas=quotas)
            self._episodes[key] = episode
        return self._episodes[key]

    def _abstracts(self) -> list[int]:
        """Numbers of the sentences of abstracts."""
        return [
            self.firsts[number] + index
            for number, document in enumerate(self.documents)
            for starts in [{sentence.start for sentence in document.abstract}]
            for index, sentence in enumerate(document.sentences)
            if sentence.start in starts
        ]

    def _extract(
        self,
        episode: Episode,
        length: Length,
        relevance: Relevance | None,
        deadline: float,
        said: Sequence[SummarySentence] = (),
    ) -> tuple[int, Reason]:
        """Return how many sentences follow what is said first, and why; plays the episode no further than needed."""
        answer = relevance if length.is_open else None  # where the model decides, only what is relevant is quoted
        total = len(self._sentences) if relevance is None else self.passages.total
        # Of what is extracted and the next sentence, with a line end between sentences.
        words, characters = sum(count_words(one.text) for one in said), sum(1 + len(one.text) for one in said) - 1
        for count in range(total):
            if time.monotonic() > deadline:
                raise TimeoutError
            if length.is_budget and (text := self._next(episode, count)) is not None:
                words, characters = words + count_words(text), characters + 1 + len(text)
            p_stop = episode.stop(count)
            reason = length.stop_reason(len(said) + count, p_stop, words, characters, total, self._stop)
            if reason:
                return count, reason
            if self._next(episode, count) is None:
                return count, "document"
            if answer is not None and count >= length.min_sentences and answer.ends(count, episode.choices[count]):
                return count, "relevance"
        return total, "document"

    def _statuses(self) -> list[SummarySentence]:
        """Return the lines that say that a document was rejected or replaced, or is a draft: summaries begin so."""
        found = ((number, own, warnings.status_of(own)) for number, own in enumerate(self.documents))
        return [
            SummarySentence(
                *(-1, own.text[fact.start : fact.end], fact.start, fact.end, 1.0, -1),
                document=number,
                source=self.names[number] if self.names else None,
                beside="status",
            )
            for number, own, fact in found
            if fact
        ]

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
            boxes=sentence.boxes,
            time=sentence.time,
        )


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
            # A part of what was read has the abstract among its sentences already.
            is_merged = bool(document.abstract) and document.abstract[0] in document.sentences
            readable, of_document = (document, ()) if is_merged else with_sentences(document)
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
    stops = tuple(episode.stops[: count + 1])
    reasons = tuple(Reasons(number, parts) for number, parts in episode.reasons(count) if number < sentences)
    return Explanation(tuple(scores), stops, reasons)
