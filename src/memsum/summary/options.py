"""What one can ask of a summary: keyword arguments, and the same checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, get_args

from memsum.errors import MemsumError
from memsum.query.question import Question
from memsum.summary.length import Length, LengthOptions

Order = Literal["document", "extraction"]
By = Literal["section"]
Division = Literal["section", "spread"]  # how the quotes are dealt out over the document


class SummaryOptions(LengthOptions, total=False):
    """The keyword arguments of a summary; one that is new has its place here and in `SummarySettings`."""

    length: Length | None
    order: Order
    by: By | None
    spread: bool
    context: bool
    keywords: bool
    explain: bool
    about: str | None


@dataclass(frozen=True)
class SummarySettings:
    """What is asked of a summary, checked."""

    length: Length = field(default_factory=Length)
    order: Order = "document"
    by: By | None = None  # each section of the document has its share, under its heading
    spread: bool = False  # quotes are evenly spread over the document
    context: bool = True  # quotes that need the sentence before them carry it
    explain: bool = False
    about: str | None = None  # a question or a topic
    keywords: bool = False  # the document's own terms are shown too

    def __post_init__(self) -> None:
        _ = self.question  # refuses what cannot be one
        _check_choice("order", self.order, get_args(Order))
        if self.by is not None:
            _check_choice("division by", self.by, get_args(By))
            if self.spread:
                raise MemsumError("Quotes are either by section or evenly spread, not both.", "Choose one of them.")

    @property
    def division(self) -> Division | None:
        """How the quotes are dealt out, if that is not left to the policy."""
        return "spread" if self.spread else self.by

    @cached_property
    def question(self) -> Question | None:
        """What the summary is about, if it is not the whole document."""
        return None if self.about is None else Question.of(self.about)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> SummarySettings:
        """Check keyword arguments; those of a `Length` may stand alone."""
        known = [field.name for field in fields(cls)]
        measures = [field.name for field in fields(Length)]
        for name in options:
            if name not in known and name not in measures:
                close = get_close_matches(name, [*measures, *known], 1)
                hint = f"Did you mean {close[0]}?" if close else f"A length is one of {', '.join(measures)}."
                raise MemsumError(f"A summary has no option '{name}'.", hint)
        given = {name: value for name, value in options.items() if name in measures}
        length = options.get("length")
        if length is not None and given:
            raise MemsumError("The length of a summary is given either as a Length or in keywords, not both.")
        others = {name: value for name, value in options.items() if name in known}
        return cls(**{**others, "length": length or Length(**given)})


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise MemsumError(f"A summary has no {name} {value!r}.", f"Choose one of {', '.join(choices)}.")
