"""Adapting: from a model to a better one for some documents, within a budget of time, resumed where it was."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from memsum.errors import MemsumError, TrainingError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum_train.corpus import Example
from memsum_train.evaluation.playing import open_model
from memsum_train.learning import adapt as module
from memsum_train.learning import trainer as training
from memsum_train.learning.adapt import Adaptation, Plan, adapt, shorten
from memsum_train.learning.learner import CHECKPOINT_FILE
from memsum_train.learning.trainer import TrainingInterruptedError

from .conftest import MakeTrainer

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("adapt")]

MakeExamples = Callable[..., list[Example]]
Adapt = Callable[..., Adaptation]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, make_trainer: MakeTrainer, encoder: TextEncoder) -> Path:
    """A model after a few updates, that expects summaries of eight words and stops by that."""
    run = tmp_path_factory.mktemp("adapted") / "first"
    make_trainer(run, epochs=1).run()
    folder = run / "model"
    config = ModelConfig.load(folder)
    replace(config, stop=StopSettings(0.5, 6, "length"), penalties=SelectionPenalties(0.4, low_value=2)).save(folder)
    wide = encoder.vectors.dimension + 28
    parts = (np.zeros(wide), np.ones(wide), np.zeros((4, wide)), np.zeros(4), np.zeros(4), [math.log(8)], [0.3])
    LengthModel(*(np.array(part, np.float32) for part in parts)).save(folder)
    return folder


@pytest.fixture(scope="module")
def run(model: Path, make_examples: MakeExamples, held_out: list[Example]) -> Adapt:
    """Adapts the model to twelve short documents without episodes, judged by six others."""
    documents = [replace(example, indices=None, scores=None) for example in make_examples(12, seed=4, sentences=10)]

    def adapted(output: Path, **options: Any) -> Adaptation:
        # More minutes than it takes, however busy the machine.
        options = {"minutes": 20, "processes": 1, "device": "cpu", **options}
        return adapt(options.pop("examples", documents), model, output, held_out=held_out, **options)

    return adapted


@pytest.fixture(scope="module")
def whole(run: Adapt, tmp_path_factory: pytest.TempPathFactory) -> tuple[Adaptation, Path]:
    """An adaptation that nobody interrupted."""
    output = tmp_path_factory.mktemp("whole") / "mine"
    return run(output), output


def weights(folder: Path) -> bytes:
    return (folder / "policy.safetensors").read_bytes()


def test_the_adapted_model_scores_what_the_table_says(whole: tuple[Adaptation, Path], held_out: list[Example]) -> None:
    result, folder = whole
    assert (result.trained_on, result.judged_on) == (12, 6)
    assert result.before.sentences < 2  # it expected eight words
    assert result.kept
    gain = np.mean([gain.difference for gain in result.gains])
    assert gain == pytest.approx(result.after.mean - result.before.mean)
    assert all(np.isnan([gain.low, gain.high]).all() for gain in result.gains)  # of too few documents
    adapted = open_model(folder, "cpu")
    assert adapted.runtime is not None
    again = np.array([module.judge(adapted.runtime, example)[0] for example in held_out])
    assert np.array_equal(again, result.after.values)
    assert adapted.config.stop == StopSettings(0.5, 6, "length")
    assert adapted.config.penalties == SelectionPenalties(0.4, low_value=2)
    assert adapted.length is not None
    assert adapted.length.out_bias[0] > math.log(12)
    assert not (folder / "run").exists()


def test_a_model_that_gets_no_better_stays_as_it_was(
    model: Path, run: Adapt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter(range(100, 0, -1))  # of one document after the other
    monkeypatch.setattr(module, "judge", lambda *given: (np.full(3, next(scores) / 100), 3))
    result = run(tmp_path / "mine")
    assert not result.kept
    kept, was = (open_model(folder, "cpu") for folder in (tmp_path / "mine", model))
    assert kept.config.stop == was.config.stop
    assert kept.length is not None
    assert kept.length.out_bias[0] == pytest.approx(math.log(8))
    assert not (tmp_path / "mine" / "run").exists()


def test_ctrl_c_is_resumed_where_it_was(run: Adapt, whole: tuple[Adaptation, Path], tmp_path: Path) -> None:
    updates: list[str] = []

    def press(what: str, left: float) -> None:
        if what.startswith("training: update"):
            updates.append(what.split()[2])
            if len(updates) in (3, 7):
                os.kill(os.getpid(), signal.SIGINT)

    for _ in range(2):
        with pytest.raises(TrainingInterruptedError, match="can be resumed"):
            run(tmp_path, report=press)
    result = run(tmp_path, report=press)
    assert updates == [str(number) for number in range(1, len(updates) + 1)]
    assert np.array_equal(result.after.values, whole[0].after.values)
    assert weights(tmp_path) == weights(whole[1])


def test_kill_9_is_resumed_where_it_was(
    run: Adapt, whole: tuple[Adaptation, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    slow = lambda what, left: time.sleep(0.05)  # noqa: E731
    for _ in range(2):
        process = multiprocessing.get_context("fork").Process(target=lambda: run(tmp_path, report=slow))
        process.start()
        begun = time.monotonic()
        while not (tmp_path / "run" / CHECKPOINT_FILE).exists() and time.monotonic() - begun < 120:
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    seen: list[str] = []
    result = run(tmp_path, report=lambda what, left: seen.append(what))
    assert not any(what.startswith(("judging the model as it is", "finding")) for what in seen)
    assert np.array_equal(result.after.values, whole[0].after.values)
    assert weights(tmp_path) == weights(whole[1])


def test_a_folder_in_use_is_refused(run: Adapt, tmp_path: Path) -> None:
    def another(what: str, left: float) -> None:
        with pytest.raises(MemsumError, match=f"is in use by process {os.getpid()}"):
            run(tmp_path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, report=another)


def test_an_unfinished_adaptation_of_other_settings_is_left_alone(run: Adapt, tmp_path: Path) -> None:
    def stop(what: str, left: float) -> None:
        if what.startswith("training"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, report=stop)
    plan = Plan.load(tmp_path / "run")
    with pytest.raises(TrainingError, match="unfinished adaptation of other documents or settings"):
        run(tmp_path, seed=3)
    assert Plan.load(tmp_path / "run") == plan
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, seed=3, restart=True, report=stop)
    assert Plan.load(tmp_path / "run") != plan


def test_the_budget_decides_how_much_is_learned(run: Adapt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=Ticks())  # not of the whole process: servers of other tests live by theirs
    for where in (module, training):
        monkeypatch.setattr(where, "time", clock)
    left: list[float] = []
    result = run(tmp_path, minutes=1, report=lambda what, seconds: left.append(seconds))
    assert result.trained_on < 12
    assert max(left) <= 60
    assert left[-1] < 20


class Ticks:
    """A clock that goes on by two seconds whenever it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 2
        return self.now


def test_long_documents_are_learned_from_in_blocks() -> None:
    text = tuple(f"Sentence {number}." for number in range(1010))
    example = Example(text, ("A summary.",), sections=tuple(str(number // 100) for number in range(1010)))
    short = shorten(example, most=100)
    assert 75 <= len(short.text) <= 125
    assert (short.text[0], short.text[-1]) == ("Sentence 0.", "Sentence 1009.")
    assert short.sections is not None
    numbers = [int(sentence.split()[1].rstrip(".")) for sentence in short.text]
    assert [str(number // 100) for number in numbers] == list(short.sections)
    assert shorten(short, most=125) is short


def test_too_few_documents_are_refused(run: Adapt, tmp_path: Path, make_examples: MakeExamples) -> None:
    with pytest.raises(TrainingError, match="at least 10 documents with summaries; there are 3"):
        run(tmp_path / "mine", examples=make_examples(3))
    assert not (tmp_path / "mine").exists()
