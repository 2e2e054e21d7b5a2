"""What is highlighted for a query."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder
from memsum_study.plan import StudyDocument
from memsum_study.similarity import Finder, WordCounts, WordMeans, open_finder

TEXT = (
    "The ferry leaves the harbour at midnight.",
    "Bees visited the orchard every morning.",
    "Apples were heavier in orchards with many bees.",
    "A committee looked into the price of tickets.",
    "No one could say why the clock had stopped.",
    "The roof was mended before the first snow.",
    "Rain fell on most days of that autumn.",
    "Letters arrive on Mondays and Thursdays.",
)
DOCUMENT = StudyDocument("one", TEXT, ("Bees.",))


def test_words_in_common_make_sentences_relevant() -> None:
    levels = Finder(WordCounts).relevance(DOCUMENT, "Many bees came to the orchard")
    assert levels[1] == levels[2] == 2
    assert levels[4] == levels[7] == 0


def test_a_sentence_is_most_relevant_to_itself(encoder: TextEncoder, examples: list[object]) -> None:
    text = examples[0].text  # type: ignore[attr-defined]
    document = StudyDocument("one", text, ())
    for finder in (Finder(WordCounts), Finder(partial(WordMeans, encoder))):
        for place in range(0, len(text), 5):
            assert finder.relevance(document, text[place])[place] == 2


@pytest.mark.parametrize("query", ["", "…", "zyxwv qqqq", "\ud800", "a" * 5000])
def test_nothing_is_relevant_to_what_says_nothing(query: str) -> None:
    assert Finder(WordCounts).relevance(DOCUMENT, query) == [0] * len(TEXT)


@settings(deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_any_text_has_a_level_a_sentence(query: str, text: list[str]) -> None:
    levels = Finder(WordCounts).relevance(StudyDocument("one", tuple(text), ()), query)
    assert len(levels) == len(text)
    assert set(levels) <= {0, 1, 2}


def test_a_model_that_is_named_must_exist() -> None:
    with pytest.raises(ModelError):
        open_finder("./no-such-folder")
