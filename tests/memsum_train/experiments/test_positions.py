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
from memsum_train.experiments.positions import (
    CUT,
    WORDS,
    Positions,
    Taken,
    beginning,
    conclude,
    draw_positions,
    measure_positions,
    run,
)
from memsum_train.policy import PolicyConfig

from .untrained import untrained_context

LONG = "The dyke was raised again by half a metre after the storm of that autumn."  # 15 words
DOCUMENT = Example(
    text=("Ferries stopped.", "Bridges cost more.", "Nobody swims."), summary=("Bridges replaced ferries.",)
)
documents = st.integers(1, 40).flatmap(lambda n: st.tuples(st.sets(st.integers(0, n - 1), max_size=5), st.just(n)))
System = tuple[str, Sequence[Taken]]
EVERYWHERE: System = ("oracle", [(tuple(range(0, 100, 10)), 100)] * 24)
BEGINNING: System = ("beginning", [((0, 1, 2, 3), 100)] * 24)
END: System = ("end", [((96, 97, 98, 99), 100)] * 24)


def means(positions: Positions) -> list[float]:
    return [estimate.mean for estimate in positions.estimates()]


def test_the_beginning_has_no_more_words_than_a_model_reads() -> None:
    assert len(beginning(replace(DOCUMENT, text=(LONG,) * 60)).text) == WORDS // 15
    assert len(beginning(replace(DOCUMENT, text=("word " * 2000, LONG), sections=("A", "B"))).text) == 1
    assert beginning(DOCUMENT) == DOCUMENT


def test_means_and_shares_are_of_all_taken_sentences() -> None:
    everywhere, first, last = measure_positions([EVERYWHERE, BEGINNING, END])
    assert everywhere.sentences == 240
    assert means(everywhere) == pytest.approx([0.455, 0.1, 0.2, 0])
    assert means(first)[:3] == pytest.approx([0.02, 1, 1])
    assert means(last)[0] == pytest.approx(0.98)


def test_the_distance_is_how_far_sentences_would_have_to_be_moved() -> None:
    _, same, end = measure_positions([BEGINNING, BEGINNING, END])
    assert means(same)[3] == 0
    assert means(end)[3] == pytest.approx(0.95, abs=0.01)  # in bins of a twentieth


def test_what_is_nearer_is_told_with_an_interval() -> None:
    random = np.random.default_rng(5)
    oracle, near, far = (
        (name, [(tuple(random.choice(within, 7, replace=False)), 100) for _ in range(40)])
        for name, within in (("oracle", 100), ("near", 100), ("far", 10))
    )
    _, one, other = measure_positions([oracle, near, far])
    gain = one.nearer(other)
    assert 0 < gain.low < gain.mean < gain.high
    assert other.nearer(one).mean == -gain.mean
    assert "in the same direction as in the paper" in conclude(one, other, 40)
    assert "in the other direction" in conclude(other, one, 40)
    assert "the paper finds nearer" in conclude(one, one, 40)


def test_documents_that_differ_make_intervals_wide_and_few_have_none() -> None:
    mixed: System = ("mixed", [((0, 1), 100)] * 12 + [((98, 99), 100)] * 12)
    same, other = (one.estimates()[0] for one in measure_positions([EVERYWHERE, mixed]))
    assert same.low == pytest.approx(same.high)
    assert other.high - other.low > 0.3
    few = measure_positions([("few", EVERYWHERE[1][:8])])[0].estimates()[0]
    assert np.isnan([few.low, few.high]).all()


def test_a_sentence_of_a_short_document_lies_in_several_bins_and_an_empty_summary_in_none() -> None:
    [short] = measure_positions([("short", [((0,), 2), ((), 30)])])
    np.testing.assert_allclose(short.shares[0, 2:], [0.1] * 10 + [0] * 10)
    assert short.sentences == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(documents, min_size=1, max_size=4))
def test_shares_add_up(some: list[tuple[set[int], int]]) -> None:
    [one] = measure_positions([("any", [(tuple(sorted(taken)), n) for taken, n in some])])
    assert one.shares[0, 2:].sum() == pytest.approx(1 if one.sentences else 0)


def test_the_figure_tells_peaks_that_it_does_not_show() -> None:
    pytest.importorskip("matplotlib")
    [axes] = draw_positions(measure_positions([EVERYWHERE, EVERYWHERE, BEGINNING]), "data:garden").axes
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
    assert "difference 0.0 %): no verdict" in report.conclusions[0]
    assert "n:3" in report.signatures[0]
