from __future__ import annotations

import pytest

from memsum.errors import CorpusError
from memsum_train.corpus.records import Example
from memsum_train.corpus.variants import keep_introduction


def example(*sections: str) -> Example:
    text = tuple(f"Sentence {number}." for number in range(len(sections)))
    return Example(text, ("A summary.",), sections=sections, indices=((0,),), scores=(0.5,))


@pytest.mark.parametrize(
    "title",
    ["Introduction", "1. Introduction", "1 INTRODUCTION", "I. Introduction", "Introduction and aims", "1) Background"],
)
def test_introductions_are_known_by_their_title(title: str) -> None:
    short = keep_introduction(example("Preface", title, title, "Methods"))
    assert short.text == ("Sentence 1.", "Sentence 2.")
    assert short.sections == (title, title)


def test_episodes_of_the_whole_text_are_dropped() -> None:
    assert keep_introduction(example("Introduction", "Methods")).indices is None


def test_the_background_counts_only_without_an_introduction() -> None:
    assert keep_introduction(example("Background", "Introduction")).text == ("Sentence 1.",)


@pytest.mark.parametrize("title", ["", "Methods", "Introductory remarks on Background", "Results: introduction"])
def test_other_sections_are_no_introduction(title: str) -> None:
    with pytest.raises(CorpusError, match="no section called introduction or background"):
        keep_introduction(example(title))


def test_a_text_without_sections_cannot_be_truncated() -> None:
    with pytest.raises(CorpusError, match="has no sections"):
        keep_introduction(Example(("One.",), ("One.",)))
