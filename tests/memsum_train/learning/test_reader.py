"""Learning what sentences are worth to readers, on a few notices."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import ModelError
from memsum.features import reader_value
from memsum.features.reader_value import READER_FILE, ReaderModel, has_capitals
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum_train.corpus.keys import Key
from memsum_train.learning.reader import Chapter, Keyed, fit_reader, read_keyed

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


def test_books_weigh_alike_in_the_length_of_chapters(keyed: list[Keyed]) -> None:
    short, long = Chapter("tides", 2.0, 5.0), Chapter("winds", 2.0, 6.0)
    model = fit_reader(keyed, {}, [short, short, short, long])
    sections = np.repeat(np.arange(4), 30)
    few, many = model.chapter_words(sections[:60]), model.chapter_words(sections)
    assert many - few == pytest.approx(math.log(2))  # twice as many sections of one size
    assert model.chapter[0] == pytest.approx(3.5)


def test_features_stand_beside_those_of_their_context(keyed: list[Keyed]) -> None:
    features = keyed[0].features
    own, of_document, of_section, before, after = np.split(np.concatenate(list(features.in_context())), 5, axis=1)
    assert np.array_equal(own, features.values)
    np.testing.assert_allclose(of_document.mean(axis=0), 0, atol=1e-3)
    for run in range(int(features.runs[-1]) + 1):
        np.testing.assert_allclose(of_section[features.runs == run].mean(axis=0), 0, atol=1e-3)
    assert np.array_equal(before[1:], own[:-1])
    assert np.array_equal(after[:-1], own[1:])
    assert not before[0].any()
    assert not after[-1].any()


def test_a_long_document_is_rated_in_blocks_as_in_one(keyed: list[Keyed], monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit_reader(keyed, {})
    whole = model.rate(keyed[0].features)
    monkeypatch.setattr(reader_value, "_BLOCK", 3)
    np.testing.assert_allclose(model.rate(keyed[0].features), whole, atol=1e-5)


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
    assert model.everyday(meetings[0], 50) > model.everyday(meetings[0], 400)
    assert model.everyday(3 * meetings[0], 30) == 0


def test_technical_text_without_the_sections_of_proposals_is_no_proposal(keyed: list[Keyed]) -> None:
    style = keyed[0].style
    proposals = [style + np.float32(0.3) * np.arange(len(style), dtype=np.float32) % 7 for _ in range(8)]
    model = fit_reader(keyed, {"proposals": proposals, "bills": [3 * one for one in proposals]})
    assert model.everyday(proposals[0], 200, is_proposal=False) == 1
    assert model.everyday(proposals[0], 200, is_proposal=True) < 0.5


def test_minutes_typed_in_small_letters_are_not_a_corpus_of_small_letters() -> None:
    assert has_capitals(["we agreed that Ana writes to the harbour.", "nothing else.", "next meeting in May."])
    assert not has_capitals(["we agreed to write to the harbour .", "nothing else .", "the next meeting is in may ."])
