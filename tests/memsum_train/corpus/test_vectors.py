"""Learning word vectors: words that are used alike come close, and no word is lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.errors import CorpusError
from memsum.text import WordVectors, tokenize
from memsum.text.vocabulary import PAD, UNK
from memsum_train.corpus.vectors import _alias_table, learn_vectors

DOSES = ("aspirin", "ibuprofen", "naproxen", "codeine")
STONES = ("granite", "basalt", "marble", "slate")


def sentences() -> Iterator[str]:
    """Two subjects that share no company; every word in the place of its like."""
    random = np.random.default_rng(3)
    for _ in range(500):
        dose, stone = random.choice(DOSES), random.choice(STONES)
        yield f"Patients took {dose} tablets daily and the doctors stopped {dose} when pain eased."
        yield f"Builders cut {stone} blocks from quarries, while roofs of {stone} stood in rain."


@pytest.fixture(scope="module")
def learned() -> WordVectors:
    return learn_vectors(sentences, dimension=24, min_count=5, max_pieces=100, epochs=40, seed=1)


def similarity(vectors: WordVectors, one: str, other: str) -> float:
    a, b = vectors.lookup(np.array([vectors.vocabulary[one], vectors.vocabulary[other]]))
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_words_used_alike_are_closer_than_others(learned: WordVectors):
    alike = [similarity(learned, a, b) for group in (DOSES, STONES) for a in group for b in group if a != b]
    different = [similarity(learned, a, b) for a in DOSES for b in STONES]
    assert np.mean(alike) > np.mean(different) + 0.1


def test_sizes_frequencies_and_padding(learned: WordVectors):
    assert learned.dimension == 24
    assert learned.vocabulary.words[:2] == (PAD, UNK)
    assert np.isfinite(learned.dense()).all()
    assert not learned.dense()[0].any()
    assert np.sqrt(np.mean(learned.dense() ** 2)) == pytest.approx(1, abs=0.02)
    assert learned.frequencies[0] == 0
    assert learned.frequencies[learned.vocabulary["granite"]] == pytest.approx(250 / 14_000, rel=0.3)


def test_the_seed_repeats_it():
    def few() -> list[str]:
        return list(sentences())[:60]

    one, again = (learn_vectors(few, dimension=8, min_count=2, epochs=1, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.dense(), again.dense())


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=30).filter(any))
def test_noise_is_drawn_by_its_weight(weights: list[int]):
    chances, others = _alias_table(np.array(weights, np.float64))
    drawn = chances.astype(np.float64) + np.bincount(others, 1 - chances, len(weights))
    np.testing.assert_allclose(drawn / len(weights), np.array(weights) / sum(weights), atol=1e-6)


def test_rare_words_are_made_of_pieces_and_hardly_any_is_unknown():
    rare = [f"{start}{middle}{end} flows" for start in ("cardi", "neur") for middle in "aio" for end in ("tide", "gen")]

    def corpus() -> list[str]:
        return [*sentences(), *rare]

    vectors = learn_vectors(corpus, dimension=8, min_count=5, max_pieces=100, epochs=1)
    tokens = [token for sentence in corpus() for token in tokenize(sentence)]
    ids = vectors.vocabulary.encode(tokens)
    assert ids.count(vectors.vocabulary[UNK]) / len(ids) < 0.001
    pieces = vectors.vocabulary.encode(["cardigentide"])  # never seen
    assert len(pieces) > 1
    assert vectors.vocabulary[UNK] not in pieces
    assert np.linalg.norm(vectors.lookup(np.array(pieces)), axis=1).min() > 0


def test_a_sentence_longer_than_what_is_learned_from_at_a_time():
    long = " ".join(f"{w} salt" for w in ("ash", "brine", "clay", "dust")) + " "
    vectors = learn_vectors(lambda: [long * 3_000], dimension=4, min_count=2, epochs=1)
    assert vectors.frequencies[vectors.vocabulary["salt"]] == pytest.approx(0.5)


@pytest.mark.parametrize("texts", [[], [""], ["—", "  "]])
def test_a_corpus_without_words(texts: list[str]):
    with pytest.raises(CorpusError):
        learn_vectors(lambda: texts, dimension=4)


def test_a_corpus_of_rare_words_only():
    vectors = learn_vectors(lambda: ["One lonely line of words."], dimension=4, epochs=1)
    assert vectors.vocabulary[UNK] not in vectors.vocabulary.encode(["lonely"])
    assert np.isfinite(vectors.dense()).all()
