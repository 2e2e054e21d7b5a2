"""A table as data, and the three forms it is written in: Markdown for people, LaTeX for papers, CSV for programs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$"}
_TEX |= {"“": "``", "”": "''", "±": r"$\pm$", "Δ": r"$\Delta$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$"}
_TEX |= {character: f"\\{character}" for character in "&%$#_{}"}
_TEX_SPECIAL = re.compile("|".join(map(re.escape, _TEX)))


@dataclass(frozen=True)
class Number:
    """A value, with its interval where it has one, and a mark such as `*` that the table's notes explain."""

    value: float
    low: float | None = None
    high: float | None = None
    digits: int = 2
    signed: bool = False
    mark: str = ""

    def shown(self) -> str:
        """The value alone."""
        return f"{self.value:{'+' if self.signed else ''}.{self.digits}f}{self.mark}"

    def interval(self) -> str | None:
        """From where to where, one digit less than the value has."""
        if self.low is None or self.high is None:
            return None
        digits = max(0, self.digits - 1)
        between = " to " if self.signed else "–"
        return f"{self.low:.{digits}f}{between}{self.high:.{digits}f}"


Cell = str | Number | None  # None: there is no such number
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Rows under a head; a row that is a string is the heading of the rows after it."""

    name: str  # of its files
    title: str
    head: tuple[str, ...]
    rows: tuple[Row | str, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if not isinstance(row, str) and len(row) != len(self.head):
                raise ValueError(f"A row of the table {self.name} has {len(row)} cells, not {len(self.head)}.")


def as_markdown(table: Table) -> str:
    """For READMEs: the title in bold, the table, then its notes."""
    lines: list[Sequence[str]] = [table.head, ["---", *["---:"] * (len(table.head) - 1)]]
    for row in table.rows:
        lines.append(
            [f"*{row}*", *[""] * (len(table.head) - 1)] if isinstance(row, str) else [_markdown(c) for c in row]
        )
    body = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
    notes = "".join(f"\n\n{note}" for note in table.notes)
    return f"**{table.title}**\n\n{body}{notes}\n"


def as_latex(table: Table) -> str:
    """For papers: a floating table with booktabs; intervals are small, in brackets."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        rf"{' & '.join(map(_tex, table.head))} \\",
        r"\midrule",
    ]
    for place, row in enumerate(table.rows):
        if isinstance(row, str):
            lines += [r"\midrule"] if place else []
            lines.append(rf"\multicolumn{{{len(table.head)}}}{{l}}{{\emph{{{_tex(row)}}}}} \\")
        else:
            lines.append(rf"{' & '.join(map(_tex_cell, row))} \\")
    caption = _tex(" ".join([f"{table.title}.", *table.notes]))
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """For programs: unrounded values; a column with intervals is followed by their ends, and headings are dropped."""
    rows = [row for row in table.rows if not isinstance(row, str)]
    wide = [any(isinstance(row[i], Number) and _has_interval(row[i]) for row in rows) for i in range(len(table.head))]
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head = [
        [title, f"{title} low", f"{title} high"] if is_wide else [title]
        for title, is_wide in zip(table.head, wide, strict=True)
    ]
    writer.writerow([title for titles in head for title in titles])
    for row in rows:
        writer.writerow([value for cell, is_wide in zip(row, wide, strict=True) for value in _csv(cell, is_wide)])
    return stream.getvalue()


def _has_interval(cell: Cell) -> bool:
    return isinstance(cell, Number) and cell.low is not None


def _markdown(cell: Cell) -> str:
    if not isinstance(cell, Number):
        return "–" if cell is None else cell
    interval = cell.interval()
    return f"{cell.shown()} ({interval})" if interval else cell.shown()


def _tex(text: str) -> str:
    return _TEX_SPECIAL.sub(lambda match: _TEX[match.group()], text)


def _tex_cell(cell: Cell) -> str:
    if not isinstance(cell, Number):
        return _tex("–" if cell is None else cell)
    interval = cell.interval()
    return _tex(cell.shown()) + (rf" {{\scriptsize [{_tex(interval)}]}}" if interval else "")


def _csv(cell: Cell, wide: bool) -> Iterator[object]:
    if not isinstance(cell, Number):
        yield from (cell or "", "", "") if wide else (cell or "",)
        return
    yield cell.value
    if wide:
        yield "" if cell.low is None else cell.low
        yield "" if cell.high is None else cell.high
