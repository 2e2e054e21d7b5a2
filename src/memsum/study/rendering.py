"""How a report is shown: a table for people, Markdown for documents, JSON for programs, and one plot."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

from memsum.errors import MemsumError, MissingExtraError
from memsum.study.records import CRITERIA
from memsum.study.report import Comparison, Measured, Report
from memsum.study.statistics import Average

Format = Literal["table", "json", "markdown"]
SIGNIFICANT = 0.005  # the paper's level
_WIDE = 200


@dataclass(frozen=True)
class _Part:
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def render(report: Report, form: Format) -> str:
    """The whole report as text."""
    if form == "json":
        return json.dumps(asdict(report), indent=2, ensure_ascii=False)
    return _markdown(report) if form == "markdown" else _table(report)


def plot(report: Report, path: Path) -> None:
    """Draw the average ranks with their intervals, a panel a comparison."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise MissingExtraError("Plotting", "plots") from None

    count = len(report.comparisons)
    figure = Figure(figsize=(6.4, 0.8 + 2.0 * count), layout="constrained")
    if path.suffix[1:].lower() not in figure.canvas.get_supported_filetypes():
        raise MemsumError(f"{path} has no ending of a picture.", "Use .png, .svg or .pdf.")
    panels = figure.subplots(count, 1, squeeze=False)[:, 0]
    for panel, comparison in zip(panels, report.comparisons, strict=True):
        for side, (system, colour) in enumerate(zip(comparison.systems, ("#b5541c", "#1f5fa8"), strict=True)):
            averages = [measured.averages[side] for measured in comparison.ranks]
            means = [average.mean for average in averages]
            # Rounding must not make an error of 0 negative.
            errors = [[max(0.0, a.mean - a.low) for a in averages], [max(0.0, a.high - a.mean) for a in averages]]
            places = [row + (side - 0.5) * 0.25 for row in range(len(CRITERIA))]
            panel.errorbar(means, places, xerr=errors, fmt="os"[side], color=colour, capsize=3, label=system)
        panel.set(yticks=range(len(CRITERIA)), yticklabels=CRITERIA, xlim=(0.95, 2.05))
        panel.invert_yaxis()
        panel.axvline(1.5, color="0.8", linewidth=1, zorder=0)
        panel.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        panel.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("average rank (lower is better), 95 % interval")
    figure.savefig(path, dpi=150)


def _parts(report: Report) -> list[_Part]:
    parts = [_comparison(comparison) for comparison in report.comparisons]
    if len(report.comparisons) > 1:
        rows = tuple((one.system, *(_ranged(average) for average in one.averages)) for one in report.systems)
        parts.append(_Part("Average rank over all comparisons", ("system", *CRITERIA), rows))
    rows = tuple(
        (
            sides.criterion,
            _alpha(agreement.alpha),
            str(agreement.pairs),
            str(sides.left),
            str(sides.right),
            f"{sides.p_value:.3f}",
        )
        for agreement, sides in zip(report.agreement, report.sides, strict=True)
    )
    head = ("criterion", "α", "pairs with several judges", "left preferred", "right preferred", "sign test p")
    return [*parts, _Part("Do annotators agree, and does the side matter?", head, rows)]


def _comparison(comparison: Comparison) -> _Part:
    first, second = comparison.systems
    title = (
        f"{first} and {second}: {comparison.judgements} judgements of {comparison.documents} documents"
        f" ({comparison.automatic} of them ties of identical summaries)"
    )
    head = ("average rank (1 is better)", first, second, "Wilcoxon p", "sign test p", f"{first} lower – equal – higher")
    rows = [_row(measured, 2) for measured in comparison.ranks]
    rows += [_row(measured, 1) for measured in comparison.lengths]
    return _Part(title, head, tuple(rows))


def _row(measured: Measured, digits: int) -> tuple[str, ...]:
    a, b = measured.averages
    star = "*" if measured.wilcoxon < SIGNIFICANT else ""
    stars = (star if a.mean < b.mean else "", star if b.mean < a.mean else "")
    return (
        measured.name,
        _ranged(a, digits, stars[0]),
        _ranged(b, digits, stars[1]),
        _p(measured.wilcoxon),
        _p(measured.sign),
        f"{measured.lower[0]} – {measured.equal} – {measured.lower[1]}",
    )


def _ranged(average: Average, digits: int = 2, star: str = "") -> str:
    return f"{average.mean:.{digits}f}{star} ({average.low:.{digits}f}–{average.high:.{digits}f})"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _alpha(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _footer(report: Report) -> list[str]:
    people = (
        f"{report.annotators} annotator{'s' if report.annotators > 1 else ''}"
        if report.annotators
        else "Annotators not named"
    )
    time = "" if report.median_seconds is None else f", median {report.median_seconds:.0f} s a pair"
    return [
        f"{people}{time}. * p < {SIGNIFICANT:g}, Wilcoxon signed-rank. In brackets: 95 % bootstrap over documents.",
        *report.notes,
        report.signature,
    ]


def _table(report: Report) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    out = StringIO()
    console = Console(file=out, width=_WIDE, highlight=False, markup=False)
    for part in _parts(report):
        table = Table(box=SIMPLE_HEAD, title=part.title, title_justify="left", title_style="bold")
        table.show_edge, table.pad_edge, table.padding = False, False, (0, 2, 0, 0)
        for place, title in enumerate(part.head):
            table.add_column(title, justify="right" if place else "left", no_wrap=True)
        for row in part.rows:
            table.add_row(*row)
        console.print(table, "")
    for line in _footer(report):
        console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _markdown(report: Report) -> str:
    blocks = []
    for part in _parts(report):
        lines = [part.head, ("---", *("---:" for _ in part.head[1:])), *part.rows]
        blocks.append(f"**{_escaped(part.title)}**")
        blocks.append("\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines))
    *footer, signature = _footer(report)
    return "\n\n".join([*blocks, *(_escaped(line) for line in footer), f"`{signature}`"])


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("*", "\\*")
