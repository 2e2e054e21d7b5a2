"""What a worker gets at a time: enough that Ray's own work does not count, and not so much that others have none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memsum.batch import BatchSettings, Options
from memsum.cluster import Pool, mapping, run_batch
from memsum.cluster.mapping import Source, map_on_ray

pytestmark = pytest.mark.slow

pytestmark = pytest.mark.usefixtures("cluster")
Begun = Callable[[], list[int]]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Begun:
    """The first items of the blocks that workers have begun."""
    log = tmp_path / "begun"

    class Noting(mapping._Ledger):
        """Writes down what it counts."""

        def begin(self, block: int) -> tuple[int, set[int]]:
            with log.open("a") as file:
                file.write(f"{block}\n")
            return super().begin(block)

    monkeypatch.setattr(mapping, "_Ledger", Noting)
    return lambda: sorted(int(line) for line in log.read_text().splitlines())


def test_a_block_is_no_smaller_than_it_may_be(begun: Begun):
    """A hundred and twenty items of somewhat more than a hundred bytes, in blocks of three thousand."""
    source = Source([lambda: ((number, b"#" * 100) for number in range(1, 121))], here=True)
    results = map_on_ray(len, source, np.arange(1, 121), Pool(2), ordered=True, lost=len)
    assert list(results) == [(number, 100) for number in range(1, 121)]
    assert 4 <= len(begun()) <= 7


def test_the_files_of_a_folder_are_shared_out(
    records: list[dict[str, Any]],
    settings: BatchSettings,
    locally: Callable[[Path], bytes],
    begun: Begun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    """Their paths are short, and the work on them is long."""
    monkeypatch.setattr(mapping, "_BLOCK", 1 << 18)
    folder, output = tmp_path / "papers", tmp_path / "ray.jsonl"
    folder.mkdir()
    for number, record in enumerate(records):
        (folder / f"{number:02}.txt").write_text(record["text"] or "", encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    report = run_batch(str(folder), str(output), settings, Options())
    assert (report.summarised, report.failed) == (28, 3)
    assert output.read_bytes() == locally(folder)
    assert 3 <= len(begun()) <= 15
