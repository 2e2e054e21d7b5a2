"""What speaks for a sentence as an answer: likeness to the pieces of a question, and abbreviations explained."""

from __future__ import annotations

import numpy as np
import pytest

from memsum.document import read_document
from memsum.query.embedder import load_embedder
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.sentence_index import COLUMNS, AnswerFeatures, SentenceIndex

HARBOR = (
    "The harbor has two piers. The crane was repaired in March by the firm Lund. Tickets for the ferry cost four "
    "euros. The ice machine stays where it is. Nobody asked for a new lighthouse."
)


def gather(text: str, question: str) -> tuple[SentenceIndex, AnswerFeatures]:
    index = SentenceIndex(Passages.of([read_document(text)]), load_embedder())
    return index, index.gather(Question.of(question))


def test_each_piece_of_a_question_looks_for_the_piece_most_like_it() -> None:
    index, evidence = gather(HARBOR, "Who repaired the crane?")
    texts = [index.passages.texts[row] for row in evidence.rows.tolist()]
    crane = texts.index("The crane was repaired in March by the firm Lund.")
    pieces = index.embedder.wordpiece.encode("Who repaired the crane?")[1:-1]
    assert evidence.likeness.shape == (len(texts), len(pieces))
    assert len(evidence.pieces) == len(pieces)
    assert np.abs(evidence.likeness).max() <= 1.01
    for name in ("pieces", "plain pieces"):
        assert evidence.values[:, COLUMNS.index(name)].argmax() == crane, name


def test_what_is_not_compared_piece_by_piece_comes_after_the_rest() -> None:
    text = " ".join(f"Boat number {number} has a sail of {number} square meters." for number in range(100))
    index, evidence = gather(text, "How large is the sail of boat 7?")
    assert not set(evidence.rows.tolist()) & set(evidence.others.tolist())
    assert len(evidence.others) > 0
    assert len(evidence.rows) < len(index.passages) / 4


@pytest.mark.parametrize(
    ("text", "question", "asked"),
    [
        ("A non-maintainer upload (NMU) is made by others.", "What is an NMU?", "non maintainer upload"),
        ("A non-maintainer upload (NMU) is made by others.", "Who makes NMUs?", "non maintainer upload"),
        ("We use CI (continuous integration) daily.", "What is CI for?", "continuous integration"),
        ("Our customer satisfaction (CSAT) fell.", "How high is customer satisfaction?", "CSAT"),
    ],
)
def test_abbreviations_are_asked_for_as_the_document_explains_them(text: str, question: str, asked: str) -> None:
    index, _ = gather(f"{text} The weather was fine. Nobody came.", question)
    assert index._expand(Question.of(question)).text == f"{question} ({asked})"


@pytest.mark.parametrize("text", ["Mister Smith (BBC) was there.", "See the table (AB).", "It rose (in 2019) again."])
def test_other_words_in_parentheses_explain_nothing(text: str) -> None:
    index, _ = gather(f"{text} The weather was fine.", "What is the BBC?")
    assert index._expand(Question.of("What did the BBC say of AB?")).text == "What did the BBC say of AB?"
