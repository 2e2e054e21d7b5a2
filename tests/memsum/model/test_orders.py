"""What is extracted next besides the network's wish: penalties and quotas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum import Summarizer
from memsum.languages.low_value import low_value
from memsum.model.constraints import (
    Constraint,
    DocumentQuotas,
    MainSectionQuotas,
    SectionQuotas,
    StretchQuotas,
    TrigramBlock,
)
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus import Example
from memsum_train.evaluation.playing import open_model, play_documents

if TYPE_CHECKING:
    from conftest import MakePair


POOR = "Section 2 presents the ferries of the harbour, and Section 3 discusses the piers."


def with_penalties(runtime: Runtime, **penalties: float) -> Runtime:
    runtime.config = replace(runtime.config, penalties=replace(runtime.config.penalties, **penalties))
    return runtime


def test_a_poor_quote_has_its_price(make_pair: MakePair, notes: list[str]) -> None:
    runtime = Runtime.load(make_pair(history="counted").folder, threads=1)
    sentences = [*notes, POOR]
    assert low_value(sentences)[-1] >= 0.5
    places = []
    for penalty in (-100.0, 100.0):
        episode = begin(with_penalties(runtime, low_value=penalty), sentences)
        episode.extend(len(sentences))
        places.append(episode.choices.index(len(sentences) - 1))
    assert places[0] < 3
    assert places[1] > len(set(sentences)) - 7


def test_models_with_graphs_are_evaluated_as_they_ship(make_pair: MakePair, examples: list[Example]) -> None:
    pair = make_pair("int8", history="counted")
    model = open_model(pair.folder, "cpu")
    assert model.runtime is not None
    [extraction] = play_documents(model, examples[:1], 5)
    episode = begin(pair.runtime, examples[0].text)
    episode.extend(5)
    assert extraction.choices == tuple(episode.choices)
    np.testing.assert_allclose(extraction.stops, episode.stops)


def test_a_summary_says_how_sure_the_model_is() -> None:
    summarizer = Summarizer.load()
    paper = [
        "We measured how a low-salt diet changes blood pressure in hospital patients with hypertension.",
        "Patients were assigned at random to a low-salt diet or to usual meals for twelve weeks.",
        "Blood pressure fell by 9 mmHg with the low-salt diet and by 2 mmHg with usual meals (p < 0.01).",
        "We conclude that a low-salt diet lowers blood pressure in patients with hypertension.",
    ]
    sure = summarizer.summarize(paper, sentences=2)
    assert sure.confidence is not None
    assert 0.3 < sure.confidence < 1
    assert sure.to_dict()["confidence"] == pytest.approx(sure.confidence, abs=1e-6)
    assert not any("unsure" in warning for warning in sure.warnings)
    talk = ["Yeah, so that was sort of the thing there."] + [
        f"And then uh number {i} went over there, you know." for i in range(60)
    ]
    unsure = summarizer.summarize(talk, sentences=3)
    assert unsure.confidence is not None
    assert unsure.confidence < sure.confidence


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


def test_the_best_of_a_long_document_come_first_and_each_main_section_in_time() -> None:
    sections = np.repeat(np.arange(4), 10)
    scores = np.linspace(0.1, 0.9, 40)
    quotas = MainSectionQuotas(sections, scores, expected=5)
    assert quotas.minimum == 7
    assert play(quotas, scores, 7) == [39, 38, 37, 36, 29, 19, 9]
    quotas = MainSectionQuotas(sections, np.where(sections == 0, 0, scores), expected=20)
    chosen = play(quotas, scores, 20)
    assert chosen[:18] == list(range(39, 21, -1))
    assert set(sections[chosen].tolist()) == {1, 2, 3}  # the first has nothing worth quoting


def test_of_too_many_main_sections_the_best_have_a_quote() -> None:
    quotas = MainSectionQuotas(np.arange(400), np.linspace(0.1, 0.9, 400), expected=5)
    assert quotas.minimum == 53


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
