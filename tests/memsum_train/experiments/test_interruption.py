"""Interrupted anywhere, the same call goes on: no training is repeated, and the tables are the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memsum.errors import MemsumError
from memsum_train.corpus import Example, write_examples
from memsum_train.experiments import context as context_module
from memsum_train.experiments import reports
from memsum_train.experiments import run as run_module
from memsum_train.experiments.config import FULL, VARIANTS, Config
from memsum_train.experiments.context import Context
from memsum_train.experiments.run import run_experiments
from memsum_train.learning.learner import Learner
from memsum_train.learning.trainer import TrainingInterruptedError

pytestmark = pytest.mark.slow

NAMES = ("stopping", "redundancy")

# Where the process dies, and at which call: a trained model is not yet marked as done, summaries are not yet written,
# a figure is missing, tables are written by half, the overview is missing.
POINTS = [
    (context_module, "write_atomically", 1),
    (context_module, "write_predictions", 1),
    (reports, "write_figure", 1),
    (reports, "as_csv", 3),
    (run_module, "write_index", 1),
]


def tables(output: Path) -> dict[str, bytes]:
    paths = [path for name in NAMES for path in (output / name / "tables").iterdir()]
    return {path.relative_to(output).as_posix(): path.read_bytes() for path in paths}


def interrupt(patch: pytest.MonkeyPatch, owner: object, name: str, at: int, how: Callable[[], None]) -> None:
    """Let something happen before the n-th call of a function."""
    real, calls = getattr(owner, name), 0

    def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at:
            how()
        return real(*arguments, **options)

    patch.setattr(owner, name, wrapped)


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def die() -> None:
    raise KeyboardInterrupt


def test_the_same_call_goes_on(
    suite: Path,
    suite_updates: list[int],
    config: Config,
    tmp_path: Path,
    count_trainings: Callable[[], AbstractContextManager[list[int]]],
) -> None:
    with count_trainings() as updates:
        with pytest.MonkeyPatch.context() as patch:
            interrupt(patch, Learner, "update", 3, press_ctrl_c)
            with pytest.raises(TrainingInterruptedError):
                run_experiments(NAMES, config, tmp_path)
        for owner, name, at in POINTS:
            with pytest.MonkeyPatch.context() as patch:
                interrupt(patch, owner, name, at, die)
                with pytest.raises(KeyboardInterrupt):
                    run_experiments(NAMES, config, tmp_path)
        run_experiments(NAMES, config, tmp_path)
    assert tables(tmp_path) == tables(suite)
    assert sum(updates) == 5 * suite_updates[0]  # each of the five models once, not an update more
    assert not list(tmp_path.rglob("*.tmp"))


def test_trainings_side_by_side_give_the_same_models(context: Context, tmp_path: Path) -> None:
    beside = replace(context, folder=tmp_path, jobs=2)
    (tmp_path / "vectors").symlink_to(context.folder / "vectors")
    beside.train((FULL, VARIANTS["MemSum w/o EHE"]), context.main)
    for variant in (FULL, VARIANTS["MemSum w/o EHE"]):
        folders = [one.training(variant, context.main, 0).folder for one in (beside, context)]
        assert folders[0].name == folders[1].name
        weights = [(folder / "model" / "policy.safetensors").read_bytes() for folder in folders]
        assert weights[0] == weights[1]


def test_a_training_that_fails_beside_others_says_why(context: Context, tmp_path: Path) -> None:
    beside = replace(context, folder=tmp_path, jobs=2)
    (tmp_path / "vectors").symlink_to(context.folder / "vectors")
    bare = tmp_path / "bare.jsonl"
    write_examples(bare, [Example(text=("One sentence.",), summary=("Another.",))])
    lame = replace(context.main, train=bare)
    with pytest.raises(MemsumError, match="has episodes"):
        beside.train((FULL, VARIANTS["NeuSum"]), lame)


def test_other_seeds_and_documents_are_other_trainings(context: Context) -> None:
    training = context.training
    main = context.main
    folders = {
        training(FULL, main, 0).folder,
        training(FULL, main, 1).folder,
        training(FULL, replace(main, valid=main.test), 0).folder,
    }
    assert len(folders) == 3
    assert training(replace(FULL, name="another name"), main, 0).folder in folders
    # What is left to the config is the same as what names the config's choice.
    assert training(replace(FULL, network={"local": context.config.network.local}), main, 0).folder in folders


def test_two_runs_in_one_folder_are_refused(config: Config, tmp_path: Path) -> None:
    refused: list[str] = []

    def try_another(what: str) -> None:
        with pytest.raises(MemsumError) as error:
            run_experiments(["validation"], config, tmp_path)
        refused.append(error.value.message)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiments(["validation"], config, tmp_path, say=try_another)
    assert refused == [f"{tmp_path} is in use by process {os.getpid()}."]
