from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.languages import low_value as quotable
from memsum.languages.low_value import READ, RULES, Rule, low_value, quoted_words

# A page of ordinary prose around a sentence, since whether a document is cased is seen from all of it.
CASED = ["The ferry crossed the bay twice a day.", "In winter it stayed in the harbour and nobody minded."] * 3
LOWER = ["the ferry crossed the bay twice a day .", "in winter it stayed in the harbour and nobody minded ."] * 3

TABLE = (Path(__file__).parents[2] / "data" / "low_value.txt").read_text(encoding="utf-8").splitlines()
CASES = [line.split(" | ") for line in TABLE if not line.startswith("#")]
_RULES = {rule.name: rule for rule in RULES}


def judge(sentence: str, *, cased: bool = True) -> float:
    return float(low_value([*(CASED if cased else LOWER), sentence])[-1])


@pytest.mark.parametrize(
    "sentence",
    [
        "For example,",
        "Harbour fees",
        "(a) In general.",
        "(c) Payment of harbour dues by owners.",
        "$ ferry --timetable winter",
        "How many passengers did the ferry carry?",
        "“What about the harbour?”",
        "Okay, so shall we start?",
        "Project Manager: Okay.",
        "Mm - hmm.",
        "1.2 Harbours and their depth ........ 17",
        "By Marta Oliveira and Jonas Lind",
        "Subject: timetable of the ferry",
        "https://ferries.example/timetable",
        "Figure 3. Passengers by month.",
        "See Table 4 for the depth of the harbours.",
        "The harbours are as follows:",
        "The ferry differs from the bridge in three ways:",
        "The council defines a harbour as a",
        "(Lind, 2004).",
        "See Lind v. Harbour Board, 212 U.S. 14, 17 (1909).",
        "§ 14.2(b).",
        "© 2021 The Ferry Society.",
        "And then the ferry, with all of us on board...",
        "___________________",
        "",
    ],
)
def test_poor_quotes_of_cased_text(sentence: str) -> None:
    assert judge(sentence) >= 0.5


@pytest.mark.parametrize(
    "sentence",
    [
        "thus @xmath388 is even .",
        "let @xmath12 be a harbour with depth @xmath13 .",
        "phys . * 110 * , 901 ( 2003 ) .",
        "r . lind , j . oliveira and k . aho , ann .",
        "in section  [ sec : bay ] , we describe the bay .",
        "the depths are shown in table  [ tab : depth ] .",
        "how deep is the bay ?",
    ],
)
def test_poor_quotes_of_lowercased_text(sentence: str) -> None:
    assert judge(sentence, cased=False) >= 0.5


@pytest.mark.parametrize(("rule", "poor", "fine"), CASES)
def test_each_rule_finds_what_it_is_for(rule: str, poor: str, fine: str) -> None:
    assert judge(poor) >= 0.5
    assert judge(fine) <= 0.3
    assert _RULES[rule].finds(quoted_words(poor).lower())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_pattern_is_untested(rule: Rule) -> None:
    poor = [quoted_words(poor).lower() for name, poor, _ in CASES if name == rule.name]
    for pattern in rule.patterns:
        assert any(map(replace(rule, patterns=[pattern]).finds, poor)), pattern


@pytest.mark.parametrize(
    "sentence",
    [
        "We conclude that ferries run late when the tide is low.",
        "Delays fell from 14 to 3 minutes (p < 0.01; Figure 2).",
        "As shown in Figure 4, ferries with two engines were late half as often.",
        "We hold that the harbour board may not refuse a licence without a hearing.",
        "The judgment of the court below is reversed.",
        "This case presents the question whether a ferry is a vessel within the meaning of § 3 of the Ferry Act.",
        "Directs the Secretary to inspect each ferry once a year.",
        "(1) the owner of the ferry has been given notice in writing; and",
        "(13) Current and future cost of inspecting ferries that serve islands with fewer than 500 residents.",
        "The Secretary shall publish the results of each inspection within 30 days.",
        "A diode consists of an anode and a cathode.",
        "“I never trusted that engine, and I told your father so,” said the captain.",
        '"There are three men on the ferry and one of them is not who he says he is."',
        "Marketing: I think the buttons should be larger, because our users are older than we assumed.",
        "Hon. Ana Reis: The member voted against more inspectors at the harbour in each of the last two years.",
        "渡し船は一日に二度湾を渡った。",
    ],
)
def test_sentences_worth_quoting(sentence: str) -> None:
    assert judge(sentence) <= 0.3


@pytest.mark.parametrize(
    "sentence",
    [
        "the mean delay was 5.1  1.2 minutes ( p = 0.03 ) .",
        "annual delays ranged from 1.56% ( n = 1264 ) in 2006 to 4.7% ( n = 263 ) in 2001 .",
        "we find that the delay grows linearly with the depth @xmath3 of the bay @xcite .",
        "three percent ( n = 30 ) of the letters came back . from",
        "no delay was seen in small bays , as has been suggested before ( e.g. * ? ? ?",
        "a titre of 63 sera ( 70% ) was found at 1 :",
    ],
)
def test_sentences_worth_quoting_in_lowercased_text(sentence: str) -> None:
    assert judge(sentence, cased=False) < 0.5


def test_a_small_beginning_is_a_fragment_only_where_others_begin_with_capitals() -> None:
    sentence = "shows how the depth of the harbour changes with the tide in spring ."
    assert judge(sentence) >= 0.5
    assert judge(sentence, cased=False) < 0.5


def test_a_question_that_asserts_is_no_bare_question() -> None:
    assert judge("You never saw the captain again, did you?") < 0.5
    assert judge("Did you ever see the captain again?") >= 0.5


def test_one_number_for_each_sentence() -> None:
    assert low_value([]).shape == (0,)
    scores = low_value(CASED)
    assert scores.dtype == np.float32
    assert scores.shape == (len(CASED),)
    assert not scores.any()


_PIECES = st.sampled_from(
    ["see ", "Section 2 ", "figure 3 ", "? ", ". ", "@xmath1 ", "( a ) ", "Mr. ", "is ", "… ", "—", ": "]
)


@settings(deadline=None)
@given(
    st.lists(st.text() | st.lists(_PIECES, max_size=40).map("".join) | st.text(st.characters(), max_size=9), max_size=8)
)
def test_any_text_has_a_number_between_zero_and_one(sentences: list[str]) -> None:
    scores = low_value(sentences)
    assert scores.shape == (len(sentences),)
    assert ((scores >= 0) & (scores <= 1)).all()


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_is_read_beyond_the_first_characters(one: str, other: str) -> None:
    beginning = ("The ferry crossed the bay and came back late. " * 20)[:READ] + "."
    assert judge(beginning + one) == judge(beginning + other)


@pytest.mark.parametrize(
    "unit", ["a ", "see a ", "future ", "future work ", "section 1 ", ". ", "? ", "(", "figure ", "@xmath "]
)
def test_what_is_read_does_not_grow_with_the_sentence(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    words = quotable._words
    monkeypatch.setattr(quotable, "_words", lambda low: read.append(len(low)) or words(low))
    for times in (1_000, 100_000):
        judge(unit * times)
    assert max(read) <= READ
    assert read[len(CASED)] == read[-1]


def test_stumbling_speech_is_worth_less_than_the_same_said_plainly() -> None:
    plain, halting, broken, written = low_value(
        [
            "We moved the boats to the south pier in spring and told the owners.",
            "We, um, moved the boats to the the south pier in spring and told the owners.",
            "Um, we uh moved the the boats, yeah, to the, uh, to the pier.",
            "She had had that boat for years and liked it very very much.",
        ]
    )
    assert plain == written == 0
    assert 0.2 < halting < 0.5 < broken


def test_a_letter_in_parentheses_is_no_stumbling() -> None:
    assert judge("For purposes of subsection (a), a person has a boat in a harbour if the boat stays there.") == 0
    assert judge("I I think that the the ferry was was late again on Monday.") > 0.3
