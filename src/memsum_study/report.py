"""The findings of a study: average ranks, tests, lengths, agreement, and whether the side mattered.

Means are over judgments, as in the paper. Tests take one value per document, the mean over those who judged it,
because judgments of one document are not independent; with one judgment per document this is the paper's test.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from memsum._version import __version__
from memsum.printable import escaped, one_line
from memsum_study.rank_statistics import clustered_mean, krippendorff_alpha, sign_test, wilcoxon
from memsum_study.records import CRITERIA, LOSS, TIE, UNNAMED, WIN, Record, StudyError, read_records
from memsum_study.store import Study, is_database
from memsum_train.report.figures import drawing, series, write_figure
from memsum_train.report.statistics import SEED, Estimate
from memsum_train.report.table import Number, Row, Table, as_markdown, as_text

Format = Literal["table", "json", "markdown"]
SIGNIFICANT = 0.005  # the paper's level
Measure = Callable[[Record, int], float]  # of the left or the right summary


def _rank(criterion: str, record: Record, side: int) -> float:
    return record.ranks[criterion][side]


RANKS: dict[str, Measure] = {criterion: partial(_rank, criterion) for criterion in CRITERIA}
LENGTHS: dict[str, Measure] = {
    "sentences": lambda record, side: len(record.extracts[side].positions),
    "words": lambda record, side: record.extracts[side].words,
}


@dataclass(frozen=True)
class Measured:
    """One line of a comparison: both systems' means, how many documents went each way, and the tests."""

    name: str
    averages: tuple[Estimate, Estimate]
    lower: tuple[int, int]  # documents on which the first is lower (better, of a rank), and the second
    equal: int
    wilcoxon: float
    sign: float


@dataclass(frozen=True)
class SystemPair:
    """Two systems on the documents on which they were compared."""

    systems: tuple[str, str]
    judgments: int
    automatic: int
    documents: int
    ranks: tuple[Measured, ...]
    lengths: tuple[Measured, ...]


@dataclass(frozen=True)
class Sides:
    """How often the left and the right summary was preferred, and how likely that is if the side does not matter."""

    criterion: str
    left: int
    right: int
    p_value: float


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha over the pairs that several annotators judged."""

    criterion: str
    pairs: int
    alpha: float | None


@dataclass(frozen=True)
class SystemRanks:
    """A system's average ranks over all it was compared with."""

    system: str
    averages: tuple[Estimate, ...]  # one for each of CRITERIA


@dataclass(frozen=True)
class StudyReport:
    """The findings of a study, with the signature of how they were computed."""

    comparisons: tuple[SystemPair, ...]
    systems: tuple[SystemRanks, ...]
    agreement: tuple[Agreement, ...]
    sides: tuple[Sides, ...]
    annotators: int
    median_seconds: float | None
    notes: tuple[str, ...]
    signature: str


def report_file(path: Path, seed: int = SEED) -> StudyReport:
    """Report on a study or, directly, on a file of records."""
    if not is_database(path):
        return make_report(read_records(path), None, f"records:{path.name}", seed)
    with Study(path) as study:
        records = study.records()
        unfinished = [
            f"{annotator.name} has {progress.left} of {progress.total} pairs left."
            for annotator in study.annotators()
            if (progress := study.progress(annotator)).left
        ]
        if not records:
            raise StudyError(f"Nobody has judged anything in {path} yet.")
        return make_report(records, study.systems(), f"study:{path.name}|{study.settings.data}", seed, unfinished)


def make_report(
    records: Sequence[Record], order: Sequence[str] | None, data: str, seed: int = SEED, notes: Sequence[str] = ()
) -> StudyReport:
    """Compute everything; systems come in the order given, or by name."""
    names = list(order or sorted({name for record in records for name in record.systems}))
    pairs: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        first, second = sorted(record.systems, key=names.index)
        pairs[first, second].append(record)
    seen = [record for record in records if not record.automatic]
    seconds = [record.seconds for record in seen if record.seconds is not None]
    comparisons, systems, agreement, sides = [], [], [], []
    for pair in sorted(pairs, key=lambda pair: (names.index(pair[0]), names.index(pair[1]))):
        own = pairs[pair]
        ranks = tuple(_measure(name, value, pair, own, seed) for name, value in RANKS.items())
        lengths = tuple(_measure(name, value, pair, own, seed) for name, value in LENGTHS.items())
        automatic, documents = sum(record.automatic for record in own), len({record.text for record in own})
        comparisons.append(SystemPair(pair, len(own), automatic, documents, ranks, lengths))
    for system in names:
        values = [_by_document(rank, system, records) for rank in RANKS.values()]
        if all(values):
            systems.append(SystemRanks(system, tuple(clustered_mean(value, seed) for value in values)))
    for criterion in CRITERIA:
        units: dict[tuple[object, ...], dict[str, str]] = defaultdict(dict)
        for record in seen:
            ranks_here = record.ranks[criterion]
            preferred = "tie" if ranks_here == TIE else record.systems[ranks_here == LOSS]
            units[record.text, frozenset(record.systems)][record.annotator] = preferred
        several = [list(unit.values()) for unit in units.values() if len(unit) > 1]
        agreement.append(Agreement(criterion, len(several), krippendorff_alpha(several)))
        chosen = [record.ranks[criterion] for record in seen]
        left, right = chosen.count(WIN), chosen.count(LOSS)
        sides.append(Sides(criterion, left, right, sign_test(left, right)))
    if wrong := sum(not all(extract.is_quoted(record.text) for extract in record.extracts) for record in records):
        notes = [*notes, f"{wrong} of {len(records)} records quote sentences that are not in their document."]
    return StudyReport(
        comparisons=tuple(comparisons),
        systems=tuple(systems),
        agreement=tuple(agreement),
        sides=tuple(sides),
        annotators=len({record.annotator for record in records} - {UNNAMED}),
        median_seconds=statistics.median(seconds) if seconds else None,
        notes=tuple(notes),
        signature=f"{data}|judgments:{len(records)}|bootstrap:documents|level:0.95|seed:{seed}|memsum:{__version__}",
    )


def _measure(name: str, value: Measure, systems: tuple[str, str], records: Sequence[Record], seed: int) -> Measured:
    first, second = (_by_document(value, system, records) for system in systems)
    differences = [statistics.mean(a) - statistics.mean(b) for a, b in zip(first, second, strict=True)]
    lower, higher = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    averages, equal = (clustered_mean(first, seed), clustered_mean(second, seed)), len(differences) - lower - higher
    return Measured(name, averages, (lower, higher), equal, wilcoxon(differences), sign_test(lower, higher))


def _by_document(value: Measure, system: str, records: Sequence[Record]) -> list[list[float]]:
    """Return a system's values, document by document, in the order in which documents first occur."""
    values: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for record in records:
        if system in record.systems:
            values[record.text].append(value(record, record.systems.index(system)))
    return list(values.values())


def render(report: StudyReport, form: Format) -> str:
    """Render the whole report."""
    if form == "json":
        return escaped(json.dumps(asdict(report), indent=2, ensure_ascii=False))
    star = "\\*" if form == "markdown" else "*"
    people = "Annotators not named"
    if report.annotators:
        people = f"{report.annotators} annotator{'s' if report.annotators > 1 else ''}"
    time = "" if report.median_seconds is None else f", median {report.median_seconds:.0f} s per pair"
    tests = f"{star} p < {SIGNIFICANT:g}, Wilcoxon signed-rank. In brackets: 95 % bootstrap over documents."
    *footer, signature = map(one_line, [f"{people}{time}. {tests}", *report.notes, report.signature])
    if form == "markdown":
        tables = [as_markdown(table).rstrip("\n") for table in _tables(report, star)]
        return "\n\n".join([*tables, *footer, f"`{signature}`"])
    return "\n".join([*(f"{as_text(table)}\n" for table in _tables(report, star)), *footer, signature])


def plot(report: StudyReport, path: Path) -> None:
    """Draw the average ranks with their intervals, a panel per comparison."""
    count = len(report.comparisons)
    with drawing(count, height=0.8 + 2.0 * count, note=report.signature) as (figure, panels):
        for panel, pair in zip(panels, report.comparisons, strict=True):
            for side, system in enumerate(pair.systems):
                averages = [measured.averages[side] for measured in pair.ranks]
                means = [average.mean for average in averages]
                # Rounding must not make an error of 0 negative.
                errors = [[max(0.0, a.mean - a.low) for a in averages], [max(0.0, a.high - a.mean) for a in averages]]
                heights = [row + (side - 0.5) * 0.25 for row in range(len(CRITERIA))]
                style = {**series(side), "linestyle": "none"}
                panel.errorbar(means, heights, xerr=errors, capsize=3, label=system, **style)
            panel.set(yticks=range(len(CRITERIA)), yticklabels=CRITERIA, xlim=(0.95, 2.05))
            panel.invert_yaxis()
            panel.axvline(1.5, color="0.8", linewidth=1, zorder=0)
            panel.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        panels[-1].set_xlabel("average rank (lower is better), 95 % interval")
    write_figure(figure, path)


def _tables(report: StudyReport, star: str) -> list[Table]:
    tables = []
    for pair in report.comparisons:
        first, second = pair.systems
        title = (
            f"{first} and {second}: {pair.judgments} judgments of {pair.documents} documents"
            f" ({pair.automatic} of them ties of identical summaries)"
        )
        tests = ("Wilcoxon p", "sign test p", f"{first} lower – equal – higher")
        rows = [_row(measured, 2, star) for measured in pair.ranks]
        rows += [_row(measured, 1, star) for measured in pair.lengths]
        tables.append(Table("pair", title, ("average rank (1 is better)", first, second, *tests), tuple(rows)))
    if len(report.comparisons) > 1:
        ranks: list[Row] = [(one.system, *map(_ranged, one.averages)) for one in report.systems]
        tables.append(Table("ranks", "Average rank over all comparisons", ("system", *CRITERIA), tuple(ranks)))
    criteria: list[Row] = []
    for agreement, sides in zip(report.agreement, report.sides, strict=True):
        alpha = None if agreement.alpha is None else Number(agreement.alpha)
        counts = map(str, (agreement.pairs, sides.left, sides.right))
        criteria.append((sides.criterion, alpha, *counts, Number(sides.p_value, digits=3)))
    head = ("criterion", "α", "pairs with several judges", "left preferred", "right preferred", "sign test p")
    return [*tables, Table("agreement", "Do annotators agree, and does the side matter?", head, tuple(criteria))]


def _row(measured: Measured, digits: int, star: str) -> Row:
    a, b = measured.averages
    mark = star if measured.wilcoxon < SIGNIFICANT else ""
    marks = (mark if a.mean < b.mean else "", mark if b.mean < a.mean else "")
    averages = (_ranged(one, digits, better) for one, better in zip((a, b), marks, strict=True))
    tests = ("< 0.0001" if p < 0.0001 else f"{p:.4f}" for p in (measured.wilcoxon, measured.sign))
    return (measured.name, *averages, *tests, f"{measured.lower[0]} – {measured.equal} – {measured.lower[1]}")


def _ranged(average: Estimate, digits: int = 2, mark: str = "") -> Number:
    return Number.estimate(average, digits=digits, interval_digits=digits, mark=mark)
