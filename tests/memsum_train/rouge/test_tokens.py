"""Tokens are those of `rouge-score`, and their numbers are consistent within a call."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.snowball import SnowballStemmer
from rouge_score.tokenizers import DefaultTokenizer

from memsum_train.rouge.tokens import Tokenizer, porter, snowball

from ...helpers import stems

REFERENCE = DefaultTokenizer(use_stemmer=True)
SNOWBALL = SnowballStemmer("english")


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_porter_tokens_are_those_of_rouge_score(text):
    assert stems(porter(), text) == REFERENCE.tokenize(text)


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_snowball_tokens_are_those_of_the_definition(text):
    assert stems(snowball(), text) == [SNOWBALL.stem(word) for word in re.findall(r"\w+", text.lower())]


def test_numbers_are_equal_exactly_for_equal_stems():
    [(ids, bounds), (others, _)], size = porter().number(["Cats ran.", "", "A cat runs."], ["running cats"])
    assert bounds.tolist() == [0, 2, 2, 5]
    assert ids[0] == ids[3] == others[1]
    assert ids[4] == others[0]
    assert len({*ids.tolist(), *others.tolist()}) == 4
    assert max(ids.max(), others.max()) < size


def test_a_full_memory_is_emptied_between_calls():
    tokenizer = Tokenizer("[a-z]+", str.upper, remembered=3)
    for text in ["a b c d e f", "f e d c b a", "a a b"]:
        [(ids, _)], size = tokenizer.number([text])
        assert len(set(ids.tolist())) == len(set(text.split()))
        assert size <= 6
        assert stems(tokenizer, text) == text.upper().split()
