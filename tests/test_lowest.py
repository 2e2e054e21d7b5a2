"""The lowest versions that `make lowest` tries are those that pyproject.toml promises."""

from __future__ import annotations

import re
import tomllib
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[1]


def is_same(first: str, second: str) -> bool:
    """Whether two versions differ by no more than zeros at their ends."""
    return all(int(a) == int(b) for a, b in zip_longest(first.split("."), second.split("."), fillvalue="0"))


def test_every_lower_bound_of_using_and_serving_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    promised = {}
    used = (requirement for name in ("serve", "mcp", "ocr", "languages") for requirement in extras[name])
    for requirement in [*project["dependencies"], *used]:
        found = re.fullmatch(r"([\w-]+)>=([\d.]+)(,<[\d.]+)?", requirement)
        assert found, f"{requirement} has no lower bound"
        promised[found[1]] = found[2]
    lines = (ROOT / "constraints-lowest.txt").read_text().splitlines()
    tried = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert promised.keys() == tried.keys()
    assert not {name for name in tried if not is_same(promised[name], tried[name])}
