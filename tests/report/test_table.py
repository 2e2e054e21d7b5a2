"""Tables in three forms from one object."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from memsum.report.table import Number, Table, as_csv, as_latex, as_markdown

TABLE = Table(
    "harvest",
    "Apples & pears of 3 orchards",
    ("orchard", "kg|tree", "change"),
    (
        "old trees",
        ("North_hill", Number(41.256, 39.04, 43.5), Number(1.5, -0.25, 3.26, signed=True, mark="*")),
        "young trees",
        ("South “new”", Number(7.0), None),
    ),
    ("* 95 % intervals.",),
)


def test_markdown_shows_intervals_headings_and_gaps() -> None:
    shown = as_markdown(TABLE).splitlines()
    assert shown[0] == "**Apples & pears of 3 orchards**"
    assert shown[2] == "| orchard | kg\\|tree | change |"
    assert shown[4:8] == [
        "| *old trees* |  |  |",
        "| North_hill | 41.26 (39.0–43.5) | +1.50* (-0.2 to 3.3) |",
        "| *young trees* |  |  |",
        "| South “new” | 7.00 | – |",
    ]
    assert shown[-1] == "* 95 % intervals."


def test_latex_escapes_what_would_not_compile() -> None:
    shown = as_latex(TABLE)
    assert r"Apples \& pears of 3 orchards. * 95 \% intervals." in shown
    assert r"North\_hill & 41.26 {\scriptsize [39.0--43.5]} & +1.50* {\scriptsize [-0.2 to 3.3]} \\" in shown
    assert "South ``new'' & 7.00 & -- \\\\" in shown
    assert r"\begin{tabular}{lrr}" in shown
    assert r"\multicolumn{3}{l}{\emph{young trees}} \\" in shown
    assert shown.count(r"\midrule") == 2  # below the head, and between the groups
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
