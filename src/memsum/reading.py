"""One document being read: encoded once, then summarised at any length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from memsum.document import Document, read_document
from memsum.errors import DocumentError, MemsumError
from memsum.runtime import Episode, Runtime
from memsum.summary import Explanation, Length, Progress, Reason, Stop, Summary, SummarySentence, count_words
from memsum.text import tokenize
from memsum.text.encoding import TextEncoder

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from memsum.summary import LengthOptions

Source = str | Path | Document | Sequence[str]
Order = Literal["document", "extraction"]

# Words of at most so many sentences, spread over the document, show whether the model knows its language.
_SAMPLE = 10


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
        document, warnings = _with_sentences(document)
        self.document = document
        self._id = id
        self._model = model
        self._own = runtime.config.stop
        # A blank sentence is nothing to quote: it keeps its index, and the model does not see it. One that pads its
        # documents with blank sentences, however, counts them.
        blanks = runtime.encoder.settings.padded_to is not None
        self._places = [i for i, sentence in enumerate(document.sentences) if blanks or sentence.text.strip()]
        sentences = [document.sentences[i].text for i in self._places]
        headings = [title for title, members in document.top_sections() for _ in members]
        self._encoding = runtime.encode(
            sentences, headings=[headings[i] for i in self._places], title=document.title
        )
        self._block_trigrams = block_trigrams
        # One for summaries that end by their number of sentences, one for all others: each serves every length.
        self._episodes: dict[bool, Episode] = {}
        self.warnings = (*document.warnings, *warnings, *_doubts(sentences, self._episode(), runtime.encoder))

    def summary(
        self,
        *,
        length: Length | None = None,
        order: Order = "document",
        explain: bool = False,
        **options: Unpack[LengthOptions],
    ) -> Summary:
        """A summary of the document; the arguments are those of `Summarizer.summarize`."""
        check_order(order)
        length = choose_length(length, options)
        episode = self._episode(by_number=length.is_number)
        count, reason = self._extract(episode, length)
        sentences = [self._sentence(episode, step) for step in range(count)]
        if order == "document":
            sentences.sort(key=lambda sentence: sentence.index)
        return Summary(
            self.document,
            tuple(sentences),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            self.warnings,
            self._explanation(episode, count) if explain else None,
        )

    def _episode(self, *, by_number: bool = False) -> Episode:
        if by_number not in self._episodes:
            self._episodes[by_number] = self._encoding.episode(
                by_number=by_number, block_trigrams=self._block_trigrams
            )
        return self._episodes[by_number]

    def _extract(self, episode: Episode, length: Length) -> tuple[int, Reason]:
        """How many sentences a summary has, and why; plays the episode no further than that takes."""
        total = len(self.document.sentences)
        words, characters = 0, -1  # of what is extracted and the next sentence, with a line end between sentences
        for count in range(total):
            if length.is_budget and (text := self._next(episode, count)) is not None:
                words, characters = words + count_words(text), characters + 1 + len(text)
            reason = length.end(Progress(count, episode.stop(count), words, characters, total), self._own)
            if reason:
                return count, reason
            if self._next(episode, count) is None:
                return count, "document"
        return total, "document"

    def _next(self, episode: Episode, count: int) -> str | None:
        """The sentence that follows the first `count`, if one can."""
        episode.extend(count + 1)
        choices = episode.choices
        return self.document.sentences[self._places[choices[count]]].text if len(choices) > count else None

    def _sentence(self, episode: Episode, step: int) -> SummarySentence:
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
        )

    def _explanation(self, episode: Episode, count: int) -> Explanation:
        scores: list[tuple[float | None, ...]] = []
        for step in episode.step_scores[:count]:
            row: list[float | None] = [None] * len(self.document.sentences)
            for place, score in zip(self._places, step.tolist(), strict=True):
                row[place] = None if math.isnan(score) else score  # NaN: extracted already, or a repeat
            scores.append(tuple(row))
        return Explanation(tuple(scores), tuple(episode.stops[: count + 1]))


def open_document(source: Source) -> Document:
    """A Document of anything that can be summarised; a str is a text, never a path."""
    if isinstance(source, Document):
        return source
    if isinstance(source, (str, Path)):
        return read_document(source)
    if isinstance(source, Sequence) and all(isinstance(sentence, str) for sentence in source):
        return Document.from_sentences(source)
    raise DocumentError(
        f"A document is a text, a Path, a Document or a list of sentences, not a {type(source).__name__} like this."
    )


def choose_length(length: Length | None, options: LengthOptions) -> Length:
    """The one length that is meant."""
    if length is not None and options:
        raise MemsumError("The length of a summary is given either as a Length or in keywords, not both.")
    return length or Length(**options)


def check_order(order: str) -> None:
    """Refuse an order that is none."""
    if order not in get_args(Order):
        raise MemsumError(f"A summary has no order {order!r}.", f"Choose one of {', '.join(get_args(Order))}.")


def _with_sentences(document: Document) -> tuple[Document, tuple[str, ...]]:
    """The document, or, where it is nothing but an abstract, the abstract as running text."""
    if any(sentence.text.strip() for sentence in document.sentences):
        return document, ()
    if document.abstract:
        warning = "The document has an abstract and no other text; the summary is one of the abstract."
        return replace(document, sentences=document.abstract, abstract=()), (warning,)
    raise DocumentError(
        "The document has no sentences to choose from.",
        "Headings, captions and references are not summarised; a list of sentences is taken as it is.",
    )


def _doubts(sentences: Sequence[str], episode: Episode, encoder: TextEncoder) -> Iterator[str]:
    """What a reader should know before trusting the summary."""
    vocabulary, most = encoder.vectors.vocabulary, encoder.settings.padded_to
    if most is not None and len(sentences) > most:
        yield f"The model reads {most:,} sentences: the last {len(sentences) - most:,} of the document were left out."
    sample = sentences[:: -(-len(sentences) // _SAMPLE)]
    tokens = [token for sentence in sample for token in tokenize(sentence)]
    words = [token for token in tokens if token[0].isalpha()]
    if 5 * len(words) < len(tokens) or not words:
        yield "The document is mostly numbers and symbols; the model chooses by words."
    elif 2 * sum(word in vocabulary for word in words) < len(words):
        yield "Most words of the document are unknown to the model; in a language it knows it would choose better."
    if episode.parts > 1:
        yield (
            f"The document has {len(sentences):,} sentences: to stay fast, the model compares each of them with one in "
            f"{episode.parts} of the others."
        )
