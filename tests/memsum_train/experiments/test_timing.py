from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memsum.model.runtime import Runtime
from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.evaluation.playing import open_model
from memsum_train.experiments import timing
from memsum_train.experiments.timing import (
    Growth,
    OnnxEngine,
    Timing,
    TorchEngine,
    _conclude,
    draw_timing,
    fit,
    one_core,
    run,
    time_growth,
    windows,
)
from memsum_train.policy import PolicyConfig

from .untrained import untrained_context


class Clockwork:
    """An engine whose time is known: 2 ms to read, 0.1 ms a sentence, 3 ms a step and one more to stop."""

    name = "clockwork"

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        return Timing(len(sentences), count, 2.0, 0.1 * len(sentences), 3.0 * (count + 1))


POOL = [f"Lock {number} of the canal was opened in {1800 + number}." for number in range(450)]


def test_a_line_is_found_again() -> None:
    by_size, by_count = (growths[0] for growths in time_growth([Clockwork()], POOL))
    assert by_size.values == (50, 100, 200, 400)  # as far as there are sentences
    line = fit(by_size.values, by_size.totals)
    assert line.slope == pytest.approx(0.1)
    assert line.low == pytest.approx(line.high)
    assert line.start == pytest.approx(2 + 3 * 8)
    assert line.explained == pytest.approx(1)
    assert fit(by_count.values, by_count.totals).slope == pytest.approx(3)


def test_noise_makes_the_slope_uncertain() -> None:
    noise = np.random.default_rng(0).normal(scale=5, size=(6, 5))
    line = fit((1, 2, 3, 4, 5, 6), 20 + noise)
    assert line.low < 0 < line.high
    assert line.explained < 0.9


def test_of_one_length_there_is_no_slope() -> None:
    assert fit((7,), np.array([[1.0, 2.0]])).slope == 0


def test_documents_have_the_length_that_is_asked_for_and_differ() -> None:
    documents = windows(POOL, 400)
    assert {len(set(document)) for document in documents} == {400}
    assert len({document[0] for document in documents}) == len(documents)


def test_a_corpus_of_few_sentences_is_timed_as_it_is() -> None:
    by_size, by_count = (growths[0] for growths in time_growth([Clockwork()], POOL[:20]))
    assert by_size.values == (20,)
    assert by_count.values == (1, 4, 7, 11, 16)
    assert {timing.sentences for row in by_count.timings for timing in row} == {20}


@pytest.mark.parametrize(
    ("slope", "said"), [(2.0, "as in the paper"), (-2.0, "unlike in the paper"), (0.0, "no growth")]
)
def test_conclusions_follow_from_intervals(slope: float, said: str) -> None:
    rows = tuple(tuple(Timing(100, n, 0, 0, 50 + slope * n + wobble) for wobble in (-1, 0, 1)) for n in (1, 5, 9))
    assert said in _conclude(Growth("clockwork", (1, 5, 9), rows), "extracted sentences", 1)


def test_both_engines_extract_what_they_are_told(model_folder: Path, held_out: list[Example]) -> None:
    engines = [OnnxEngine(Runtime.load(model_folder, threads=1)), TorchEngine(open_model(model_folder, "cpu"))]
    text = held_out[0].text
    for engine in engines:
        timed = engine.time(text, 5)
        assert (timed.sentences, timed.extracted) == (len(text), 5)
        assert min(timed.text, timed.encoding, timed.steps) >= 0
        assert timed.total == timed.text + timed.encoding + timed.steps
        assert engine.time(text[:2], 5).extracted == 2


def test_one_core_is_for_a_while() -> None:
    import torch

    threads = torch.get_num_threads()
    with one_core():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == threads


def test_the_figure_has_a_line_an_engine() -> None:
    pytest.importorskip("matplotlib")
    by_size, by_count = time_growth([Clockwork(), Clockwork()], POOL)
    figure = draw_timing(by_size, by_count, "cores:2")
    left, right = figure.axes
    assert len(left.containers) == len(right.containers) == 2
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["clockwork", "clockwork"]


def test_the_report_times_the_model_in_both_engines(
    make_examples: Callable[..., list[Example]],
    tiny: PolicyConfig,
    vectors: WordVectors,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(timing, "REPEATS", 2)
    monkeypatch.setattr(timing, "SIZES", (20, 40))
    monkeypatch.setattr(timing, "COUNTS", (1, 4))
    monkeypatch.setattr(timing, "list_models", list)
    splits = {split: make_examples(3, seed=i) for i, split in enumerate(("train", "valid", "test"), 61)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    documents, growth = report.tables
    ours = [row[:2] for row in documents.rows if row[1] != "published"]
    assert ours == [("trials", "ONNX Runtime"), ("trials", "PyTorch")]
    assert len(documents.rows) == 2 + 4
    assert [row[1:3] for row in growth.rows if row[0] == "PyTorch"] == [("20", "7"), ("40", "7"), *_counts(splits)]
    assert len(report.conclusions) == 4
    assert "threads:1" in report.signatures[0]


def _counts(splits: dict[str, list[Example]]) -> list[tuple[str, str]]:
    size = min(timing.SIZE, len({sentence for example in splits["test"] for sentence in example.text}))
    return [(str(size), "1"), (str(size), "4")]
