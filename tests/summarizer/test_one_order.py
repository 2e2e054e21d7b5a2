"""One order of extraction per document: a length says how far, and never exchanges a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memsum import Reading, Summarizer

DOCS = Path(__file__).parents[2] / "docs"
FILES = ("demo/night-buses.md", "demo/harbour-meeting.txt", "sample/library-hours.md", "sample/allotment-bees.xml")
GERMAN = """\
Der Hafen von Altmünde hat eine neue Mole. Sie schützt die Boote vor den Wellen aus dem Norden. Die Stadt hat dafür
zwei Millionen Euro bezahlt. Im Sommer kommen viele Gäste an die Küste. Die Fischer liegen nun am alten Kai. Der
Hafenmeister ist mit der Mole zufrieden. Im nächsten Jahr soll auch der Kai erneuert werden.
"""


def ranks(reading: Reading, **options: object) -> list[int]:
    """Return the numbers of the quotes by their ranks."""
    quotes = sorted(reading.summarize(**options), key=lambda quote: quote.step)  # type: ignore[arg-type]
    assert [quote.step for quote in quotes] == list(range(len(quotes)))
    return [quote.number for quote in quotes]


def read(name: str) -> Callable[[Summarizer], Reading]:
    return lambda summarizer: summarizer.read(DOCS / name)


CASES: dict[str, tuple[Callable[[Summarizer], Reading], dict[str, object]]] = {
    **{name: (read(name), {}) for name in FILES},
    "another language": (lambda summarizer: summarizer.read(GERMAN), {}),
    "together": (lambda summarizer: summarizer.read_together([DOCS / name for name in FILES[:3]]), {}),
    "by section": (read(FILES[0]), {"by": "section"}),
    "spread": (read(FILES[1]), {"spread": True}),
    "a question": (read(FILES[0]), {"about": "How many people used the night buses?"}),
}


@pytest.fixture(scope="module")
def default() -> Summarizer:
    return Summarizer.load(threads=1)


@pytest.mark.parametrize("case", CASES)
def test_every_length_is_a_prefix_of_one_order(default: Summarizer, case: str) -> None:
    make, options = CASES[case]
    reading = make(default)
    order = ranks(reading, sentences=40, **options)
    for count in range(1, len(order) + 1):
        assert ranks(make(default) if count == 5 else reading, sentences=count, **options) == order[:count]
    lengths = ({}, {"words": 60}, {"words": 130}, {"characters": 700}, {"ratio": 0.1}, {"max_sentences": 3})
    for length in lengths:
        quoted = ranks(reading, **length, **options)
        assert quoted == order[: len(quoted)]


def test_the_suggested_length_is_a_position_of_the_slider(default: Summarizer) -> None:
    reading = default.read(DOCS / FILES[0])
    suggested = reading.summarize()
    moved = default.read(DOCS / FILES[0]).summarize(sentences=len(suggested))
    assert [(quote.index, quote.step, quote.score) for quote in moved] == [
        (quote.index, quote.step, quote.score) for quote in suggested
    ]
