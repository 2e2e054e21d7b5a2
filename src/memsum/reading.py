"""One document being read: encoded once, then summarised at any length."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from memsum.document import Document, read_document
from memsum.document.build import MAX_PARTS
from memsum.document.readers import SUFFIXES
from memsum.errors import DocumentError, MemsumError
from memsum.runtime import Episode, NeutralEpisode, Runtime
from memsum.summary import Explanation, Length, Progress, Reason, Stop, Summary, SummarySentence, count_words
from memsum.text import tokenize
from memsum.text.encoding import TextEncoder

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from memsum.summary import LengthOptions

Source = str | Path | Document | Sequence[str]
Order = Literal["document", "extraction"]

# Words of about so many sentences, spread over the document, show whether the model knows its language. Only longer
# ones tell: short ones are the same in many languages.
_SAMPLE = 40
_TELLING = 5  # letters
_SAMPLED = 2000  # characters of such a sentence
_MOST_SENTENCES = 20_000  # that the network reads: each takes it some 20 kB of memory; a novel has 5,000 to 30,000

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+$", re.IGNORECASE)
_LONGEST_NAME = 250  # characters


# Below this, human summaries of held-out documents of eleven kinds shared 26 % of the summary's words; above it, 47 %.
_SURE = 0.3
_CHOSEN = "its sentences were chosen by how much they share with the others and by where they stand."
_UNSURE = "The model is unsure: it expects a human summary to have only {:.0%} of this summary's words."


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
        # One for summaries that end by their number of sentences, one for all others: each serves every length.
        self._episodes: dict[bool, Episode | NeutralEpisode] = {}
        self._begin: Callable[[bool], Episode]
        words, is_wordy = _sample_words(sentences)
        has_too_many = not blanks and len(sentences) > _MOST_SENTENCES
        # A model that pads as its authors did selects what they selected, whatever the language.
        if has_too_many or (is_wordy and not blanks and not _is_known(words, runtime.encoder)):
            neutral = NeutralEpisode(sentences, runtime.config.stop.threshold, block_trigrams=block_trigrams)
            self._episodes = {False: neutral, True: neutral}
            doubts = [_too_many(len(sentences)) if has_too_many else _unknown(document.language)]
        else:
            headings = [title for title, members in document.top_sections() for _ in members]
            headings = [headings[i] for i in self._places]
            encoding = runtime.encode(sentences, headings=headings, title=document.title)
            self._begin = lambda by_number: encoding.episode(by_number=by_number, block_trigrams=block_trigrams)
            doubts = list(_doubts(sentences, self._episode(), runtime.encoder, is_wordy=is_wordy))
        self.warnings = (*document.warnings, *warnings, *doubts)

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
        confidence = _confidence(episode, sentences)
        doubts = (_UNSURE.format(confidence),) if confidence is not None and confidence < _SURE else ()
        return Summary(
            self.document,
            tuple(sentences),
            Stop(reason, episode.stop(count)),
            self._model,
            self._id,
            (*self.warnings, *doubts),
            self._explanation(episode, count) if explain else None,
            confidence=confidence,
        )

    def _episode(self, *, by_number: bool = False) -> Episode | NeutralEpisode:
        if by_number not in self._episodes:
            self._episodes[by_number] = self._begin(by_number)
        return self._episodes[by_number]

    def _extract(self, episode: Episode | NeutralEpisode, length: Length) -> tuple[int, Reason]:
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

    def _next(self, episode: Episode | NeutralEpisode, count: int) -> str | None:
        """The sentence that follows the first `count`, if one can."""
        episode.extend(count + 1)
        choices = episode.choices
        return self.document.sentences[self._places[choices[count]]].text if len(choices) > count else None

    def _sentence(self, episode: Episode | NeutralEpisode, step: int) -> SummarySentence:
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
        )

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


def open_document(source: Source, language: str | None = None) -> Document:
    """A Document of anything that can be summarised; a str is a text, never a path."""
    if isinstance(source, Document):
        return source
    if isinstance(source, (str, Path)):
        return read_document(source, language=language)
    if isinstance(source, Sequence) and all(isinstance(sentence, str) for sentence in source):
        if len(source) > MAX_PARTS:
            raise DocumentError(
                f"The document has more than {MAX_PARTS:,} sentences.", "Split it into several documents."
            )
        return Document.from_sentences(source)
    raise DocumentError(
        f"A document is a text, a Path, a Document or a list of sentences, not a {type(source).__name__} like this."
    )


def refuse_name(text: str) -> None:
    """Refuse a text that is the name of a file: a slip that would otherwise be its own summary."""
    line = text.strip()
    if len(line) > _LONGEST_NAME or "\n" in line:
        return
    refuse_address(line)
    try:
        is_file = Path(line).suffix.lower() in SUFFIXES or Path(line).is_file()
    except (OSError, ValueError):
        return
    if line and is_file:
        raise DocumentError(f"{line!r} is the name of a file, not a text.", f"Give a path: Path({line!r}).")


def refuse_address(name: str) -> None:
    """Refuse what begins like the address of a web page: memsum fetches nothing."""
    if _ADDRESS.match(name):
        raise DocumentError(
            f"{name} is an address, and memsum fetches nothing from the network.",
            "Download it, or pipe it: curl -s ADDRESS | memsum summarize -",
        )


def choose_length(length: Length | None, options: LengthOptions) -> Length:
    """The one length that is meant."""
    if length is not None and options:
        raise MemsumError("The length of a summary is given either as a Length or in keywords, not both.")
    known = [field.name for field in fields(Length)]
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"Did you mean {close[0]}?" if close else f"A length is one of {', '.join(known)}."
            raise MemsumError(f"A summary has no option '{name}'.", hint)
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


def _sample_words(sentences: Sequence[str]) -> tuple[list[str], bool]:
    """Some words of the document, and whether it is made of words at all."""
    sample = sentences[:: -(-len(sentences) // _SAMPLE)]
    tokens = [token for sentence in sample for token in tokenize(sentence[:_SAMPLED])]
    words = [token for token in tokens if token[0].isalpha()]
    return words, bool(words) and 5 * len(words) >= len(tokens)


def _is_known(words: Sequence[str], encoder: TextEncoder) -> bool:
    """Whether the model knows at least half of the words that tell a language."""
    telling = [word for word in words if len(word) >= _TELLING] or words
    return 2 * sum(word in encoder.vectors.vocabulary for word in telling) >= len(telling)


def _unknown(language: str | None) -> str:
    """What a reader should know of a summary that the network did not make."""
    name = f" (it seems to be in the language '{language}')" if language else ""
    return f"Most words of the document are unknown to the model{name}: {_CHOSEN}"


def _too_many(count: int) -> str:
    """The same for a document that would take the network gigabytes of memory."""
    return f"The document has {count:,} sentences, and the model reads {_MOST_SENTENCES:,}: {_CHOSEN}"


def _doubts(
    sentences: Sequence[str], episode: Episode | NeutralEpisode, encoder: TextEncoder, *, is_wordy: bool
) -> Iterator[str]:
    """What a reader should know before trusting the network's choice."""
    most = encoder.settings.padded_to
    if most is not None and len(sentences) > most:
        yield f"The model reads {most:,} sentences: the last {len(sentences) - most:,} of the document were left out."
    if not is_wordy:
        yield "The document is mostly numbers and symbols; the model chooses by words."
    if episode.parts > 1:
        yield (
            f"The document has {len(sentences):,} sentences: to stay fast, the model compares each of them with one in "
            f"{episode.parts} of the others."
        )
