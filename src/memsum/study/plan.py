"""What flows between the store, the pages and the report; and who judges what, in which order and on which side.

Pairs, order and sides are drawn from the study's secret, so that only its file can tell. A seed alone would not do:
whoever knows it, and how the study was laid out, could compute the sides.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

Choice = Literal["left", "right", "tie"]


@dataclass(frozen=True)
class StudySettings:
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
class AnnotatorProgress:
    """How far an annotator is; `skipped` are the numbers of what was skipped."""

    total: int
    judged: int
    skipped: tuple[int, ...]

    @property
    def left(self) -> int:
        """How many have neither been judged nor skipped."""
        return self.total - self.judged - len(self.skipped)


@dataclass(frozen=True)
class Pair:
    """Two systems on one document; systems and documents are numbers."""

    document: int
    first: int
    second: int


@dataclass(frozen=True)
class Assignment:
    """A pair for an annotator, at a place of that annotator's list, with one of its systems on the left."""

    pair: Pair
    annotator: int
    place: int
    left: int
    right: int


@dataclass(frozen=True)
class Plan:
    """All of a new study, before it is written; an imported one comes with its ballots."""

    settings: StudySettings
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


def draw_pairs(documents: int, systems: int, per_document: int, secret: str) -> list[Pair]:
    """Give each document some pairs of systems, so that all pairs come up equally often, give or take one."""
    chance = random.Random(f"{secret}/pairs")
    kinds = list(combinations(range(systems), 2))
    per_document = min(per_document, len(kinds))
    uses = dict.fromkeys(kinds, 0)
    pairs = []
    for document in chance.sample(range(documents), documents):
        drawn = sorted(chance.sample(kinds, len(kinds)), key=uses.__getitem__)[:per_document]
        for kind in drawn:
            uses[kind] += 1
            pairs.append(Pair(document, *kind))
    return pairs


def assign(pairs: Sequence[Pair], annotators: int, overlap: int, secret: str) -> list[Assignment]:
    """Give each pair to `overlap` annotators: equal work for all, each in an order of their own, sides balanced."""
    chance = random.Random(f"{secret}/assignments")
    lists: list[list[Pair]] = [[] for _ in range(annotators)]
    for pair in pairs:
        everyone = sorted(chance.sample(range(annotators), annotators), key=lambda one: len(lists[one]))
        for annotator in everyone[:overlap]:
            lists[annotator].append(pair)
    sides = _Sides(chance)
    assignments = []
    for annotator, own in enumerate(lists):
        chance.shuffle(own)
        for place, (pair, left, right) in enumerate(sides.deal(own), start=1):
            assignments.append(Assignment(pair, annotator, place, left, right))
    return assignments


class _Sides:
    """Deals left and right: of each kind of pair, half of an annotator's and half of everyone's, give or take one."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lead: dict[tuple[int, int], int] = {}  # how much more often the first system was on the left

    def deal(self, own: Sequence[Pair]) -> list[tuple[Pair, int, int]]:
        """Choose sides for one annotator's pairs, which keep their order."""
        swapped: dict[tuple[int, int], list[bool]] = {}
        for kind in sorted({(pair.first, pair.second) for pair in own}):
            count = sum((pair.first, pair.second) == kind for pair in own)
            turns = [False, True] * (count // 2)
            if count % 2:
                lead = self._lead.get(kind, 0)
                odd = lead > 0 if lead else self._chance.random() < 0.5
                self._lead[kind] = lead + (-1 if odd else 1)
                turns.append(odd)
            self._chance.shuffle(turns)
            swapped[kind] = turns
        return [
            (pair, pair.second, pair.first)
            if swapped[pair.first, pair.second].pop()
            else (pair, pair.first, pair.second)
            for pair in own
        ]


def shuffle_sides(sides: Sequence[tuple[int, int, tuple[int, int]]], secret: str) -> dict[int, tuple[int, int]]:
    """Deal the sides of assignments anew, given as key, annotator and (left, right); they stay as balanced."""
    chance = random.Random(f"{secret}/sides")
    groups: dict[tuple[int, int, int], list[int]] = {}
    before = {key: pair for key, _, pair in sides}
    for key, annotator, (left, right) in sides:
        groups.setdefault((annotator, min(left, right), max(left, right)), []).append(key)
    dealt: dict[int, tuple[int, int]] = {}
    for keys in groups.values():
        for key, other in zip(keys, chance.sample(keys, len(keys)), strict=True):
            dealt[key] = before[other]
    return dealt
