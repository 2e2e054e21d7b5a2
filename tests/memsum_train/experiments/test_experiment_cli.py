"""The command: what it asks for, what it refuses, where it leads."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum.training.experiments.config import Corpus


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["experiment", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.mark.slow
def test_a_finished_experiment_is_shown_again(files: Corpus, suite: Path) -> None:
    corpora = ["--train", files.train, "--valid", files.valid, "--test", files.test, "--corpus-name", "trials"]
    status, said = run("validation", "--scale", "toy", *corpora, "-o", suite)
    assert status == 0
    assert "validation is done already" in said
    assert "validation/README.md" in said.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--train", "a.jsonl"], "Experiments need --train, --valid and --test, or a --config."),
        (["--config", "c.json", "--train", "a.jsonl"], "Corpora and vectors are in the config."),
        (["--config", "nowhere.json"], "nowhere.json"),
        (["--train", "a", "--valid", "b", "--test", "c"], "There is no a."),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(tmp_path: Path, arguments: list[str], says: str) -> None:
    status, said = run("ablation", *arguments, "-o", tmp_path / "run")
    assert status == 1
    assert says in said
    assert "Traceback" not in said


def test_an_unknown_experiment_is_a_wrong_use(tmp_path: Path) -> None:
    status, said = run("ablations", "-o", tmp_path)
    assert status == 2
    assert "redundancy" in said
