from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum_train.experiments.positions import Taken, draw_positions, measure_positions

documents = st.integers(1, 40).flatmap(lambda n: st.tuples(st.sets(st.integers(0, n - 1), max_size=5), st.just(n)))


def placement(name: str, *documents: Taken) -> tuple[str, Sequence[Taken]]:
    return name, documents


EVERYWHERE = placement("oracle", *[(tuple(range(0, 100, 10)), 100)] * 8)
BEGINNING = placement("beginning", *[((0, 1, 2, 3), 100)] * 8)
END = placement("end", *[((96, 97, 98, 99), 100)] * 8)


MANY = [(name, list(documents) * 3) for name, documents in (EVERYWHERE, BEGINNING)]  # enough for intervals


def test_means_and_shares_are_of_all_taken_sentences() -> None:
    everywhere, beginning, end = measure_positions([EVERYWHERE, BEGINNING, END])
    assert everywhere.sentences == 80
    assert everywhere.mean.mean == pytest.approx(0.455)
    assert everywhere.first_tenth.mean == pytest.approx(0.1)
    assert everywhere.early.mean == pytest.approx(0.2)
    assert (beginning.first_tenth.mean, beginning.early.mean) == (1, 1)
    assert end.mean.mean == pytest.approx(0.98)


def test_the_distance_is_how_far_sentences_would_have_to_be_moved() -> None:
    oracle, beginning, end = measure_positions([BEGINNING, BEGINNING, END])
    assert oracle.distance.mean == beginning.distance.mean == 0
    assert end.distance.mean == pytest.approx(0.95, abs=0.01)  # in bins of a twentieth


def test_what_is_nearer_is_told_with_an_interval() -> None:
    random = np.random.default_rng(5)
    near = placement("near", *((tuple(random.choice(100, 7, replace=False)), 100) for _ in range(40)))
    oracle = placement("oracle", *((tuple(random.choice(100, 9, replace=False)), 100) for _ in range(40)))
    far = placement("far", *((tuple(random.choice(10, 7, replace=False)), 100) for _ in range(40)))
    _, one, other = measure_positions([oracle, near, far])
    gain = one.nearer(other)
    assert 0 < gain.low < gain.mean < gain.high
    assert other.nearer(one).mean == -gain.mean
    assert one.nearer(one).high == 0


def test_documents_that_differ_make_intervals_wide() -> None:
    same, _ = measure_positions(MANY)
    mixed, _ = measure_positions([placement("mixed", *[((0, 1), 100)] * 12, *[((98, 99), 100)] * 12), MANY[1]])
    assert same.mean.low == pytest.approx(same.mean.high)
    assert mixed.mean.high - mixed.mean.low > 0.3
    few, _ = measure_positions([EVERYWHERE, BEGINNING])
    assert np.isnan([few.mean.low, few.mean.high]).all()


def test_a_sentence_of_a_short_document_lies_in_several_bins() -> None:
    [short] = measure_positions([placement("short", ((0,), 2))])
    np.testing.assert_allclose(short.relative.values, [0.1] * 10 + [0] * 10)


def test_a_document_without_any_sentence_counts_for_nothing() -> None:
    [one] = measure_positions([placement("one", ((), 30), ((15,), 30))])
    assert one.sentences == 1
    assert one.mean.mean == pytest.approx(15.5 / 30)


@settings(max_examples=40, deadline=None)
@given(st.lists(documents, min_size=1, max_size=4))
def test_shares_add_up(some: list[tuple[set[int], int]]) -> None:
    [one] = measure_positions([placement("any", *((tuple(sorted(p)), n) for p, n in some))])
    assert one.relative.values.sum() == pytest.approx(1 if one.sentences else 0)
    assert one.absolute.values.sum() <= 1 + 1e-9


def test_the_figure_tells_peaks_that_it_does_not_show() -> None:
    pytest.importorskip("matplotlib")
    found = measure_positions([EVERYWHERE, EVERYWHERE, BEGINNING])
    figure = draw_positions(found, found[:2], "data:garden")
    upper, lower = figure.axes
    legend = upper.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][-1] == "beginning (to 100 %)"
    assert len(lower.get_lines()) == 2
    assert len(draw_positions(found, (), "data:garden").axes) == 1
