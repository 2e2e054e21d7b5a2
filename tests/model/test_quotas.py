"""Sections and stretches of a document take turns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memsum.model.quotas import Block, SectionTurns, SpreadTurns
from memsum.model.trigrams import TrigramBlock


def play(block: Block, scores: np.ndarray, count: int) -> list[int]:
    """Extract the best row that is not blocked, as an episode does."""
    choices: list[int] = []
    for _ in range(count):
        free = np.where(block.blocked, -1.0, scores)
        free[choices] = -1.0
        if free.max(initial=-1.0) < 0:
            break
        choices.append(int(free.argmax()))
        block.extract(choices[-1])
    return choices


def test_each_section_that_matters_has_a_quote_before_any_has_two() -> None:
    sections = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    scores = np.array([0.9, 0.8, 0.7, 0.1, 0.4, 0.3, 0.5, 0.2])
    turns = SectionTurns(sections, scores)
    assert turns.least == 3
    assert play(turns, scores, 8) == [0, 6, 4, 1, 2, 5, 7, 3]


def test_a_section_that_says_nothing_waits() -> None:
    sections = np.repeat([0, 1, 2], 3)
    scores = np.array([0.9, 0.9, 0.9, 0.01, 0.01, 0.01, 0.5, 0.5, 0.5])
    turns = SectionTurns(sections, scores)
    assert turns.least == 2
    assert play(turns, scores, 9)[:5] == [0, 6, 1, 2, 7]


def test_shares_are_proportional() -> None:
    sections = np.repeat([0, 1], [60, 20])
    scores = np.full(80, 0.5)
    chosen = play(SectionTurns(sections, scores), scores, 20)
    assert np.bincount(sections[chosen]).tolist() == [15, 5]


def test_spread_fills_the_halves_then_the_quarters() -> None:
    scores = np.array([0.9, 0.8, 0.1, 0.2, 0.3, 0.4, 0.7, 0.6])
    assert play(SpreadTurns(8, None), scores, 4) == [0, 6, 5, 3]


def test_trigrams_stay_blocked() -> None:
    sentences = ["The pump ran dry.", "The pump ran dry again.", "The tide rose.", "The pump ran dry in May."]
    scores = np.array([0.9, 0.8, 0.3, 0.7])
    sections = np.array([0, 0, 0, 1])
    assert play(SectionTurns(sections, scores, TrigramBlock(sentences)), scores, 4) == [0, 2]
    assert play(SpreadTurns(4, TrigramBlock(sentences)), scores, 4) == [0, 2]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), max_size=40),
    st.booleans(),
)
def test_everyone_is_taken_in_the_end_and_nobody_twice(rows: list[tuple[int, float]], spread: bool) -> None:
    sections = np.array([section for section, _ in rows], np.int64)
    scores = np.array([score for _, score in rows], np.float64)
    block = SpreadTurns(len(rows), None) if spread else SectionTurns(sections, scores)
    assert sorted(play(block, scores, len(rows) + 1)) == list(range(len(rows)))


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 10**6))
def test_spread_leaves_no_gap(rows: int, count: int, seed: int) -> None:
    scores = np.random.default_rng(seed).random(rows)
    chosen = sorted(play(SpreadTurns(rows, None), scores, count))
    parts = 1 << (len(chosen).bit_length() - 1)  # so many stretches have been filled one by one
    if parts <= rows:
        assert {row * parts // rows for row in chosen} == set(range(parts))
