"""The default model: its folder, and what one must know of everyday documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.features.encoding import TextEncoder
from memsum.model import resolve_model
from memsum.model.verify import verify_model

MAIL = """Dear all,

I hope you had a good weekend. Thank you for your patience during the last weeks.

Now it is certain: our lease in Dyke Street ends on 31 March and will not be renewed. I have looked at nine places since
November, and yesterday I signed a contract for the former bakery in Quay Lane. It has 420 square metres, a loading bay,
and daylight in the painting room.

We move on the weekend of 21 and 22 March. The workshop will be closed from Thursday 19 March to Tuesday 24 March, and
all customers with deliveries in that week have to be told by the end of February.

What I need from you: please go through your own benches and mark what can be thrown away with red tape,
by Friday 6 March. The big planer goes with a special transport and is not your concern.
Nobody loses hours because of the move: the four closed days are paid.

If you have questions, my door is open. Coffee is on me.

Best regards
Maren
"""

MINUTES = """# Minutes of the annual meeting

Present: 64 of 112 members.

## 1. Opening

The chairwoman welcomed the members and found that a quorum was present. The agenda was approved without changes. The
meeting remembered two members who had died since the last meeting.

## 2. Fees

The board proposed to raise the yearly fee from 180 to 210, because water has become more expensive. Several members
thought that pensioners could not afford this. There was a long discussion.

Decision: The yearly fee is raised to 200 from 1 January 2026 (41 votes in favour, 25 against).

## 3. Water

The working group on water proposed tanks for rain water. Some members have tanks already.

Decision: Each plot must have a rain barrel of at least 300 litres by the end of April 2026.

## 4. Other business

A member complained about dogs. The meeting ended at 5 p.m.
"""


def test_a_mail_keeps_its_deadline_and_its_news(default: Summarizer) -> None:
    text = default.summarize(MAIL).text
    assert "lease in Dyke Street ends on 31 March" in text
    assert "by Friday 6 March" in text
    assert "good weekend" not in text


def test_minutes_keep_their_decisions(default: Summarizer) -> None:
    text = default.summarize(MINUTES, sentences=3).text
    assert "raised to 200" in text
    assert "rain barrel of at least 300 litres" in text


def test_a_question_needs_nothing_of_what_a_summary_needs(default: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    keywords = default.summarize(MINUTES).keywords
    reading = default.read(MINUTES)
    with monkeypatch.context() as patch:
        patch.setattr(TextEncoder, "read", None)
        answer = reading.summarize(about="How high is the yearly fee now?", nearest=True)
        assert "raised to 200" in answer.text
    assert answer.keywords == keywords  # found when they are asked for


SAMPLE = Path(__file__).parents[3] / "docs" / "demo" / "night-buses.md"


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


def test_a_note_is_summarized_shorter_than_a_report(default: Summarizer) -> None:
    report = default.summarize(SAMPLE)
    note = default.summarize(" ".join(s.text for s in report.document.sentences[:25]))
    assert 1 <= len(note) < len(report)


def test_a_longer_summary_contains_the_shorter(default: Summarizer) -> None:
    reading = default.read(SAMPLE)
    short, long = (reading.summarize(sentences=count) for count in (3, 9))
    assert {s.index for s in short} < {s.index for s in long}
