from __future__ import annotations

import pytest

from memsum.cli import console
from memsum.cli.console import progress_bar


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(console, "time", clock)  # not of the whole process: servers of other tests live by theirs
    return clock


def test_a_log_has_a_line_a_minute(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    counted: list[int] = []

    def count() -> int:
        counted.append(1)
        return 100_000

    with progress_bar("summarizing", count) as advance:
        advance(40_000)  # of an earlier run: no speed of ours
        for _ in range(150):
            clock.now += 1
            advance(10)
    assert capsys.readouterr().err.splitlines() == [
        "summarizing: 40,600 of 100,000 documents, 10.0 docs/s, 1 h 39 min left",
        "summarizing: 41,200 of 100,000 documents, 10.0 docs/s, 1 h 38 min left",
    ]
    assert len(counted) == 1


def test_a_log_says_what_it_knows(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("summarizing", lambda: None) as advance:
        advance(0)
        clock.now += 59
        advance(5)
        assert capsys.readouterr().err == ""
        clock.now += 1
        advance(1)
    assert capsys.readouterr().err == "summarizing: 6 documents, 0.1 docs/s\n"
