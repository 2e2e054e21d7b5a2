"""Tables in three forms from one object."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from io import StringIO

import pytest

from memsum_train.report.statistics import Comparison
from memsum_train.report.table import Number, Table, as_csv, as_latex, as_markdown, as_records, as_text

TABLE = Table(
    "harvest",
    "Apples & pears of 3 orchards",
    ("orchard", "kg|tree", "change"),
    (
        ("North_hill", Number(41.256, 39.04, 43.5), Number(1.5, -0.25, 3.26, signed=True, mark="*")),
        ("South “new”", Number(7.0), None),
    ),
    ("* 95 % intervals.",),
)


def test_markdown_shows_intervals_and_gaps() -> None:
    shown = as_markdown(TABLE).splitlines()
    assert shown[0] == "**Apples & pears of 3 orchards**"
    assert shown[2] == "| orchard | kg\\|tree | change |"
    assert shown[4:6] == ["| North_hill | 41.26 (39.0–43.5) | +1.50* (-0.2 to 3.3) |", "| South “new” | 7.00 | – |"]
    assert shown[-1] == "* 95 % intervals."


def test_latex_escapes_what_would_not_compile() -> None:
    shown = as_latex(TABLE)
    assert r"Apples \& pears of 3 orchards. * 95 \% intervals." in shown
    assert r"North\_hill & 41.26 {\scriptsize [39.0--43.5]} & +1.50* {\scriptsize [-0.2 to 3.3]} \\" in shown
    assert "South ``new'' & 7.00 & -- \\\\" in shown
    assert r"\begin{tabular}{lrr}" in shown
    assert shown.count(r"\midrule") == 1  # below the head
    assert r"\label{tab:harvest}" in shown


def test_csv_has_unrounded_values_and_a_column_for_each_end() -> None:
    rows = list(csv.DictReader(StringIO(as_csv(TABLE))))
    assert len(rows) == 2
    assert float(rows[0]["kg|tree"]) == 41.256
    assert float(rows[0]["kg|tree low"]) == 39.04
    assert float(rows[0]["change high"]) == 3.26
    assert rows[1]["kg|tree low"] == rows[1]["change"] == ""


def test_a_row_that_does_not_fit_its_head_is_refused() -> None:
    with pytest.raises(ValueError, match="has 1 cells, not 2"):
        Table("bad", "Bad", ("a", "b"), (("only one",),))


def test_text_has_intervals_beside_their_values_or_below_them() -> None:
    beside = as_text(TABLE).splitlines()
    assert beside[0] == "Apples & pears of 3 orchards"
    [north] = [line for line in beside if line.startswith("North_hill")]
    assert re.split(" {2,}", north) == ["North_hill", "41.26 (39.0–43.5)", "+1.50* (-0.2 to 3.3)"]
    below = as_text(TABLE, stacked=True).splitlines()
    place = next(number for number, line in enumerate(below) if line.startswith("North_hill"))
    assert below[place].split() == ["North_hill", "41.26", "+1.50*"]
    assert below[place + 1].split() == ["39.0–43.5", "-0.2", "to", "3.3"]
    assert below[-1] == beside[-1] == "* 95 % intervals."


def test_a_p_value_stands_behind_the_interval() -> None:
    comparison = Comparison(0.015, -0.0025, 0.0326, 0.0417)
    table = Table("t", "", ("system", "R-1"), (("new", Number.difference(comparison, 100, p_value=True)),))
    assert "| new | +1.50 (-0.2 to 3.3, p = 0.042) |" in as_markdown(table)
    assert as_csv(table).splitlines()[0] == "system,R-1,R-1 low,R-1 high,R-1 p"
    assert as_text(table, stacked=True).split()[-8:] == ["new", "+1.50", "-0.2", "to", "3.3", "p", "=", "0.042"]


def test_a_narrow_window_breaks_names_and_never_numbers() -> None:
    long = Table("t", "", ("system", "value"), (("a system with a rather long name", Number(1234567.891)),))
    shown = as_text(long, width=10).splitlines()
    assert "1234567.89" in shown[2]
    assert max(map(len, shown)) < 30


def test_a_first_column_of_numbers_is_aligned_as_numbers_are() -> None:
    counts = Table("t", "", ("N_max", "mean"), (("3", Number(31.19)), ("10", Number(39.21))))
    assert [line[:5] for line in as_text(counts).splitlines()[2:]] == ["    3", "   10"]


def test_records_are_unrounded() -> None:
    north, south = as_records(TABLE)
    assert north["orchard"] == "North_hill"
    assert [north[f"kg|tree{end}"] for end in ("", " low", " high")] == [41.256, 39.04, 43.5]
    assert south == {"orchard": "South “new”", "kg|tree": 7.0, "change": None}


@pytest.mark.parametrize("form", [as_text, as_markdown])
def test_names_of_others_do_not_talk_to_the_terminal(form: Callable[[Table], str]) -> None:
    evil = "mo\x1b]0;owned\x07del\u202e\r\nsecond\U000e0041"
    drawn = form(Table("scores", evil, (evil, "R-1"), ((evil, Number(1.5)),), (evil,)))
    assert drawn.count("mo]0;owneddel second") == 4
    assert not {"\x1b", "\x07", "\r", "\u202e", "\U000e0041"} & set(drawn)
