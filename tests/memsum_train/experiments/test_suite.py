"""The paper's tables at toy size: every file is there, every system is in its table, nothing is trained twice."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memsum_train.corpus.variants import repeat_sentences
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.experiments.config import FULL, VARIANTS, Config
from memsum_train.experiments.context import Context
from memsum_train.experiments.redundancy import watch
from memsum_train.experiments.run import EXPERIMENTS, run_experiments

TABLES = ("ablation", "redundancy", "comparison", "stopping", "validation")
ABLATION = [
    "MemSum",
    "MemSum w/o LSE",
    "MemSum w/o GCE",
    "MemSum w/o EHE",
    "MemSum with GRU-EHE",
    "MemSum w/o auto-stop",
    "MemSum with “STOP”",
]


def rows(suite: Path, name: str, table: str) -> list[dict[str, str]]:
    with (suite / name / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def metrics(suite: Path, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((suite / name / "metrics.json").read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("name", TABLES)
def test_a_report_has_all_its_files(suite: Path, name: str) -> None:
    folder = suite / name
    assert json.loads((folder / "config.json").read_text())["scale"] == "toy"
    for table in metrics(suite, name)["tables"]:
        assert {path.suffix for path in (folder / "tables").glob(f"{table}.*")} == {".md", ".tex", ".csv"}
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for picture in (folder / "figures").glob("*.png"):
        assert f"(figures/{picture.name})" in readme
        assert picture.with_suffix(".svg").exists()
    for conclusion in metrics(suite, name)["conclusions"]:
        assert f"- {conclusion}" in readme
    assert "data:trials-test|sha256:" in readme or "data:trials-redundant-test|sha256:" in readme
    assert f"]({name}/README.md)" in (suite / "README.md").read_text(encoding="utf-8")


def test_equal_trainings_are_shared_between_tables(suite: Path, suite_updates: list[int]) -> None:
    """Seven variants, four on doubled documents, and NeuSum."""
    assert len(suite_updates) == 7 + 4 + 1
    assert len(list((suite / "models").iterdir())) == 12


def test_ablation(suite: Path) -> None:
    table = rows(suite, "ablation", "ablation-trials")
    assert [row["system"] for row in table] == ABLATION
    assert "R-1 low" not in table[0]  # of six documents
    differences = rows(suite, "ablation", "ablation-differences-trials")
    assert [row["MemSum minus"] for row in differences] == ABLATION[1:]
    scores = {row["system"]: float(row["mean"]) for row in table}
    for row in differences:
        assert float(row["mean"]) == pytest.approx(scores["MemSum"] - scores[row["MemSum minus"]])
    readme = (suite / "ablation" / "README.md").read_text(encoding="utf-8")
    assert "**Toy sizes: everything runs, and the numbers mean nothing.** memsum" in readme
    assert "6 to test); width 16, batches of 4, at most 2 passes; 1 training(s) each." in readme
    assert not {"better", "worse", "contradicts"} & set(readme.replace(".", " ").split())


def test_variants_are_what_their_names_say(context: Context) -> None:
    variants = (FULL, VARIANTS["MemSum w/o EHE"])
    full, without = (context.model(variant, context.main).config for variant in variants)
    assert full.policy["history"] == "attention"
    assert without.policy == {**full.policy, "history": "none"}
    assert without.training["seed"] == full.training["seed"]


def test_redundancy(suite: Path) -> None:
    table = {row["system"]: row for row in rows(suite, "redundancy", "redundancy-trials-redundant")}
    blocked = table["MemSum w/o EHE + 3-gram blocking"]
    own = ["MemSum", "MemSum w/o auto-stop", "MemSum w/o EHE"]
    assert list(table) == [*own, blocked["system"], "MemSum, history zeroed", "MemSum + repeats loss"]
    assert float(blocked["dup. %"]) == 0
    said = metrics(suite, "redundancy")["conclusions"]
    assert "(paper: 0 %)" in said[0]
    assert sum("; paper " in one for one in said) == 6


def test_who_forgets_plays_as_if_nothing_were_extracted(context: Context) -> None:
    doubled = context.derive(context.main, "redundant", repeat_sentences)
    names = ("MemSum", "MemSum, history zeroed")
    remembering, forgetting = (context.model(VARIANTS[name], context.main) for name in names)
    assert remembering.sha256 != forgetting.sha256
    text = doubled.data("test").examples[0].text
    moving, still = (watch(model, text).scores for model in (remembering, forgetting))
    rest = np.isfinite(still[1])
    assert np.abs(still[1] - still[0])[rest].max() < 1e-6
    assert np.abs(moving[1] - moving[0])[rest].max() > 1e-5


def test_experiments_see_repeats_and_may_take_the_second_copy(context: Context) -> None:
    doubled = context.derive(context.main, "redundant", repeat_sentences).data("test")
    said = [p.indices or () for p in context.system(VARIANTS["MemSum w/o EHE"], context.main).predict(doubled.examples)]
    assert any(i % 2 == 1 for taken in said for i in taken)


def test_redundancy_is_learned_from_documents_with_every_sentence_twice(suite: Path) -> None:
    [folder] = (suite / "corpora").glob("trials-redundant-*")
    [plain] = set((suite / "corpora").glob("trials-*")) - {folder}
    for split in ("train", "test"):
        doubled, once = (
            json.loads((place / f"{split}.jsonl").read_text().splitlines()[0]) for place in (folder, plain)
        )
        assert doubled["text"][::2] == doubled["text"][1::2] == once["text"]
    names = {json.loads(path.read_text())["name"] for path in (suite / "models").glob("*/done.json")}
    assert {"MemSum on trials-redundant, seed 0", "MemSum + repeats loss on trials-redundant, seed 0"} <= names


def test_comparison(suite: Path) -> None:
    table = {row["system"]: float(row["mean"]) for row in rows(suite, "comparison", "comparison-trials")}
    assert list(table) == ["MemSum", "NeuSum", "Lead", "LexRank", "ORACLE"]
    assert table["ORACLE"] == max(table.values())
    published = {row["system"]: row for row in rows(suite, "comparison", "published")}
    assert published["PEGASUS"]["PubMed†"] == "45.97 / 20.15 / 41.34"
    assert published["PEGASUS"]["trials, here"] == ""
    assert published["MemSum"]["trials, here"].count(" / ") == 2
    assert published["MatchSum"]["arXiv†"] == "–"
    markdown = (suite / "comparison" / "tables" / "published.md").read_text(encoding="utf-8")
    assert "on other data" in markdown


def test_stopping(suite: Path) -> None:
    table = rows(suite, "stopping", "stopping-trials")
    assert [row["system"] for row in table] == [f"p_thres {step / 10:g}" for step in range(1, 11)]
    lengths = [float(row["sentences"]) for row in table]
    assert lengths == sorted(lengths)  # a higher threshold never stops earlier
    best = max(table, key=lambda row: float(row["mean"]))["system"]
    assert f"validation documents: {best} scores highest" in metrics(suite, "stopping")["conclusions"][0]
    assert (suite / "stopping" / "figures" / "stopping-trials.png").stat().st_size > 10_000


def test_validation_is_compared_with_test(suite: Path) -> None:
    valid, test = rows(suite, "validation", "validation-trials")
    assert (valid["system"], test["system"]) == ("validation", "test")
    [own] = [row for row in rows(suite, "ablation", "ablation-trials") if row["system"] == "MemSum"]
    assert test["R-1"] == own["R-1"]
    [said] = metrics(suite, "validation")["conclusions"]
    assert said.startswith("On trials, test minus validation: ")


def test_finished_experiments_are_left_alone(suite: Path, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise AssertionError("It was done already.")

    monkeypatch.setitem(EXPERIMENTS, "ablation", fail)
    said: list[str] = []
    run_experiments(["ablation"], config, suite, say=said.append)
    assert said == ["ablation is done already"]


def test_summaries_are_made_once(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    data = context.main.data("valid")
    first = context.summarize(parse_baseline("centroid-2"), data)
    monkeypatch.setattr("memsum_train.evaluation.baselines.RANKINGS", {"centroid": None})
    again = context.summarize(parse_baseline("centroid-2"), data)
    assert again.predictions == first.predictions
    assert all((again.values[measure] == values).all() for measure, values in first.values.items())


def test_predictions_of_other_systems_are_in_the_table(suite: Path, config: Config, tmp_path: Path) -> None:
    lines = [{"summary": ["Oral iron improved haemoglobin."]}] * 6
    (tmp_path / "bart.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    changed = replace(config, predictions={"BART": tmp_path / "bart.jsonl"})
    output = tmp_path / "run"
    output.mkdir()
    for shared in ("models", "vectors", "predictions"):
        (output / shared).symlink_to(suite / shared)
    run_experiments(["comparison"], changed, output)
    with (output / "comparison" / "tables" / "comparison-trials.csv").open(encoding="utf-8") as file:
        assert "BART" in [row["system"] for row in csv.DictReader(file)]
    assert "MemSum against BART: " in (output / "comparison" / "README.md").read_text(encoding="utf-8")
