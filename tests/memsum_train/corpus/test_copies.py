"""Documents that begin with their own summary are recognized; those that say the same in other words are not."""

from __future__ import annotations

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


def test_a_text_with_its_abstract_in_front_is_recognized():
    assert begins_with_summary([*SUMMARY, *BODY], SUMMARY)


def test_small_changes_hide_nothing():
    changed = [sentence.upper().replace(",", " ,") for sentence in SUMMARY]
    assert begins_with_summary(["Abstract", *changed, *BODY], SUMMARY)


def test_a_text_that_says_it_in_other_words_is_not():
    assert not begins_with_summary(BODY, SUMMARY)


def test_one_sentence_that_is_used_twice_is_no_copy():
    assert not begins_with_summary([SUMMARY[0], *BODY], SUMMARY)


def test_a_summary_at_the_end_is_a_conclusion():
    assert not begins_with_summary([*BODY, *SUMMARY], SUMMARY)


def test_short_lines_count_for_nothing():
    assert not begins_with_summary(["Two valleys lost their ice."] * 5, ["Two valleys lost their ice."])
