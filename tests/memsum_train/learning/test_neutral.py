"""The fit of the choice that needs no words of a language."""

from __future__ import annotations

import json
from pathlib import Path

from memsum.features.language_free import NeutralMemory, NeutralText, static_features
from memsum.features.source_text import Outline
from memsum.model.neutral import NeutralModel
from memsum_train.learning.neutral import fit_neutral

TOWNS = ("Aldorf", "Birkheim", "Cromwell", "Dunmore", "Elmstadt", "Farrow", "Glenby", "Harwick")


def record(town: str) -> dict[str, object]:
    """Return a report whose summary repeats its longer sentences, which stand first and last in each section."""
    told = [
        f"The council of {town} closed the old bridge because rust had weakened all of its {number} girders."
        for number in ("four", "six")
    ]
    chatter = ["There was soup for lunch.", "A dog barked.", "It rained a little.", "Nobody came late."]
    sections = [
        {"title": "Findings", "heading": "Findings", "paragraphs": [" ".join([told[0], *chatter])]},
        {"title": "Outcome", "heading": "Outcome", "paragraphs": [" ".join([*chatter, told[1]])]},
    ]
    return {"title": f"The bridge of {town}", "abstract": told, "sections": sections}


def test_what_summaries_say_is_rated_above_chatter(tmp_path: Path) -> None:
    corpus = tmp_path / "reports.jsonl"
    corpus.write_text("".join(json.dumps(record(town)) + "\n" for town in TOWNS))
    lines: list[str] = []
    fit_neutral([corpus], tmp_path / "neutral.safetensors", report=lines.append)
    assert lines[0] == "reports.jsonl: 8 documents"
    model = NeutralModel.load(tmp_path / "neutral.safetensors")
    told = "Die Stadt sperrt die alte Brücke am Mühlweg, weil der Rost alle {} Träger der Brücke geschwächt hat."
    chatter = ["Zum Mittagessen gab es Suppe.", "Ein Hund bellte.", "Es regnete etwas.", "Niemand kam zu spät."]
    sentences = [told.format("vier"), *chatter, *chatter, told.format("sechs")]
    text = NeutralText(sentences, Outline.of_headings([None] * len(sentences)), None)
    ratings = model.rate(model.prepare(static_features(text)), NeutralMemory(text).features())
    assert ratings[[0, -1]].min() > ratings[1:-1].mean() + ratings[1:-1].std()
