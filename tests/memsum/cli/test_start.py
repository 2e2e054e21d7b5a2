"""A start imports and starts nothing that it does not use."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

CODE = """
import atexit, json, os, sys
atexit.register(lambda: print(json.dumps([os.environ["OPENBLAS_NUM_THREADS"], [*sys.modules]]), file=sys.stderr))
from memsum.cli import main
main()
"""


def start(argument: str, **environment: str) -> tuple[str, set[str]]:
    """Run the command line, and return how many threads numpy may start, and the modules that were imported."""
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", CODE, argument]
    done = subprocess.run(command, env=bare | environment, capture_output=True, check=True, text=True)
    threads, modules = json.loads(done.stderr.splitlines()[-1])
    return threads, set(modules)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_imports_neither_numbers_nor_databases(argument: str) -> None:
    assert not {"numpy", "onnxruntime", "sqlite3", "ssl", "rich", "torch"} & start(argument)[1]


def test_numpy_starts_no_threads_unless_it_is_told_to() -> None:
    assert start("--version")[0] == "1"
    assert start("--version", OPENBLAS_NUM_THREADS="3")[0] == "3"
