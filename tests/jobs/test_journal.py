from __future__ import annotations

from pathlib import Path

import pytest

from memsum.errors import CorpusError
from memsum.jobs.journal import Journal, Mark

SETTINGS = {"job": "test", "input": "a"}


def write(path: Path) -> None:
    with Journal(path, SETTINGS) as journal:
        journal.append(Mark.KEPT, "first")
        journal.append(Mark.REJECTED, "second")
        journal.append(Mark.NOTED, "third")


def test_a_journal_continues_where_it_was(tmp_path: Path) -> None:
    write(tmp_path / "j")
    with Journal(tmp_path / "j", SETTINGS) as journal:
        assert (journal.done, journal.kept) == (3, 2)
        journal.append(Mark.KEPT, "fourth")
        assert [(mark, line) for mark, line in journal.entries()] == [
            (Mark.KEPT, b"first\n"),
            (Mark.REJECTED, b"second\n"),
            (Mark.NOTED, b"third\n"),
            (Mark.KEPT, b"fourth\n"),
        ]


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
    with (
        Journal(tmp_path / "j", SETTINGS),
        pytest.raises(CorpusError, match="Another process is working on"),
    ):
        Journal(tmp_path / "j", SETTINGS)
