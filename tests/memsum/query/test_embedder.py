"""The sentence encoder: what it finds alike, and files that are missing or damaged."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memsum.errors import MemsumError
from memsum.query.embedder import FOLDER, LONGEST, WIDTH, Embedder, WordPiece, load_embedder

SENTENCES = ["The crane was repaired.", "Somebody fixed the hoist.", "Tickets cost two euros.", "", "crane " * 500]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def test_likeness_is_of_meaning_not_of_words(embedder: Embedder) -> None:
    vectors = embedder.encode([embedder.wordpiece.encode(text) for text in SENTENCES])
    assert vectors.shape == (len(SENTENCES), WIDTH)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert vectors[0] @ vectors[1] > 0.3 > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_the_sentences_beside_it_or_on_threads(embedder: Embedder) -> None:
    pieces = [embedder.wordpiece.encode(text) for text in SENTENCES]
    together = embedder.encode(pieces * 20, threads=2)
    assert all(np.array_equal(together[row], embedder.encode([pieces[row]])[0]) for row in range(len(pieces)))


def test_static_vectors_are_of_length_one_or_zero(embedder: Embedder) -> None:
    vectors = embedder.static([embedder.wordpiece.encode(text) for text in SENTENCES])
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0, 1], atol=1e-3)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


@pytest.mark.parametrize("name", ["encoder.onnx", "vocabulary.txt", "pieces.safetensors", "weights.json"])
@pytest.mark.parametrize("damage", ["missing", "cut off", "empty"])
def test_a_missing_or_damaged_file_is_reported_in_one_sentence(tmp_path: Path, name: str, damage: str) -> None:
    shutil.copytree(FOLDER, tmp_path / "minilm")
    path = tmp_path / "minilm" / name
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(content[: len(content) // 2] if damage == "cut off" else b"")
    with pytest.raises(MemsumError, match="sentence encoder") as caught:
        Embedder(tmp_path / "minilm")
    assert caught.value.hint == "Reinstall memsum."


def test_weights_without_a_part_are_reported(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "minilm")
    (tmp_path / "minilm" / "weights.json").write_text("{}", "utf-8")
    with pytest.raises(MemsumError, match="do not fit each other"):
        Embedder(tmp_path / "minilm")


def test_plain_summaries_load_nothing_of_it() -> None:
    code = (
        "import sys, memsum; memsum.summarize('The crane broke. It was repaired. Nobody was hurt by it.');"
        "from memsum.query import embedder; print(embedder.load_embedder.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "crane", "##s", "cafe", "!", ",", "港", "1", "##2"]


@pytest.fixture(scope="module")
def wordpiece() -> WordPiece:
    return WordPiece(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The cranes", "the crane ##s"),
        ("Café!,the", "cafe ! , the"),
        ("the\u200b\tcrane\u0301", "the crane"),
        ("港12 港", "港 1 ##2 港"),
        ("the unknown", "the [UNK]"),
        ("c" * 101, "[UNK]"),
        ("", ""),
    ],
)
def test_text_is_split_into_the_longest_pieces(wordpiece: WordPiece, text: str, pieces: str) -> None:
    assert [VOCABULARY[number] for number in wordpiece.encode(text)[1:-1]] == pieces.split()


def test_of_a_long_text_the_first_pieces_are_read(wordpiece: WordPiece) -> None:
    numbers = wordpiece.encode("the crane " * 1000)
    assert len(numbers) == LONGEST
    assert VOCABULARY[numbers[0]] == "[CLS]"
    assert VOCABULARY[numbers[-1]] == "[SEP]"


def test_the_shipped_vocabulary_splits_as_the_reference_does() -> None:
    # Written down from the tokenizers package, with the tokenizer.json of the model.
    assert load_embedder().wordpiece.encode("Mooring fees won't rise: naïve 96,480!") == REFERENCE


REFERENCE = [101, 16808, 2075, 9883, 2180, 1005, 1056, 4125, 1024, 15743, 5986, 1010, 17295, 999, 102]
