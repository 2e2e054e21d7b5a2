"""Brief everyday documents: what one must know, and not what the network likes."""

from __future__ import annotations

import pytest

from memsum import Summarizer
from memsum.model.runtime import Runtime

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


@pytest.fixture(scope="module")
def default_model() -> Summarizer:
    return Summarizer.load(threads=1)


def test_a_mail_keeps_its_deadline_and_its_news(default_model: Summarizer) -> None:
    text = default_model.summarize(MAIL).text
    assert "lease in Dyke Street ends on 31 March" in text
    assert "by Friday 6 March" in text
    assert "good weekend" not in text


def test_minutes_keep_their_decisions(default_model: Summarizer) -> None:
    text = default_model.summarize(MINUTES, sentences=3).text
    assert "raised to 200" in text
    assert "rain barrel of at least 300 litres" in text


def test_the_network_is_not_asked_about_an_everyday_document(
    default_model: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = default_model.summarize(MINUTES)
    monkeypatch.setattr(Runtime, "run", None)
    reading = default_model.read(MINUTES)
    assert reading.summarize().text == whole.text
    assert reading.keywords
