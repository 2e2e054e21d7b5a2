"""The heat map of an explained summary: one row per step, one column per sentence, darker where the score is higher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memsum.summary.summary import Explanation, Summary


LEVELS = 10
_CANDIDATES = 8  # of a row, that can be pointed at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that scored high at a step, and whether it was taken."""

    index: int
    score: float
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A step: stop probability, sentence taken, best sentences, and the SVG paths of the cells, one per shade.

    The row after the last step has no cells, only the stop probability.
    """

    stop: float
    taken: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    shades: tuple[tuple[int, str], ...] = ()
    gone: str = ""


def heat_rows(summary: Summary) -> list[Row]:
    """Make the rows of a summary that has an explanation, one per step and one for the end."""
    explanation = summary.explanation
    if explanation is None:
        return []
    taken = sorted(summary, key=lambda sentence: sentence.step)
    rows = [_row(explanation, sentence.step, sentence.number) for sentence in taken]
    return [*rows, Row(explanation.stops[-1])]


def _row(explanation: Explanation, step: int, taken: int) -> Row:
    scores = explanation.scores[step]
    known = [Candidate(index, score, index == taken) for index, score in enumerate(scores) if score is not None]
    best = sorted(known, key=lambda candidate: -candidate.score)[:_CANDIDATES]
    highest = best[0].score
    shades = [None if score is None else _shade(score, highest) for score in scores]
    paths = ((level, _path(shades, level)) for level in range(1, LEVELS + 1))
    return Row(
        explanation.stops[step],
        next(candidate for candidate in known if candidate.is_taken),
        tuple(best),
        tuple((level, path) for level, path in paths if path),
        _path(shades, None),
    )


def _shade(score: float, highest: float) -> int:
    """Return a shade from 0 to LEVELS, relative to the best of the same step: scores shrink from step to step."""
    return round(LEVELS * score / highest) if highest > 0 else 0


def _path(shades: Sequence[int | None], wanted: int | None) -> str:
    """Draw the cells of one shade, neighbours joined, as a path in units of a cell."""
    path = []
    at = 0
    for shade, cells in groupby(shades):
        width = sum(1 for _ in cells)
        if shade == wanted:
            path.append(f"M{at} 0h{width}v1h-{width}z")
        at += width
    return "".join(path)
