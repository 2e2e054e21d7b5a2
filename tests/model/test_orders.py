"""Penalties in the order of extraction, and how sure the model is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memsum import Summarizer
from memsum.english.low_value import low_value
from memsum.features.penalties import FULL_WORDS
from memsum.features.source_text import SourceText
from memsum.model.runtime import Runtime
from memsum.training.corpus import Example
from memsum.training.evaluation.playing import open_model, play_documents

if TYPE_CHECKING:
    from conftest import MakePair

POOR = "Section 2 presents the ferries of the harbour, and Section 3 discusses the piers."


def with_penalties(runtime: Runtime, **penalties: float) -> Runtime:
    runtime.config = replace(runtime.config, penalties=replace(runtime.config.penalties, **penalties))
    return runtime


def test_full_sentences_are_preferred_among_the_first_quotes_only(make_pair: MakePair, examples: list[Example]) -> None:
    text = examples[0].text
    sentences = [" ".join(text[i : i + 1 + i % 2]) for i in range(len(text))]  # every other one is two
    runtime = Runtime.load(make_pair(history="counted").folder, threads=1)
    source = SourceText.of_sentences(sentences)
    plain, full = (with_penalties(runtime, fullness=fullness).encode(source).episode() for fullness in (0.0, 50.0))
    encoding = runtime.encode(source)
    lengths, signals = encoding.text.lengths, encoding.text.signals
    assert signals is not None
    full.extend(len(sentences))
    assert lengths[full.choices[0]] >= min(FULL_WORDS, lengths.max())
    late = int((np.cumsum(lengths[full.choices]) > math.exp(signals.expected) / 2).argmax()) + 1
    assert 0 < late < len(full.choices)
    state = tuple(full.choices[:late])
    np.testing.assert_array_equal(full._steps.step(state).ratings, plain._steps.step(state).ratings)


def test_a_poor_quote_has_its_price(make_pair: MakePair, notes: list[str]) -> None:
    runtime = Runtime.load(make_pair(history="counted").folder, threads=1)
    sentences = [*notes, POOR]
    assert low_value(sentences)[-1] >= 0.5
    places = []
    for penalty in (-100.0, 100.0):
        episode = with_penalties(runtime, low_value=penalty).begin(sentences)
        episode.extend(len(sentences))
        places.append(episode.choices.index(len(sentences) - 1))
    assert places[0] < 3
    assert places[1] > len(set(sentences)) - 7


def test_models_with_graphs_are_evaluated_as_they_ship(make_pair: MakePair, examples: list[Example]) -> None:
    pair = make_pair("int8", history="counted")
    model = open_model(pair.folder, "cpu")
    assert model.runtime is not None
    [extraction] = play_documents(model, examples[:1], 5)
    episode = pair.runtime.begin(examples[0].text)
    episode.extend(5)
    assert extraction.choices == tuple(episode.choices)
    np.testing.assert_allclose(extraction.stops, episode.stops)


def test_a_summary_says_how_sure_the_model_is() -> None:
    summarizer = Summarizer.load()
    paper = [
        "We measured how a low-salt diet changes blood pressure in hospital patients with hypertension.",
        "Patients were assigned at random to a low-salt diet or to usual meals for twelve weeks.",
        "Blood pressure fell by 9 mmHg with the low-salt diet and by 2 mmHg with usual meals (p < 0.01).",
        "We conclude that a low-salt diet lowers blood pressure in patients with hypertension.",
    ]
    sure = summarizer.summarize(paper, sentences=2)
    assert sure.confidence is not None
    assert 0.3 < sure.confidence < 1
    assert sure.to_dict()["confidence"] == pytest.approx(sure.confidence, abs=1e-6)
    assert not any("unsure" in warning for warning in sure.warnings)
    talk = ["Yeah, so that was sort of the thing there."] + [
        f"And then uh number {i} went over there, you know." for i in range(60)
    ]
    unsure = summarizer.summarize(talk, sentences=3)
    assert unsure.confidence is not None
    assert unsure.confidence < sure.confidence
