"""Writes a planned study to a file, whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from dataclasses import asdict
from pathlib import Path

from memsum.study.model import Plan
from memsum.study.records import CRITERIA
from memsum.study.schema import StudyError, create, transaction, translated

_CODE_BYTES = 16


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
