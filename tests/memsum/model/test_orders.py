"""What is extracted next besides the network's wish: penalties and quotas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum import Summarizer
from memsum.features.source_text import SourceText
from memsum.languages.low_value import low_value
from memsum.model.constraints import (
    FREE_WORDS,
    FULL_WORDS,
    Constraint,
    DocumentQuotas,
    SectionQuotas,
    StretchQuotas,
    TrigramBlock,
    length_penalty,
    length_reward,
    short_penalty,
)
from memsum.model.runtime import Runtime
from memsum_train.corpus import Example
from memsum_train.evaluation.playing import open_model, play_documents

if TYPE_CHECKING:
    from conftest import MakePair


POOR = "Section 2 presents the ferries of the harbour, and Section 3 discusses the piers."


def with_penalties(runtime: Runtime, **penalties: float) -> Runtime:
    runtime.config = replace(runtime.config, penalties=replace(runtime.config.penalties, **penalties))
    return runtime


def test_full_sentences_are_preferred_among_the_first_quotes_only(make_pair: MakePair, examples: list[Example]) -> None:
    text = examples[0].text
    sentences = [" ".join(text[i : i + 1 + i % 2]) for i in range(len(text))]  # every other one is two
    runtime = Runtime.load(make_pair(history="counted").folder, threads=1)
    source = SourceText.of_sentences(sentences)
    plain, full = (with_penalties(runtime, fullness=fullness).encode(source).episode() for fullness in (0.0, 50.0))
    encoding = runtime.encode(source)
    lengths, signals = encoding.prepared.text.lengths, encoding.prepared.text.signals
    assert signals is not None
    full.extend(len(sentences))
    assert lengths[full.choices[0]] >= min(FULL_WORDS, lengths.max())
    late = int((np.cumsum(lengths[full.choices]) > math.exp(signals.expected) / 2).argmax()) + 1
    assert 0 < late < len(full.choices)
    state = tuple(full.choices[:late])
    np.testing.assert_array_equal(full._scorer.score(state).ratings, plain._scorer.score(state).ratings)


def test_a_poor_quote_has_its_price(make_pair: MakePair, notes: list[str]) -> None:
    runtime = Runtime.load(make_pair(history="counted").folder, threads=1)
    sentences = [*notes, POOR]
    assert low_value(sentences)[-1] >= 0.5
    places = []
    for penalty in (-100.0, 100.0):
        episode = with_penalties(runtime, low_value=penalty).begin(sentences)
        episode.extend(len(sentences))
        places.append(episode.choices.index(len(sentences) - 1))
    assert places[0] < 3
    assert places[1] > len(set(sentences)) - 7


def test_models_with_graphs_are_evaluated_as_they_ship(make_pair: MakePair, examples: list[Example]) -> None:
    pair = make_pair("int8", history="counted")
    model = open_model(pair.folder, "cpu")
    assert model.runtime is not None
    [extraction] = play_documents(model, examples[:1], 5)
    episode = pair.runtime.begin(examples[0].text)
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


def test_a_longer_sentence_pays_and_a_short_one_gains_nothing() -> None:
    paid = length_penalty(np.array([0, 1, FREE_WORDS, 2 * FREE_WORDS, 4 * FREE_WORDS]), 0.5)
    assert paid[0] == paid[1] == paid[2] == 0 < paid[3]
    assert np.isclose(paid[4], 2 * paid[3])  # twice as long is as much dearer, however long


def test_beyond_a_full_sentence_words_are_worth_no_more() -> None:
    rewards = length_reward(np.array([FREE_WORDS, FULL_WORDS, 9 * FULL_WORDS]), 1.0)
    assert rewards[0] == 0 < rewards[1] == rewards[2]


def test_without_brevity_nothing_changes() -> None:
    assert not length_penalty(np.arange(200), 0.0).any()


def test_sentences_are_short_for_their_document() -> None:
    paper, story = np.array([4, 10, 25, 40, 30]), np.array([4, 6, 5, 8, 7])
    assert short_penalty(paper)[:3].tolist() == pytest.approx([np.log(5), np.log(2), 0])
    assert not short_penalty(paper)[2:].any()
    assert short_penalty(story)[0] == pytest.approx(np.log(6 / 4))
    assert not short_penalty(story)[1::2].any()
    assert not short_penalty(np.array([1])).any()


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
