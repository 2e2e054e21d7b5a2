"""Duplicates: sentences are copied, exactly or nearly, and an episode still takes each thing once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from memsum.features.encoding import TextEncoder
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import Vocabulary
from memsum_train.learning.augment import Duplicates, write_otherwise
from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.objectives.repeats import draw_states

from ...helpers import encode_words

# What says what can be told from the ids: words of sentence i of a document are those from 100 + 30 i on.
WORDS = ["<pad>", "<unk>", ",", ".", "3", "three", "#.#", "#.##", "####", "#,###"]
COMMA, STOP, THREE, SHAPE = 2, 3, 4, 6


@pytest.fixture(scope="module")
def duplicates() -> Duplicates:
    words = [*WORDS, *(f"w{n}" for n in range(len(WORDS), 3_000))]
    rows = np.random.default_rng(0).standard_normal((len(words), 8)).astype(np.float32)
    frequencies = np.full(len(words), 1e-4, np.float32)
    return Duplicates(TextEncoder(WordVectors.quantize(Vocabulary(words), rows, frequencies)))


def make_document(lengths: list[int], *episodes: list[int]) -> EncodedDocument:
    return encode_words([range(100 + 30 * i, 100 + 30 * i + length) for i, length in enumerate(lengths)], *episodes)


def origins(document: EncodedDocument) -> list[int]:
    """Which sentence of the document before each sentence comes from, by its words."""
    return [int((document.text.sentence(i)[0] - 100) // 30) for i in range(len(document.text))]


@pytest.mark.parametrize("seed", range(30))
def test_each_sentence_is_there_and_its_copies_are_known(duplicates: Duplicates, seed: int):
    document = make_document([5 + i % 20 for i in range(60)], [40, 3, 17], [4, 3])
    copied = duplicates.add(document, np.random.default_rng(seed))
    assert copied.alike is not None
    assert copied.alike.tolist() == origins(copied)
    assert set(origins(copied)) == set(range(60))
    originals = Counter(document.text.sentence(i).tobytes() for i in range(60))
    assert not originals - Counter(copied.text.sentence(i).tobytes() for i in range(len(copied.text)))
    assert [origins(copied)[i] for i in copied.episodes[0]] in ([40, 3, 17], [4, 3])
    assert 60 <= len(copied.text) == len(copied.text.features) == len(copied.text.indices)
    assert max(Counter(origins(copied)).values()) <= 2
    assert copied.rewards.tolist() == [0.5]


def test_half_of_the_copies_are_exact_and_half_stand_beside(duplicates: Duplicates):
    document = make_document([12] * 40, [1, 2, 3, 4, 5])
    exact, beside = [], []
    for seed in range(60):
        copied = duplicates.add(document, np.random.default_rng(seed))
        said = origins(copied)
        places = {i: [p for p, origin in enumerate(said) if origin == i] for i in range(40)}
        pairs = [pair for pair in places.values() if len(pair) == 2]
        exact += [np.array_equal(copied.text.sentence(a), copied.text.sentence(b)) for a, b in pairs]
        beside.append(all(b == a + 1 for a, b in pairs))
    assert 0.4 < np.mean(exact) < 0.6
    assert 0.3 < np.mean(beside) < 0.7


def test_of_half_of_the_documents_every_sentence_is_copied(duplicates: Duplicates):
    document = make_document([12] * 40, [1, 2, 3, 4, 5])
    copies = [len(duplicates.add(document, np.random.default_rng(seed)).text) - 40 for seed in range(60)]
    assert 0.3 < np.mean([number == 40 for number in copies]) < 0.7
    assert min(copies) < 20


def test_the_episode_takes_the_original_or_its_copy(duplicates: Duplicates):
    document = make_document([9] * 40, list(range(10)))
    originals = 0
    for seed in range(40):
        copied = duplicates.add(document, np.random.default_rng(seed))
        targets = draw_states([copied], [np.random.default_rng(seed)], 0)
        taken = targets.action[~targets.stops].tolist()
        said = origins(copied)
        assert sorted(said[i] for i in taken) == list(range(10))
        originals += sum(i == int(copied.episodes[0][said[i]]) for i in taken)
    assert 0.5 < originals / 400 < 0.9  # all of those that have no copy, and half of the others


def test_edits_leave_out_words_move_clauses_and_write_numbers_otherwise(duplicates: Duplicates):
    words = np.array([100, 101, COMMA, 102, THREE, 103, SHAPE, COMMA, 104, 105, STOP], np.int32)
    edits = [duplicates.edit(words, np.random.default_rng(seed)).tolist() for seed in range(200)]
    assert all(edit != words.tolist() for edit in edits)
    assert any(len(edit) < len(words) for edit in edits)
    # Both commas: "a, b." becomes "b, a.", and nothing is lost.
    assert [102, THREE, 103, SHAPE, COMMA, 104, 105, COMMA, 100, 101, STOP] in edits
    assert [104, 105, COMMA, 100, 101, COMMA, 102, THREE, 103, SHAPE, STOP] in edits
    assert [100, 101, COMMA, 102, WORDS.index("three"), 103, WORDS.index("#.##"), COMMA, 104, 105, STOP] in edits
    otherwise = {THREE: WORDS.index("three"), SHAPE: WORDS.index("#.##")}
    known = Counter([*words.tolist(), *otherwise.values()])
    assert not any(Counter(edit) - known for edit in edits)  # nothing is made up


def test_what_is_too_short_to_edit_stays(duplicates: Duplicates):
    words = np.array([100, 101, 102], np.int32)
    for seed in range(20):
        assert duplicates.edit(words, np.random.default_rng(seed)).tolist() == words.tolist()


@pytest.mark.parametrize(
    ("number", "other"),
    [
        ("3", "three"),
        ("twelve", "12"),
        ("#.#", "#.##"),
        ("#.##", "#.#"),
        ("####", "#,###"),
        ("#######", "#,###,###"),
        ("##,###", "#####"),
        ("###", None),
        ("13", None),
        ("cell", None),
        (",", None),
    ],
)
def test_numbers_written_otherwise(number: str, other: str | None):
    assert write_otherwise(number) == other


def test_copies_of_a_document_that_repeats_itself_are_known_too(duplicates: Duplicates):
    document = make_document([6] * 30, [0])
    ids = document.text.ids.copy()
    ids[6:12] = ids[:6]
    document = replace(document, text=replace(document.text, ids=ids))
    assert document.meanings[:3].tolist() == [0, 0, 2]
    copied = duplicates.add(document, np.random.default_rng(1))
    assert copied.meanings.tolist() == origins(copied)
