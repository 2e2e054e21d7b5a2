from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import CorpusError, MemsumError
from memsum_train.corpus.records import Example, write_examples
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.data import Prediction, load_data, make_data
from memsum_train.evaluation.measuring import Evaluation, SystemRun, evaluate, render
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
    measures = SystemRun.measure(Fixed("any", []), predictions, [example] * 3)
    rouge1, rouge2, rouge_l, rouge_lsum = measures.rouge[0, :, 2]
    assert (rouge1, rouge_l, rouge_lsum) == (0.75, 0.75, 0.75)
    assert rouge2 == pytest.approx(2 / 3)
    assert measures.sentences.tolist() == [1, 3, 0]
    assert measures.words.tolist() == [4, 8, 0]
    assert measures.repeats.tolist() == pytest.approx([0, 1 / 3, 0])
    assert measures.rouge[2].max() == 0


def test_means_are_over_documents(examples: tuple[Example, ...]) -> None:
    data = make_data("three", examples)
    half_right = Fixed("half", [examples[0].summary, ("Zymurgy.",), ("Zymurgy.", "Zymurgy.")])
    [result] = evaluate([half_right], data).runs
    assert [score.mean for score in result.scores()] == pytest.approx([1 / 3] * 4)
    assert result.sentences.mean() == pytest.approx(5 / 3)
    assert result.repeats.mean() == pytest.approx(1 / 6)
    assert np.isnan(result.scores()[0].low)  # of three documents


def test_a_difference_is_positive_where_the_first_system_is_better(examples: tuple[Example, ...]) -> None:
    data = make_data("ten", examples * 10)
    lead, human = parse_baseline("lead-1"), references(data.examples)
    better = evaluate([human, lead], data).differences[0]
    worse = evaluate([lead, human], data).differences[0]
    assert (better.first, better.second) == ("human", "lead-1")
    for up, down in zip(better.rouge, worse.rouge, strict=True):
        assert up.difference == pytest.approx(-down.difference)
        assert up.low > 0 > down.high
        assert up.p_value == down.p_value < 0.01


def test_the_first_system_is_compared_with_each_other(examples: tuple[Example, ...]) -> None:
    systems = [parse_baseline(name) for name in ("lead-2", "random-2", "oracle")]
    differences = evaluate(systems, make_data("three", examples)).differences
    assert [(one.first, one.second) for one in differences] == [("lead-2", "random-2"), ("lead-2", "oracle")]


def test_sources_are_averaged_apart(examples: tuple[Example, ...]) -> None:
    evaluation = evaluate([parse_baseline("lead-2")], make_data("three", examples), by_source=True)
    assert {source: len(runs[0]) for source, runs in evaluation.by_source.items()} == {"field": 2, "harbour": 1}
    [alone] = evaluate([parse_baseline("lead-2")], make_data("one", examples[:1])).runs
    assert evaluation.by_source["harbour"][0].scores()[0].mean == alone.scores()[0].mean


def test_what_cannot_be_evaluated(examples: tuple[Example, ...]) -> None:
    data = make_data("three", [Example(example.text, example.summary) for example in examples])
    with pytest.raises(MemsumError, match="no system"):
        evaluate([], data)
    with pytest.raises(MemsumError, match="Two systems are called lead-2"):
        evaluate([parse_baseline("lead-2"), parse_baseline("lead-2")], data)
    with pytest.raises(CorpusError, match='has a "source"'):
        evaluate([parse_baseline("lead-2")], data, by_source=True)


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
def evaluation(examples: tuple[Example, ...]) -> Evaluation:
    many = examples * 20  # twenty of the smallest source
    odd = references(many, "odd [red]name|of a system that is rather long")
    return evaluate([parse_baseline("lead-2"), odd], make_data("sixty", many), by_source=True, seed=7)


def test_of_few_documents_there_are_no_intervals_and_the_table_says_why(examples: tuple[Example, ...]) -> None:
    few = evaluate([parse_baseline("lead-2"), references(examples)], make_data("three", examples))
    for form in ("table", "markdown"):
        shown = render(few, form)  # type: ignore[arg-type]
        assert "Fewer than 20 documents: no intervals." in shown
        assert "p = " not in shown
        assert "two-sided p" not in shown
        assert "nan" not in shown
    content = json.loads(render(few, "json"))
    assert content["systems"][0]["rouge1"]["low"] is content["differences"][0]["rouge1"]["p_value"] is None


def test_json_has_unrounded_numbers_with_signatures(evaluation: Evaluation) -> None:
    content = json.loads(render(evaluation, "json"))
    lead, odd = content["systems"]
    assert [odd[variant]["mean"] for variant in VARIANTS] == [1, 1, 1, 1]
    assert lead["rouge2"]["mean"] == evaluation.runs[0].scores()[1].mean
    signature = lead["rouge2"]["signature"]
    assert all(part in signature for part in ("baseline:lead-2", "data:sixty|sha256:", "|rouge2|f1|", "|seed:7"))
    assert content["differences"][0]["rougeLsum"]["difference"] < 0
    assert content["sources"]["field"][1]["documents"] == 40
    assert "source:field" in content["sources"]["field"][1]["rouge1"]["signature"]


def test_markdown_is_tables_and_signatures(evaluation: Evaluation) -> None:
    lines = render(evaluation, "markdown").split("\n")
    rows = [line for line in lines if line.startswith("| odd [red]name\\|of a system")]
    assert len(rows) == 4  # all documents, two sources, the differences
    assert "| 100.00 (100.0–100.0) |" in rows[0]
    assert ", p = " in rows[3]
    assert any("data:sixty|sha256:" in line for line in lines)
    assert any("stemmer:porter" in line and "seed:7" in line for line in lines)


@pytest.mark.parametrize("width", [None, 100, 80, 20])
def test_a_table_cuts_no_number_off(evaluation: Evaluation, width: int | None) -> None:
    table = render(evaluation, "table", width)
    assert "…" not in table
    assert table.count("100.0–100.0") == 4 * 3
    assert "[red]" in table
    for score in evaluation.runs[0].scores(seed=7):
        assert f"{100 * score.mean:.2f}" in table
        assert f"{100 * score.low:.1f}–{100 * score.high:.1f}" in table


def test_predictions_are_kept(evaluation: Evaluation, examples: tuple[Example, ...]) -> None:
    assert [p.indices for p in evaluation.runs[0].predictions] == [(0, 1)] * 60
    assert np.isclose(evaluation.runs[1].rouge[:, :, 2], 1).all()
