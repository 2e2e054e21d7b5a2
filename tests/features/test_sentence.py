"""Features of sentences: finite for any document, and each says what its name says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.features.encoding import TextEncoder
from memsum.features.sentence import FEATURES, distinct, number_distinct


def features(encoder: TextEncoder, sentences: list[str]) -> dict[str, np.ndarray]:
    values = encoder.encode(sentences).features
    assert values.shape == (len(set(sentences)), len(FEATURES))
    assert values.dtype == np.float32
    assert np.isfinite(values).all()
    return dict(zip(FEATURES, values.T, strict=True))


PAPER = [
    "Oral iron improved haemoglobin among pregnant women.",
    "Software version 12.1 was used throughout.",
    "After oral iron, haemoglobin changed by 22 %.",
    "Weather during the season was dry.",
    "We conclude that oral iron should be offered to pregnant women.",
]


def test_places_count_from_both_ends(encoder: TextEncoder):
    values = features(encoder, PAPER)
    np.testing.assert_allclose(values["position from the start"], [0, 0.2, 0.4, 0.6, 0.8], atol=1e-6)
    np.testing.assert_allclose(values["position from the end"], [0.8, 0.6, 0.4, 0.2, 0], atol=1e-6)
    np.testing.assert_allclose(values["nearness to the start"], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    np.testing.assert_allclose(values["nearness to the end"], [1 / 5, 1 / 4, 1 / 3, 1 / 2, 1])


def test_lengths_and_numbers(encoder: TextEncoder):
    values = features(encoder, PAPER)
    lengths = encoder.encode(PAPER).lengths
    assert (np.argsort(values["length of the sentence"]) == np.argsort(lengths)).all()
    np.testing.assert_array_equal(values["share of numbers"] > 0, [False, True, True, False, False])
    assert np.ptp(values["length of the document"]) == 0
    assert features(encoder, PAPER[:2])["length of the document"][0] < values["length of the document"][0]


def test_sentences_on_the_subject_are_central_and_salient(encoder: TextEncoder):
    values = features(encoder, PAPER)
    for name in ("similarity to the document", "coverage of the document's words", "salience of the words"):
        on, off = values[name][[0, 2, 4]], values[name][[1, 3]]
        assert on.mean() > off.mean(), name
    assert values["similarity to the beginning"][0] == pytest.approx(1, abs=1e-5)
    assert values["similarity to the end"][-1] == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "sentences",
    [
        ["Only one sentence."],
        ["word"],
        [""],
        ["", "...", "—"],
        ["12 34 56", "0.5 %"],
        ["Completely unknown словарь.", "Ещё одно слово."],
        ["The same words.", "The words same.", "same The words."],
        ["Two sentences.", "And no more."],
    ],
)
def test_odd_documents_have_finite_features(encoder: TextEncoder, sentences: list[str]):
    features(encoder, sentences)


def test_a_sentence_is_not_its_own_neighbour(encoder: TextEncoder):
    assert features(encoder, ["Only one sentence."])["similarity to the neighbours"] == [0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=30, unique=True))
def test_any_document_has_finite_features(encoder: TextEncoder, sentences: list[str]):
    features(encoder, sentences)


def test_many_sentences(encoder: TextEncoder):
    values = features(encoder, [f"Sentence {i} of the report about water losses." for i in range(700)])
    assert np.abs(np.stack(list(values.values()))).max() < 100  # they are stored as fp16


@pytest.mark.parametrize("values", [[], [3], [2, 2, 2], [5, 1, 5, -1, 1, 0]])
def test_distinct_is_numpys_unique(values: list[int]) -> None:
    array = np.array(values, np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()


@pytest.mark.parametrize("values", [[], [0], [6], [3, 3, 3], [6, 0, 6, 2, 0]])
def test_distinct_values_are_numbered_as_by_numpy(values: list[int]):
    found, places = number_distinct(np.array(values, np.int32), 7)
    expected, inverse = np.unique(np.array(values, np.int32), return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert places.tolist() == inverse.tolist()
