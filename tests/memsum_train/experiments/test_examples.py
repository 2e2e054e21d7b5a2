from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.experiments.examples import choose, mark, run
from memsum_train.policy import PolicyConfig

from .untrained import untrained_context

REFERENCE = (
    "Night buses in the river towns lost half of their riders.",
    "Cheaper tickets brought most riders back within two years.",
)
words = st.lists(st.sampled_from(["Buses", "the", "of", "riders", "river", "back", "two", "-", "(x)"]), max_size=14)
sentences = words.map(" ".join)


def marked(sentence: str, *others: str) -> list[str]:
    return [text for text, shared in mark(sentence, others or REFERENCE) if shared]


def test_phrases_of_three_words_are_marked_whatever_their_case_and_punctuation() -> None:
    assert marked("We saw that cheaper tickets brought most people home.") == ["cheaper tickets brought most"]
    assert marked("Lost: HALF, of (their) riders!") == ["Lost: HALF, of (their) riders"]
    assert marked("Night buses run. Cheaper tickets sell.") == []


def test_function_words_alone_are_no_phrase() -> None:
    other = "Some of the time, it is the case that of the many, few remain."
    assert marked("It was of the kind that is the worst.", other) == []
    assert marked("That of the many was one.", other) == ["of the many"]


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, max_size=4), sentences)
def test_nothing_of_a_sentence_is_lost(others: list[str], sentence: str) -> None:
    assert "".join(text for text, _ in mark(sentence, others)) == sentence


def test_documents_are_chosen_by_their_scores() -> None:
    scores = np.linspace(0, 1, 11)[::-1]
    assert choose(scores) == {"a good one": 1, "a middling one": 5, "a poor one": 9}


def test_the_page_shows_three_systems_and_no_markup_of_documents(
    make_examples: Callable[..., list[Example]], tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path
) -> None:
    splits = {split: make_examples(5, seed=i) for i, split in enumerate(("train", "valid", "test"), 51)}
    splits["test"] = [
        Example(
            (*one.text, "<script>alert(1)</script>"), (*one.summary, "<b>End</b> & rest."), extra={"title": "<i>T</i>"}
        )
        for one in splits["test"]
    ]
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    [table] = report.tables
    assert [row[0] for row in table.rows] == ["ORACLE", "MemSum", "lexrank-3"]
    [(name, page)] = report.pages.items()
    assert name == "examples.html"
    assert page.count("<section") == 3
    assert page.count("<article") == 3 * 4
    assert "<mark>" in page
    assert "&lt;b&gt;End&lt;/b&gt; &amp; rest." in page
    assert "&lt;i&gt;T&lt;/i&gt;" in page
    for markup in ("<script", "<b>", "<i>", "url(", "src="):
        assert markup not in page
    assert "default-src 'none'; style-src 'sha256-" in page
    assert report.signatures[0] in page.replace("&#39;", "'")
