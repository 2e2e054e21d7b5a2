"""Learning what sentences are worth to readers, on a few notices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memsum.errors import ModelError
from memsum.features.reader_value import READER_FILE, ReaderModel
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.training.corpus.keys import Key
from memsum.training.learning.reader import Keyed, fit_reader, read_keyed

PLACES = ("pier", "beach", "library", "garden", "market", "station", "museum", "school")


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime.load(find_model("default").folder, threads=1)


@pytest.fixture(scope="module")
def keyed(runtime: Runtime, tmp_path_factory: pytest.TempPathFactory) -> list[Keyed]:
    folder = tmp_path_factory.mktemp("notices")
    return [_notice(place, folder, runtime) for place in PLACES]


def _notice(place: str, folder: Path, runtime: Runtime) -> Keyed:
    duty = f"You must leave the {place} before 8 p.m. on working days."
    fee = f"Groups must pay a fee of 5 euros at the {place}."
    greeting = f"Welcome to the {place}, we are happy to see you!"
    file = folder / f"{place}.md"
    file.write_text(
        f"# The {place}\n\n{greeting}\n\nThe {place} is old. {duty} Some people like the {place}.\n\n"
        f"## Fees\n\nMany things have changed. {fee} See you soon.\n"
    )
    return read_keyed(Key(place, "policy", file.name, ((duty,), (fee,)), (greeting,)), folder, runtime)


def test_sentences_on_points_are_worth_more(keyed: list[Keyed]) -> None:
    model = fit_reader(keyed[:-1], {})
    ratings = model.rate(keyed[-1].features)
    points = keyed[-1].points.any(axis=1)
    assert ratings[points].min() > ratings[~points].max()


def test_the_same_seed_gives_the_same_model(keyed: list[Keyed]) -> None:
    first, second = fit_reader(keyed, {}, seed=3), fit_reader(keyed, {}, seed=3)
    assert all(np.array_equal(array, vars(second)[name]) for name, array in vars(first).items())


def test_styles_are_told_apart(keyed: list[Keyed]) -> None:
    style = keyed[0].style
    others = [style + np.float32(0.3) * np.arange(len(style), dtype=np.float32) % 7 for _ in range(8)]
    model = fit_reader(keyed, {"papers": others})
    assert model.everyday(style, 50) > model.everyday(others[0], 50)


def test_a_saved_model_rates_alike(keyed: list[Keyed], tmp_path: Path) -> None:
    model = fit_reader(keyed, {})
    model.save(tmp_path)
    loaded = ReaderModel.load(tmp_path)
    np.testing.assert_allclose(loaded.rate(keyed[0].features), model.rate(keyed[0].features), atol=0.05)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing"):
        ReaderModel.load(tmp_path)
    (tmp_path / READER_FILE).write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="damaged"):
        ReaderModel.load(tmp_path)


def test_a_brief_document_is_decided_for_readers_whatever_it_reminds_of(keyed: list[Keyed]) -> None:
    style = keyed[0].style
    meetings = [style + np.float32(0.3) * np.arange(len(style), dtype=np.float32) % 7 for _ in range(8)]
    model = fit_reader(keyed, {"meetings": meetings, "bills": [3 * one for one in meetings]})
    assert model.everyday(meetings[0], 30) == 1
    assert model.everyday(meetings[0], 80) > model.everyday(meetings[0], 400)
    assert model.everyday(3 * meetings[0], 30) == 0
