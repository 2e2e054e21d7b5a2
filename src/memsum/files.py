"""Files that appear under their name only when they are complete and on disk; JSON lines, and JSON files of others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from memsum.errors import MemsumError


def check_output(path: Path) -> None:
    """Refuse a place where no file can be written, before anything is computed for it."""
    if path.is_dir():
        raise MemsumError(f"{path} is a folder, not a file.", "Name a file in it.")
    if not path.parent.is_dir():
        raise MemsumError(f"There is no folder {path.parent}.", "Make it first, or choose another output.")


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `path` that replaces it at the end; if anything fails, `path` is as it was."""
    check_output(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a whole file, or nothing."""
    with atomic_file(path) as file:
        file.write(content)


def json_line(record: Mapping[str, object]) -> str:
    """Write an object on one line that always encodes to UTF-8, halves of surrogate pairs included."""
    line = json.dumps(record, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(record)
    return line


def read_json(path: Path, most_bytes: int = 2**24) -> Any:
    """Read a small JSON file of others: ValueError in words if it is none, whatever it is."""
    if not path.is_file() and path.exists():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"it has more than {most_bytes:,} bytes")
    try:
        return json.loads(content)
    except UnicodeDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
