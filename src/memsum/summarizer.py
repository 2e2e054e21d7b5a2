"""The model is loaded once and summarises any number of documents, each at any number of lengths."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from memsum.document import Document
from memsum.document.source import Source, open_document, text_or_file, with_sentences
from memsum.errors import MemsumError
from memsum.models import find_model
from memsum.models.registry import DEFAULT
from memsum.runtime import Episode, NeutralEpisode, Runtime, neutral_index
from memsum.summary import (
    Context,
    Explanation,
    Length,
    Progress,
    Reason,
    Stop,
    Summary,
    SummaryOptions,
    SummarySentence,
    SummarySettings,
    count_words,
    warnings,
)
from memsum.text.dependence import DEPENDENT, dependence
from memsum.text.questions import Question
from memsum.text.relevance import FOUND, Index, Relevance, rate

if TYPE_CHECKING:
    from typing_extensions import Unpack


def summarize(
    source: Source,
    *,
    model: str | Path = DEFAULT,
    block_trigrams: bool = False,
    language: str | None = None,
    id: str | int | None = None,  # noqa: A002
    **options: Unpack[SummaryOptions],
) -> Summary:
    """Summarise a document in one call; the model is loaded with the first and stays.

    A Path is a file, and so is a str of one line that names an existing file; every other str is a text. The options
    are those of `Summarizer.summarize`, which takes every str for a text: use that one for texts of others.
    """
    SummarySettings.of(options)  # a slip costs no model
    source = text_or_file(source)
    return _load(model).summarize(source, block_trigrams=block_trigrams, language=language, id=id, **options)


@cache
def _load(model: str | Path) -> Summarizer:
    return Summarizer.load(model)


@dataclass(frozen=True)
class Failure:
    """A source that could not be summarised, and why."""

    source: Source
    error: MemsumError


class Summarizer:
    """A model, ready to summarise. Threads may share it."""

    def __init__(self, runtime: Runtime, name: str) -> None:
        self.runtime = runtime
        self.name = name

    def __repr__(self) -> str:
        return f"Summarizer({self.name!r})"

    @classmethod
    def load(cls, model: str | Path = DEFAULT, *, threads: int | None = None) -> Summarizer:
        """Load a model: one inside the package by name, a folder, or a repository of the Hugging Face Hub.

        `threads` is how many cores one document may use; by default as many as help.
        """
        if threads is not None and threads < 1:
            raise MemsumError(f"A summary needs at least one thread, not {threads}.")
        source = find_model(model)
        return cls(Runtime.load(source.folder, threads=threads), source.name)

    def begin(
        self,
        source: Source,
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
    ) -> Reading:
        """Read and encode a document, once; take summaries of any length from the result.

        With `block_trigrams`, a sentence that shares three words in a row with an extracted one is passed over. The
        `language` of a text or a file, such as "de", is found unless it is given.
        """
        if id is None and isinstance(source, Path):
            id = str(source)  # noqa: A001
        document = open_document(source, language)
        return Reading(self.runtime, document, model=self.name, block_trigrams=block_trigrams, id=id)

    def summarize(
        self,
        source: Source,
        *,
        block_trigrams: bool = False,
        language: str | None = None,
        id: str | int | None = None,  # noqa: A002
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Summarise a text (a str), a file (a Path), a Document, or a list of sentences.

        The policy decides how long the summary is, unless one of `sentences`, `words`, `characters` or `ratio` does;
        `stop_threshold` and `max_sentences` change where the policy stops, `min_sentences` is 1 unless it is given. The
        same as a `Length`: `length`. `order` is "document" or "extraction". With `about`, a question or a topic, the
        summary quotes what bears on it; it is empty if nothing does. A quote that is not understood without the
        sentence before it has that as its `context`, unless `context` is False. With `explain` the summary has the
        scores of all sentences at every step.
        """
        settings = SummarySettings.of(options)  # what cannot be asked for is said before anything is read
        return self.begin(source, block_trigrams=block_trigrams, language=language, id=id).take(settings)

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise"] = "raise",
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary]: ...

    @overload
    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["return"],
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | Failure]: ...

    def summarize_many(
        self,
        sources: Iterable[Source],
        *,
        errors: Literal["raise", "return"] = "raise",
        block_trigrams: bool = False,
        language: str | None = None,
        **options: Unpack[SummaryOptions],
    ) -> Iterator[Summary | Failure]:
        """Summarise one document after the other, each when it is asked for, in order.

        With `errors="return"`, a document that cannot be summarised comes as a `Failure` and the others go on.
        """
        settings = SummarySettings.of(options)

        def summaries() -> Iterator[Summary | Failure]:
            for source in sources:
                try:
                    yield self.begin(source, block_trigrams=block_trigrams, language=language).take(settings)
                except MemsumError as error:
                    if errors == "raise":
                        raise
                    yield Failure(source, error)

        return summaries()


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
    ) -> None:
        document, of_document = with_sentences(document)
        self.document = document
        self._id = id
        self._model = model
        self._own = runtime.config.stop
        # A blank sentence is nothing to quote: it keeps its index, and the model does not see it. One that pads its
        # documents with blank sentences, however, counts them.
        most = runtime.encoder.settings.padded_to
        blanks = most is not None
        self._places = [i for i, sentence in enumerate(document.sentences) if blanks or sentence.text.strip()]
        sentences = [document.sentences[i].text for i in self._places]
        # One for summaries that end by their number of sentences, one for all others: each serves every length. The
        # same about the last question.
        self._episodes: dict[tuple[bool, bool], Episode | NeutralEpisode] = {}
        self._begin: Callable[[bool, Relevance | None], Episode | NeutralEpisode]
        self._open_index: Callable[[], Index]
        self._asked: tuple[Question, Relevance | None] | None = None
        speakers = [document.sentences[i].speaker for i in self._places]
        nearest = [document.sentences[i].section for i in self._places]
        words, is_wordy = warnings.sample_words(sentences)
        has_too_many = not blanks and len(sentences) > warnings.MOST_SENTENCES
        # A model that pads as its authors did selects what they selected, whatever the language.
        if has_too_many or (is_wordy and not blanks and not warnings.is_known(words, runtime.encoder)):
            threshold = runtime.config.stop.threshold
            self._begin = lambda _, relevance: NeutralEpisode(
                sentences, threshold, block_trigrams=block_trigrams, relevance=relevance
            )
            self._open_index = lambda: neutral_index(sentences, speakers, nearest)
            count, language = len(sentences), document.language
            of_choice = [warnings.too_many(count) if has_too_many else warnings.unknown_language(language)]
        else:
            headings = [title for title, members in document.top_sections() for _ in members]
            headings = [headings[i] for i in self._places]
            encoding = runtime.encode(sentences, headings=headings, title=document.title)
            self._begin = lambda by_number, relevance: encoding.episode(
                by_number=by_number, block_trigrams=block_trigrams, relevance=relevance
            )
            self._open_index = lambda: encoding.index(speakers, nearest)
            parts = self._episode().parts
            of_choice = list(warnings.network_warnings(len(sentences), most, parts, is_wordy=is_wordy))
        self.warnings = (*document.warnings, *of_document, *of_choice)

    def __repr__(self) -> str:
        return f"Reading({self.document!r}, model={self._model!r})"

    def summary(self, **options: Unpack[SummaryOptions]) -> Summary:
        """A summary of the document; the arguments are those of `Summarizer.summarize`."""
        return self.take(SummarySettings.of(options))

    def take(self, settings: SummarySettings, deadline: float = math.inf) -> Summary:
        """The same, of settings that are checked already; a TimeoutError at the `deadline` (of `time.monotonic`)."""
        relevance = self._relevance(settings.question)
        episode = self._episode(by_number=settings.length.is_number, relevance=relevance)
        count, reason = self._extract(episode, settings.length, relevance, deadline)
        sentences = [self._sentence(episode, step, relevance) for step in range(count)]
        if settings.context:
            sentences = self._in_context(sentences)
        if settings.order == "document":
            sentences.sort(key=lambda sentence: sentence.index)
        # How much of a human summary is expected is nothing that is known of an answer.
        confidence = _confidence(episode, sentences) if relevance is None else None
        return Summary(
            self.document,
            tuple(sentences),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            (*self.warnings, *warnings.unsure(confidence), *warnings.of_question(settings.question, relevance)),
            self._explanation(episode, count) if settings.explain else None,
            confidence=confidence,
            about=settings.about,
        )

    def _relevance(self, question: Question | None) -> Relevance | None:
        """How much each sentence bears on a question, if one is asked; the last one is remembered."""
        if question is None:
            return None
        if self._asked is None or self._asked[0] != question:
            self._asked = question, rate(question, self._index)
            self._episodes = {key: episode for key, episode in self._episodes.items() if not key[1]}
        return self._asked[1]

    @cached_property
    def _index(self) -> Index:
        return self._open_index()

    def _episode(self, *, by_number: bool = False, relevance: Relevance | None = None) -> Episode | NeutralEpisode:
        key = by_number, relevance is not None
        if key not in self._episodes:
            self._episodes[key] = self._begin(by_number, relevance)
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
            if least is not None and count >= length.min_sentences and least.of(episode.choices[count]) < FOUND:
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
        )

    def _in_context(self, sentences: Sequence[SummarySentence]) -> list[SummarySentence]:
        """Quotes that need the sentence before them, with it, unless it is quoted itself or of another section."""
        quoted = {sentence.index for sentence in sentences}
        needs = dependence([sentence.text for sentence in sentences]) >= DEPENDENT
        found = []
        for sentence, need in zip(sentences, needs.tolist(), strict=True):
            place = bisect_left(self._places, sentence.index) - 1
            if need and place >= 0 and (index := self._places[place]) not in quoted:
                before = self.document.sentences[index]
                if before.section == sentence.section:
                    context = Context(index, before.text, before.start, before.end, before.page, before.speaker)
                    sentence = replace(sentence, context=context)
            found.append(sentence)
        return found

    def _explanation(self, episode: Episode | NeutralEpisode, count: int) -> Explanation:
        scores: list[tuple[float | None, ...]] = []
        for step in episode.step_scores[:count]:
            row: list[float | None] = [None] * len(self.document.sentences)
            for place, score in zip(self._places, step.tolist(), strict=True):
                row[place] = None if math.isnan(score) else score  # NaN: extracted already, or a repeat
            scores.append(tuple(row))
        return Explanation(tuple(scores), tuple(episode.stops[: count + 1]))


def _confidence(episode: Episode | NeutralEpisode, sentences: Sequence[SummarySentence]) -> float | None:
    """What the model expected of each quote when it took it, weighted by its words."""
    words = [count_words(sentence.text) for sentence in sentences]
    if not episode.expected or not sum(words):
        return None
    shares = (episode.expected[sentence.step] * own for sentence, own in zip(sentences, words, strict=True))
    return sum(shares) / sum(words)
