"""What a worker gets at a time: enough that Ray's own work does not count, and not so much that others have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memsum.batch import ray_engine
from memsum.batch.inputs import Content, Input, Item, weigh
from memsum.batch.ray_engine import Pool, map_on_ray
from memsum.batch.run import JobResult
from memsum.jsonl import Line

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cluster")]
Begun = Callable[[], list[int]]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Begun:
    """The first items of the blocks that workers have begun."""
    log = tmp_path / "begun"

    class Noting(ray_engine._Ledger):
        """Writes down what it counts."""

        def begin(self, block: int) -> tuple[int, set[int]]:
            with log.open("a") as file:
                file.write(f"{block}\n")
            return super().begin(block)

    monkeypatch.setattr(ray_engine, "_Ledger", Noting)
    return lambda: sorted(int(line) for line in log.read_text().splitlines())


def test_a_block_is_no_smaller_than_it_may_be(begun: Begun, monkeypatch: pytest.MonkeyPatch):
    """A hundred and twenty items of 250 bytes, a hundred of them the line itself, in blocks of seven thousand."""
    monkeypatch.setattr(ray_engine, "_BLOCK", 7_000)

    class Hundreds(Input):
        """Lines of a hundred bytes."""

        def contents(self) -> Iterator[Content]:
            return (Line(number, b"#" * 100) for number in range(1, 121))

        def fingerprint(self) -> str:
            return "hundreds"

        def count(self) -> int | None:
            return 120

    def lost(item: Item, status: int | None) -> int:
        raise AssertionError

    results = map_on_ray(weigh, Hundreds("memory"), np.arange(1, 121), Pool(2), ordered=True, lost=lost)
    assert list(results) == [(number, 100) for number in range(1, 121)]
    assert 4 <= len(begun()) <= 7


def test_the_files_of_a_folder_are_shared_out(
    records: list[dict[str, Any]],
    on_ray: Callable[[str, Path], JobResult],
    locally: Callable[[Path], bytes],
    begun: Begun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """Their paths are short, and the work on them is long."""
    monkeypatch.setattr(ray_engine, "_BLOCK", 1 << 18)
    folder, output = tmp_path / "papers", tmp_path / "ray.jsonl"
    folder.mkdir()
    for number, record in enumerate(records):
        (folder / f"{number:02}.txt").write_text(record["text"] or "", encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    counts = on_ray(str(folder), output)
    assert (counts.kept, counts.failed) == (28, 3)
    assert output.read_bytes() == locally(folder)
    assert 3 <= len(begun()) <= 15
