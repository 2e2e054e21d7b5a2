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
    low: float | None = None
    high: float | None = None
    digits: int = 2
    signed: bool = False
    mark: str = ""
    p_value: float | None = None
    interval_digits: int | None = None  # None: one less than the value has

    @classmethod
    def estimate(
        cls, found: Estimate, scale: float = 1, *, digits: int = 2, mark: str = "", interval_digits: int | None = None
    ) -> Number:
        low, high = _known(scale * found.low), _known(scale * found.high)
        return cls(scale * found.mean, low, high, digits=digits, mark=mark, interval_digits=interval_digits)

    @classmethod
    def difference(cls, found: Comparison, scale: float = 1, *, p_value: bool = False) -> Number:
        low, high = _known(scale * found.low), _known(scale * found.high)
        p = _known(found.p_value) if p_value else None
        return cls(scale * found.difference, low, high, signed=True, p_value=p)

    def shown(self) -> str:
        return f"{self.value:{'+' if self.signed else ''}.{self.digits}f}{self.mark}"

    def interval(self) -> str | None:
        if self.low is None or self.high is None:
            return None
        digits = max(0, self.digits - 1) if self.interval_digits is None else self.interval_digits
        between = " to " if self.signed else "–"
        return f"{self.low:.{digits}f}{between}{self.high:.{digits}f}"

    def lines(self) -> list[str]:
        interval = self.interval()
        p_value = None if self.p_value is None else f"p = {self.p_value:.3f}"
        return [self.shown(), *(line for line in (interval, p_value) if line is not None)]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    bold: int | None = None  # the row that stands out on a terminal

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.head):
                raise ValueError(f"A row of the table {self.name} has {len(row)} cells, not {len(self.head)}.")
        for name, value in (
            ("title", one_line(self.title)),
            ("head", tuple(map(one_line, self.head))),
            ("rows", tuple(tuple(one_line(c) if isinstance(c, str) else c for c in row) for row in self.rows)),
            ("notes", tuple(map(one_line, self.notes))),
        ):
            object.__setattr__(self, name, value)


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
    for number, row in enumerate(rows):
        drawn.add_row(*row, style="bold" if number == table.bold else None)
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
    rows = []
    for row in table.rows:
        cells = []
        for cell in row:
            interval = cell.interval() if isinstance(cell, Number) else None
            shown = cell.shown() if isinstance(cell, Number) else "–" if cell is None else cell
            cells.append(_tex(shown) + (rf" {{\scriptsize [{_tex(interval)}]}}" if interval else ""))
        rows.append(rf"{' & '.join(cells)} \\")
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        rf"{' & '.join(map(_tex, table.head))} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_tex(' '.join([f'{table.title}.', *table.notes]))}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """Write unrounded values; a column with intervals is followed by their ends."""
    columns = ([row[i] for row in table.rows] for i in range(len(table.head)))
    wide = [any(isinstance(cell, Number) and cell.low is not None for cell in column) for column in columns]
    head: list[object] = []
    for title, is_wide in zip(table.head, wide, strict=True):
        head += [title, f"{title} low", f"{title} high"] if is_wide else [title]
    lines = [head]
    for row in table.rows:
        line: list[object] = []
        for cell, is_wide in zip(row, wide, strict=True):
            value, low, high = (cell.value, cell.low, cell.high) if isinstance(cell, Number) else (cell, None, None)
            line += ["" if one is None else one for one in (value, low, high)[: 3 if is_wide else 1]]
        lines.append(line)
    stream = StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()


def as_records(table: Table) -> list[dict[str, Any]]:
    """Return the rows as objects for JSON, unrounded."""

    def plain(cell: Cell) -> Any:
        if not isinstance(cell, Number):
            return cell
        return cell.value if cell.low is None else {"value": cell.value, "low": cell.low, "high": cell.high}

    return [{title: plain(cell) for title, cell in zip(table.head, row, strict=True)} for row in table.rows]


def _text(cell: Cell, stacked: bool = False) -> str:
    if not isinstance(cell, Number):
        return "–" if cell is None else cell
    value, *more = cell.lines()
    if stacked:
        return "\n".join([value, *more])
    return f"{value} ({', '.join(more)})" if more else value


def _tex(text: str) -> str:
    return _TEX_SPECIAL.sub(lambda match: _TEX[match.group()], text)
