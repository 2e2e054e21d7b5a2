"""The command: what it asks for, what it refuses, where it leads."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from memsum_train.experiments.config import Corpus

from ...helpers import run

experiment = partial(run, "experiment")


@pytest.mark.slow
def test_a_finished_experiment_is_shown_again(files: Corpus, suite: Path) -> None:
    corpora = ["--train", files.train, "--valid", files.valid, "--test", files.test, "--corpus-name", "trials"]
    said = experiment("validation", "--scale", "toy", *corpora, "-o", suite).output
    assert "validation is done already" in said
    assert "validation/README.md" in said.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--train", "a.jsonl"], "Experiments need --train, --valid and --test, or a --config."),
        (["--config", "c.toml", "--train", "a.jsonl"], "Corpora and vectors are in the config."),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--train", "a", "--valid", "b", "--test", "c"], "There is no a."),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(tmp_path: Path, arguments: list[str], says: str) -> None:
    assert says in experiment("ablation", *arguments, "-o", tmp_path / "run", status=1).output


def test_an_unknown_experiment_is_a_wrong_use(tmp_path: Path) -> None:
    assert "redundancy" in experiment("ablations", "-o", tmp_path, status=2).output
