"""Sentences whose words mean nothing to the model: read by the words they share."""

from __future__ import annotations

import numpy as np
import pytest

from memsum import Summarizer
from memsum.features.any_language import read_in_any_language
from memsum.features.columns import Sentences
from memsum.features.source_text import Outline

GERMAN = [
    "Die Brücke am Hafen bleibt bis September gesperrt.",
    "Der Stadtrat hat die Sperrung der Brücke gestern beschlossen.",
    "Welche Umwege gibt es?",
    "Busse fahren über die Nordbrücke, Fahrräder werden geschoben.",
    "Die Reparatur der Brücke kostet 1,7 Mio. Euro:",
]


def read(default: Summarizer, sentences: list[str], title: str | None = None) -> Sentences:
    sections = [None] * len(sentences)
    salience = default.runtime.encoder.salience
    assert salience is not None
    return read_in_any_language(sentences, sections, Outline.of_headings(sections), title, salience)[0]


def test_sentences_that_share_words_are_near_each_other(default: Summarizer) -> None:
    again = "Bis September bleibt die Brücke gesperrt, sagt der Stadtrat."
    signals = read(default, [*GERMAN, again]).encoded.signals
    assert signals is not None
    likeness = signals.counts.directions @ signals.counts.directions[-1]
    assert likeness[0] > max(likeness[2], likeness[3], likeness[4]) + 0.2


def test_rare_words_weigh_more(default: Summarizer) -> None:
    signals = read(default, GERMAN).encoded.signals
    assert signals is not None
    weights = {
        int(signals.counts.spread[word]): signals.counts.weights[word] for word in range(len(signals.counts.weights))
    }
    assert weights[1] == 1 > weights[3] > 0


def test_lead_ins_and_foreign_parts_are_of_low_value(default: Summarizer) -> None:
    sentences = [*GERMAN, "This notice has not been translated, and this is the reason that it is in English."]
    assert read(default, sentences).low_value.tolist() == [0, 0, 0, 0, 1, 1]


def test_the_title_s_words_are_known(default: Summarizer) -> None:
    signals = read(default, GERMAN, "Brücke gesperrt").encoded.signals
    assert signals is not None
    assert signals.counts.title.sum() == 2


def test_lengths_are_those_of_english(default: Summarizer) -> None:
    assert read(default, GERMAN).lengths.mean() == pytest.approx(22)


@pytest.mark.parametrize(
    "sentences", [["?"], ["7", "!", ""], ["橋は昨日閉鎖されました。", "いつ再開するかは誰も知りません。"]]
)
def test_few_words_and_other_scripts_are_read(default: Summarizer, sentences: list[str]) -> None:
    one = read(default, sentences)
    assert len(one.encoded) == len(sentences)
    assert one.encoded.signals is not None
    assert np.isfinite(one.encoded.features).all()
    assert np.isfinite(one.encoded.signals.values).all()


def test_the_same_text_has_the_same_numbers(default: Summarizer) -> None:
    one, two = read(default, GERMAN), read(default, GERMAN)
    np.testing.assert_array_equal(one.encoded.features, two.encoded.features)
