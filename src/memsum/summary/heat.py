"""The heat-map of an explained summary: one row a step, one column a sentence, darker where the policy wanted more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from memsum.summary.quotes import Explanation, Quotes

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
    """A step: p_stop before it, what was taken, the best sentences, and the SVG paths of the cells, one a shade.

    The row after the last step has no cells, only p_stop.
    """

    stop: float
    taken: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    shades: tuple[tuple[int, str], ...] = ()
    gone: str = ""


def heat_rows(summary: Quotes) -> list[Row]:
    """The rows of a summary that has an explanation, one a step and one for the end."""
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
    """From 0 to LEVELS, against the best of the same step: scores shrink from step to step."""
    return round(LEVELS * score / highest) if highest > 0 else 0


def _path(shades: Sequence[int | None], wanted: int | None) -> str:
    """The cells of one shade, neighbours joined, as a path in units of a cell."""
    path = []
    at = 0
    for shade, cells in groupby(shades):
        width = sum(1 for _ in cells)
        if shade == wanted:
            path.append(f"M{at} 0h{width}v1h-{width}z")
        at += width
    return "".join(path)
