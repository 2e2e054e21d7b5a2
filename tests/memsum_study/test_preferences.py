"""Votes as examples: the summary that won, with its document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memsum_study.preferences import preferred_summaries, read_votes
from memsum_study.records import LOSS, TIE, WIN, Extract, Ranks, Record, StudyError, render_records

TEXT = ("The ferry leaves at six.", "Coffee was served.", "A ticket costs five euros.", "The sea was calm.")


def record(first: tuple[int, ...], second: tuple[int, ...], ranks: Ranks, text: tuple[str, ...] = TEXT) -> Record:
    extracts = tuple(Extract(tuple(text[i] for i in positions), positions) for positions in (first, second))
    criteria = dict.fromkeys(("overall", "coverage", "non-redundancy"), ranks)
    return Record("1", 1, text, ("A reference.",), ("one", "other"), (extracts[0], extracts[1]), criteria)


def test_the_winner_is_the_summary() -> None:
    (example,) = preferred_summaries([record((0, 2), (1, 3), WIN), record((0, 2), (1,), TIE)])
    assert example.text == TEXT
    assert example.summary == ("The ferry leaves at six.", "A ticket costs five euros.")


def test_several_votes_are_counted() -> None:
    votes = [record((0,), (2,), WIN), record((2,), (0,), WIN), record((0,), (2,), LOSS)]
    assert [example.summary for example in preferred_summaries(votes)] == [(TEXT[2],)]


def test_a_tie_teaches_nothing() -> None:
    assert not preferred_summaries([record((0,), (2,), TIE)])
    assert not preferred_summaries([record((0,), (2,), WIN), record((0,), (2,), LOSS)])


def test_votes_are_read_from_records(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    other = tuple(reversed(TEXT))
    path.write_text(render_records([record((0,), (2,), WIN), record((1,), (3,), LOSS, other)], "jsonl"))
    assert [example.summary for example in read_votes(path)] == [(TEXT[0],), (other[3],)]


def test_a_study_without_preferences_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(render_records([replace(record((0,), (2,), TIE), comment="both fine")], "jsonl"))
    with pytest.raises(StudyError, match="No summary is preferred"):
        read_votes(path)
    with pytest.raises(StudyError, match="no file"):
        read_votes(tmp_path / "nowhere.db")
