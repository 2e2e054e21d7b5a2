"""A study's file: written whole from a plan; what annotators see is read from it, what they say is written at once."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from memsum.study.plan import Annotator, AnnotatorProgress, Ballot, Plan, StudyDocument, StudySettings, Task
from memsum.study.records import CRITERIA
from memsum.study.schema import StudyError, connect, create, require_writable, transaction, translated

__all__ = ["Study", "StudyError", "require_new", "write_study"]

_CHOICES = "v.overall, v.coverage, v.non_redundancy"
_CODE_BYTES = 16
_CACHED = 64  # documents that are kept parsed
_CAST = """
INSERT INTO votes (assignment, overall, coverage, non_redundancy, comment, seconds, active_seconds, cast_at, changed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
ON CONFLICT (assignment) DO UPDATE SET
  overall = ?2, coverage = ?3, non_redundancy = ?4, comment = ?5, changed_at = ?8,
  seconds = max(coalesce(seconds, ?6), coalesce(?6, seconds)),
  active_seconds = max(coalesce(active_seconds, ?7), coalesce(?7, active_seconds))
"""


class Study:
    """An open study; safe to use from several threads, each of which gets a connection of its own."""

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        self.path = Path(path)
        self._write = write
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        if write:
            with self._using() as connection:
                require_writable(connection)
        self.settings = self._settings()
        self.document = lru_cache(_CACHED)(self._document)

    def close(self) -> None:
        """Close all connections."""
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._local = threading.local()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self.path, write=self._write)
            self._local.connection = connection
            self._opened.append(connection)
        with translated(self.path):
            yield connection

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read rows."""
        with self._using() as connection:
            return connection.execute(query, values).fetchall()

    def _settings(self) -> StudySettings:
        found = {name: json.loads(value) for name, value in self.rows("SELECT name, value FROM settings")}
        try:
            return StudySettings(**found)
        except TypeError as error:
            raise StudyError(f"{self.path} is damaged: {error}.") from None

    def systems(self) -> list[str]:
        """Names of the systems, in the order in which the study was made."""
        return [name for (name,) in self.rows("SELECT name FROM systems ORDER BY id")]

    def annotators(self) -> list[Annotator]:
        """All annotators."""
        return [Annotator(*row) for row in self.rows("SELECT id, name, code FROM annotators ORDER BY id")]

    def annotator(self, code: str) -> Annotator | None:
        """Find the annotator of a code, if it is one."""
        found = self.rows("SELECT id, name, code FROM annotators WHERE code = ?", code)
        return Annotator(*found[0]) if found else None

    def _document(self, document: int) -> StudyDocument:
        [(name, text, reference)] = self.rows("SELECT name, text, reference FROM documents WHERE id = ?", document)
        return StudyDocument(name, tuple(json.loads(text)), tuple(json.loads(reference)))

    def progress(self, annotator: Annotator) -> AnnotatorProgress:
        """Count what an annotator has done."""
        rows = self.rows(
            "SELECT a.number, v.assignment, v.overall FROM assignments a LEFT JOIN votes v ON v.assignment = a.id"
            " WHERE a.annotator = ? AND a.number IS NOT NULL ORDER BY a.number",
            annotator.id,
        )
        judged = sum(overall is not None for _, _, overall in rows)
        return AnnotatorProgress(
            len(rows), judged, tuple(n for n, vote, overall in rows if vote is not None and overall is None)
        )

    def next_number(self, annotator: Annotator, after: int = 0) -> int | None:
        """The next pair that is neither judged nor skipped: behind a number, or else from the start."""
        rows = self.rows(
            "SELECT a.number FROM assignments a LEFT JOIN votes v ON v.assignment = a.id"
            " WHERE a.annotator = ?1 AND a.number IS NOT NULL AND v.assignment IS NULL"
            " ORDER BY a.number <= ?2, a.number LIMIT 1",
            annotator.id,
            after,
        )
        return int(rows[0][0]) if rows else None

    def task(self, annotator: Annotator, number: int) -> Task | None:
        """A pair of an annotator, with what was said of it so far."""
        rows = self.rows(
            f"SELECT a.document, l.positions, r.positions, v.assignment, {_CHOICES}, v.comment"  # noqa: S608
            " FROM assignments a LEFT JOIN votes v ON v.assignment = a.id"
            " JOIN extracts l ON l.document = a.document AND l.system = a.left_system"
            " JOIN extracts r ON r.document = a.document AND r.system = a.right_system"
            " WHERE a.annotator = ? AND a.number = ?",
            annotator.id,
            number,
        )
        if not rows:
            return None
        [(key, left, right, vote, *choices, comment)] = rows
        document = self.document(key)
        chosen = dict(zip(CRITERIA, choices, strict=True)) if choices[0] else None
        ballot = Ballot(chosen, comment) if vote is not None else None
        left, right = (tuple(sorted(json.loads(positions))) for positions in (left, right))
        return Task(number, key, document.text, document.reference, left, right, ballot)

    def cast(self, annotator: Annotator, number: int, ballot: Ballot) -> None:
        """Store a ballot: on return it is on the disk. The same one twice is stored once; a changed one replaces it."""
        choices = [ballot.choices[criterion] if ballot.choices else None for criterion in CRITERIA]
        if "tie" in choices and not self.settings.ties:
            raise StudyError("This study has no ties.", "Choose one of the two summaries.")
        with self._using() as connection, transaction(connection):
            found = connection.execute(
                f"SELECT a.id, v.assignment, {_CHOICES}, v.comment FROM assignments a"  # noqa: S608
                " LEFT JOIN votes v ON v.assignment = a.id WHERE a.annotator = ? AND a.number = ?",
                (annotator.id, number),
            ).fetchone()
            if found is None:
                raise StudyError(f"There is no pair {number} for this annotator.")
            assignment, vote, *before = found
            if vote is not None and before == [*choices, ballot.comment]:
                return
            now = time.time()
            times = (ballot.seconds, ballot.active_seconds)
            connection.execute(_CAST, (assignment, *choices, ballot.comment, *times, now))
            connection.execute(
                "INSERT INTO history (assignment, at, overall, coverage, non_redundancy, comment)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (assignment, now, *choices, ballot.comment),
            )


def require_new(path: Path) -> None:
    """Refuse a place where a study cannot be written, before anyone has waited for its systems."""
    if path.exists():
        raise StudyError(f"{path} exists already, and a study is never overwritten.", "Choose another name.")
    if not path.parent.is_dir():
        raise StudyError(f"There is no folder {path.parent}.")


def write_study(path: Path, plan: Plan) -> None:
    """Write a study; codes come from the system's own randomness, not from the seed, so that nobody can guess them."""
    require_new(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        connection = create(temporary)
        try:
            with translated(path), transaction(connection):
                _fill(connection, plan)
        finally:
            connection.close()
        os.link(temporary, path)  # unlike a rename, never replaces a file that has appeared meanwhile
    except FileExistsError:
        require_new(path)
    finally:
        for leftover in path.parent.glob(f"{temporary.name}*"):
            leftover.unlink()


def _fill(connection: sqlite3.Connection, plan: Plan) -> None:
    add = connection.executemany
    connection.execute("INSERT INTO secret VALUES (?)", (plan.secret,))
    add("INSERT INTO settings VALUES (?, ?)", [(name, json.dumps(v)) for name, v in asdict(plan.settings).items()])
    add("INSERT INTO systems VALUES (?, ?, ?)", [(i, *system) for i, system in enumerate(plan.systems)])
    add(
        "INSERT INTO documents VALUES (?, ?, ?, ?)",
        [
            (i, _storable(one.name), json.dumps(one.text), json.dumps(one.reference))
            for i, one in enumerate(plan.documents)
        ],
    )
    add("INSERT INTO extracts VALUES (?, ?, ?)", [(*key, json.dumps(value)) for key, value in plan.extracts.items()])
    add(
        "INSERT INTO annotators VALUES (?, ?, ?)",
        [(i, name, secrets.token_urlsafe(_CODE_BYTES)) for i, name in enumerate(plan.annotators)],
    )
    _assign(connection, plan)


def _storable(name: str) -> str:
    """A name without halves of surrogate pairs, which SQLite cannot store."""
    return name.encode("utf-8", "replace").decode()


def _assign(connection: sqlite3.Connection, plan: Plan) -> None:
    numbers = dict.fromkeys(range(len(plan.annotators)), 0)
    now = time.time()
    for key, one in enumerate(plan.assignments):
        shown = not plan.is_automatic(one)
        numbers[one.annotator] += shown
        connection.execute(
            "INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                one.annotator,
                one.place,
                one.pair.document,
                one.left,
                one.right,
                numbers[one.annotator] if shown else None,
            ),
        )
        ballot = plan.ballots.get(one)
        if ballot is not None and ballot.choices is not None and shown:
            choices = [ballot.choices[criterion] for criterion in CRITERIA]
            connection.execute(
                "INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (key, *choices, ballot.comment, ballot.seconds, None, now, now),
            )
