"""`memsum evaluate` and `memsum tune` from the command line, with a tiny model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memsum.model import ModelConfig, StopSettings, registry
from memsum_train.corpus.records import Example, write_examples

from ...helpers import run, write_lines
from ..evaluation.conftest import save_model

EXAMPLES = (
    Example(
        id="a",
        text=(
            "Snow closed the pass on Monday.",
            "Two ploughs worked through the night.",
            "The pass opened again on Thursday with one lane.",
            "A bakery gave bread to the drivers.",
        ),
        summary=("Snow closed the pass until Thursday.", "One lane is open."),
        extra={"source": "news"},
    ),
    Example(
        id="b",
        text=(
            "We measured sleep in ninety nurses.",
            "Night shifts cut sleep by one hour.",
            "Naps of twenty minutes gave half of it back.",
            "The study has no control group.",
            "Nurses liked the naps.",
        ),
        summary=("Short naps gave nurses back half of the sleep that night shifts cost them.",),
        extra={"source": "papers"},
    ),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_examples(tmp_path / "news.jsonl", EXAMPLES)
    return tmp_path / "news.jsonl"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save_model(tmp_path / "tiny", EXAMPLES, stop=StopSettings(1.0, 2))


def succeed(*arguments: object) -> str:
    return run(*arguments).stdout


def fail(*arguments: object) -> str:
    return run(*arguments, status=1).stderr


@pytest.mark.slow
def test_systems_are_compared_in_a_table(corpus: Path, model: Path) -> None:
    table = succeed("evaluate", corpus, "--baseline", "lead-2", "--model", f"tiny={model}", "-b", "oracle")
    rows = [line.split()[0] for line in table.split("\n") if line.startswith(("tiny ", "lead-2 ", "oracle "))]
    assert rows == ["tiny", "lead-2", "oracle"] * 2  # the second table is "tiny minus" the others
    assert "How much better tiny is" in table
    assert "data:news|sha256:" in table
    assert "stop:1|max:2" in table


def test_json_goes_to_a_file(corpus: Path, tmp_path: Path) -> None:
    assert succeed("evaluate", corpus, "-b", "lead-2", "--format", "json", "-o", tmp_path / "e.json") == ""
    content = json.loads((tmp_path / "e.json").read_text())
    assert content["systems"][0]["sentences"] == 2


def test_markdown_of_the_first_document(corpus: Path) -> None:
    text = succeed("evaluate", corpus, "-b", "lead-2", "-f", "markdown", "--limit", 1)
    assert "|n:1`" in text
    assert "| lead-2 |" in text


def test_predictions_of_others_are_scored(corpus: Path, tmp_path: Path) -> None:
    summaries = [{"id": example.id, "summary": list(example.summary)} for example in EXAMPLES]
    path = write_lines(tmp_path / "human.jsonl", summaries[::-1])
    content = json.loads(succeed("evaluate", corpus, "-p", path, "-p", f"twin={path}", "-f", "json"))
    assert [(system["name"], system["rouge1"]["mean"]) for system in content["systems"]] == [("human", 1), ("twin", 1)]
    assert content["differences"][0]["rouge1"]["p_value"] is None  # of too few documents


def test_the_length_of_a_models_summaries_can_be_chosen(corpus: Path, model: Path) -> None:
    def sentences(*options: object) -> float:
        content = json.loads(succeed("evaluate", corpus, "-m", model, "-f", "json", *options))
        return float(content["systems"][0]["sentences"])

    assert sentences() == 2
    assert sentences("--sentences", 4) == 4
    assert sentences("--max-sentences", 5) == 4.5
    assert sentences("--stop-threshold", 0) == 1
    assert sentences("--sentences", 3, "--block-trigrams") == 3


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "There is no system to evaluate."),
        (["-b", "tfidf-3"], "There is no baseline called 'tfidf-3'."),
        (["-b", "lead-3", "-b", "lead-3"], "Two systems are called lead-3."),
        (["-b", "lead-3", "--sentences", "3", "--max-sentences", "4"], "sentences cannot be combined with"),
        (["-m", "nowhere"], "There is no model folder nowhere."),
        (["-p", "nowhere.jsonl"], "No such file or directory: nowhere.jsonl."),
        (["-b", "lead-3", "-o", "no/such/folder/e.md"], "There is no folder no/such/folder."),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_sentence(corpus: Path, options: list[str], reason: str) -> None:
    first = fail("evaluate", corpus, *options).split("\n")[0]
    assert first.startswith("memsum: ")
    assert reason in first


def test_bad_data_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert "There is no document" in fail("evaluate", tmp_path / "empty.jsonl", "-b", "lead-3")
    (tmp_path / "bare.jsonl").write_text('{"text": ["Only a text."]}\n')
    assert 'line 1: The record has no "summary"' in fail("evaluate", tmp_path / "bare.jsonl", "-b", "lead-3")


def test_a_model_is_tuned(corpus: Path, model: Path) -> None:
    table = succeed("tune", corpus, "--model", model, "--max-sentences", 3)
    assert [line.split()[0] for line in table.split("\n")[2:5]] == ["1", "2", "3"]
    stop = ModelConfig.load(model).stop
    assert f"Best: p_thres {stop.threshold:g}, N_max {stop.max_sentences}," in table
    assert (model / "stopping.png").exists()
    content = json.loads(succeed("evaluate", corpus, "-m", model, "-f", "json"))
    assert f"stop:{stop.threshold:g}|max:{stop.max_sentences}" in content["systems"][0]["signature"]


def test_a_dry_run_leaves_the_model_as_it_is(corpus: Path, model: Path) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    succeed("tune", corpus, "-m", model, "--max-sentences", 3, "--dry-run")
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_without_matplotlib_a_model_is_tuned_without_a_figure(
    corpus: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("tune", corpus, "-m", model, "--max-sentences", 2)
    assert result.exit_code == 0
    assert "memsum[plots]" in result.stderr
    assert ModelConfig.load(model).stop.max_sentences in (1, 2)


def test_what_cannot_be_tuned_is_said_in_one_sentence(corpus: Path, model: Path, tmp_path: Path) -> None:
    assert "not a model folder" in fail("tune", corpus, "-m", tmp_path)
    assert "There is no model folder" in fail("tune", corpus, "-m", tmp_path / "none")


def test_a_model_of_the_package_is_evaluated_and_not_changed(
    corpus: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (model.parent / "embedded").mkdir()
    model.rename(model.parent / "embedded" / "default")
    monkeypatch.setattr(registry, "_EMBEDDED", model.parent / "embedded")
    content = json.loads(succeed("evaluate", corpus, "-m", "default", "-f", "json"))
    assert content["systems"][0]["name"] == "default"
    assert "default is not a folder to write into." in fail("tune", corpus, "-m", "default")
    succeed("tune", corpus, "-m", "default", "--max-sentences", 2, "--dry-run")
