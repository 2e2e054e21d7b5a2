"""One rule says where a summary ends; rules that contradict each other are refused."""

from __future__ import annotations

from typing import Any

import pytest

from memsum import Length, MemsumError
from memsum.model import StopSettings
from memsum.options import Reason
from memsum.summary import count_words

OWN = StopSettings(threshold=0.6, max_sentences=5)


def at(sentences: int, p_stop: float = 0.1, words: int = 40, characters: int = 200) -> tuple[int, float, int, int, int]:
    return sentences, p_stop, words, characters, 45


@pytest.mark.parametrize(
    ("length", "progress", "reason"),
    [
        (Length(), at(0, p_stop=0.9), None),
        (Length(), at(1, p_stop=0.6), "policy"),
        (Length(), at(4, p_stop=0.59), None),
        (Length(), at(5, p_stop=0.59), "max_sentences"),
        (Length(), at(5, p_stop=0.6), "policy"),
        (Length(min_sentences=0), at(0, p_stop=0.9), "policy"),
        (Length(min_sentences=8), at(7, p_stop=0.9), None),
        (Length(min_sentences=8), at(8), "max_sentences"),
        (Length(stop_threshold=0.2), at(1, p_stop=0.3), "policy"),
        (Length(stop_threshold=1), at(4, p_stop=0.9), None),
        (Length(max_sentences=2), at(2), "max_sentences"),
        (Length(max_sentences=9), at(8), None),
        (Length(sentences=3), at(2, p_stop=1), None),
        (Length(sentences=3), at(3), "sentences"),
        (Length(words=40), at(3, words=40), None),
        (Length(words=40), at(3, words=41), "words"),
        (Length(words=40), at(0, words=41), None),
        (Length(words=40, min_sentences=0), at(0, words=41), "words"),
        (Length(characters=200), at(3, characters=200), None),
        (Length(characters=199), at(3, characters=200), "characters"),
        (Length(ratio=0.1), at(3), None),
        (Length(ratio=0.1), at(4), "ratio"),
        (Length(ratio=0.001), at(1), "ratio"),
    ],
)
def test_where_a_summary_ends(
    length: Length, progress: tuple[int, float, int, int, int], reason: Reason | None
) -> None:
    assert length.stop_reason(*progress, OWN) == reason


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sentences": 3, "words": 50}, "Use only one of sentences, words, characters, ratio"),
        ({"words": 3, "characters": 50, "ratio": 0.5}, "Use only one of"),
        ({"sentences": 3, "stop_threshold": 0.5}, "sentences cannot be combined with stop_threshold or max_sentences"),
        ({"ratio": 0.3, "max_sentences": 5}, "ratio cannot be combined with"),
        ({"sentences": 0}, "sentences must be a whole number of at least 1, not 0"),
        ({"words": -3}, "words"),
        ({"characters": 2.5}, "characters"),
        ({"sentences": True}, "sentences"),
        ({"max_sentences": "7"}, "max_sentences"),
        ({"min_sentences": -1}, "min_sentences"),
        ({"ratio": 1.2}, "ratio"),
        ({"ratio": 0}, "ratio must be a number from 0 to 1, and more than 0, not 0"),
        ({"ratio": float("nan")}, "ratio"),
        ({"stop_threshold": "high"}, "stop_threshold"),
        ({"max_sentences": 3, "min_sentences": 4}, "at most 3 sentences cannot have 4"),
        ({"sentences": 3, "min_sentences": 4}, "at most 3 sentences cannot have 4"),
    ],
)
def test_impossible_lengths_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(MemsumError, match=says) as caught:
        Length(**options)
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Iron (n = 12) helped 6-year-old children, didn't it?", 8),
        ("iron ( n = 12 ) helped 6-year - old children , did n't it ?", 10),
        ("", 0),
        (" … — ", 0),
        ("橋は昨日閉鎖されました。", 11),
        ("大桥 2 号 was closed.", 6),
    ],
)
def test_words_are_what_has_letters_or_digits(text: str, words: int) -> None:
    assert count_words(text) == words


def test_counting_words_takes_linear_time() -> None:
    assert count_words("." * 1_000_000) == 0  # hours, if it were quadratic
