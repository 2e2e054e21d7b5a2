"""One document being read: encoded once, then summarised at any length, by section, about a question."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from memsum.document import Document
from memsum.document.source import with_sentences
from memsum.document.together import Part
from memsum.english.dependence import DEPENDENT, dependence
from memsum.english.section_names import QuoteKind, quote_kinds
from memsum.features.keywords import Keyword
from memsum.model import StopSettings
from memsum.model.episode import Episode
from memsum.model.neutral import NeutralEpisode, neutral_index
from memsum.model.quotas import Turns
from memsum.model.runtime import DocumentText, Runtime
from memsum.query.question import Question
from memsum.query.relevance import Index, Relevance, rate
from memsum.summary import (
    Context,
    Division,
    Explanation,
    Length,
    Progress,
    Reason,
    Stop,
    Summary,
    SummaryOptions,
    SummarySection,
    SummarySentence,
    SummarySettings,
    count_words,
    warnings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Reading:
    """A document that has been encoded: each summary of it costs only the steps that were not yet taken.

    One thread at a time.
    """

    def __init__(
        self,
        runtime: Runtime,
        document: Document,
        *,
        model: str,
        block_trigrams: bool = False,
        id: str | int | None = None,  # noqa: A002
        parts: Sequence[Part] = (),
    ) -> None:
        """`parts` are the documents that the document is made of, if it is made of several."""
        document, of_document = with_sentences(document)
        self.document = document
        self.parts = tuple(parts)
        self._id = id
        self._model = model
        self._own = runtime.config.stop
        # A blank sentence is nothing to quote: it keeps its index, and the model does not see it. One that pads its
        # documents with blank sentences, however, counts them.
        most = runtime.encoder.settings.padded_to
        blanks = most is not None
        self._places = [i for i, sentence in enumerate(document.sentences) if blanks or sentence.text.strip()]
        sentences = [document.sentences[i].text for i in self._places]
        # Of each sentence the heading of its section and the section's number; of several documents, each is a section.
        self._headings, self._sections, self._titles = _sections(document)
        if parts:
            self._headings = [heading for part in parts for heading in _sections(part.document)[0]]
            self._sections = [number for number, part in enumerate(parts) for _ in part.document.sentences]
            self._titles = [part.name for part in parts]
        # One for summaries that end by their number of sentences, one for all others: each serves every length. The
        # same for each way to deal the quotes out, and about the last question.
        self._episodes: dict[tuple[bool, Division | None, bool], Episode | NeutralEpisode] = {}
        self._begin: Callable[[bool, Relevance | None, Turns | None], Episode | NeutralEpisode]
        self._open_index: Callable[[], Index]
        self._find_keywords: Callable[[], tuple[Keyword, ...]] = tuple  # none, where the network does not read
        self._asked: tuple[Question, Relevance | None] | None = None
        speakers = [document.sentences[i].speaker for i in self._places]
        nearest = [document.sentences[i].section for i in self._places]
        words, is_wordy = warnings.sample_words(sentences)
        has_too_many = not blanks and len(sentences) > warnings.MOST_SENTENCES
        # A model that pads as its authors did selects what they selected, whatever the language.
        if has_too_many or (is_wordy and not blanks and not warnings.is_known(words, runtime.encoder)):
            threshold = runtime.config.stop.threshold
            self._begin = lambda _, relevance, turns: NeutralEpisode(
                sentences, threshold, block_trigrams=block_trigrams, relevance=relevance, turns=turns
            )
            self._open_index = lambda: neutral_index(sentences, speakers, nearest)
            count, language = len(sentences), document.language
            of_choice = [warnings.too_many(count) if has_too_many else warnings.unknown_language(language)]
        else:
            headings = [self._headings[i] for i in self._places]
            if parts:
                encoding = runtime.encode_together(list(self._texts(sentences, headings)))
            else:
                encoding = runtime.encode(sentences, headings=headings, title=document.title)
            self._begin = lambda by_number, relevance, turns: encoding.episode(
                by_number=by_number, block_trigrams=block_trigrams, relevance=relevance, turns=turns
            )
            self._open_index = lambda: encoding.index(speakers, nearest)
            self._find_keywords = encoding.keyword_finder(self._places)
            split = self._episode().parts
            of_choice = list(warnings.network_warnings(len(sentences), most, split, is_wordy=is_wordy))
        self.warnings = (*document.warnings, *of_document, *of_choice)

    def _texts(self, sentences: Sequence[str], headings: Sequence[str | None]) -> Iterator[DocumentText]:
        """What the model reads of each of several documents."""
        firsts = [bisect_left(self._places, part.first) for part in self.parts]
        for part, first, end in zip(self.parts, firsts, [*firsts[1:], len(sentences)], strict=True):
            yield DocumentText(sentences[first:end], headings[first:end], part.document.title)

    def __repr__(self) -> str:
        return f"Reading({self.document!r}, model={self._model!r})"

    def summary(self, **options: Unpack[SummaryOptions]) -> Summary:
        """A summary of the document; the arguments are those of `Summarizer.summarize`."""
        return self.take(SummarySettings.of(options))

    def take(self, settings: SummarySettings, deadline: float = math.inf) -> Summary:
        """The same, of settings that are checked already; a TimeoutError at the `deadline` (of `time.monotonic`)."""
        relevance = self._relevance(settings.question)
        episode = self._episode(settings.length.is_number, settings.division, relevance)
        length = settings.length if relevance else _at_least(episode.least, settings.length, self._own)
        count, reason = self._extract(episode, length, relevance, deadline)
        sentences = [self._sentence(episode, step, relevance) for step in range(count)]
        if settings.context:
            sentences = self._in_context(sentences)
        if settings.order == "document":
            sentences.sort(key=lambda sentence: sentence.index)
        by_section, of_division = self._by_section(sentences) if settings.by == "section" else ((), ())
        # How much of a human summary is expected is nothing that is known of an answer.
        confidence = _confidence(episode, sentences) if relevance is None else None
        return Summary(
            self.document,
            tuple(sentences),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            (
                *self.warnings,
                *of_division,
                *warnings.unsure(confidence),
                *warnings.of_question(settings.question, relevance),
            ),
            self._explanation(episode, count) if settings.explain else None,
            confidence=confidence,
            about=settings.about,
            sections=by_section,
            parts=self.parts,
            keyword_source=self._find_keywords,
            shows_keywords=settings.keywords,
        )

    @cached_property
    def keywords(self) -> tuple[Keyword, ...]:
        """The document's own terms, the most salient first."""
        return self._find_keywords()

    @cached_property
    def kinds(self) -> list[QuoteKind | None]:
        """What part of the document's argument each of its sentences is, where headings tell."""
        return quote_kinds(self._headings, [sentence.text for sentence in self.document.sentences])

    def _by_section(self, sentences: Sequence[SummarySentence]) -> tuple[tuple[SummarySection, ...], tuple[str, ...]]:
        """The quotes of each section that has some, and a warning if the document has none."""
        if not any(self._titles):
            return (), ("The document has no headings, so its summary is not divided by section.",)
        members: dict[int, list[SummarySentence]] = defaultdict(list)
        for sentence in sentences:
            members[self._sections[sentence.index]].append(sentence)
        return tuple(
            SummarySection(self._titles[number], tuple(quotes)) for number, quotes in sorted(members.items())
        ), ()

    def _relevance(self, question: Question | None) -> Relevance | None:
        """How much each sentence bears on a question, if one is asked; the last one is remembered."""
        if question is None:
            return None
        if self._asked is None or self._asked[0] != question:
            self._asked = question, rate(question, self._index)
            self._episodes = {key: episode for key, episode in self._episodes.items() if not key[2]}
        return self._asked[1]

    @cached_property
    def _index(self) -> Index:
        return self._open_index()

    def _episode(
        self, by_number: bool = False, division: Division | None = None, relevance: Relevance | None = None
    ) -> Episode | NeutralEpisode:
        key = by_number, division, relevance is not None
        if key not in self._episodes:
            turns = [self._sections[i] for i in self._places] if division == "section" else division
            self._episodes[key] = self._begin(by_number, relevance, turns)
        return self._episodes[key]

    def _extract(
        self, episode: Episode | NeutralEpisode, length: Length, relevance: Relevance | None, deadline: float
    ) -> tuple[int, Reason]:
        """How many sentences a summary has, and why; plays the episode no further than that takes."""
        if relevance is not None and not relevance.found:
            return 0, "relevance"
        least = relevance if length.is_open else None  # where the policy decides, only what is relevant is quoted
        total = len(self.document.sentences)
        words, characters = 0, -1  # of what is extracted and the next sentence, with a line end between sentences
        for count in range(total):
            if time.monotonic() > deadline:
                raise TimeoutError
            if length.is_budget and (text := self._next(episode, count)) is not None:
                words, characters = words + count_words(text), characters + 1 + len(text)
            reason = length.end(Progress(count, episode.stop(count), words, characters, total), self._own)
            if reason:
                return count, reason
            if self._next(episode, count) is None:
                return count, "document"
            if least is not None and count >= length.min_sentences and least.ends(episode.choices[count]):
                return count, "relevance"
        return total, "document"

    def _next(self, episode: Episode | NeutralEpisode, count: int) -> str | None:
        """The sentence that follows the first `count`, if one can."""
        episode.extend(count + 1)
        choices = episode.choices
        return self.document.sentences[self._places[choices[count]]].text if len(choices) > count else None

    def _sentence(self, episode: Episode | NeutralEpisode, step: int, relevance: Relevance | None) -> SummarySentence:
        index = self._places[episode.choices[step]]
        sentence = self.document.sentences[index]
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
            relevance=None if relevance is None else relevance.of(episode.choices[step]),
            kind=self.kinds[index],
            part=self._part(index),
        )

    def context(self, sentence: SummarySentence) -> Context | None:
        """The sentence before a quote that is not understood without it, if they are of one section and document."""
        place = bisect_left(self._places, sentence.index) - 1
        if place < 0 or dependence([sentence.text])[0] < DEPENDENT:
            return None
        index = self._places[place]
        before = self.document.sentences[index]
        if before.section != sentence.section or self._part(index) is not sentence.part:
            return None
        return Context(index, before.text, before.start, before.end, before.page, before.speaker)

    def _in_context(self, sentences: Sequence[SummarySentence]) -> list[SummarySentence]:
        """Quotes that need the sentence before them, with it, unless it is quoted itself."""
        quoted = {sentence.index for sentence in sentences}
        contexts = [self.context(sentence) for sentence in sentences]
        return [
            sentence if context is None or context.index in quoted else replace(sentence, context=context)
            for sentence, context in zip(sentences, contexts, strict=True)
        ]

    def _part(self, index: int) -> Part | None:
        """The document that a sentence is of, if there are several."""
        return self.parts[self._sections[index]] if self.parts else None

    def _explanation(self, episode: Episode | NeutralEpisode, count: int) -> Explanation:
        scores: list[tuple[float | None, ...]] = []
        for step in episode.step_scores[:count]:
            row: list[float | None] = [None] * len(self.document.sentences)
            for place, score in zip(self._places, step.tolist(), strict=True):
                row[place] = None if math.isnan(score) else score  # NaN: extracted already, or a repeat
            scores.append(tuple(row))
        return Explanation(tuple(scores), tuple(episode.stops[: count + 1]))


def _sections(document: Document) -> tuple[list[str | None], list[int], list[str | None]]:
    """The top-level heading of each sentence, the number of its section, and the headings of the sections."""
    sections = document.top_sections()
    headings = [title for title, members in sections for _ in members]
    numbers = [number for number, (_, members) in enumerate(sections) for _ in members]
    return headings, numbers, [title for title, _ in sections]


def _at_least(least: int, length: Length, own: StopSettings) -> Length:
    """The length at which every section that matters has a quote, where it is left to the policy."""
    most = length.max_sentences or own.max_sentences
    if not length.is_open or length.min_sentences >= least:
        return length
    return replace(length, min_sentences=max(length.min_sentences, min(least, most)))


def _confidence(episode: Episode | NeutralEpisode, sentences: Sequence[SummarySentence]) -> float | None:
    """What the model expected of each quote when it took it, weighted by its words."""
    words = [count_words(sentence.text) for sentence in sentences]
    if not episode.expected or not sum(words):
        return None
    shares = (episode.expected[sentence.step] * own for sentence, own in zip(sentences, words, strict=True))
    return sum(shares) / sum(words)
