from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from memsum.batch.journal import Entry, Journal, Mark, Outcome
from memsum.errors import CorpusError
from memsum.files import parse_object

SETTINGS = {"job": "test", "input": "a"}


def write(path: Path) -> None:
    with Journal(path, SETTINGS) as journal:
        journal.add(1, Outcome("first"))
        journal.add(2, Outcome("second", "It failed."))
        journal.add(3, Outcome("third", flagged=True))


def test_a_journal_continues_where_it_was(tmp_path: Path) -> None:
    write(tmp_path / "j")
    with Journal(tmp_path / "j", SETTINGS) as journal:
        assert (journal.done, journal.kept) == (3, 2)
        journal.add(4, Outcome("fourth"))
        assert journal.counts == {Mark.KEPT: 2, Mark.FAILED: 1, Mark.FLAGGED: 1}
        assert [place in journal for place in range(1, 6)] == [True, True, True, True, False]
        assert list(journal.entries()) == [
            Entry(1, b"first\n", False),
            Entry(2, b"second\n", True),
            Entry(3, b"third\n", False),
            Entry(4, b"fourth\n", False),
        ]
    header, rest = (tmp_path / "j").read_bytes().split(b"\n", 1)
    assert header == b'#{"input": "a", "job": "test"}'
    assert rest == b"+first\n-second\n~third\n+fourth\n"


def test_whatever_a_kill_leaves_is_a_beginning(tmp_path: Path) -> None:
    path = tmp_path / "j"
    write(path)
    data = path.read_bytes()
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        with Journal(path, SETTINGS) as journal:
            kept = data[:size].count(b"\n") - 1
            assert journal.done == max(kept, 0)
            assert len(list(journal.entries())) == journal.done


def test_bytes_a_power_cut_left_are_dropped(tmp_path: Path) -> None:
    write(tmp_path / "j")
    with (tmp_path / "j").open("ab") as file:
        file.write(b"\0" * 50 + b"\n")
    with Journal(tmp_path / "j", SETTINGS) as journal:
        assert journal.done == 3


def test_another_job_is_refused_unless_told_to_restart(tmp_path: Path) -> None:
    write(tmp_path / "j")
    with pytest.raises(CorpusError, match="another input or other settings") as caught:
        Journal(tmp_path / "j", {**SETTINGS, "input": "b"})
    assert "--restart" in (caught.value.hint or "")
    with Journal(tmp_path / "j", {**SETTINGS, "input": "b"}, restart=True) as journal:
        assert journal.done == 0


def test_a_file_of_somebody_else_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("my notes\n")
    with pytest.raises(CorpusError):
        Journal(tmp_path / "j", SETTINGS)
    assert (tmp_path / "j").read_text() == "my notes\n"


def test_a_run_that_did_nothing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Journal(tmp_path / "j", SETTINGS):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_two_runs_cannot_write_the_same_journal(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with Journal(tmp_path / "j", SETTINGS), pytest.raises(CorpusError, match="Another process is working on"):
        Journal(tmp_path / "j", SETTINGS)


def outcome(place: int) -> Outcome:
    return Outcome(f'{{"id": {place}}}', None if place % 3 else "No text – none.")


@given_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(places=st.lists(st.integers(1, 2000), unique=True, max_size=40), late=st.sets(st.integers(0, 39)))
def test_placed_entries_come_back_as_they_were_finished_and_in_order(
    tmp_path: Path, places: list[int], late: set[int]
) -> None:
    places.sort()
    first = [place for i, place in enumerate(places) if i not in late]
    second = [place for i, place in enumerate(places) if i in late]
    with Journal(tmp_path / "j", {}, numbered=True, restart=True) as journal:
        for place in first:
            journal.add(place, outcome(place))
    with Journal(tmp_path / "j", {}, numbered=True) as journal:
        assert all((place in journal) == (place in first) for place in range(2010))
        for place in second:
            journal.add(place, outcome(place))
        assert journal.done == len(places)
        assert [entry.position for entry in journal.entries()] == first + second
        assert list(journal.entries(ordered=True)) == [
            Entry(place, outcome(place).line.encode() + b"\n", place % 3 == 0) for place in places
        ]


@pytest.mark.parametrize(
    "damage",
    [
        b"+x {}\n",
        b"+2\n",
        b"+0 {}\n",
        b"+99999999999999 {}\n",
        b'+2 {"id": \n',
        b"-2 null\n",
        b"+2 {\xff}\n",
        b'+1 {"id": 1}\n',  # doubled
    ],
)
def test_what_follows_a_damaged_line_is_done_again(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "j"
    with Journal(path, SETTINGS, numbered=True) as journal:
        journal.add(1, Outcome('{"id": 1}'))
    good = path.read_bytes()
    path.write_bytes(good + damage + b'+3 {"id": 3}\n')
    with Journal(path, SETTINGS, numbered=True) as journal:
        assert journal.done == 1
        journal.add(2, Outcome('{"id": 2}'))
        assert [entry.position for entry in journal.entries(ordered=True)] == [1, 2]
    assert path.read_bytes() == good + b'+2 {"id": 2}\n'


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_json_does_not_have_is_refused(value: str) -> None:
    with pytest.raises(CorpusError, match="NaN"):
        parse_object(f'{{"a": {value}}}'.encode())
