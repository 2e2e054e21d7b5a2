"""Reads what a page's form sends: a ballot, or what is missing from it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qsl

from memsum.study.plan import Ballot, Choice
from memsum.study.records import CRITERIA

LONGEST_COMMENT = 4000
_LONGEST_VISIT = 24 * 3600.0
_CHOICES = ("left", "right", "tie")


@dataclass(frozen=True)
class Filled:
    """A form as it was filled in; `opened` is when its page was made, as the page carried it."""

    choices: Mapping[str, Choice]
    comment: str
    opened: float | None
    active: float | None
    skips: bool

    @property
    def missing(self) -> list[str]:
        """The criteria without a choice."""
        return [criterion for criterion in CRITERIA if criterion not in self.choices]

    def ballot(self) -> Ballot:
        """What is stored; the time of a page that was left open for a day says nothing."""
        seconds = None if self.opened is None else time.time() - self.opened
        seconds = seconds if seconds is not None and 0 <= seconds <= _LONGEST_VISIT else None
        return Ballot(None if self.skips else self.choices, self.comment, seconds, self.active)


def parse_fields(body: bytes) -> dict[str, str]:
    """The fields of a form; bytes that are no UTF-8 are replaced, and of a repeated field the last counts."""
    try:
        return dict(parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return {}


def parse_ballot(fields: Mapping[str, str]) -> Filled:
    """Read a ballot; a choice that is none counts as missing."""
    return Filled(
        choices={name: cast(Choice, fields[name]) for name in CRITERIA if fields.get(name) in _CHOICES},
        comment=fields.get("comment", "").replace("\r\n", "\n").replace("\0", "").strip()[:LONGEST_COMMENT],
        opened=_number(fields.get("opened", ""), math.inf),
        active=_number(fields.get("active", ""), _LONGEST_VISIT),
        skips=fields.get("action") == "skip",
    )


def _number(text: str, most: float) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= most else None
