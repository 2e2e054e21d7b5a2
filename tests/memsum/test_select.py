"""How a sentence is chosen: one policy for every document, and what its ratings are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memsum import Summarizer
from memsum.features.source_text import SourceText
from memsum.languages.low_value import low_value
from memsum.model.runtime import Runtime
from memsum.select import Selection

NOTICE = """# The ferry

The ferry sails every hour from the north pier. It carries at most forty people and four bicycles.

A ticket costs five euros, and children under six travel free of charge. See below.

From October on the last ferry leaves at six in the evening, because the light on the pier is broken.
"""
PARTS = ("model", "history", "said before", "low value", "needs context", "total", "quota")


def test_every_kind_of_document_is_read_by_the_one_network(
    default: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    run = Runtime.with_columns

    def counted(self: Runtime, *given: Any) -> Any:
        runs.append("words" if given[2] is not None else "form")
        return run(self, *given)

    monkeypatch.setattr(Runtime, "with_columns", counted)
    for text in (NOTICE, "Die Fähre fährt jede Stunde. Eine Fahrkarte kostet fünf Euro. Kinder fahren umsonst mit."):
        default.summarize(text, sentences=1)
    default.summarize(["The ferry sails every hour.", "A ticket costs five euros."], sentences=1)
    assert runs == ["words", "form", "words"]


def test_what_ratings_are_made_of_adds_up_and_is_shown(default: Summarizer) -> None:
    summary = default.summarize(NOTICE, sentences=3, explain=True)
    assert summary.explanation is not None
    reasons = summary.explanation.reasons
    assert len(reasons) == 4  # the last would have come next
    assert [one.number for one in reasons[:3]] == [
        quote.number for quote in sorted(summary, key=lambda quote: quote.step)
    ]
    for one in reasons:
        parts = dict(one.parts)
        total, quota = parts.pop("total"), parts.pop("quota")
        assert total == pytest.approx(sum(parts.values()), abs=1e-4)
        assert quota == 0
    assert reasons[0].parts["history"] == 0
    text = summary.to_text()
    assert all(part in text for part in PARTS)
    record = summary.to_dict()["explain"]["reasons"]
    assert [one["sentence"] for one in record] == [one.number for one in reasons]


def test_low_value_costs_what_the_rule_says(default: Summarizer) -> None:
    explained = default.summarize(NOTICE, ratio=1.0, explain=True).explanation
    assert explained is not None
    penalties = {one.number: one.parts["low_value"] for one in explained.reasons}
    assert penalties[3] == pytest.approx(-default.runtime.config.penalties.low_value * low_value(["See below."])[0])
    assert penalties[0] == 0


def test_quotas_cost_the_first_quotes_of_a_long_document_nothing(default: Summarizer) -> None:
    chapters = [f"## Boat {n}\n\n" + f"You must wash boat {n} with {n + 3} brushes each week. " * 1 for n in range(9)]
    filler = " ".join(f"Rope number {n} hangs beside rope number {n + 1} in the shed." for n in range(620))
    document = "\n\n".join(["# Boats", *chapters, "## Ropes", filler])
    explained = default.summarize(document, explain=True).explanation
    assert explained is not None
    costs = np.array([one.parts["quota"] for one in explained.reasons])
    assert not costs[:3].any()
    quoted = {one.number for one in explained.reasons[:-1]}
    assert quoted >= set(range(9))


def test_a_document_without_a_sentence_to_quote_stands_among_others(default: Summarizer) -> None:
    texts = ["The ferry sails every hour.", "A ticket costs five euros.", "Nobody sails at night."]
    one = SourceText.of_sentences(texts)
    several = replace(one, titles=["Ferry", "Nothing", "Night"], bounds=[0, 2, 2, 3])
    for foreign in (False, True):
        episode = Selection(default.runtime, several, foreign).episode()
        episode.extend(3)
        assert sorted(episode.choices) == [0, 1, 2]
