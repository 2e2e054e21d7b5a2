from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.experiments import timing
from memsum_train.experiments.timing import conclude, measure, run, slope, windows
from memsum_train.policy import PolicyConfig
from memsum_train.report.table import Number

from .untrained import untrained_context

POOL = [f"Lock {number} of the canal was opened in {1800 + number}." for number in range(450)]
noise = np.random.default_rng(0).normal(scale=5, size=(6, 5))


def test_a_line_is_found_again() -> None:
    sizes = np.array([50, 100, 200])
    found = slope(sizes.tolist(), np.tile(2 + 0.1 * sizes[:, None], 5))
    assert (found.mean, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert slope([7], np.array([[1.0, 2.0]])).mean == 0  # of one length, there is none


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (noise + np.arange(6)[:, None] * 30, "as in the paper"),
        (noise - np.arange(6)[:, None] * 30, "unlike in the paper"),
        (noise, "no growth could be measured"),
    ],
)
def test_conclusions_follow_from_intervals(times: np.ndarray, said: str) -> None:
    assert said in conclude("PyTorch", slope(range(6), times), "extracted sentence")


def test_documents_have_the_length_that_is_asked_for_and_differ() -> None:
    documents = windows(POOL, 400)
    assert {len(set(document)) for document in documents} == {400}
    assert len({document[0] for document in documents}) == len(documents)


def test_engines_take_turns_after_one_warm_up() -> None:
    said: list[tuple[str, int]] = []
    engines = {name: lambda text, count, name=name: said.append((name, count)) for name in "ab"}
    times = measure(engines, [(POOL, 3), (POOL, 4)])  # type: ignore[arg-type]
    assert said == [("a", 3), ("b", 3), ("a", 3), ("b", 3), ("a", 4), ("b", 4)]
    assert {name: len(values) for name, values in times.items()} == {"a": 2, "b": 2}


def test_the_report_times_the_model_in_both_engines(
    make_examples: Callable[..., list[Example]],
    tiny: PolicyConfig,
    vectors: WordVectors,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    pytest.importorskip("matplotlib")
    for name, value in {"REPEATS": 2, "SIZES": (20, 40), "COUNTS": (1, 4), "list_models": list}.items():
        monkeypatch.setattr(timing, name, value)
    splits = {split: make_examples(3, seed=i) for i, split in enumerate(("train", "valid", "test"), 61)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    threads = torch.get_num_threads()
    report = run(context)
    assert torch.get_num_threads() == threads
    [table] = report.tables
    assert [row[:3] for row in table.rows[:2]] == [
        ("PubMed, published", "2,730 words", "6"),
        ("arXiv, published", "5,206 words", "5"),
    ]
    pool = len({sentence for example in splits["test"] for sentence in example.text})
    size = min(timing.SIZE, pool)
    assert [row[1:3] for row in table.rows if row[0] == "PyTorch"] == [
        (f"{sentences} sentences", str(count)) for sentences, count in ((20, 7), (40, 7), (size, 1), (size, 4))
    ]
    like = [row for row in table.rows if str(row[0]).startswith("ONNX Runtime, as long as")]
    assert [row[0] for row in like] == ["ONNX Runtime, as long as PubMed-trunc"]  # there are not more sentences
    assert all(isinstance(row[3], Number) and row[3].value > 0 for row in table.rows)
    assert len(report.conclusions) == 4
    assert "threads:1" in report.signatures[0]
    left, right = report.figures[0].figure.axes
    assert len(left.containers) == len(right.containers) == 2  # a line an engine
