from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.experiments import timing
from memsum_train.experiments.timing import conclude, run
from memsum_train.policy import PolicyConfig
from memsum_train.report.table import Number

from .untrained import untrained_context

noise = np.random.default_rng(0).normal(scale=5, size=(6, 24))


def test_a_line_is_found_again() -> None:
    sizes = np.array([50, 100, 200])
    said = conclude(sizes, np.tile(2 + 0.1 * sizes[:, None], 24), "sentence")
    assert said == "+0.10 ms for every sentence, 95 % interval +0.10 to +0.10, as in the paper."


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (noise + np.arange(6)[:, None] * 30, "as in the paper"),
        (noise - np.arange(6)[:, None] * 30, "unlike in the paper"),
        (noise, "no growth could be measured"),
    ],
)
def test_conclusions_follow_from_intervals(times: np.ndarray, said: str) -> None:
    assert said in conclude(range(6), times, "extracted sentence")


def test_the_report_times_the_model_by_length_and_by_count(
    make_examples: Callable[..., list[Example]],
    tiny: PolicyConfig,
    vectors: WordVectors,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    pytest.importorskip("matplotlib")
    lengths: list[int] = []
    for name, value in {"SIZES": (20, 40), "COUNTS": (1, 4), "SIZE": 30}.items():
        monkeypatch.setattr(timing, name, value)
    monkeypatch.setattr("memsum_train.policy.batch.collate", lambda texts: lengths.append(len(texts[0])))
    monkeypatch.setattr("memsum_train.paper.model.extract", lambda policy, batch, count: torch.ones(400, 400).exp())
    splits = {split: make_examples(3, seed=i) for i, split in enumerate(("train", "valid", "test"), 61)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    threads = torch.get_num_threads()
    report = run(context)
    assert torch.get_num_threads() == threads
    assert len(lengths) == timing.REPEATS * (1 + 4 + 4)  # of which the first are not counted
    [table] = report.tables
    assert [row[:3] for row in table.rows[:2]] == [
        ("PubMed, published", "2,730 words", "6"),
        ("arXiv, published", "5,206 words", "5"),
    ]
    assert [row[0] for row in table.rows[4:8]] == [
        f"as long as {name}" for name in ("PubMed", "arXiv", "PubMed-trunc", "GovReport")
    ]
    assert [row[1:3] for row in table.rows[8:]] == [
        (f"{sentences} sentences", str(count)) for sentences, count in ((20, 7), (40, 7), (30, 1), (30, 4))
    ]
    assert all(isinstance(row[3], Number) and row[3].value > 0 for row in table.rows)
    assert len(report.conclusions) == 2
    assert "threads:1" in report.signatures[0]
    assert [len(axes.containers) for axes in report.figures["timing"][1].axes] == [1, 1]
