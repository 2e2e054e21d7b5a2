"""The options of a summary, each declared once: name, type, default, bounds and a line of help.

Python keywords with their documentation (`with_options`), the flags of the command line, the fields of the HTTP API and
the settings of batch jobs derive from the fields of `SummaryOptions`. The command line takes `metavar`, `short` and
`shown` (the default in words) from a declaration; one `of_reading` may also be given with a document, for all of its
summaries.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from memsum.errors import MemsumError
from memsum.settings import check_settings, setting, types_of

if TYPE_CHECKING:
    from memsum.model import StopSettings
    from memsum.query.question import Question

Order = Literal["document", "extraction"]
By = Literal["section"]
Division = Literal["section", "spread"]  # how quotes are distributed over the document
Reason = Literal["policy", "max_sentences", "sentences", "words", "characters", "ratio", "document", "relevance"]

F = TypeVar("F", bound=Callable[..., Any])
_MEASURES = ("sentences", "words", "characters", "ratio")
_MODELS_OWN = "the model's own"
MOST_QUESTIONS = 100  # that are answered at once


@dataclass(frozen=True)
class Length:
    """The length of a summary: a number of sentences, a budget, or a share; if none is given, the model decides.

    Every summary is a prefix of one extraction order, so a longer one contains the shorter ones.
    """

    sentences: int | None = setting(None, "Exactly this many sentences.", ge=1, metavar="N", short="-n")
    words: int | None = setting(None, "At most this many words.", ge=1, metavar="N")
    characters: int | None = setting(None, "At most this many characters.", ge=1, metavar="N")
    ratio: float | None = setting(
        None, "This share of the document's sentences, such as 0.1.", gt=0, le=1, metavar="SHARE"
    )
    stop_threshold: float | None = setting(
        None, "Stop at this stop probability; lower values stop earlier.", ge=0, le=1, metavar="P", shown=_MODELS_OWN
    )
    max_sentences: int | None = setting(None, "Maximum number of sentences.", ge=1, metavar="N", shown=_MODELS_OWN)
    min_sentences: int = setting(1, "Minimum number of sentences.", ge=0, metavar="N")

    def __post_init__(self) -> None:
        check_settings(self)
        given = [name for name in _MEASURES if getattr(self, name) is not None]
        if len(given) > 1:
            raise MemsumError(f"Use only one of {', '.join(_MEASURES)}.", f"Given: {', '.join(given)}.")
        if given and (self.stop_threshold is not None or self.max_sentences is not None):
            raise MemsumError(f"{given[0]} cannot be combined with stop_threshold or max_sentences.")
        most = self.sentences if self.sentences is not None else self.max_sentences
        if most is not None and self.min_sentences > most:
            raise MemsumError(f"A summary of at most {most} sentences cannot have {self.min_sentences}.")

    @property
    def is_budget(self) -> bool:
        """Tell if the size of the next sentence decides whether it still fits."""
        return self.words is not None or self.characters is not None

    @property
    def is_open(self) -> bool:
        """Tell if the model decides."""
        return not self.is_budget and self.sentences is None and self.ratio is None

    def stop_reason(
        self, count: int, p_stop: float, words: int, characters: int, total: int, own: StopSettings
    ) -> Reason | None:
        """Return why a summary of `count` sentences, of `total`, ends there, or None; `own` is how the model stops.

        `words` and `characters` are those that it would have with the next sentence.
        """
        if count < self.min_sentences:
            return None
        if self.sentences is not None:
            return "sentences" if count >= self.sentences else None
        if self.words is not None:
            return "words" if words > self.words else None
        if self.characters is not None:
            return "characters" if characters > self.characters else None
        if self.ratio is not None:
            return "ratio" if count >= round(self.ratio * total) else None
        if p_stop >= (own.threshold if self.stop_threshold is None else self.stop_threshold):
            return "policy"
        return "max_sentences" if count >= (self.max_sentences or own.max_sentences) else None


@dataclass(frozen=True)
class SummaryOptions(Length):
    """All options of a summary, checked."""

    about: str | tuple[str, ...] | None = setting(
        None, "Only sentences relevant to this question or topic; several are answered one by one.", metavar="QUESTION"
    )
    nearest: bool = setting(False, "If no sentence answers the question, quote the nearest ones.")
    order: Order | None = setting(
        None,
        "Order of the sentences: as in the document, or as they were extracted.",
        shown="document; for a question, best first",
    )
    by: By | None = setting(None, "Group by section, at least one sentence per major section.")
    spread: bool = setting(False, "Spread the quotes evenly over the document.")
    context: bool = setting(True, "Show the sentence or heading that a quote needs to be understood.")
    abstract: bool | None = setting(
        None, "Print the document's own abstract, or leave it out; else it is quoted as any part. Quotes add to it."
    )
    keywords: bool = setting(False, "Add keywords with their counts.")
    explain: bool = setting(False, "Add the scores of all sentences at every step.")
    boxes: bool = setting(False, "Add where quotes stand on the pages of a PDF to the JSON.")
    pages: str | None = setting(None, "Only from these pages of a PDF, such as 3-9 or 7.", metavar="PAGES")
    section: str | None = setting(None, "Only from the sections whose headings have these words.", metavar="NAME")
    block_trigrams: bool = setting(
        False, "Skip sentences that share three words in a row with the summary.", of_reading=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by is not None and self.spread:
            raise MemsumError('by="section" and spread=True are mutually exclusive.')
        if self.explain and (self.pages is not None or self.section is not None):
            raise MemsumError("explain shows the scores of a whole document.", "Leave out pages and section.")
        _ = self.questions, self.page_range

    @property
    def page_range(self) -> tuple[int, int] | None:
        """Return the first and the last of the pages that are asked for, if only some are."""
        if self.pages is None:
            return None
        found = re.fullmatch(r"\s*(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?\s*", self.pages)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 0 < first <= last:
            raise MemsumError(f"{self.pages!r:.80} are no pages.", "Give a number, or the first and the last: 3-9.")
        return first, last

    @cached_property
    def question(self) -> Question | None:
        """Return the question of `about`, if there is one; of several, refuse."""
        questions = self.questions
        if len(questions) > 1:
            raise MemsumError("A summary is about one question.", "Reading.answer takes several.")
        return questions[0] if questions else None

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        if self.about is None:
            return ()
        from memsum.query.question import Question

        asked = (self.about,) if isinstance(self.about, str) else self.about
        if len(asked) > MOST_QUESTIONS:
            raise MemsumError(f"There are {len(asked)} questions; {MOST_QUESTIONS} are answered at once.")
        return tuple(map(Question.of, asked))

    def each(self) -> list[SummaryOptions]:
        """Return the options of each summary: one per question, or one where there is none."""
        return [replace(self, about=question.text) for question in self.questions] or [self]

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> SummaryOptions:
        """Check keyword arguments; a `length` stands for those of a Length."""
        known = [declared.name for declared in fields(cls)]
        for name in keywords:
            if name not in known and name != "length":
                close = get_close_matches(name, known, 1)
                hint = f"Did you mean {close[0]}?" if close else f"Options are {', '.join(known)}."
                raise MemsumError(f"A summary has no option '{name}'.", hint)
        given = dict(keywords)
        if (length := given.pop("length", None)) is not None:
            measures = [declared.name for declared in fields(Length)]
            if any(name in given for name in measures):
                raise MemsumError("Give the length either as a Length or in keywords, not both.")
            given |= {name: getattr(length, name) for name in measures}
        return cls(**given)


class SummaryKeywords(TypedDict, total=False):
    """The fields of `SummaryOptions` for type checkers, which cannot derive them; a test compares both."""

    sentences: int | None
    words: int | None
    characters: int | None
    ratio: float | None
    stop_threshold: float | None
    max_sentences: int | None
    min_sentences: int
    about: str | tuple[str, ...] | None
    nearest: bool
    order: Order | None
    by: By | None
    spread: bool
    context: bool
    abstract: bool | None
    keywords: bool
    explain: bool
    boxes: bool
    pages: str | None
    section: str | None
    block_trigrams: bool
    length: Length | None


def with_options(function: F) -> F:
    """Replace `**options` in a function's signature by all options, and list them in its docstring."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    added = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
        for one in fields(SummaryOptions)
    ]
    length = inspect.Parameter("length", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Length | None")
    lines = [f"    {one.name}: {one.metadata['help']}" for one in fields(SummaryOptions)]
    lines.append("    length: A Length, instead of the keywords that make one.")
    function.__signature__ = signature.replace(parameters=[*own, *added, length])  # type: ignore[attr-defined]
    function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Keyword Args:", *lines])
    return function


def option_types() -> dict[str, tuple[Any, Field[Any]]]:
    """Return the type and the declaration of each option, by name."""
    types = types_of(SummaryOptions)
    return {declared.name: (types[declared.name], declared) for declared in fields(SummaryOptions)}
