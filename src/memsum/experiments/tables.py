"""The two tables that most experiments have: scores with intervals, and differences from one system."""

from __future__ import annotations

from collections.abc import Sequence

from memsum.experiments.scores import LENGTH, MEAN, REPEATS, ROUGE, WORDS, Scores, compare, verdict
from memsum.experiments.table import Number, Row, Table
from memsum.rouge import Signature
from memsum.rouge.bootstrap import LEVEL, RESAMPLES, SEED

R_L = "R-L is ROUGE-Lsum."


def score_row(scores: Scores, *, repeats: bool = False) -> Row:
    """One system: ROUGE F1 with intervals, and lengths."""
    cells: list[Number] = [_number(scores, measure) for measure in (*ROUGE, MEAN)]
    cells.append(Number(float(scores.measures[LENGTH].mean()), digits=1))
    cells.append(Number(float(scores.measures[WORDS].mean()), digits=0))
    return (scores.name, *cells, *([_number(scores, REPEATS, digits=1)] if repeats else []))


def score_head(*, repeats: bool = False) -> tuple[str, ...]:
    """The titles of `score_row`."""
    return ("system", *ROUGE, MEAN, "sentences", "words", *(["duplicates %"] if repeats else []))


def score_table(name: str, title: str, systems: Sequence[Scores], *, repeats: bool = False) -> Table:
    """All systems on the same documents."""
    rows = tuple(score_row(scores, repeats=repeats) for scores in systems)
    return Table(name, title, score_head(repeats=repeats), rows, (score_note(systems),))


def difference_table(name: str, title: str, first: Scores, others: Sequence[Scores]) -> Table:
    """How much better or worse each other system is than the first."""
    rows: list[Row] = []
    for other in others:
        found = {measure: compare(other, first, measure) for measure in (*ROUGE, MEAN)}
        cells = [Number(c.difference, c.interval.low, c.interval.high, signed=True) for c in found.values()]
        rows.append((other.name, *cells, Number(found[MEAN].p_value, digits=3), verdict(found[MEAN])))
    note = (
        f"Differences in ROUGE F1 from {first.name}, on the same documents and with the same seeds, with 95 % "
        f"intervals of a paired bootstrap; p and verdict are of the mean of the three. {R_L} Each interval is "
        "for one comparison alone: among twenty, one is expected to be wrong."
    )
    return Table(name, title, (f"minus {first.name}", *ROUGE, MEAN, "p", "verdict"), tuple(rows), (note,))


def score_note(systems: Sequence[Scores]) -> str:
    """How the numbers came about."""
    trainings, documents = max((scores.measures[MEAN].shape for scores in systems), key=lambda shape: shape[0])
    if trainings == 1:
        how = "one training each; in brackets 95 % intervals over documents, which leave out the chance in training"
    else:
        how = f"{trainings} trainings each (seeds); in brackets 95 % intervals over documents and trainings"
    return f"ROUGE F1 of {documents} documents, {how}. {R_L}"


def metric_signature() -> str:
    """How all scores were computed, in one line."""
    return f"{Signature('rouge1+rouge2+rougeLsum')}|bootstrap:{RESAMPLES}|level:{LEVEL:g}|seed:{SEED}"


def signatures(data: str, systems: Sequence[Scores]) -> tuple[str, ...]:
    """All it takes to tell what was measured on what."""
    lines = [f"{scores.name}: {signature}" for scores in systems for signature in scores.signatures]
    return (data, metric_signature(), *lines)


def _number(scores: Scores, measure: str, digits: int = 2) -> Number:
    estimate = scores.estimate(measure)
    return Number(estimate.value, estimate.interval.low, estimate.interval.high, digits)
