"""What flows between the store, the pages and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memsum.study.pairing import Assignment

Choice = Literal["left", "right", "tie"]


@dataclass(frozen=True)
class Settings:
    """What a study was made with; all but its secret."""

    title: str
    data: str
    seed: int
    overlap: int
    ties: bool
    version: str


@dataclass(frozen=True)
class StudyDocument:
    """A document with its human summary."""

    name: str
    text: tuple[str, ...]
    reference: tuple[str, ...]


@dataclass(frozen=True)
class Annotator:
    """A person, known by an unguessable code."""

    id: int
    name: str
    code: str


@dataclass(frozen=True)
class Ballot:
    """What an annotator says of a pair; no choices means it was skipped."""

    choices: Mapping[str, Choice] | None
    comment: str = ""
    seconds: float | None = None
    active_seconds: float | None = None


@dataclass(frozen=True)
class Task:
    """A pair as an annotator sees it: nothing in it tells whose the summaries are."""

    number: int
    document: int
    text: tuple[str, ...]
    reference: tuple[str, ...]
    left: tuple[int, ...]  # positions in document order, as any other order would tell systems apart
    right: tuple[int, ...]
    ballot: Ballot | None


@dataclass(frozen=True)
class Progress:
    """How far an annotator is; `skipped` are the numbers of what was skipped."""

    total: int
    judged: int
    skipped: tuple[int, ...]

    @property
    def left(self) -> int:
        """How many have neither been judged nor skipped."""
        return self.total - self.judged - len(self.skipped)


@dataclass(frozen=True)
class Plan:
    """All of a new study, before it is written; an imported one comes with its ballots."""

    settings: Settings
    systems: tuple[tuple[str, str], ...]  # name and signature
    documents: tuple[StudyDocument, ...]
    extracts: Mapping[tuple[int, int], tuple[int, ...]]  # of (document, system)
    annotators: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    ballots: Mapping[Assignment, Ballot]
    secret: str = field(default="", repr=False)  # what order and sides were drawn from; it stays in the study's file

    def is_automatic(self, assignment: Assignment) -> bool:
        """Whether both systems extract the same set, which is a tie that nobody needs to look at."""
        document, ballot = assignment.pair.document, self.ballots.get(assignment)
        if ballot is not None and ballot.choices is not None and set(ballot.choices.values()) != {"tie"}:
            return False  # someone has looked, and found a difference
        return set(self.extracts[document, assignment.left]) == set(self.extracts[document, assignment.right])
