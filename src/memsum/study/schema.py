"""The SQLite file of a study: its tables, its version, and how it is opened so that no acknowledged vote is lost."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memsum.errors import MemsumError
from memsum.study.plan import shuffle_sides

FORMAT = 2  # 1 had no secret: whoever knew the seed and the layout could compute the sides
APPLICATION = 0x6D737564  # "msud": tells a study from other SQLite files
MAGIC = b"SQLite format 3\0"
BUSY_SECONDS = 5.0

_TABLE = "CREATE TABLE secret (value TEXT NOT NULL) STRICT;"  # no query of ours reads it: it is there for the record
SCHEMA = f"""
{_TABLE}
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE systems (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, signature TEXT NOT NULL) STRICT;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, reference TEXT NOT NULL
) STRICT;
CREATE TABLE extracts (
  document INTEGER NOT NULL REFERENCES documents, system INTEGER NOT NULL REFERENCES systems,
  positions TEXT NOT NULL, PRIMARY KEY (document, system)
) STRICT;
CREATE TABLE annotators (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE assignments (
  id INTEGER PRIMARY KEY, annotator INTEGER NOT NULL REFERENCES annotators, place INTEGER NOT NULL,
  document INTEGER NOT NULL REFERENCES documents,
  left_system INTEGER NOT NULL REFERENCES systems, right_system INTEGER NOT NULL REFERENCES systems,
  number INTEGER,  -- as the annotator counts; NULL where both extract the same, which is a tie and is not shown
  UNIQUE (annotator, place), UNIQUE (annotator, number)
) STRICT;
CREATE TABLE votes (
  assignment INTEGER PRIMARY KEY REFERENCES assignments,
  overall TEXT, coverage TEXT, non_redundancy TEXT,  -- left, right or tie; all NULL if skipped
  comment TEXT NOT NULL, seconds REAL, active_seconds REAL, cast_at REAL NOT NULL, changed_at REAL NOT NULL
) STRICT;
CREATE TABLE history (
  id INTEGER PRIMARY KEY, assignment INTEGER NOT NULL REFERENCES assignments, at REAL NOT NULL,
  overall TEXT, coverage TEXT, non_redundancy TEXT, comment TEXT NOT NULL
) STRICT;
"""


class StudyError(MemsumError):
    """A study that cannot be made, opened or written."""


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a study's file, or say in one sentence why it is none."""
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
            if version < FORMAT and write:
                _migrate(connection)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")  # a commit is on the disk before it is acknowledged
        except BaseException:
            connection.close()
            raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    """Give a study of format 1 a secret, and deal the sides of all pairs anew that nobody has judged yet."""
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:  # another process was first
            return
        secret = secrets.token_hex(32)
        open_ = connection.execute(
            "SELECT a.id, a.annotator, a.left_system, a.right_system FROM assignments a"
            " LEFT JOIN votes v ON v.assignment = a.id WHERE v.assignment IS NULL ORDER BY a.id"
        ).fetchall()
        dealt = shuffle_sides([(key, annotator, (left, right)) for key, annotator, left, right in open_], secret)
        connection.execute(_TABLE)
        connection.execute("INSERT INTO secret VALUES (?)", (secret,))
        connection.executemany(
            "UPDATE assignments SET left_system = ?, right_system = ? WHERE id = ?",
            [(*sides, key) for key, sides in dealt.items()],
        )
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def _mode(path: Path, write: bool) -> str:
    """How to open: a file in a folder that cannot be written, without a journal beside it, cannot change either."""
    if write:
        return "mode=rw"
    fixed = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return "immutable=1" if fixed else "mode=ro"


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
    """All or nothing; the write lock is taken at once so that readers of the same row cannot both decide."""
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
