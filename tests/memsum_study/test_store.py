"""The study's file: votes are kept once, the last change counts, and bad files are refused in one sentence."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from memsum_study.plan import Ballot, Choice
from memsum_study.records import CRITERIA, StudyError
from memsum_study.store import FORMAT, Study

from .conftest import MakeStudy

LEFT, RIGHT = (dict.fromkeys(CRITERIA, side) for side in ("left", "right"))


def ballot(choices: dict[str, Choice] | None, comment: str = "", seconds: float | None = None) -> Ballot:
    return Ballot(choices, comment, seconds)


def test_identical_summaries_are_not_shown(make_study: MakeStudy) -> None:
    with Study(make_study(annotators=2, overlap=2)) as study:
        assert [study.progress(annotator).total for annotator in study.annotators()] == [3, 3]


def test_codes_are_long_different_and_not_from_the_seed(make_study: MakeStudy) -> None:
    with Study(make_study("one.db", annotators=3)) as one, Study(make_study("two.db", annotators=3)) as two:
        codes = [annotator.code for annotator in (*one.annotators(), *two.annotators())]
        assert len(set(codes)) == 6
        assert min(map(len, codes)) >= 22
        assert one.rows("SELECT * FROM assignments") == two.rows("SELECT * FROM assignments")
        assert one.annotator("guess") is None


def test_a_vote_is_kept_once_and_the_last_change_counts(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study:
        [annotator] = study.annotators()
        study.cast(annotator, 1, ballot(LEFT, seconds=40))
        study.cast(annotator, 1, ballot(LEFT, seconds=41))
        assert study.rows("SELECT count(*) FROM votes, history") == [(1,)]
        study.cast(annotator, 1, ballot(RIGHT, "On second thoughts.", seconds=3))
        assert study.rows("SELECT overall, comment, seconds FROM votes") == [("right", "On second thoughts.", 40)]
        assert study.rows("SELECT overall FROM history ORDER BY id") == [("left",), ("right",)]


def test_many_threads_lose_nothing(make_study: MakeStudy) -> None:
    with Study(make_study(annotators=8, overlap=8), write=True) as study:
        jobs = [(annotator, number) for annotator in study.annotators() for number in (1, 2, 3) for _ in range(2)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda job: study.cast(job[0], job[1], ballot(LEFT)), jobs))
        assert study.rows("SELECT (SELECT count(*) FROM votes), (SELECT count(*) FROM history)") == [(24, 24)]


def test_skipped_pairs_are_counted_apart_and_can_be_judged_later(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study:
        [annotator] = study.annotators()
        study.cast(annotator, 2, ballot(None))
        assert study.next_number(annotator, after=1) == 3
        progress = study.progress(annotator)
        assert (progress.judged, progress.skipped, progress.left) == (0, (2,), 2)
        study.cast(annotator, 3, ballot(LEFT))
        assert study.next_number(annotator, after=3) == 1
        study.cast(annotator, 1, ballot(LEFT))
        assert study.next_number(annotator, after=1) is None
        study.cast(annotator, 2, ballot(RIGHT))
        assert study.progress(annotator).judged == 3


def test_summaries_are_shown_in_document_order(make_study: MakeStudy) -> None:
    with Study(make_study()) as study:
        [annotator] = study.annotators()
        tasks = [study.task(annotator, number) for number in (1, 2, 3)]
        assert all(task and list(task.left) == sorted(task.left) for task in tasks)
        assert study.task(annotator, 4) is None


def test_ties_need_a_study_that_has_them(make_study: MakeStudy) -> None:
    with Study(make_study("a.db"), write=True) as strict, Study(make_study("b.db", ties=True), write=True) as lenient:
        tie: dict[str, Choice] = {**LEFT, "coverage": "tie"}
        with pytest.raises(StudyError, match="no ties"):
            strict.cast(strict.annotators()[0], 1, ballot(tie))
        lenient.cast(lenient.annotators()[0], 1, ballot(tie))
        assert strict.rows("SELECT count(*) FROM votes") == [(0,)]


def test_a_pair_of_nobody_cannot_be_judged(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study, pytest.raises(StudyError, match="no pair 99"):
        study.cast(study.annotators()[0], 99, ballot(LEFT))


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="There is no study"):
        Study(tmp_path / "absent.db")
    (tmp_path / "text.db").write_text("Not a database at all, only some words that go on for a while.\n" * 20)
    with pytest.raises(StudyError, match="not a database"):
        Study(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE birds (name)").connection.close()
    with pytest.raises(StudyError, match="not a study"):
        Study(tmp_path / "other.db")


def test_a_study_of_a_newer_version_is_refused_and_left_alone(make_study: MakeStudy) -> None:
    path = make_study()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    with pytest.raises(StudyError, match=f"format {FORMAT + 1}") as error:
        Study(path, write=True)
    assert error.value.hint == "Upgrade memsum."


def test_a_locked_study_is_said_to_be_locked(make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_study()
    monkeypatch.setattr("memsum_study.store.BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StudyError, match="locked by another program"):
        Study(path, write=True)
    with Study(path) as reading:  # who only reads does not mind
        assert len(reading.systems()) == 2
    other.execute("ROLLBACK")
    other.close()


def test_a_study_that_cannot_be_written_is_refused_at_once(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_study()
    monkeypatch.setattr("memsum_study.store._mode", lambda path, write: "mode=ro")  # as root, permissions do not bind
    with pytest.raises(StudyError, match="cannot be written"):
        Study(path, write=True)


def test_a_study_is_never_overwritten(make_study: MakeStudy) -> None:
    path = make_study()
    before = path.read_bytes()
    with pytest.raises(StudyError, match="exists already"):
        make_study()
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_study_of_version_0_1_is_read_but_not_served(make_study: MakeStudy) -> None:
    path = make_study()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE secret")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    with Study(path) as old:
        assert len(old.systems()) == 2
    with pytest.raises(StudyError, match=r"study of memsum 0\.1") as error:
        Study(path, write=True)
    assert "memsum 0.2" in str(error.value.hint)


def test_no_vote_is_acknowledged_after_the_file_was_moved(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study:
        [annotator, *_] = study.annotators()
        study.cast(annotator, 1, ballot(LEFT))
        study.path.rename(study.path.with_name("moved.db"))
        for number, choices in ((1, LEFT), (1, RIGHT), (2, LEFT)):
            with pytest.raises(StudyError, match="was moved or replaced"):
                study.cast(annotator, number, ballot(choices))
