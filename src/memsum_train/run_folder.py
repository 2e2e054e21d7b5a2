"""The folder of a run, which one process holds at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memsum.errors import MemsumError
from memsum.files import lock

_LOCK_FILE = ".lock"


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Make a folder, and refuse it while another process holds it; a process that is killed lets go of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK_FILE).open("a+") as file:
        if not lock(file):
            file.seek(0)
            raise MemsumError(
                f"{folder} is in use by process {file.read().strip() or 'unknown'}.",
                "Wait for that process, stop it, or choose another --output.",
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        try:
            yield
        finally:
            with suppress(OSError):  # Windows keeps files that are open
                (folder / _LOCK_FILE).unlink()
