"""A loss of speed that nobody could miss fails: times of the CPU, as multiples of fixed work in the same process.

A multiple hardly changes with the machine or with what else it does: behind each limit is what was measured at loads
between 3 and 12. `make bench-compare` finds smaller losses.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pypdfium2

from memsum import Summarizer, read_document

ROOT = Path(__file__).parents[1]


def multiple(work: Callable[[], object], fixed: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return how many times as long some work takes as other, each at its best; they take turns."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(5):
        for run, spent in zip((work, fixed), times, strict=True):
            began = clock()
            run()
            spent.append(clock() - began)
    return min(times[0]) / min(times[1])


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def count_and_sort() -> None:
    """Do ten milliseconds of work, half in Python and half in numpy."""
    counts: dict[str, int] = {}
    for number in range(20_000):
        counts[str(number % 997)] = counts.get(str(number % 997), 0) + number
    np.sort(np.random.default_rng(1).random(60_000))


def test_a_summary_takes_its_time() -> None:
    summarizer = Summarizer.load(threads=1)
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/quality/documents").glob("*.md"))]

    def summarize() -> None:
        for text in texts:
            summarizer.summarize(text, sentences=7)

    assert multiple(summarize, count_and_sort, time.process_time) / len(texts) < 4  # 1.4 to 1.7


def test_pdfs_take_their_time() -> None:
    files = [*(ROOT / "tests/data").rglob("*.pdf")]

    def read() -> None:
        for path in files:
            read_document(path, isolated=False)

    def extract() -> None:
        for path in files:
            for page in pypdfium2.PdfDocument(path):
                page.get_textpage().get_text_bounded()

    assert multiple(read, extract, time.process_time) < 7  # 3.4; version 0.3: 7.8


def test_a_start_takes_its_time() -> None:
    start = [sys.executable, "-m", "memsum", str(ROOT / "docs/demo/night-buses.md")]
    fixed = [sys.executable, "-c", "import numpy, onnxruntime"]
    assert multiple(lambda: run(start), lambda: run(fixed), of_children) < 9  # 2.7 to 3.9


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)
