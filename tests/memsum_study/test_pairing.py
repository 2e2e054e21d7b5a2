"""Who judges what: balanced, complete, and the same for the same secret only."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from memsum_study.plan import assign, draw_pairs

counts = st.integers(1, 30)


@settings(deadline=None)
@given(counts, st.integers(2, 5), st.integers(1, 3), st.text(min_size=1, max_size=9))
def test_each_document_has_its_pairs_and_all_pairs_come_up_equally_often(
    documents: int, systems: int, per_document: int, secret: str
) -> None:
    pairs = draw_pairs(documents, systems, per_document, secret)
    kinds = systems * (systems - 1) // 2
    assert len(set(pairs)) == len(pairs) == documents * min(per_document, kinds)
    uses = Counter((pair.first, pair.second) for pair in pairs)
    assert max(uses.values()) - (min(uses.values()) if len(uses) == kinds else 0) <= 1


@settings(deadline=None)
@given(counts, st.integers(1, 6), st.data(), st.text(min_size=1, max_size=9))
def test_each_pair_has_as_many_judges_as_wanted_and_work_and_sides_are_balanced(
    documents: int, annotators: int, data: st.DataObject, secret: str
) -> None:
    overlap = data.draw(st.integers(1, annotators))
    pairs = draw_pairs(documents, 2, 1, secret)
    assignments = assign(pairs, annotators, overlap, secret)
    assert assignments == assign(pairs, annotators, overlap, secret)
    judges = Counter(one.pair for one in assignments)
    assert set(judges.values()) == {overlap}
    assert len({(one.pair, one.annotator) for one in assignments}) == len(assignments)
    work = [sum(one.annotator == who for one in assignments) for who in range(annotators)]
    assert max(work) - min(work) <= 1
    left = sum(one.left == one.pair.first for one in assignments)
    assert abs(2 * left - len(assignments)) <= 1
    for who in range(annotators):
        own = [one for one in assignments if one.annotator == who]
        assert sorted(one.position for one in own) == list(range(1, len(own) + 1))
        assert abs(2 * sum(one.left == one.pair.first for one in own) - len(own)) <= 1
