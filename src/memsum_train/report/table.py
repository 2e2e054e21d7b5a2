"""A table as data, and the forms it is shown in: text for terminals, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from memsum.printable import one_line
from memsum_train.report.statistics import Comparison, Estimate

_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$"}
_TEX |= {"“": "``", "”": "''", "±": r"$\pm$", "Δ": r"$\Delta$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$"}
_TEX |= {character: f"\\{character}" for character in "&%$#_{}"}
_TEX_SPECIAL = re.compile("|".join(map(re.escape, _TEX)))
_NUMBER = re.compile(r"[\d.,]+")
_WIDE = 200  # characters of a line that no window bounds
_NAME = 10  # characters after which a name in the first column is broken if the table is too wide


@dataclass(frozen=True)
class Number:
    """A value, with its interval and p-value where it has them, and a mark such as `*` that a note explains."""

    value: float
    low: float = math.nan
    high: float = math.nan
    digits: int = 2
    signed: bool = False
    mark: str = ""
    p_value: float = math.nan
    interval_digits: int | None = None  # None: one less than the value has

    @classmethod
    def estimate(cls, found: Estimate, scale: float = 1, **how: Any) -> Number:
        return cls(scale * found.mean, scale * found.low, scale * found.high, **how)

    @classmethod
    def difference(cls, found: Comparison, scale: float = 1, *, p_value: bool = False, **how: Any) -> Number:
        low, high, p = scale * found.low, scale * found.high, found.p_value if p_value else math.nan
        return cls(scale * found.difference, low, high, signed=True, p_value=p, **how)

    def shown(self) -> str:
        return f"{self.value:{'+' if self.signed else ''}.{self.digits}f}{self.mark}"

    def interval(self) -> str:
        """Return the interval; empty where there is none."""
        if math.isnan(self.low):
            return ""
        digits = max(0, self.digits - 1) if self.interval_digits is None else self.interval_digits
        between = " to " if self.signed else "–"
        return f"{self.low:.{digits}f}{between}{self.high:.{digits}f}"


Cell = str | Number | None  # None: there is no such number
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Rows under a head.

    Names of systems, corpora and files are those of others: what is not there to be read is left out of them.
    """

    name: str  # of its files
    title: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.head):
                raise ValueError(f"A row of the table {self.name} has {len(row)} cells, not {len(self.head)}.")
        cleaned = {
            "title": one_line(self.title),
            "head": tuple(map(one_line, self.head)),
            "rows": tuple(tuple(one_line(c) if isinstance(c, str) else c for c in row) for row in self.rows),
            "notes": tuple(map(one_line, self.notes)),
        }
        vars(self).update(cleaned)


def terminal() -> dict[str, Any]:
    """Return the options of `as_text` for stdout: the width of the window and color, if it is one."""
    if not sys.stdout.isatty():
        return {}
    from rich.console import Console

    return {"width": Console().width, "color": True}


def as_text(table: Table, width: int | None = None, *, color: bool = False, stacked: bool = False) -> str:
    """Draw a table for people: with lines, intervals beside their values or, `stacked`, below them.

    A number is never cut off, however narrow the window.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as Drawn

    stream = StringIO()
    console = Console(file=stream, width=_WIDE, force_terminal=color, highlight=False, markup=False)
    drawn = Drawn(box=SIMPLE_HEAD, title=table.title, title_justify="left", title_style="bold", show_edge=False)
    drawn.pad_edge, drawn.padding = False, (0, 1 if stacked else 2, 0, 0)
    rows = [[_text(cell, stacked) for cell in row] for row in table.rows]
    for i, title in enumerate(table.head):
        lines = [line for row in rows for line in row[i].split("\n")]
        longest = max(map(len, [*title.split(), *lines]), default=0)
        right = i > 0 or all(map(_NUMBER.fullmatch, lines))
        least = longest if right else min(_NAME, longest)
        drawn.add_column(title, justify="right" if right else "left", overflow="fold", min_width=least)
    for row in rows:
        drawn.add_row(*row)
    narrowest = Measurement.get(console, console.options, drawn).minimum
    console.print(drawn, width=max(width or _WIDE, narrowest))
    for note in table.notes:
        console.print(note, soft_wrap=True)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def as_markdown(table: Table) -> str:
    """Write a table for documents: the title in bold, the table, then its notes."""
    rows = [list(map(_text, row)) for row in table.rows]
    lines: list[Sequence[str]] = [table.head, ["---", *["---:"] * (len(table.head) - 1)], *rows]
    body = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    title = f"**{table.title}**\n\n" if table.title else ""
    notes = "".join(f"\n\n{note}" for note in table.notes)
    return f"{title}{body}{notes}\n"


def as_latex(table: Table) -> str:
    """Write a table for papers: floating, with booktabs; intervals are small, in brackets."""

    def tex(cell: Cell) -> str:
        if not isinstance(cell, Number):
            return _tex(cell or "–")
        interval = rf" {{\scriptsize [{_tex(cell.interval())}]}}" if cell.interval() else ""
        return _tex(cell.shown()) + interval

    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        rf"{' & '.join(map(_tex, table.head))} \\",
        r"\midrule",
        *(rf"{' & '.join(map(tex, row))} \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_tex(' '.join([f'{table.title}.', *table.notes]))}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """Write the records; of a column with intervals, each row has their ends."""
    records, stream = as_records(table), StringIO()
    known = {name for record in records for name in record}
    columns = [f"{title}{end}" for title in table.head for end in ("", " low", " high", " p")]
    writer = csv.DictWriter(stream, [column for column in columns if column in known], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


def as_records(table: Table) -> list[dict[str, Any]]:
    """Return the rows as objects, unrounded; the ends of an interval and the p-value follow their value."""
    records = []
    for row in table.rows:
        record: dict[str, Any] = {}
        for title, cell in zip(table.head, row, strict=True):
            record[title] = cell.value if isinstance(cell, Number) else cell
            if isinstance(cell, Number) and cell.interval():
                record |= {f"{title} low": cell.low, f"{title} high": cell.high}
            if isinstance(cell, Number) and not math.isnan(cell.p_value):
                record[f"{title} p"] = cell.p_value
        records.append(record)
    return records


def _text(cell: Cell, stacked: bool = False) -> str:
    if not isinstance(cell, Number):
        return "–" if cell is None else cell
    more = [cell.interval()] if cell.interval() else []
    more += [] if math.isnan(cell.p_value) else [f"p = {cell.p_value:.3f}"]
    if stacked:
        return "\n".join([cell.shown(), *more])
    return f"{cell.shown()} ({', '.join(more)})" if more else cell.shown()


def _tex(text: str) -> str:
    return _TEX_SPECIAL.sub(lambda match: _TEX[match.group()], text)
