"""How long summaries are, and when to stop because of it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import KNOWN, LENGTH_FILE, LengthModel, LengthStop, describe
from memsum.languages.section_names import KINDS
from memsum_train.corpus import Example


def model_of(encoder: TextEncoder, expected: float, spread: float = 0.3) -> LengthModel:
    """A model that expects the same length of every document."""
    wide = encoder.vectors.dimension + 28
    zeros, ones = np.zeros(wide, np.float32), np.ones(wide, np.float32)
    hidden = np.zeros((4, wide), np.float32)
    return LengthModel(zeros, ones, hidden, *(np.zeros(4, np.float32),) * 2, *np.float32([[expected], [spread]]))


def test_p_stop_rises_with_every_sentence_and_is_even_at_the_expected_length() -> None:
    stop = LengthStop(math.log(90), 0.4, np.array([20, 20, 20, 20, 20]))
    found = stop.episode([3, 1, 0, 2, 4])
    assert found[0] == 0
    assert list(found) == sorted(found)
    assert found[4] == pytest.approx(0.5)  # 80 words, and half a sentence more


def test_one_stops_at_the_nearest_length() -> None:
    for words in range(15, 95, 10):
        stop = LengthStop(math.log(words), 0.4, np.full(10, 20))
        reached = next(count for count in range(1, 10) if stop.after(range(count)) >= 0.5)
        assert abs(20 * reached - words) == min(abs(20 * count - words) for count in range(1, 10))


def test_a_description_tells_documents_apart(encoder: TextEncoder, examples: list[Example]) -> None:
    one, two = (describe(encoder.encode(example.text), encoder) for example in examples[:2])
    assert one.shape == two.shape == (encoder.vectors.dimension + 28 + KNOWN,)
    assert not np.allclose(one, two)
    assert np.isfinite(one).all()
    assert np.isfinite(describe(encoder.encode(["7"]), encoder)).all()


def test_words_at_hand_give_the_same_description(encoder: TextEncoder, examples: list[Example]) -> None:
    text, words = encoder.read(examples[0].text)
    np.testing.assert_array_equal(describe(text, encoder, words), describe(text, encoder))
    assert model_of(encoder, 3.5).stop(text, encoder, words).expected == pytest.approx(3.5)


def test_repeats_count_once(encoder: TextEncoder) -> None:
    sentences = ["Costs rose.", "Costs rose.", "Staff left in spring and came back in autumn."]
    stop = model_of(encoder, 2.0).stop(encoder.encode(sentences), encoder)
    once, other = (len(encoder.encode([sentence]).ids) for sentence in sentences[1:])
    assert stop.words.tolist() == [once, 0, other]


def test_it_is_read_back_as_it_was_written(encoder: TextEncoder, tmp_path: Path, examples: list[Example]) -> None:
    model = model_of(encoder, 3.5)
    model.save(tmp_path)
    again = LengthModel.load(tmp_path, encoder)
    text = encoder.encode(examples[0].text)
    assert again.expect(describe(text, encoder)) == pytest.approx((3.5, 0.3))  # one from before sections and years
    assert again.stop(text, encoder).spread == pytest.approx(0.3)


def test_a_description_knows_sections_title_and_years(encoder: TextEncoder) -> None:
    reading = TextEncoder(encoder.vectors, replace(encoder.settings, signals=True))
    sentences = ["In 1998 the ferry cost $2019.", "By 2018, fares of 1,999 crowns had doubled.", "It sank."]
    known = describe(reading.encode(sentences, ["Results"] * 3, "Of ferries"), reading)[-KNOWN:]
    assert known[KINDS.index("results")] == 1
    assert known[-3:].tolist() == pytest.approx(
        [1, 1, 1.6], abs=0.01
    )  # a title, years, and 2016 at their 90th percentile
    unknown = describe(reading.encode(["It sank."]), reading)[-KNOWN:]
    assert unknown.tolist() == [1] + [0] * (KNOWN - 1)


@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_a_damaged_file_is_named(damage: str, encoder: TextEncoder, tmp_path: Path) -> None:
    model = model_of(encoder, 3.5)
    if damage == "other":
        model = LengthModel(**{**vars(model), "hidden": np.zeros((4, 5), np.float32)})
    if damage != "missing":
        model.save(tmp_path)
    if damage == "cut":
        (tmp_path / LENGTH_FILE).write_bytes((tmp_path / LENGTH_FILE).read_bytes()[:40])
    with pytest.raises(ModelError, match=LENGTH_FILE):
        LengthModel.load(tmp_path, encoder)
