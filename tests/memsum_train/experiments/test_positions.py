from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.evaluation.measuring import Scores
from memsum_train.experiments.comparisons import NEARNESS, conclude
from memsum_train.experiments.positions import COLUMNS, CUT, WORDS, beginning, draw_positions, measure_positions, run
from memsum_train.policy import PolicyConfig

from .untrained import untrained_context

LONG = "The dyke was raised again by half a metre after the storm of that autumn."  # 15 words
DOCUMENT = Example(
    text=("Ferries stopped.", "Bridges cost more.", "Nobody swims."), summary=("Bridges replaced ferries.",)
)
documents = st.integers(1, 40).flatmap(lambda n: st.tuples(st.sets(st.integers(0, n - 1), max_size=5), st.just(n)))
EVERYWHERE = tuple(range(0, 100, 10))
BEGINNING = (0, 1, 2, 3)
END = (96, 97, 98, 99)


def described(**systems: Sequence[int]) -> list[Scores]:
    """Systems that take the same of each of 24 documents of 100 sentences."""
    return measure_positions({name: [[taken] * 24] for name, taken in systems.items()}, [100] * 24)


def means(scores: Scores) -> list[float]:
    return [scores.estimate(measure).mean for measure in COLUMNS]


def test_the_beginning_has_no_more_words_than_a_model_reads() -> None:
    assert len(beginning(replace(DOCUMENT, text=(LONG,) * 60)).text) == WORDS // 15
    assert len(beginning(replace(DOCUMENT, text=("word " * 2000, LONG), sections=("A", "B"))).text) == 1
    assert beginning(DOCUMENT) == DOCUMENT


def test_means_and_shares_are_of_all_taken_sentences() -> None:
    everywhere, first, last = described(oracle=EVERYWHERE, first=BEGINNING, last=END)
    assert means(everywhere) == pytest.approx([0.455, 0.2, 0])
    assert means(first)[:2] == pytest.approx([0.02, 1])
    assert means(last)[0] == pytest.approx(0.98)


def test_the_distance_is_how_far_sentences_would_have_to_be_moved() -> None:
    _, same, end = described(oracle=BEGINNING, same=BEGINNING, end=END)
    assert means(same)[2] == 0
    assert means(end)[2] == pytest.approx(-0.95, abs=0.01)  # in bins of a twentieth


def test_what_is_nearer_is_told_with_an_interval() -> None:
    random = np.random.default_rng(5)
    taken = {
        name: [[tuple(random.choice(within, 7, replace=False)) for _ in range(40)] for _ in range(3)]
        for name, within in (("oracle", 100), ("near", 100), ("far", 10))
    }
    _, near, far = measure_positions(taken, [100] * 40)
    assert conclude(near, far, NEARNESS).endswith(": better.")
    assert conclude(far, near, NEARNESS).endswith(": worse.")


def test_documents_of_which_a_system_takes_nothing_are_left_out() -> None:
    [one, other] = measure_positions({"one": [[(0,), (3,)]], "other": [[(0,), ()]]}, [2, 30])
    assert one.values["mean"].shape == other.values["mean"].shape == (1, 1)


@settings(max_examples=40, deadline=None)
@given(st.lists(documents, min_size=1, max_size=4).filter(lambda some: any(taken for taken, _ in some)))
def test_shares_add_up(some: list[tuple[set[int], int]]) -> None:
    [one] = measure_positions({"any": [[tuple(taken) for taken, _ in some]]}, [n for _, n in some])
    assert sum(one.values[str(bin_)].mean() for bin_ in range(20)) == pytest.approx(1)


def test_a_sentence_of_a_short_document_lies_in_several_bins() -> None:
    [short] = measure_positions({"short": [[(0,)]]}, [2])
    assert [short.values[str(bin_)].mean() for bin_ in range(20)] == pytest.approx([0.1] * 10 + [0] * 10)


def test_the_figure_tells_peaks_that_it_does_not_show() -> None:
    pytest.importorskip("matplotlib")
    [axes] = draw_positions(described(oracle=EVERYWHERE, same=EVERYWHERE, beginning=BEGINNING), "data:garden").axes
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][-1] == "beginning (to 100 %)"


def test_the_report_compares_with_one_that_reads_the_beginning(
    make_examples: Callable[..., list[Example]], tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    splits = {split: make_examples(3, seed=i) for i, split in enumerate(("train", "valid", "test"), start=21)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    assert [row[0] for row in report.tables[0].rows] == ["oracle", "MemSum", CUT]
    # No document has 512 words, so that both are the same; and three documents are too few for a verdict.
    assert "+0.00 % of the document: no verdict" in report.conclusions[0]
    assert "n:3" in report.signatures[0]
