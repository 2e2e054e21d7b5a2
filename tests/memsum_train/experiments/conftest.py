"""Experiments at toy size: two dozen short documents, networks of a few thousand weights, one folder for all tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memsum_train.corpus import Example, write_examples
from memsum_train.experiments.config import Config, Corpus
from memsum_train.experiments.context import Context
from memsum_train.experiments.run import run_experiments
from memsum_train.learning.learner import Learner
from memsum_train.learning.trainer import Trainer

TABLES = ("ablation", "redundancy", "comparison", "stopping", "validation")


CountTrainings = Callable[[], AbstractContextManager[list[int]]]


@contextmanager
def _counted() -> Iterator[list[int]]:
    updates: list[int] = []
    run, update = Trainer.run, Learner.update

    def counting_run(self: Trainer) -> Any:
        updates.append(0)
        return run(self)

    def counting_update(self: Learner) -> float:
        updates[-1] += 1
        return update(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "run", counting_run)
        patch.setattr(Learner, "update", counting_update)
        yield updates


@pytest.fixture(scope="session")
def count_trainings() -> CountTrainings:
    """Counts the updates of each training that is started while it is open."""
    return _counted


@pytest.fixture(scope="session")
def files(make_examples: Callable[..., list[Example]], tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus to learn from, to validate and to test on; none of it has episodes yet."""
    folder = tmp_path_factory.mktemp("documents")
    for seed, (split, count) in enumerate((("train", 14), ("valid", 6), ("test", 6)), start=11):
        examples = make_examples(count, seed=seed, sentences=12)
        bare = [Example(text=example.text, summary=example.summary, id=example.id) for example in examples]
        write_examples(folder / f"{split}.jsonl", bare)
    return Corpus("trials", *(folder / f"{split}.jsonl" for split in ("train", "valid", "test")))


@pytest.fixture(scope="session")
def config(files: Corpus) -> Config:
    """The toy scale on those documents."""
    splits = {split: str(getattr(files, split)) for split in ("train", "valid", "test")}
    return Config.make({"scale": "toy", "corpora": {"trials": splits}}, Path())


@pytest.fixture(scope="session")
def suite_run(
    config: Config, count_trainings: CountTrainings, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[int]]:
    """All table experiments, run once without interruption: their folder, and the updates of their trainings."""
    output = tmp_path_factory.mktemp("suite")
    with count_trainings() as updates:
        run_experiments(TABLES, config, output)
    return output, updates


@pytest.fixture(scope="session")
def suite(suite_run: tuple[Path, list[int]]) -> Path:
    """The folder of the paper's tables."""
    return suite_run[0]


@pytest.fixture(scope="session")
def suite_updates(suite_run: tuple[Path, list[int]]) -> list[int]:
    """The updates of each training that the tables took."""
    return suite_run[1]


@pytest.fixture
def context(suite: Path, config: Config) -> Context:
    """What experiments get, with everything that the suite has trained."""
    return Context(config, suite)
