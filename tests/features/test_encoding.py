"""From sentences to numbers: no sentence without a word, repeats once, places kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.text import WordVectors, tokenize
from memsum.text.vocabulary import PAD, UNK

TEXT = ["Oral iron improved sleep quality.", "Data were checked.", "Oral iron improved sleep quality.", "", "Data"]


def test_words_lie_one_after_the_other(vectors: WordVectors):
    encoded = TextEncoder(vectors, TextSettings(collapse_repeats=False)).encode(TEXT)
    assert len(encoded) == 5
    for i, sentence in enumerate(TEXT):
        wanted = vectors.vocabulary.encode(tokenize(sentence)) or [vectors.vocabulary[UNK]]
        assert encoded.sentence(i).tolist() == wanted
        assert encoded.lengths[i] == len(wanted)
    assert encoded.indices.tolist() == [0, 1, 2, 3, 4]
    assert encoded.ids.dtype == np.int32


def test_exact_repeats_are_encoded_once_in_the_first_place(encoder: TextEncoder):
    encoded = encoder.encode(TEXT)
    assert encoded.indices.tolist() == [0, 1, 3, 4]
    assert encoded.features.shape[0] == len(encoded) == 4
    once = encoder.encode(["Oral iron improved sleep quality.", "Data were checked.", "", "Data"])
    np.testing.assert_array_equal(encoded.ids, once.ids)
    np.testing.assert_array_equal(encoded.features, once.features)


def test_long_sentences_are_cut(vectors: WordVectors):
    encoder = TextEncoder(vectors, TextSettings(max_tokens=3))
    assert encoder.encode(["Oral iron improved sleep quality.", "Data"]).lengths.tolist() == [3, 1]


@pytest.mark.parametrize("sentence", ["", "   ", "—", '"'])
def test_a_sentence_without_words_has_the_unknown_word(encoder: TextEncoder, sentence: str):
    assert encoder.encode([sentence]).ids.tolist() == [encoder.vectors.vocabulary[UNK]]


def test_a_document_without_sentences_is_empty(encoder: TextEncoder):
    encoded = encoder.encode([])
    assert len(encoded) == len(encoded.ids) == len(encoded.features) == 0


def test_rare_words_weigh_more_and_padding_nothing(encoder: TextEncoder):
    frequencies = encoder.vectors.frequencies
    order = np.argsort(frequencies[1:]) + 1
    assert (np.diff(encoder.weights[order]) <= 0).all()
    assert encoder.weights[encoder.vectors.vocabulary[PAD]] == 0
    assert ((encoder.weights >= 0) & (encoder.weights <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a b", "c", "", "a  b", "d e f"]) | st.text(max_size=20), max_size=25))
def test_places_point_to_first_occurrences(encoder: TextEncoder, sentences: list[str]):
    encoded = encoder.encode(sentences)
    assert encoded.indices.tolist() == [i for i, s in enumerate(sentences) if s not in sentences[:i]]
    assert (encoded.lengths > 0).all()
    assert encoded.lengths.sum() == len(encoded.ids)
