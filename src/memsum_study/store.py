"""A study's SQLite file: its tables and version, written whole from a plan; no acknowledged vote is ever lost."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from memsum_study.plan import Annotator, AnnotatorProgress, Ballot, Choice, Plan, StudyDocument, StudySettings, Task
from memsum_study.records import CRITERIA, LOSS, TIE, WIN, Extract, Record, StudyError, read_records

FORMAT = 2
_FIRST_FORMAT = 1  # had no secret: whoever knew the seed and the layout could compute the sides
APPLICATION = 0x6D737564  # "msud": tells a study from other SQLite files
MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 5.0

SCHEMA = resources.files(__package__).joinpath("schema.sql").read_text("utf-8")
_RANKS = {"left": WIN, "right": LOSS, "tie": TIE}
_RECORDS = """
SELECT a.id, a.annotator, p.name, a.place, a.document, a.left_system, a.right_system, l.positions AS left_positions,
       r.positions AS right_positions, a.number, v.overall, v.coverage, v.non_redundancy, v.seconds, v.comment,
       v.assignment IS NOT NULL AS done
FROM assignments a JOIN annotators p ON p.id = a.annotator LEFT JOIN votes v ON v.assignment = a.id
JOIN extracts l ON l.document = a.document AND l.system = a.left_system
JOIN extracts r ON r.document = a.document AND r.system = a.right_system
ORDER BY a.annotator, a.place
"""
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
        self._file = self._identity()
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        if write:
            with self._using() as connection:
                require_writable(connection)
        found = {name: json.loads(value) for name, value in self.rows("SELECT name, value FROM settings")}
        try:
            self.settings = StudySettings(**found)
        except TypeError as error:
            raise StudyError(f"{self.path} is damaged: {error}.") from None
        self.document = lru_cache(_CACHED)(self._document)

    def close(self) -> None:
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

    def _identity(self) -> tuple[int, int] | None:
        """Return which file has the study's path; None if there is none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _require_same_file(self) -> None:
        """Raise if the study's file was moved: votes would go to one that nobody counts."""
        if self._identity() != self._file:
            raise StudyError(f"{self.path} was moved or replaced.", "Put it back, and start the server again.")

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._using() as connection:
            return connection.execute(query, values).fetchall()

    def systems(self) -> list[str]:
        return [name for (name,) in self.rows("SELECT name FROM systems ORDER BY id")]

    def annotators(self) -> list[Annotator]:
        return [Annotator(*row) for row in self.rows("SELECT id, name, code FROM annotators ORDER BY id")]

    def annotator(self, code: str) -> Annotator | None:
        """Find the annotator of a code, if it is one."""
        found = self.rows("SELECT id, name, code FROM annotators WHERE code = ?", code)
        return Annotator(*found[0]) if found else None

    def _document(self, document: int) -> StudyDocument:
        [(name, text, reference)] = self.rows("SELECT name, text, reference FROM documents WHERE id = ?", document)
        return StudyDocument(name, tuple(json.loads(text)), tuple(json.loads(reference)))

    def progress(self, annotator: Annotator) -> AnnotatorProgress:
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
        """Return the next pair that is neither judged nor skipped: behind a number, or else from the start."""
        rows = self.rows(
            "SELECT a.number FROM assignments a LEFT JOIN votes v ON v.assignment = a.id"
            " WHERE a.annotator = ?1 AND a.number IS NOT NULL AND v.assignment IS NULL"
            " ORDER BY a.number <= ?2, a.number LIMIT 1",
            annotator.id,
            after,
        )
        return int(rows[0][0]) if rows else None

    def task(self, annotator: Annotator, number: int) -> Task | None:
        """Return a pair of an annotator, with the judgment so far."""
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
            self._require_same_file()
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
            self._require_same_file()

    def records(self) -> list[Record]:
        """Return every judgment, and the ties of identical summaries.

        Such a tie counts for an annotator who is past its position: an unfinished study has then as many of them for
        each judged pair as a finished one.
        """
        names = self.systems()
        with self._using() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            rows = cursor.execute(_RECORDS).fetchall()
        unfinished = {row["annotator"] for row in rows if row["number"] is not None and not row["done"]}
        reached: dict[int, int] = {row["annotator"]: row["place"] for row in rows if row["done"]}
        records = []
        for row in rows:
            automatic = row["number"] is None
            passed = row["annotator"] not in unfinished or row["place"] < reached.get(row["annotator"], 0)
            if (automatic and not passed) or (not automatic and row["overall"] is None):
                continue
            found = self.document(row["document"])
            positions = [tuple(json.loads(row[f"{side}_positions"])) for side in ("left", "right")]
            first, second = (Extract(tuple(found.text[i] for i in where), where) for where in positions)
            judged: Sequence[Choice] = (row["overall"], row["coverage"], row["non_redundancy"])
            choices = ("tie", "tie", "tie") if automatic else judged
            records.append(
                Record(
                    id=str(row["id"]),
                    index=row["document"],
                    text=found.text,
                    summary=found.reference,
                    systems=(names[row["left_system"]], names[row["right_system"]]),
                    extracts=(first, second),
                    ranks={criterion: _RANKS[choice] for criterion, choice in zip(CRITERIA, choices, strict=True)},
                    annotator=row["name"],
                    automatic=automatic,
                    seconds=row["seconds"],
                    comment=row["comment"] or "",
                )
            )
        return records


def require_new(path: Path) -> None:
    """Refuse a path where a study cannot be written, before anyone has waited for its systems."""
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
    add, now = connection.executemany, time.time()
    connection.execute("INSERT INTO secret VALUES (?)", (plan.secret,))
    add("INSERT INTO settings VALUES (?, ?)", [(name, json.dumps(v)) for name, v in asdict(plan.settings).items()])
    add("INSERT INTO systems VALUES (?, ?, ?)", [(i, *system) for i, system in enumerate(plan.systems)])
    # Halves of surrogate pairs cannot be stored by SQLite as they are.
    named = ((one.name.encode("utf-8", "replace").decode(), one) for one in plan.documents)
    documents = [(i, name, json.dumps(one.text), json.dumps(one.reference)) for i, (name, one) in enumerate(named)]
    add("INSERT INTO documents VALUES (?, ?, ?, ?)", documents)
    add("INSERT INTO extracts VALUES (?, ?, ?)", [(*key, json.dumps(value)) for key, value in plan.extracts.items()])
    people = [(i, name, secrets.token_urlsafe(_CODE_BYTES)) for i, name in enumerate(plan.annotators)]
    add("INSERT INTO annotators VALUES (?, ?, ?)", people)
    numbers = dict.fromkeys(range(len(plan.annotators)), 0)
    for key, one in enumerate(plan.assignments):
        shown = not plan.is_automatic(one)
        numbers[one.annotator] += shown
        number = numbers[one.annotator] if shown else None
        row = (key, one.annotator, one.position, one.pair.document, one.left, one.right, number)
        connection.execute("INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        ballot = plan.ballots.get(one)
        if ballot is not None and ballot.choices is not None and shown:
            choices = [ballot.choices[criterion] for criterion in CRITERIA]
            vote = (key, *choices, ballot.comment, ballot.seconds, None, now, now)
            connection.execute("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", vote)


def is_database(path: Path) -> bool:
    """Tell whether a file is an SQLite database by its first bytes."""
    if not path.exists():
        raise StudyError(f"There is no file {path}.")
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def load_records(path: Path) -> list[Record]:
    """Return the judgments of a study, or of a file of records."""
    if not is_database(path):
        return read_records(path)
    with Study(path) as study:
        return study.records()


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a study's file, or raise why it is none."""
    if not path.exists():
        raise StudyError(f"There is no study {path}.", "Make one: memsum study new")
    with translated(path):
        uri = f"{path.resolve().as_uri()}?{_mode(path, write)}"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if application != APPLICATION:
                raise StudyError(f"{path} is not a study of memsum.")
            if version > FORMAT:
                raise StudyError(
                    f"{path} is a study of format {version}; this memsum reads up to {FORMAT}.", "Upgrade memsum."
                )
            if version == _FIRST_FORMAT and write:
                raise StudyError(
                    f"{path} is a study of memsum 0.1, whose sides can be computed.",
                    "Serve it once with memsum 0.2, which deals them anew.",
                )
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk before it is acknowledged
        except BaseException:
            connection.close()
            raise
    return connection


def _mode(path: Path, write: bool) -> str:
    """Return how to open: a file without a journal in a folder that cannot be written cannot change either."""
    fixed = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return "mode=rw" if write else "immutable=1" if fixed else "mode=ro"


def create(path: Path) -> sqlite3.Connection:
    """Make the tables in a new file; what is written goes into one transaction that the caller commits."""
    with translated(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        reason = str(error)
        if "locked" in reason or "busy" in reason:
            raise StudyError(f"{path} is locked by another program.", "Close it there, and try again.") from None
        if "readonly" in reason or "read-only" in reason or "unable to open" in reason:
            raise StudyError(
                f"{path} cannot be written or its folder cannot.", "Check the permissions of both; nothing was changed."
            ) from None
        raise StudyError(f"{path} cannot be used: {reason}.") from None
    except sqlite3.DatabaseError as error:
        raise StudyError(f"{path} is damaged or not a database: {error}.") from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all or nothing; the write lock is taken at once, so that readers of one row cannot both decide."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def require_writable(connection: sqlite3.Connection) -> None:
    """Fail now, not at the first vote, if the file is locked or read-only; `BEGIN` alone does not notice the latter."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("UPDATE settings SET value = value")
    finally:
        connection.execute("ROLLBACK")
