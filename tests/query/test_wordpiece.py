from __future__ import annotations

import pytest

from memsum.query.embedder import load_embedder
from memsum.query.wordpiece import LONGEST, WordPiece

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
