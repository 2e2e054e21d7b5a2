"""Word vectors: what others' files hold is what is looked up, and damage is noticed."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save_file

from memsum.errors import ModelError
from memsum.text import Vocabulary, WordVectors
from memsum.text.vectors import EMBEDDINGS_FILE, VOCABULARY_FILE
from memsum.text.vocabulary import PAD, UNK

values = arrays(np.float32, (5, 7), elements=st.floats(-1e4, 1e4, width=32))


@settings(max_examples=50)
@given(values)
def test_quantising_loses_less_than_half_a_step(matrix: np.ndarray):
    matrix[0] = 0
    vectors = WordVectors.quantize(Vocabulary([PAD, UNK, "a", "b", "c"]), matrix, np.ones(5, np.float32))
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(vectors.dense() - matrix) <= 0.5001 * step + 1e-30).all()
    assert vectors.rows.dtype == np.int8


def test_padding_is_zero_whatever_was_given():
    vectors = WordVectors.quantize(Vocabulary([PAD, UNK]), np.ones((2, 3), np.float32), np.ones(2, np.float32))
    assert not vectors.lookup(np.array([0])).any()
    assert vectors.lookup(np.array([[1, 0], [0, 1]])).shape == (2, 2, 3)


def test_saved_and_loaded_it_is_the_same(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    loaded = WordVectors.load(tmp_path)
    assert isinstance(loaded.rows, np.memmap)
    assert loaded.vocabulary.words == vectors.vocabulary.words
    assert loaded.vocabulary.unknown == vectors.vocabulary.unknown
    np.testing.assert_array_equal(loaded.dense(), vectors.dense())
    np.testing.assert_array_equal(loaded.frequencies, vectors.frequencies)


def test_how_unknown_words_are_treated_is_saved(tmp_path: Path):
    exact = np.ones((2, 3), np.float32)
    WordVectors.exact(Vocabulary([PAD, UNK], unknown="token"), exact, exact[:, 0]).save(tmp_path / "folder")
    assert WordVectors.load(tmp_path / "folder").vocabulary.unknown == "token"


def test_others_can_read_the_files(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    (tmp_path / "other").touch()
    usual = stat.S_IMODE((tmp_path / "other").stat().st_mode)
    for name in (VOCABULARY_FILE, EMBEDDINGS_FILE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == usual


@pytest.mark.parametrize("size", [0, 5, 8, 60, 0.5, 0.99])
def test_a_cut_file_is_refused(tmp_path: Path, vectors: WordVectors, size: float):
    vectors.save(tmp_path)
    path = tmp_path / EMBEDDINGS_FILE
    content = path.read_bytes()
    path.write_bytes(content[: int(size * len(content)) if 0 < size < 1 else int(size)])
    with pytest.raises(ModelError, match="damaged"):
        WordVectors.load(tmp_path)


def header(entries: object) -> bytes:
    content = json.dumps(entries).encode()
    return len(content).to_bytes(8, "little") + content


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 100,
        header([]),
        header(3),
        header({"rows": 3}),
        header({"rows": {"dtype": "I8", "shape": [2, 2]}}),
        header({"rows": {"dtype": "I8", "shape": [2, 2], "data_offsets": []}}),
        header({"rows": {"dtype": "I8", "shape": [2, 2], "data_offsets": [-500, 4]}}),
        header({"rows": {"dtype": "I8", "shape": [2, 2], "data_offsets": [1e300, 4]}}),
        header({"__metadata__": 3}),
        header({"rows": {"dtype": "X9", "shape": [2, 2], "data_offsets": [0, 4]}}) + b"\0" * 4,
        header({"rows": {"dtype": "I8", "shape": [-2, 2], "data_offsets": [0, 4]}}) + b"\0" * 4,
        header({"rows": {"dtype": "I8", "shape": "2", "data_offsets": [0, 4]}}) + b"\0" * 4,
    ],
)
def test_junk_is_refused(tmp_path: Path, vectors: WordVectors, content: bytes):
    vectors.save(tmp_path)
    (tmp_path / EMBEDDINGS_FILE).write_bytes(content)
    with pytest.raises(ModelError):
        WordVectors.load(tmp_path)


@settings(max_examples=60)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_damage_goes_unanswered(tmp_path_factory: pytest.TempPathFactory, junk: bytes, place: int):
    folder = tmp_path_factory.mktemp("damaged")
    words = Vocabulary([PAD, UNK, "the"])
    WordVectors.quantize(words, np.ones((3, 4), np.float32), np.ones(3, np.float32)).save(folder)
    path = folder / EMBEDDINGS_FILE
    content = path.read_bytes()
    path.write_bytes(content[:place] + junk + content[place + len(junk) :])
    try:
        loaded = WordVectors.load(folder)
    except ModelError:
        return
    assert loaded.dense().shape[0] == 3


@pytest.mark.parametrize("name", [VOCABULARY_FILE, EMBEDDINGS_FILE])
def test_a_missing_file_is_named(tmp_path: Path, vectors: WordVectors, name: str):
    vectors.save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ModelError, match=name):
        WordVectors.load(tmp_path)


def test_vectors_of_another_vocabulary_are_refused(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    Vocabulary([PAD, UNK, "the"]).save(tmp_path / VOCABULARY_FILE)
    with pytest.raises(ModelError, match="do not fit"):
        WordVectors.load(tmp_path)


def test_an_unknown_way_with_unknown_words_is_refused(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    path = tmp_path / EMBEDDINGS_FILE
    path.write_bytes(path.read_bytes().replace(b'"pieces"', b'"peaces"'))
    with pytest.raises(ModelError, match="peaces"):
        WordVectors.load(tmp_path)


def test_missing_tensors_are_named(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    save_file({"rows": np.zeros((2, 2), np.int8)}, tmp_path / EMBEDDINGS_FILE)
    with pytest.raises(ModelError, match="frequencies, scales"):
        WordVectors.load(tmp_path)


def test_rows_that_are_no_matrix_are_refused(tmp_path: Path, vectors: WordVectors):
    vectors.save(tmp_path)
    size = len(vectors.vocabulary)
    ones = np.ones(size, np.float32)
    save_file({"rows": np.ones(size, np.int8), "scales": ones, "frequencies": ones}, tmp_path / EMBEDDINGS_FILE)
    with pytest.raises(ModelError):
        WordVectors.load(tmp_path)


def test_values_that_are_no_numbers_are_refused_without_a_manifest(tmp_path: Path):
    words = Vocabulary([PAD, UNK, "the"])
    vectors = WordVectors.quantize(words, np.ones((3, 4), np.float32), np.array([1, np.nan, 1], np.float32))
    vectors.save(tmp_path)
    with pytest.raises(ModelError, match="values that are not numbers"):
        WordVectors.load(tmp_path)
