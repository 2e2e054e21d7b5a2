"""`import memsum` is light, and summarising needs nothing of the training half."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import memsum

TRAINING_ONLY = ("torch", "numba", "nltk", "scipy", "matplotlib", "onnx", "datasets")

# Every module that may be imported where only the use half is installed.
USE_HALF = """
    document languages text features query model summary options reading summarizer batch cli
""".split()  # noqa: SIM905


def run(code: str, *arguments: object) -> list[str]:
    """Run code in a fresh Python and give the names of the modules it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    modules: list[str] = json.loads(result.stdout.splitlines()[-1])
    return modules


PRINT = "; import json, sys; print(json.dumps(sorted(sys.modules)))"


def test_all_that_is_promised_is_there() -> None:
    for name in memsum.__all__:
        assert getattr(memsum, name) is not None
    assert set(memsum.__all__) == set(dir(memsum))
    with pytest.raises(AttributeError, match="nothing"):
        _ = memsum.nothing  # type: ignore[attr-defined]


def test_importing_memsum_imports_no_package() -> None:
    modules = run("import memsum" + PRINT)
    assert not {"numpy", "onnxruntime", "lxml", "rich", "typer"} & set(modules)
    assert "memsum.summarizer" not in modules


def test_the_command_line_starts_without_the_heavy_packages() -> None:
    modules = run("import memsum.cli.app" + PRINT)
    assert not {"numpy", "onnxruntime", "lxml", "zstandard", *TRAINING_ONLY} & set(modules)


def test_the_use_half_imports_nothing_of_the_training_half() -> None:
    code = (
        "import importlib, pkgutil, memsum\n"
        f"for name in {USE_HALF}:\n"
        "    module = importlib.import_module('memsum.' + name)\n"
        "    for part in pkgutil.walk_packages(getattr(module, '__path__', ()), module.__name__ + '.'):\n"
        "        importlib.import_module(part.name)\n"
    )
    modules = run(code + PRINT.removeprefix("; "))
    assert "memsum.document.readers.jats" in modules
    assert not set(TRAINING_ONLY) & set(modules)
    assert not [name for name in modules if name.startswith(("memsum_train", "memsum_study"))]


def test_json_on_the_command_line_loads_no_other_package(model_folder: Path, tmp_path: Path, paper: str) -> None:
    (tmp_path / "paper.md").write_text(paper, encoding="utf-8")
    code = (
        "import sys; from memsum.cli import main\n"
        "sys.argv = ['memsum', 'summarize', sys.argv[1], '--model', sys.argv[2], '--format', 'json']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
    )
    modules = run(code + PRINT.removeprefix("; "), tmp_path / "paper.md", model_folder)
    assert "memsum.summarizer" in modules
    assert not [
        name for name in modules if name.startswith(("memsum_train", "memsum_study", "memsum.batch", "zstandard"))
    ]
    # A start is as slow as what it imports.
    assert not {"rich", "pydantic", "email", "lxml", "numpy.ma", *TRAINING_ONLY} & set(modules)
    assert not [name for name in modules if name.startswith("memsum.document.readers.pdf")]
