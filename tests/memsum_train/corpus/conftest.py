from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.batch.run import Run
from memsum.jsonl import read_lines


@pytest.fixture
def alone() -> Run:
    return Run()


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., str]:
    def write(name: str, *records: object) -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def load() -> Callable[[object], list[dict[str, object]]]:
    def read(path: object) -> list[dict[str, object]]:
        return [line.parse() for line in read_lines(str(path))]

    return read


def paper(number: int = 1, **changes: object) -> dict[str, object]:
    """A paper as publishers' XML leaves it: paragraphs, sections with headings inside."""
    return {
        "id": f"paper-{number}",
        "source": "Sample Press",
        "license": "CC BY 4.0",
        "doi": f"10.0000/{number}",
        "title": f"Night trains and sleep: survey {number}",
        "abstract": ["Sleep on night trains was surveyed. Most travellers slept badly.", "Earplugs helped (p = 0.02)."],
        "sections": [
            {
                "title": "1. Introduction",
                "heading": "1. Introduction",
                "paragraphs": ["Night trains are  back.\nFew know how people sleep on them (Smith et al., 2019)."],
            },
            {
                "title": "2. Methods",
                "heading": "2.1 Survey",
                "paragraphs": [f"We asked {number} travellers, i.e. those in car 5.", "Answers were anonymous."],
            },
            {"title": "3. Results", "heading": "3. Results", "paragraphs": ["Most slept badly. Earplugs helped."]},
        ],
        **changes,
    }


@pytest.fixture
def make_paper() -> Callable[..., dict[str, object]]:
    return paper
