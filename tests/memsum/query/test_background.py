"""What is encoded while no question is asked."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable

import numpy as np

from memsum.document import read_document
from memsum.query.background import BACKGROUND, Background
from memsum.query.embedder import load_embedder
from memsum.query.index import EnglishIndex
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.sentence_index import SentenceIndex

PATIENCE = 60  # seconds
LONG = " ".join(
    f"Lock number {number} of the canal was {work} by a crew of {number % 9 + 2} people."
    for number in range(150)
    for work in ("repaired", "painted")
)


class Parts:
    """A task of some parts."""

    def __init__(self, parts: int) -> None:
        self.left = parts
        self.threads: set[str] = set()

    def encode_some(self) -> bool:
        self.threads.add(threading.current_thread().name)
        self.left -= self.left > 0
        return self.left > 0


def wait_until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_tasks_are_done_in_another_thread_but_not_while_a_question_is_asked() -> None:
    background, task = Background(), Parts(3)
    with background.paused(task):
        assert task.left == 3
    assert wait_until(lambda: task.left == 0)
    assert task.threads == {"memsum-background"}
    task.left = 10**9
    with background.paused(task), background.paused(task):
        left = task.left
        time.sleep(0.3)
        assert task.left >= left - 1  # a part that was begun is ended
    background.end()
    left = task.left
    time.sleep(0.2)
    assert task.left == left


def test_a_task_that_nobody_holds_is_dropped() -> None:
    background, first, second = Background(), Parts(10**9), Parts(2)
    for task in (first, second):
        with background.paused(task):
            pass
    del first, task
    gc.collect()
    assert wait_until(lambda: second.left == 0)
    assert wait_until(lambda: not any(thread.name == "memsum-background" for thread in threading.enumerate()))


def test_after_a_question_all_sentences_are_encoded_and_answers_stay_the_same() -> None:
    passages = Passages.of([read_document(LONG)])
    index = EnglishIndex(passages)
    questions = [Question.of(text) for text in ("Who painted lock 17?", "How many people repaired lock number 80?")]
    first = index.rate(questions[0])
    assert wait_until(lambda: not index.sentences.encode_some())
    for question in questions:
        fresh, again = EnglishIndex(passages).rate(question), index.rate(question)
        assert np.array_equal(fresh.scores, again.scores)
        assert fresh.answered == again.answered
    assert np.array_equal(first.scores, index.rate(questions[0]).scores)
    BACKGROUND.end()


def test_what_is_encoded_ahead_is_what_a_question_would_encode() -> None:
    passages, embedder = Passages.of([read_document(LONG)]), load_embedder()
    ahead, asked = SentenceIndex(passages, embedder), SentenceIndex(passages, embedder)
    rows = np.arange(len(passages))
    while ahead.encode_some():
        pass
    assert np.array_equal(ahead.vectors(rows), asked.vectors(rows))
