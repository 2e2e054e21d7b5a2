"""How long a summary is: where in the order of extraction it ends, by the one rule that was asked for.

Every summary is a beginning of an order of extraction, so a longer one contains the shorter ones. There are two orders:
where words decide, long sentences are paid for; where a number of sentences does, those come first that say the most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from memsum.errors import MemsumError

if TYPE_CHECKING:
    from memsum.model import StopSettings

Reason = Literal["policy", "max_sentences", "sentences", "words", "characters", "ratio", "document", "relevance"]

_WORD = re.compile(r"(?<!\S)[^\w\s]*\w")
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_MEASURES = ("sentences", "words", "characters", "ratio")


class LengthOptions(TypedDict, total=False):
    """The fields of `Length` as keyword arguments."""

    sentences: int | None
    words: int | None
    characters: int | None
    ratio: float | None
    stop_threshold: float | None
    max_sentences: int | None
    min_sentences: int


@dataclass(frozen=True)
class Progress:
    """How far an extraction is, and how far it would be with the next sentence."""

    sentences: int
    p_stop: float
    next_words: int
    next_characters: int
    document_sentences: int


@dataclass(frozen=True)
class Length:
    """An exact number of sentences, a budget, or a share of the document; if none is given, the policy's own stop.

    `stop_threshold` and `max_sentences` change the policy's stop from what the model came with.
    """

    sentences: int | None = None
    words: int | None = None
    characters: int | None = None  # of the summary's text, line ends between sentences included
    ratio: float | None = None  # of the document's sentences
    stop_threshold: float | None = None
    max_sentences: int | None = None
    min_sentences: int = 1

    def __post_init__(self) -> None:
        for name in ("sentences", "words", "characters", "max_sentences"):
            _check_whole(name, getattr(self, name), least=1)
        _check_whole("min_sentences", self.min_sentences, least=0)
        for name in ("ratio", "stop_threshold"):
            _check_share(name, getattr(self, name))
        if self.ratio == 0:
            raise MemsumError("A summary of none of the document's sentences says nothing.", "Give a larger ratio.")
        given = [name for name in _MEASURES if getattr(self, name) is not None]
        if len(given) > 1:
            raise MemsumError(f"A summary has one length, not {' and '.join(given)}.", "Choose one of them.")
        if given and (self.stop_threshold is not None or self.max_sentences is not None):
            raise MemsumError(
                f"A summary ends by {given[0]} or by the policy's stop, not by both.",
                "Leave stop_threshold and max_sentences out.",
            )
        most = self.sentences if self.sentences is not None else self.max_sentences
        if most is not None and self.min_sentences > most:
            raise MemsumError(f"A summary of at most {most} sentences cannot have {self.min_sentences}.")

    @property
    def is_budget(self) -> bool:
        """Whether the next sentence decides if it still fits."""
        return self.words is not None or self.characters is not None

    @property
    def is_number(self) -> bool:
        """Whether a number of sentences, or a share of them, decides."""
        return self.sentences is not None or self.ratio is not None

    @property
    def is_open(self) -> bool:
        """Whether the policy decides."""
        return not self.is_budget and not self.is_number

    def end(self, progress: Progress, own: StopSettings) -> Reason | None:
        """Why the summary ends before the next sentence, if it does; `own` is how the model stops."""
        count = progress.sentences
        if count < self.min_sentences:
            return None
        if self.sentences is not None:
            return "sentences" if count >= self.sentences else None
        if self.words is not None:
            return "words" if progress.next_words > self.words else None
        if self.characters is not None:
            return "characters" if progress.next_characters > self.characters else None
        if self.ratio is not None:
            return "ratio" if count >= round(self.ratio * progress.document_sentences) else None
        if progress.p_stop >= (own.threshold if self.stop_threshold is None else self.stop_threshold):
            return "policy"
        return "max_sentences" if count >= (self.max_sentences or own.max_sentences) else None


def count_words(text: str) -> int:
    """Words as people count them: what stands between white space and has a letter or a digit in it.

    Chinese and Japanese put no space between words: there each character counts, as word processors do it.
    """
    if text.isascii() or not _UNSPACED.search(text):
        return len(_WORD.findall(text))
    return len(_UNSPACED.findall(text)) + len(_WORD.findall(_UNSPACED.sub(" ", text)))


def _check_whole(name: str, value: object, least: int) -> None:
    if value is not None and (type(value) is not int or value < least):
        raise MemsumError(f"The {name} of a summary must be a whole number of at least {least}, not {value!r}.")


def _check_share(name: str, value: object) -> None:
    if value is not None and not (isinstance(value, (int, float)) and 0 <= value <= 1):
        raise MemsumError(f"The {name} of a summary must be a number from 0 to 1, not {value!r}.")
