"""The vocabulary of a corpus: frequent words, and pieces of the others."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memsum.text import tokenize
from memsum.text.vocabulary import PAD, UNK
from memsum_train.corpus.vectors import build_vocabulary


def test_frequent_words_are_kept_and_rare_ones_share_pieces():
    counts = Counter({"the": 90, "cell": 40, "of": 8, "carcinoma": 5, "adenoma": 5, "lymphoma": 4, "sarcoma": 4})
    vocabulary = build_vocabulary(counts, max_words=10, min_count=8, max_pieces=30)
    assert vocabulary.words[:5] == (PAD, UNK, "the", "cell", "of")
    assert "~oma" in vocabulary
    assert vocabulary.encode(["melanoma"])[-1] != vocabulary[UNK]
    assert len(vocabulary) <= 5 + 30


def test_no_more_words_than_asked_for():
    vocabulary = build_vocabulary({f"word{i}": 100 - i for i in range(50)}, max_words=7, min_count=1, max_pieces=0)
    assert vocabulary.words == (PAD, UNK, *(f"word{i}" for i in range(7)))


@given(st.lists(st.text(min_size=1), max_size=30), st.text())
def test_any_text_can_be_counted_and_encoded(texts: list[str], other: str):
    counts = Counter(token for text in texts for token in tokenize(text))
    vocabulary = build_vocabulary(counts, min_count=2, max_pieces=20)
    ids = vocabulary.encode(tokenize(other))
    assert all(0 < i < len(vocabulary) for i in ids)
