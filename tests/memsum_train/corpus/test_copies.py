"""Documents that begin with their own summary are recognized; those that say the same in other words are not."""

from __future__ import annotations

import pytest

from memsum_train.corpus.variants import begins_with_summary

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
