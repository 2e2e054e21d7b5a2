"""Words to ids; unknown words become pieces, or what the vocabulary's maker decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum.errors import ModelError
from memsum.text import Vocabulary
from memsum.text.vocabulary import PAD, UNK

WORDS = [PAD, UNK, "the", "cell", "neuro~", "neu~", "~toxic", "~tox", "~ity", "~i", "~t", "~y", "a~", "~a"]


def test_known_words_have_the_id_of_their_place():
    vocabulary = Vocabulary(WORDS)
    assert vocabulary.encode(["the", "cell", "the"]) == [2, 3, 2]
    assert vocabulary["cell"] == 3
    assert "cell" in vocabulary
    assert "cells" not in vocabulary
    assert len(vocabulary) == len(WORDS)


def test_an_unknown_word_becomes_the_longest_pieces_from_the_left():
    vocabulary = Vocabulary(WORDS)
    assert vocabulary.segment("neurotoxicity") == ["neuro~", "~toxic", "~ity"]
    assert vocabulary.segment("neutoxy") == ["neu~", "~tox", "~y"]
    assert vocabulary.encode(["neurotoxicity"]) == [4, 6, 8]


def test_the_first_match_is_kept_even_if_the_rest_then_is_unknown():
    assert Vocabulary(WORDS).segment("neurox") == ["neuro~", UNK]


def test_a_stretch_without_pieces_is_one_unknown_word():
    vocabulary = Vocabulary(WORDS)
    assert vocabulary.segment("жизнь") == [UNK]
    assert vocabulary.segment("aжжa") == ["a~", UNK, "~a"]
    assert vocabulary.encode(["жизнь", "the"]) == [1, 2]


def test_a_piece_at_the_beginning_is_not_one_in_the_middle():
    assert Vocabulary([PAD, UNK, "ab~", "~c"]).segment("cab") == [UNK]


@pytest.mark.parametrize(("unknown", "ids"), [("pieces", [2, 4, 6, 8]), ("token", [2, 1]), ("drop", [2])])
def test_what_happens_to_unknown_words(unknown: str, ids: list[int]):
    assert Vocabulary(WORDS, unknown).encode(["the", "neurotoxicity"]) == ids


def test_encoding_twice_gives_the_same():
    vocabulary = Vocabulary(WORDS)
    assert vocabulary.encode(["neurotoxicity"] * 2) == vocabulary.encode(["neurotoxicity"]) * 2


@pytest.mark.parametrize(
    "words", [[PAD, UNK, "the", "the"], ["the", UNK], [PAD, "the"], ["the", PAD, UNK], [PAD, UNK, ""], []]
)
def test_a_vocabulary_of_no_use_is_refused(words: list[str]):
    with pytest.raises(ModelError):
        Vocabulary(words)


@pytest.mark.parametrize("unknown", ["pieces", "token", "drop"])
def test_saved_and_loaded_it_is_the_same(tmp_path: Path, unknown: str):
    odd = ["naïve", "浓度", "\u2028", "\x85", "\xa0", "#,###.#", "a\rb", "tab\tbed", "~", "🧬", " ", "'s"]
    vocabulary = Vocabulary([*WORDS, *odd], unknown)
    vocabulary.save(tmp_path / "vocabulary.txt")
    loaded = Vocabulary.load(tmp_path / "vocabulary.txt", unknown)
    assert loaded.words == vocabulary.words
    assert loaded.encode(["neurotoxicity", "🧬"]) == vocabulary.encode(["neurotoxicity", "🧬"])


def test_a_word_of_two_lines_cannot_be_saved(tmp_path: Path):
    with pytest.raises(ModelError):
        Vocabulary([PAD, UNK, "two\nlines"]).save(tmp_path / "vocabulary.txt")


@pytest.mark.parametrize("content", [b"<pad>\n<unk>\n\xff\xfe\n", b"", b"the\ncell\n"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "vocabulary.txt").write_bytes(content)
    with pytest.raises(ModelError):
        Vocabulary.load(tmp_path / "vocabulary.txt")


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(ModelError, match=r"vocabulary\.txt"):
        Vocabulary.load(tmp_path / "vocabulary.txt")


@pytest.mark.slow
def test_what_is_remembered_of_unknown_words_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("memsum.text.vocabulary._CACHE_BYTES", 100_000)
    vocabulary = Vocabulary(WORDS)
    for n in range(2000):
        repeats = 1 + n % 40 if n % 100 else n  # some short enough to be remembered, a few of 10,000 letters
        vocabulary.encode([f"{n}toxicityneuro" * 4, "neuro" * repeats])
        held = sum(len(word) * 4 + 8 * len(ids) for word, ids in vocabulary._unknown_ids.items())
        assert held <= 110_000
    assert vocabulary.encode(["neurotoxicity"]) == Vocabulary(WORDS).encode(["neurotoxicity"])
