from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import CorpusError, MemsumError
from memsum_train.corpus.records import Example, write_examples
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.data import Prediction, load_data, make_data
from memsum_train.evaluation.measuring import Scores, evaluate, render
from memsum_train.rouge import VARIANTS


@dataclass(frozen=True)
class Fixed:
    """A system that always says the same."""

    name: str
    summaries: Sequence[Sequence[str]]

    @property
    def signature(self) -> str:
        return "fixed"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        for _, sentences in zip(examples, self.summaries, strict=True):
            yield Prediction(tuple(sentences))


def references(examples: Sequence[Example], name: str = "human") -> Fixed:
    return Fixed(name, [example.summary for example in examples])


def test_measures_by_hand() -> None:
    example = Example(("Text.",), ("The bridge was repaired.",))
    predictions = [
        Prediction(("The bridge was closed.",)),
        Prediction(("The bridge was repaired.", "It rained.", "It rained.")),
        Prediction(()),
    ]
    values = Scores.measure(Fixed("any", []), predictions, [example] * 3).values
    rouge = {measure: values[measure][0].tolist() for measure in (*VARIANTS, "mean")}
    assert [rouge[one][0] for one in ("rouge1", "rougeL", "rougeLsum")] == [0.75] * 3
    assert rouge["rouge2"][0] == pytest.approx(2 / 3)
    assert rouge["mean"][0] == pytest.approx((0.75 + 2 / 3 + 0.75) / 3)
    assert values["sentences"].tolist() == [[1, 3, 0]]
    assert values["words"].tolist() == [[4, 8, 0]]
    assert values["repeats"][0].tolist() == pytest.approx([0, 1 / 3, 0])
    assert max(scores[2] for scores in rouge.values()) == 0


def test_means_are_over_documents(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    half_right = Fixed("half", [examples[0].summary, ("Zymurgy.",), ("Zymurgy.", "Zymurgy.")])
    [result] = evaluate([half_right], data)
    assert [result.estimate(variant).mean for variant in VARIANTS] == pytest.approx([1 / 3] * 4)
    assert result.values["sentences"].mean() == pytest.approx(5 / 3)
    assert result.values["repeats"].mean() == pytest.approx(1 / 6)
    assert np.isnan(result.estimate("rouge1").low)  # of three documents


def test_a_difference_is_positive_where_the_first_system_is_better(examples: tuple[Example, ...]) -> None:
    data = make_data("ten", examples * 10)
    human, lead = evaluate([references(data.examples), parse_baseline("lead-1")], data)
    for variant in VARIANTS:
        up, down = human.minus(lead, variant), lead.minus(human, variant)
        assert up.difference == pytest.approx(-down.difference)
        assert up.low > 0 > down.high
        assert up.p_value == down.p_value < 0.01


def test_the_first_system_is_compared_with_each_other(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    scores = evaluate([parse_baseline(name) for name in ("lead-2", "random-2", "oracle")], data)
    differences = json.loads(render(scores, data.signature, "json"))["differences"]
    assert [(one["first"], one["second"]) for one in differences] == [("lead-2", "random-2"), ("lead-2", "oracle")]


def test_trainings_are_put_together(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    both = evaluate([references(data.examples), parse_baseline("lead-1")], data)
    joined = Scores.join(both)
    assert (joined.name, joined.signatures) == ("human", ("fixed", "baseline:lead-1"))
    assert joined.values["words"].shape == (2, 3)
    assert joined.estimate("rouge1").mean == pytest.approx(np.mean([one.estimate("rouge1").mean for one in both]))


def test_what_cannot_be_evaluated(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    with pytest.raises(MemsumError, match="no system"):
        evaluate([], data)
    with pytest.raises(MemsumError, match="Two systems are called lead-2"):
        evaluate([parse_baseline("lead-2"), parse_baseline("lead-2")], data)


def test_data_is_known_by_its_content(tmp_path: Path, examples: tuple[Example, ...]) -> None:
    write_examples(tmp_path / "some.jsonl", examples)
    (tmp_path / "other.jsonl.gz").write_bytes(gzip.compress((tmp_path / "some.jsonl").read_bytes()))
    some, other = load_data(tmp_path / "some.jsonl"), load_data(tmp_path / "other.jsonl.gz")
    assert (some.sha256, some.name, other.name) == (other.sha256, "some", "other")
    first = load_data(tmp_path / "some.jsonl", limit=2)
    assert len(first) == 2
    assert first.limited
    assert first.sha256 != some.sha256
    assert first.signature == f"data:some|sha256:{first.sha256}|n:2"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "There is no document in"),
        ('{"text": ["One."]}\n', 'line 1: The record has no "summary"'),
        ('{"text": ["One."], "summary": []}\n', 'line 1: "summary" holds no sentence'),
        ('{"text": ["One."], "summary": ["Two."]}\n{"text"\n', "line 2: "),
    ],
)
def test_data_that_cannot_be_used(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "bad.jsonl").write_text(content)
    with pytest.raises(CorpusError) as error:
        load_data(tmp_path / "bad.jsonl")
    assert reason in error.value.message


@pytest.fixture
def shown(examples: tuple[Example, ...]) -> Callable[..., str]:
    """Renders two systems on sixty documents."""
    data = make_data("sixty", examples * 20)
    odd = references(data.examples, "odd [red]name|of a system that is rather long")
    scores = evaluate([parse_baseline("lead-2"), odd], data)
    return partial(render, scores, data.signature, seed=7)


def test_of_few_documents_there_are_no_intervals_and_the_table_says_why(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    few = evaluate([parse_baseline("lead-2"), references(examples)], data)
    for form in ("table", "markdown"):
        shown = render(few, data.signature, form)  # type: ignore[arg-type]
        assert "Fewer than 20 documents: no intervals." in shown
        assert "p = " not in shown
        assert "two-sided p" not in shown
        assert "nan" not in shown
    content = json.loads(render(few, data.signature, "json"))
    assert content["systems"][0]["rouge1"]["low"] is content["differences"][0]["rouge1"]["p_value"] is None


def test_json_has_unrounded_numbers_with_signatures(shown: Callable[..., str], examples: tuple[Example, ...]) -> None:
    content = json.loads(shown("json"))
    lead, odd = content["systems"]
    assert [odd[variant]["mean"] for variant in VARIANTS] == [1, 1, 1, 1]
    [exact] = evaluate([parse_baseline("lead-2")], make_data("sixty", examples * 20))
    assert lead["rouge2"]["mean"] == exact.estimate("rouge2").mean
    signature = lead["rouge2"]["signature"]
    assert all(part in signature for part in ("baseline:lead-2", "data:sixty|sha256:", "|rouge2|f1|", "|seed:7"))
    assert content["differences"][0]["rougeLsum"]["difference"] < 0
    assert odd["documents"] == 60


def test_markdown_is_tables_and_signatures(shown: Callable[..., str]) -> None:
    lines = shown("markdown").split("\n")
    rows = [line for line in lines if line.startswith("| odd [red]name\\|of a system")]
    assert len(rows) == 2  # the scores, and the differences
    assert "| 100.00 (100.0–100.0) |" in rows[0]
    assert ", p = " in rows[1]
    assert any("data:sixty|sha256:" in line for line in lines)
    assert any("stemmer:porter" in line and "seed:7" in line for line in lines)


@pytest.mark.parametrize("width", [None, 100, 80, 20])
def test_a_table_cuts_no_number_off(shown: Callable[..., str], width: int | None) -> None:
    table = shown("table", width=width)
    assert "…" not in table
    assert table.count("100.0–100.0") == 4
    assert "[red]" in table
    for score in json.loads(shown("json"))["systems"]:
        for variant in VARIANTS:
            assert f"{100 * score[variant]['mean']:.2f}" in table
            assert f"{100 * score[variant]['low']:.1f}–{100 * score[variant]['high']:.1f}" in table


def test_predictions_are_kept(examples: tuple[Example, ...]) -> None:
    [scores] = evaluate([parse_baseline("lead-2")], make_data("three", examples))
    assert [prediction.indices for prediction in scores.predictions] == [(0, 1)] * 3
