"""Which sentences need the one before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.languages.needs_context import NEEDED, needs_context


@pytest.mark.parametrize(
    "sentence",
    ["This handbook holds for all crews.", "This release drops the old timetable.", "This page is for owners."],
)
def test_a_document_that_speaks_of_itself_stands_alone(sentence: str) -> None:
    assert needs_context([sentence])[0] < NEEDED


@pytest.mark.parametrize(
    "sentence",
    [
        "This was not expected by anyone in the harbour office.",
        "These boats are repaired in winter.",
        "It rose by four metres within an hour.",
        "It's cheaper than a taxi after midnight.",
        "They were sold to a museum in 1987.",
        "Such repairs take about three weeks.",
        "However, the second pump failed in March.",
        "In contrast, the northern lines lost passengers.",
        "But nobody had asked the fishermen.",
        "For example, the library opened on Sundays.",
        "Their costs were borne by the county.",
        "In 2012, they were closed for good.",
        "In addition, it pays for the ice machine.",
        "The latter is cheaper after midnight.",
        "Both were closed after two winters.",
        "Most of these trips began at a railway station.",
        "After the operation this patient recovered within a week.",
        "As mentioned above, trains run until midnight.",
        "In this way the fare remains the same for all.",
        "Others are paid by the trip.",
        "Nor does the law forbid a later start.",
        "Chair: That's why we buy the second-hand crane.",
        "“This is the last bus,” the driver said.",
        "(a) These rules apply from May.",
    ],
)
def test_what_points_back_depends(sentence: str) -> None:
    assert needs_context([sentence])[0] >= NEEDED


@pytest.mark.parametrize(
    "sentence",
    [
        "The new bridge carried 4,000 cars a day.",
        "This study followed 214 nurses for two years.",
        "In this prospective study we followed 214 nurses.",
        "This section does not apply to small boats.",
        "This is the first report on night buses in the county.",
        "These results suggest that later buses pay for themselves.",
        "It is known that tides follow the moon.",
        "It remains unclear whether the pier will hold.",
        "There are two railway lines in the district.",
        "Those who live near a station travel more often.",
        "In contrast to taxis, night buses run on schedule.",
        "Moreover, later buses cost less than taxis.",
        "In conclusion, later buses pay for themselves.",
        "Therefore, the council should keep the service.",
        "Both the library and the school stay open.",
        "Such as it is, the pier will hold.",
        "When the pump failed, it was replaced within a day.",
        "The council paid for the pump, the pier and the crane, and this pump is still in use.",
        "We buy the second-hand crane.",
    ],
)
def test_what_says_what_it_speaks_of_stands_alone(sentence: str) -> None:
    assert needs_context([sentence])[0] < NEEDED


@given(st.lists(st.text(max_size=300), max_size=5))
def test_every_text_has_an_answer(sentences: list[str]) -> None:
    found = needs_context(sentences)
    assert len(found) == len(sentences)
    assert ((found >= 0) & (found <= 1)).all()
