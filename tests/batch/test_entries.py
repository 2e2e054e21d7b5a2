from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsum.batch.entries import Entries, Entry
from memsum.batch.work import Outcome
from memsum.jobs.journal import Journal


def outcome(place: int) -> Outcome:
    return Outcome(place, f'{{"id": {place}}}') if place % 3 else Outcome.failure(place, "No text – none.")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(places=st.lists(st.integers(1, 2000), unique=True, max_size=40), late=st.sets(st.integers(0, 39)))
def test_they_come_back_as_they_were_finished_and_in_order(tmp_path: Path, places: list[int], late: set[int]) -> None:
    places.sort()
    first = [place for i, place in enumerate(places) if i not in late]
    second = [place for i, place in enumerate(places) if i in late]
    with Journal(tmp_path / "j", {}, restart=True) as journal:
        entries = Entries(journal)
        for place in first:
            entries.add(place, outcome(place))
    with Journal(tmp_path / "j", {}) as journal:
        entries = Entries(journal)
        assert all((place in entries) == (place in first) for place in range(2010))
        for place in second:
            entries.add(place, outcome(place))
        assert len(entries) == len(places)
        assert [entry.place for entry in entries] == first + second
        assert list(entries.sorted()) == [
            Entry(place, outcome(place).line.encode() + b"\n", place % 3 == 0) for place in places
        ]
