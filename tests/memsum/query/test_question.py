from __future__ import annotations

import pytest

from memsum.errors import MemsumError
from memsum.languages.questions import without_question_words
from memsum.query.question import LONGEST, Question


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What did the group discuss about the mooring fees?", ["mooring", "fees"]),
        ("Summarize the discussion about moving the ice machine.", ["moving", "ice", "machine"]),
        ("crane", ["crane"]),
    ],
)
def test_the_words_of_the_asking_are_no_topic(text: str, topic: list[str]) -> None:
    question = Question.of(text)
    assert [word for word, weight in zip(question.words, question.weights, strict=True) if weight == 1] == topic


def test_a_word_of_the_asking_is_a_topic_where_there_is_no_other() -> None:
    assert Question.of("What was the decision?").words == ("decision",)
    assert Question.of("What is it about?").words == ()


@pytest.mark.parametrize("text", ["", "   \n", "?!…", "\x00\x1b[31m\x07"[:1], None, 7, ["crane"]])
def test_what_is_no_question_is_refused_in_one_sentence(text: object) -> None:
    with pytest.raises(MemsumError, match="question"):
        Question.of(text)


def test_a_question_has_a_largest_size() -> None:
    assert Question.of("crane " * (LONGEST // 6)).words[0] == "crane"
    with pytest.raises(MemsumError, match="1,001 characters"):
        Question.of("a" * (LONGEST + 1))


@pytest.mark.parametrize(
    "text",
    [
        "(a+)+$" * 150,
        "crane\x00\x1b[2Jcrane\u202e",
        "crane" + "[" * 900,
        "\ud800 crane",
        "e" + "\u0301" * 900,
        "((((n't" * 140,
    ],
)
def test_hostile_questions_are_questions_like_any_other(text: str) -> None:
    assert all(word[0].isalnum() for word in Question.of(text).words)


NAMES = ["Project Manager", "User Interface", "Professor B", "Grad C", "Grad D", "Kirsty Williams AM"]
SAID = {"project", "manager", "user", "interface", "design", "b", "c"}


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("What did Project Manager say?", {"Project Manager"}),
        ("What did the User Interface think of the Project Manager?", {"User Interface", "Project Manager"}),
        ("What is said about the user interface of the project?", set()),
        ("What did the professor think?", {"Professor B"}),
        ("What did C recommend?", {"Grad C"}),
        ("What did Grad D and Williams recommend?", {"Grad D", "Kirsty Williams AM"}),
        ("What did the grads do?", set()),
    ],
)
def test_speakers_are_told_from_topics(text: str, speakers: set[str]) -> None:
    assert Question.of(text).speakers(NAMES, SAID).keys() == speakers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many passengers were there?", {"number"}),
        ("How much will be saved?", {"number"}),
        ("When does the ferry leave?", {"date"}),
        ("How long does the repair take?", {"duration"}),
        ("Who repairs the crane?", {"who"}),
        ("Where is the ice machine?", {"where"}),
        ("Why was the crane closed?", {"why"}),
        ("How do I apply?", {"how"}),
        ("the crane", set()),
    ],
)
def test_a_question_expects_a_kind_of_answer(text: str, expected: set[str]) -> None:
    assert Question.of(text).expects == expected


def test_a_question_is_parsed_once_into_topic_and_money() -> None:
    question = Question.of("How many fishing boats were lifted, and how many boats were painted?")
    assert question.words == ("fishing", "boats", "lifted", "painted")
    assert Question.of("How much does the crane cost?").asks_for_money
    assert not Question.of("How much rain fell?").asks_for_money


@pytest.mark.parametrize(
    ("language", "question", "about"),
    [
        ("fr", "Quand la ville a fermé le pont", "ville a fermé pont"),
        ("ru", "Когда город закрыл мост?", "город закрыл мост?"),
        ("ja", "橋の目的は何ですか", "橋の目的"),
        ("zh", "为什么关闭大桥", "关闭大桥"),
        (None, "warum", "warum"),
    ],
)
def test_words_that_ask_are_no_part_of_the_topic(language: str | None, question: str, about: str) -> None:
    assert without_question_words(question, language) == about
