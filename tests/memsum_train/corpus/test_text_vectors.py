"""Word vectors that others have learned: what their files hold is what is looked up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memsum.errors import ModelError
from memsum.text.vocabulary import PAD, UNK
from memsum_train.corpus.text_vectors import read_text_vectors, unit_rms


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


FORMATS = {
    "glove": "the 1 0 -2\ncell 0.5 0.25 1e-1\nflow 3 3 3\n",
    "word2vec": "3 3\nthe 1 0 -2\ncell 0.5 0.25 1e-1\nflow 3 3 3\n",
    "fasttext": "3 3\nthe 1 0 -2 \ncell 0.5 0.25 1e-1 \nflow 3 3 3 \n",
    "windows": "the 1 0 -2\r\ncell 0.5 0.25 1e-1\r\nflow 3 3 3\r\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_text_formats_of_others(tmp_path: Path, name: str):
    vectors = read_text_vectors(write(tmp_path / "vectors.txt", FORMATS[name]))
    assert vectors.vocabulary.words == (PAD, UNK, "the", "cell", "flow")
    assert vectors.dimension == 3
    wanted = np.array([[1, 0, -2], [0.5, 0.25, 0.1], [3, 3, 3]])
    found = vectors.dense()[2:]
    scale = found[2, 0] / 3  # all vectors are scaled alike
    np.testing.assert_allclose(found / scale, wanted, atol=0.02)
    assert not vectors.dense()[0].any()
    np.testing.assert_allclose(vectors.dense()[1] / scale, wanted.mean(axis=0), atol=0.02)


def test_words_with_spaces_are_passed_over(tmp_path: Path):
    content = "the 1 0\n. . . 2 2\nat name@example.com 3 1\ncell 0 1\n"
    assert read_text_vectors(write(tmp_path / "v.txt", content)).vocabulary.words == (PAD, UNK, "the", "cell")


def test_of_forms_that_differ_in_case_the_first_stays(tmp_path: Path):
    vectors = read_text_vectors(write(tmp_path / "v.txt", "the 1 0\nThe 0 1\nCell 0 1\n<unk> 5 5\n"))
    assert vectors.vocabulary.words == (PAD, UNK, "the", "cell")
    assert vectors.dense()[2, 1] == 0


def test_the_first_words_are_the_frequent_ones(tmp_path: Path):
    vectors = read_text_vectors(write(tmp_path / "v.txt", FORMATS["glove"]))
    assert vectors.frequencies[2] > vectors.frequencies[3] > vectors.frequencies[1]
    assert vectors.frequencies.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("the 1 0\ncell 1 x\n", 2),
        ("the 1 0\ncell 1 0\nflow 1\n", 3),
        ("the 1 nan\n", 1),
        ("the 1 0\ncell inf 0\n", 2),
        ("the\n", 1),
        ("2 3\nthe 1 0\n", 2),
        ("the 1 0\n\ncell 0 1\n", 2),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, content: str, line: int):
    with pytest.raises(ModelError, match=f"line {line}:"):
        read_text_vectors(write(tmp_path / "v.txt", content))


@pytest.mark.parametrize("content", [b"", b"4 3\n", b"\x1f\x8b\x08\x00\x00\xff\xfe" * 50, b"3 2\n\x00\x01\xff the\n"])
def test_a_file_without_vectors_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "v.bin").write_bytes(content)
    with pytest.raises(ModelError):
        read_text_vectors(tmp_path / "v.bin")


def test_the_scale_is_the_networks():
    scaled = unit_rms(np.random.default_rng(0).normal(3, 5, size=(20, 8)).astype(np.float32))
    assert np.sqrt(np.mean(scaled**2)) == pytest.approx(1, abs=1e-5)
    assert not unit_rms(np.zeros((2, 2), np.float32)).any()
