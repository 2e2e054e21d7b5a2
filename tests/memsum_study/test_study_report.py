"""The report's numbers, computed by hand and by scipy for constructed judgments."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from scipy import stats

from memsum.errors import MemsumError
from memsum_study.records import CRITERIA, Extract, Record, StudyError, render_records
from memsum_study.report import StudyReport, make_report, plot, render, report_file

TEXT = ("Rust ate two cables.", "The bridge closed in May.", "Walkers take the road.", "It opens in autumn.")


def judged(number: int, ranks: list[tuple[int, int]], *, swap: bool = False, who: str = "Ida") -> Record:
    """NeuSum takes three sentences, MemSum one or two; ranks are those of (NeuSum, MemSum)."""
    text = (f"Document {number}.", *TEXT)
    extracts = tuple(
        Extract(tuple(text[i] for i in places), places) for places in ((0, 1, 2), (1, 2)[: 1 + number % 2])
    )
    systems = ("NeuSum", "MemSum")
    if swap:
        extracts, systems, ranks = extracts[::-1], systems[::-1], [(b, a) for a, b in ranks]
    return Record(
        id=str(number),
        index=number,
        text=text,
        summary=("A bridge closed.",),
        systems=systems,
        extracts=extracts,  # type: ignore[arg-type]
        ranks=dict(zip(CRITERIA, ranks, strict=True)),
        annotator=who,
        seconds=10.0 * number,
    )


WIN, LOSS, TIE = (1, 2), (2, 1), (1, 1)
# NeuSum against MemSum on ten documents: overall 3 wins, 6 losses, 1 tie; coverage 5, 4, 1; non-redundancy 0, 9, 1.
OVERALL = [WIN] * 3 + [LOSS] * 6 + [TIE]
COVERAGE = [WIN] * 5 + [LOSS] * 4 + [TIE]
NON_REDUNDANCY = [LOSS] * 9 + [TIE]
TEN = [
    judged(n, list(ranks), swap=n % 3 == 0)
    for n, ranks in enumerate(zip(OVERALL, COVERAGE, NON_REDUNDANCY, strict=True), start=1)
]


@cache
def of_ten(*order: str) -> StudyReport:
    """The report on the ten, computed once: for so few documents scipy's exact test takes its time."""
    return make_report(TEN, order or None, "test")


def test_average_ranks_by_hand() -> None:
    [comparison] = of_ten("NeuSum", "MemSum").comparisons
    means = [[round(average.mean, 10) for average in measured.averages] for measured in comparison.ranks]
    assert means == [[1.6, 1.3], [1.4, 1.5], [1.9, 1.0]]
    assert [(m.lower, m.equal) for m in comparison.ranks] == [((3, 6), 1), ((5, 4), 1), ((0, 9), 1)]
    sentences, words = comparison.lengths
    assert [average.mean for average in sentences.averages] == [3.0, 1.5]
    # NeuSum: "Document n." 2 + 4 + 5 words; MemSum: 4, and 5 more on odd documents.
    assert [average.mean for average in words.averages] == [11.0, 6.5]


def test_tests_are_scipys() -> None:
    [comparison] = of_ten("NeuSum", "MemSum").comparisons
    for measured, ranks in zip(comparison.ranks, (OVERALL, COVERAGE, NON_REDUNDANCY), strict=True):
        first, second = zip(*ranks, strict=True)
        assert measured.wilcoxon == stats.wilcoxon(first, second).pvalue
        wins = sum(a < b for a, b in ranks)
        assert measured.sign == stats.binomtest(wins, 9).pvalue
    assert comparison.ranks[2].sign == pytest.approx(2 / 2**9)
    assert comparison.lengths[0].wilcoxon == stats.wilcoxon([3] * 10, [1, 2] * 5).pvalue


def test_systems_keep_the_order_given_or_go_by_name() -> None:
    assert of_ten("NeuSum", "MemSum").comparisons[0].systems == ("NeuSum", "MemSum")
    assert of_ten().comparisons[0].systems == ("MemSum", "NeuSum")


def test_judgments_of_one_document_are_one_value_of_the_tests() -> None:
    again = [judged(n, [LOSS, LOSS, LOSS], who="Ole") for n in range(1, 11)]
    once, twice = of_ten("NeuSum", "MemSum"), make_report([*TEN, *again], ["NeuSum", "MemSum"], "t")
    thrice = make_report([*TEN, *TEN], ["NeuSum", "MemSum"], "t")
    assert thrice.comparisons[0].ranks[0].wilcoxon == once.comparisons[0].ranks[0].wilcoxon
    overall = twice.comparisons[0].ranks[0]
    # Wins meet a loss (difference 0), losses stay, the tie becomes half a loss.
    assert (overall.lower, overall.equal) == ((0, 7), 3)
    assert overall.averages[0].mean == pytest.approx((16 + 20) / 20)


def test_agreement_counts_only_what_several_have_judged_and_no_automatic_ties() -> None:
    other = [judged(n, [LOSS, TIE, LOSS], who="Ole", swap=True) for n in range(1, 5)]
    report = make_report([*TEN, *other], None, "t")
    assert [agreement.pairs for agreement in report.agreement] == [4, 4, 4]
    # Overall: three units differ, one agrees. n = 8, five for MemSum, three for NeuSum: 1 - (6/8) / (30/56).
    assert report.agreement[0].alpha == pytest.approx(1 - (6 / 8) / (30 / 56))
    assert report.agreement[2].alpha is None
    assert [agreement.alpha for agreement in of_ten().agreement] == [None] * 3


def test_position_bias_is_seen() -> None:
    always_left = [judged(n, [WIN if n % 2 else LOSS] * 3, swap=n % 2 == 0) for n in range(1, 9)]
    sides = make_report(always_left, None, "t").sides[0]
    assert (sides.left, sides.right) == (8, 0)
    assert sides.p_value == pytest.approx(2 / 2**8)


def test_three_systems_give_three_comparisons_and_a_table_of_all() -> None:
    third = [
        Record(**{**vars(record), "systems": tuple({"NeuSum": "Lead"}.get(name, name) for name in record.systems)})
        for record in TEN
    ]
    report = make_report([*TEN, *third], None, "t")
    assert [comparison.systems for comparison in report.comparisons] == [("Lead", "MemSum"), ("MemSum", "NeuSum")]
    assert {one.system: one.averages[0].mean for one in report.systems}["MemSum"] == pytest.approx(1.3)
    assert "Average rank over all comparisons" in render(report, "table")


def test_the_table_of_the_paper_comes_from_a_records_file(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(render_records(TEN, "jsonl"))
    report = report_file(path)
    table = render(report, "table")
    ranks = [line.split() for line in table.splitlines() if line.startswith(("overall", "non-", "words"))][:3]
    assert [(row[0], row[1], row[3]) for row in ranks[:2]] == [
        ("overall", "1.30", "1.60"),
        ("non-redundancy", "1.00*", "1.90"),
    ]
    assert (ranks[2][1], ranks[2][3]) == ("6.5*", "11.0")
    markdown = render(report, "markdown")
    assert "| coverage | 1.50 (" in markdown
    content = json.loads(render(report, "json"))
    assert content["comparisons"][0]["ranks"][0]["averages"][1]["mean"] == pytest.approx(1.6)
    assert "seed:2022" in content["signature"]


def test_significance_has_its_star() -> None:
    records = [judged(n, [WIN, LOSS, LOSS], swap=n % 2 == 0) for n in range(1, 31)]
    table = render(make_report(records, ["NeuSum", "MemSum"], "t"), "table")
    [line] = [line for line in table.splitlines() if line.startswith("non-redundancy") and "30" in line and "*" in line]
    assert line.split()[1] == "2.00"
    assert line.split()[3] == "1.00*"


def test_misquotes_are_noted() -> None:
    bad = Record(**{**vars(TEN[0]), "extracts": (Extract(("Invented.",), (0,)), TEN[0].extracts[1])})
    assert "1 of 10 records quote" in make_report([bad, *TEN[1:]], None, "t").notes[0]


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    plot(of_ten(), tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(MemsumError, match="does not end like the name of a picture"):
        plot(of_ten(), tmp_path / "ranks.txt")


def test_a_file_that_is_absent_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="There is no file"):
        report_file(tmp_path / "absent.db")
