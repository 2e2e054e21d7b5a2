from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.english import low_value as quotable
from memsum.english.low_value import READ, low_value

# A page of ordinary prose around a sentence, since whether a document is cased is seen from all of it.
CASED = ["The ferry crossed the bay twice a day.", "In winter it stayed in the harbour and nobody minded."] * 3
LOWER = ["the ferry crossed the bay twice a day .", "in winter it stayed in the harbour and nobody minded ."] * 3


def judge(sentence: str, *, cased: bool = True) -> float:
    return float(low_value([*(CASED if cased else LOWER), sentence])[-1])


@pytest.mark.parametrize(
    "sentence",
    [
        "For example,",
        "Harbour fees",
        "(a) In general.",
        "(c) Payment of harbour dues by owners.",
        "Section 2 presents the ferries, and Section 3 describes their routes.",
        "The rest of this paper looks at the harbour.",
        "This report is organized as follows.",
        "Most of the remainder of this document outlines the duties of the harbour office.",
        "Also, in section 3, this page tells owners how to reach the crane.",
        "Details about the fees of the harbour are found in the separate price list.",
        "While every crew has its own way, here are some rules that all of them keep to.",
        "If the ferry is new to you, I encourage you to give it a try.",
        "This lesson does not cover boats with two masts.",
        "$ ferry --timetable winter",
        "In the next chapter, we return to the ferries of the north.",
        "Further research is needed to understand why the ferries were late.",
        "In future work, we will count the passengers of other bays.",
        "How many passengers did the ferry carry?",
        "“What about the harbour?”",
        "Okay, so shall we start?",
        "Thank you very much.",
        "Project Manager: Okay.",
        "Mm - hmm.",
        "Hello everybody and welcome to the second meeting about the ferry.",
        "I would be happy to answer any questions that you may have.",
        "We thank the harbour master for his patience.",
        "1.2 Harbours and their depth ........ 17",
        "By Marta Oliveira and Jonas Lind",
        "Subject: timetable of the ferry",
        "https://ferries.example/timetable",
        "Figure 3. Passengers by month.",
        "Figure 3 shows the passengers.",
        "The timetable is shown in Table 2.",
        "See Table 4 for the depth of the harbours.",
        "The harbours are as follows:",
        "The ferry differs from the bridge in three ways:",
        "The council defines a harbour as a",
        "(Lind, 2004).",
        "See Lind v. Harbour Board, 212 U.S. 14, 17 (1909).",
        "§ 14.2(b).",
        "The study was approved by the ethics committee of the island hospital.",
        "The authors declare no conflict of interest.",
        "© 2021 The Ferry Society.",
        "All authors read and approved the final manuscript.",
        "This Act may be cited as the Ferry Safety Act of 2031.",
        "Section 12 of the Ferry Act (9 U.S.C. 12) is amended by adding at the end the following:",
        "(2) by striking ferry and inserting vessel;",
        "The harbour master found that a quorum was present.",
        "The minutes of the last meeting were approved without changes.",
        "The chairwoman welcomed the captains and their families.",
        "The meeting was closed at ten in the evening.",
        "To learn more about the ferry, read the harbour's own history of it.",
        "For more information on fares, ask at the pier.",
        "You can find more details of the route on the page of the harbour.",
        "Check out the film that the harbour made about its oldest ferry.",
        "Watch the captain explain how the engine works in this short video.",
        "In the last post, I told how the harbour came to have two ferries.",
        "This post is the third of five about the ferries of the north.",
        "This is part two in a series about the harbours of the north.",
        "This article was originally published on the harbour's own page.",
        "Here are some ways in which a harbour can save money.",
        "If you have lost something on board, please contact the office at the pier.",
        "Nothing to discuss this week, since the ferry is in dock.",
        "Editor's note: the harbour was renamed after this was written.",
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
        "the paper is organized as follows .",
        "in section  [ sec : bay ] , we describe the bay .",
        "the depths are shown in table  [ tab : depth ] .",
        "further studies are needed to confirm the depth of the bay .",
        "how deep is the bay ?",
        "the study was approved by the local ethics committee .",
        "we thank the harbour master for his patience .",
    ],
)
def test_poor_quotes_of_lowercased_text(sentence: str) -> None:
    assert judge(sentence, cased=False) >= 0.5


@pytest.mark.parametrize(
    "sentence",
    [
        "We conclude that ferries run late when the tide is low.",
        "Delays fell from 14 to 3 minutes (p < 0.01; Figure 2).",
        "As shown in Figure 4, ferries with two engines were late half as often.",
        "Table 6 shows that 29.1% of the ferries were late in winter and 16.1% in summer.",
        "The aim of this study was to measure how often ferries are late.",
        "This report examines how the agency inspects ferries.",
        "We next show that the engine, and not the tide, explains most of the delays.",
        "Although further work is needed on engines, the new timetable could serve all islands.",
        "We hold that the harbour board may not refuse a licence without a hearing.",
        "The judgment of the court below is reversed.",
        "This case presents the question whether a ferry is a vessel within the meaning of § 3 of the Ferry Act.",
        "The lawyer had a conflict of interest, and her consent was never asked for.",
        "Directs the Secretary to inspect each ferry once a year.",
        "(1) the owner of the ferry has been given notice in writing; and",
        "(13) Current and future cost of inspecting ferries that serve islands with fewer than 500 residents.",
        "The Secretary shall publish the results of each inspection within 30 days.",
        "Section 851 requires the agency to review past contracts for ferries.",
        "The meeting agreed to buy a second ferry and to sell the old one.",
        "For more than ten years the ferry has been late on Mondays.",
        "We found more passengers on the ferry in winter than in summer.",
        "Captains must read the tide tables before they leave, and post them on board.",
        "Owners must contact the harbour board within 30 days of an accident.",
        "There is no update of the timetable in winter, so ferries leave by the summer one.",
        "The board saw nothing new in the complaint and dismissed it on the first of May.",
        "Officials acknowledged that the agency had not inspected 15 of the 40 ferries.",
        "A diode consists of an anode and a cathode.",
        "By using tide tables, captains avoid the shallow part of the bay.",
        "“I never trusted that engine, and I told your father so,” said the captain.",
        '"There are three men on the ferry and one of them is not who he says he is."',
        "He refused to answer any questions about the ferry.",
        "Section 1201 describes who may own a ferry and who may sail one.",
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
    [
        "see ",
        "Section 2 ",
        "figure 3 ",
        "future work ",
        "? ",
        ". ",
        "@xmath1 ",
        "( a ) ",
        "Mr. ",
        "is ",
        "… ",
        "—",
        ": ",
        "* ",
        "the ",
    ]
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
