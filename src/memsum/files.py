"""Files that appear under their name only when they are complete and on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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
