"""The page on the method finds each element of the paper where it says it is."""

from __future__ import annotations

import re
from pathlib import Path

import memsum_train

SOURCES = Path(memsum_train.__file__).parents[1]
PAGE = Path(__file__).parents[3] / "docs" / "method.md"
_PLACE = re.compile(r"`([\w/-]+\.py)(?::(\d+))?` `(\w+)`")


def test_every_element_of_the_paper_stands_where_the_page_says():
    places = _PLACE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(places) > 20
    for file, line, name in places:
        lines = (SOURCES / file).read_text(encoding="utf-8").splitlines()
        declared = re.compile(rf"\s*(class|def) {name}\b|{name} = ")
        assert declared.match(lines[int(line) - 1]) if line else any(map(declared.match, lines)), (file, line, name)


def test_the_paper_is_read_in_one_sitting():
    files = (SOURCES / "memsum_train" / "paper" / name for name in ("model.py", "train.py"))
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 650
