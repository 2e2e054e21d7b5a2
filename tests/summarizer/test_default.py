"""The model inside the package, on a report of a hundred sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.model import resolve_model
from memsum.model.verify import verify_model

SAMPLE = Path(__file__).parents[2] / "docs" / "demo" / "night-buses.md"


@pytest.fixture(scope="module")
def default() -> Summarizer:
    return Summarizer.load(threads=1)


def test_it_is_whole_small_and_described() -> None:
    folder = resolve_model("default")
    verify_model(folder)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 30e6
    card = (folder / "README.md").read_text(encoding="utf-8")
    for part in ("## Data", "## Recipe", "## Scores", "## Limits"):
        assert part in card


def test_it_quotes_what_a_report_found_and_concludes(default: Summarizer) -> None:
    summary = default.summarize(SAMPLE)
    assert 4 <= len(summary) <= 25
    assert summary.stop.reason == "policy"
    assert summary.warnings == ()
    for sentence in summary:
        assert summary.document.text[sentence.start : sentence.end] == sentence.text
    assert len({sentence.section for sentence in summary}) >= 3  # from all over the document
    text = summary.text
    assert "96,480 passengers" in text or "1.93 million euros" in text or "We conclude" in text


def test_a_note_is_summarised_shorter_than_a_report(default: Summarizer) -> None:
    report = default.summarize(SAMPLE)
    note = default.summarize(" ".join(s.text for s in report.document.sentences[:25]))
    assert 1 <= len(note) < len(report)


def test_a_longer_summary_contains_the_shorter(default: Summarizer) -> None:
    reading = default.read(SAMPLE)
    short, long = (reading.summarize(sentences=count) for count in (3, 9))
    assert {s.index for s in short} < {s.index for s in long}
