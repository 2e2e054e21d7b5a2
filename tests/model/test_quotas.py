"""Sections, documents and stretches have quotas."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memsum.model.constraints import Constraint, DocumentQuotas, SectionQuotas, StretchQuotas, TrigramBlock


def play(block: Constraint, scores: np.ndarray, count: int) -> list[int]:
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
    quotas = SectionQuotas(sections, scores)
    assert quotas.minimum == 3
    assert play(quotas, scores, 8) == [0, 6, 4, 1, 2, 5, 7, 3]


def test_a_section_that_says_nothing_waits() -> None:
    sections = np.repeat([0, 1, 2], 3)
    scores = np.array([0.9, 0.9, 0.9, 0.01, 0.01, 0.01, 0.5, 0.5, 0.5])
    quotas = SectionQuotas(sections, scores)
    assert quotas.minimum == 2
    assert play(quotas, scores, 9)[:5] == [0, 6, 1, 2, 7]


def test_every_section_has_a_quote_where_that_is_asked_for() -> None:
    sections = np.repeat([0, 1, 2], 3)
    scores = np.array([0.9, 0.9, 0.9, 0.01, 0.01, 0.01, 0.5, 0.5, 0.5])
    quotas = SectionQuotas(sections, scores, every=True)
    assert quotas.minimum == 3
    assert play(quotas, scores, 9)[:4] == [0, 6, 3, 1]


def test_a_document_of_many_sections_has_a_quote_of_the_largest_first() -> None:
    sections = np.arange(40)
    scores = np.linspace(0.1, 0.9, 40)
    quotas = SectionQuotas(sections, scores, every=True, most=9)
    assert quotas.minimum == 9
    assert play(quotas, scores, 9) == list(range(39, 30, -1))


def test_each_document_has_a_quote_then_the_best_come_whatever_their_document() -> None:
    documents = np.array([0, 0, 0, 0, 1, 1, 3])
    scores = np.array([0.9, 0.8, 0.7, 0.1, 0.4, 0.3, 0.2])
    quotas = DocumentQuotas(documents)
    assert quotas.minimum == 3
    assert play(quotas, scores, 7) == [0, 4, 6, 1, 2, 5, 3]
    blocked = TrigramBlock(["The pump ran dry.", "a", "b", "c", "The pump ran dry.", "d", "The pump ran dry."])
    assert play(DocumentQuotas(documents, blocked), scores, 7) == [0, 5, 1, 2, 3]


def test_shares_are_proportional() -> None:
    sections = np.repeat([0, 1], [60, 20])
    scores = np.full(80, 0.5)
    chosen = play(SectionQuotas(sections, scores), scores, 20)
    assert np.bincount(sections[chosen]).tolist() == [15, 5]


def test_spread_fills_the_halves_then_the_quarters() -> None:
    scores = np.array([0.9, 0.8, 0.1, 0.2, 0.3, 0.4, 0.7, 0.6])
    assert play(StretchQuotas(8, None), scores, 4) == [0, 6, 5, 3]


def test_trigrams_stay_blocked() -> None:
    sentences = ["The pump ran dry.", "The pump ran dry again.", "The tide rose.", "The pump ran dry in May."]
    scores = np.array([0.9, 0.8, 0.3, 0.7])
    sections = np.array([0, 0, 0, 1])
    assert play(SectionQuotas(sections, scores, TrigramBlock(sentences)), scores, 4) == [0, 2]
    assert play(StretchQuotas(4, TrigramBlock(sentences)), scores, 4) == [0, 2]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), max_size=40),
    st.sampled_from(["section", "document", "stretch"]),
)
def test_everyone_is_taken_in_the_end_and_nobody_twice(rows: list[tuple[int, float]], by: str) -> None:
    sections = np.array([section for section, _ in rows], np.int64)
    scores = np.array([score for _, score in rows], np.float64)
    made = {"section": SectionQuotas(sections, scores), "document": DocumentQuotas(sections)}
    quotas = made.get(by) or StretchQuotas(len(rows), None)
    assert sorted(play(quotas, scores, len(rows) + 1)) == list(range(len(rows)))


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 10**6))
def test_spread_leaves_no_gap(rows: int, count: int, seed: int) -> None:
    scores = np.random.default_rng(seed).random(rows)
    chosen = sorted(play(StretchQuotas(rows, None), scores, count))
    parts = 1 << (len(chosen).bit_length() - 1)  # so many stretches have been filled one by one
    if parts <= rows:
        assert {row * parts // rows for row in chosen} == set(range(parts))
