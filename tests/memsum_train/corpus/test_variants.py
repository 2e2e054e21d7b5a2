"""Variants of documents: introductions alone, every sentence twice; and documents that begin with their summary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.batch.run import Run
from memsum.errors import CorpusError
from memsum_train.corpus.records import Example, read_examples
from memsum_train.corpus.variants import begins_with_summary, keep_introduction, make_redundant, repeat_sentences


def with_sections(*sections: str) -> Example:
    text = tuple(f"Sentence {number}." for number in range(len(sections)))
    return Example(text, ("A summary.",), sections=sections, indices=((0,),), scores=(0.5,))


@pytest.mark.parametrize(
    "title",
    ["Introduction", "1. Introduction", "1 INTRODUCTION", "I. Introduction", "Introduction and aims", "1) Background"],
)
def test_introductions_are_known_by_their_title(title: str) -> None:
    short = keep_introduction(with_sections("Preface", title, title, "Methods"))
    assert short.text == ("Sentence 1.", "Sentence 2.")
    assert short.sections == (title, title)


def test_episodes_of_the_whole_text_are_dropped() -> None:
    assert keep_introduction(with_sections("Introduction", "Methods")).indices is None


def test_the_background_counts_only_without_an_introduction() -> None:
    assert keep_introduction(with_sections("Background", "Introduction")).text == ("Sentence 1.",)


@pytest.mark.parametrize("title", ["", "Methods", "Introductory remarks on Background", "Results: introduction"])
def test_other_sections_are_no_introduction(title: str) -> None:
    with pytest.raises(CorpusError, match="no section called introduction or background"):
        keep_introduction(with_sections(title))


def test_a_text_without_sections_cannot_be_truncated() -> None:
    with pytest.raises(CorpusError, match="has no sections"):
        keep_introduction(Example(("One.",), ("One.",)))


SUMMARY = [
    "We measured how quickly glaciers in two valleys lost their ice between the wars.",
    "Both lost a third of their length, and the smaller one is gone from the map of 1938.",
    "Old photographs turned out to be better witnesses than the surveyors' notebooks.",
]
BODY = [
    "Glaciers are remembered by the people who live below them.",
    "In this study we follow two of them through twenty years of photographs and letters.",
    *[f"In the summer of {1919 + year} the tongue lay {40 * year} metres above the old bridge." for year in range(30)],
    "Both glaciers lost about a third of their length in this time.",
]
CHANGED = ["Abstract", *(sentence.upper().replace(",", " ,") for sentence in SUMMARY)]
SHORT = ["Two valleys lost their ice."]


@pytest.mark.parametrize(
    ("text", "summary", "is_copy"),
    [
        ([*SUMMARY, *BODY], SUMMARY, True),
        ([*CHANGED, *BODY], SUMMARY, True),
        (BODY, SUMMARY, False),
        ([SUMMARY[0], *BODY], SUMMARY, False),
        ([*BODY, *SUMMARY], SUMMARY, False),
        (SHORT * 5, SHORT, False),
    ],
    ids=["in front", "with small changes", "in other words", "one sentence", "a conclusion", "short lines"],
)
def test_a_text_that_begins_with_its_summary_is_recognized(text: list[str], summary: list[str], is_copy: bool) -> None:
    assert begins_with_summary(text, summary) is is_copy


def test_each_sentence_stands_twice_and_its_section_too() -> None:
    doubled = repeat_sentences(Example(("One.", "Two."), ("Sum.",), sections=("A", "B"), extra={"source": "x"}))
    assert doubled.text == ("One.", "One.", "Two.", "Two.")
    assert doubled.sections == ("A", "A", "B", "B")
    assert doubled.summary == ("Sum.",)
    assert doubled.extra == {"source": "x"}
    assert doubled.indices is None


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8), st.data())
def test_episodes_select_the_same_text_as_before(text: list[str], data: st.DataObject) -> None:
    indices = data.draw(st.lists(st.lists(st.integers(0, len(text) - 1), max_size=4).map(tuple), max_size=3))
    example = Example(tuple(text), ("Sum.",), indices=tuple(indices), scores=(0.5,) * len(indices))
    doubled = repeat_sentences(example)
    assert doubled.scores == example.scores
    assert doubled.indices is not None
    for before, after in zip(indices, doubled.indices, strict=True):
        assert [doubled.text[index] for index in after] == [text[index] for index in before]


def test_episodes_take_either_copy_and_the_same_document_gives_the_same() -> None:
    example = Example(tuple(f"Ship {n} sank." for n in range(40)), ("Sum.",), indices=(tuple(range(40)),), scores=(1,))
    doubled = repeat_sentences(example)
    assert doubled.indices is not None
    seconds = sum(index % 2 for index in doubled.indices[0])
    assert 8 < seconds < 32
    assert repeat_sentences(example) == doubled


@given(st.lists(st.lists(st.text("abcé", min_size=1, max_size=3), max_size=9).map(" ".join), min_size=1, max_size=8))
def test_near_copies_lack_one_or_two_words(text: list[str]) -> None:
    doubled = repeat_sentences(Example(tuple(text), ("Sum.",)), near=True)
    assert doubled.text[::2] == tuple(text)
    for sentence, copy in zip(text, doubled.text[1::2], strict=True):
        words, left = sentence.split(), iter(copy.split())
        lost = len(words) - len(copy.split())
        assert lost in ((1, 2) if len(words) >= 4 else (0,))
        kept = next(left, None)
        for word in words:  # what is left is in order
            if word == kept:
                kept = next(left, None)
        assert kept is None


def test_a_file_is_rewritten(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", {"text": ["A.", "B."], "summary": ["A."], "id": "x"}, {"no": "record"})
    counts = make_redundant(source, str(tmp_path / "out.jsonl.gz"), Run())
    assert (counts.kept, counts.failed) == (1, 1)
    assert list(read_examples(tmp_path / "out.jsonl.gz")) == [Example(("A.", "A.", "B.", "B."), ("A.",), id="x")]


def test_a_file_of_near_copies(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", {"text": ["The ferry sank at dawn."], "summary": ["It sank."]})
    make_redundant(source, str(tmp_path / "out.jsonl"), Run(), near=True)
    (example,) = read_examples(tmp_path / "out.jsonl")
    assert isinstance(example, Example)
    assert example.text[0] == "The ferry sank at dawn."
    assert 3 <= len(example.text[1].split()) <= 4
