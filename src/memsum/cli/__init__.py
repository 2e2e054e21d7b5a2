"""The command line: one file per command group, no logic. Heavy imports happen inside the commands."""

from __future__ import annotations

import atexit
import gc
import os

__all__ = ["main"]

_OBJECTS = 100_000  # between two garbage collections; with Python's own 700, these take 25 ms of a cold summary


def main() -> None:
    """Run the `memsum` command."""
    # numpy's products are small, or divided among processes: a thread per core costs 20 ms of a cold summary.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)  # what is left at the end is not searched for cycles either: another 25 ms
    from memsum.cli.app import app

    app()
