from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memsum import jsonl
from memsum.batch.run import JobResult, Run
from memsum_train.corpus.build import Conversion, build_corpus

from ...helpers import read_lines, write_lines


@pytest.fixture
def alone() -> Run:
    return Run()


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., str]:
    return lambda name, *records: str(write_lines(tmp_path / name, records))


@pytest.fixture
def load() -> Callable[[Path | str], list[Any]]:
    """Reads the records of a file, which may be compressed."""
    return lambda path: [line.parse() for line in jsonl.read_lines(str(path))]


class Built(NamedTuple):
    """A corpus that was built."""

    counts: JobResult
    examples: list[Any]
    errors: list[Any]


Build = Callable[..., Built]


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


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds a corpus of files and records; gives the counts, the examples and what is wrong with the others."""

    def build(*sources: object, run: Run | None = None, **conversion: Any) -> Built:
        records = [source for source in sources if isinstance(source, dict)]
        files = [str(source) for source in sources if not isinstance(source, dict)]
        if records:
            files.insert(0, str(write_lines(tmp_path / "records.jsonl", records)))
        counts = build_corpus(files, str(tmp_path / "out.jsonl"), Conversion(**conversion), run or Run())
        return Built(counts, read_lines(tmp_path / "out.jsonl"), read_lines(counts.errors) if counts.errors else [])

    return build
