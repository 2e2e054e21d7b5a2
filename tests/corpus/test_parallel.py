from __future__ import annotations

import operator
import os
import time
from collections.abc import Iterator
from itertools import islice

import pytest

from memsum.corpus import parallel
from memsum.corpus.parallel import map_ordered
from memsum.errors import CorpusError

# Workers import the function by name, so these tests use functions of installed modules.


@pytest.mark.parametrize(("workers", "count"), [(1, 0), (1, 100), (2, 0), (2, 7), (2, 8), (2, 9), (3, 100)])
def test_results_come_in_order_with_their_items(workers: int, count: int) -> None:
    assert list(map_ordered(operator.neg, range(count), workers)) == [(n, -n) for n in range(count)]


def test_slow_items_do_not_change_the_order() -> None:
    delays = [0.2 if n == 0 else 0.0 for n in range(60)]
    assert [item for item, _ in map_ordered(time.sleep, delays, 2)] == delays


def test_only_a_bounded_number_of_items_is_read_ahead() -> None:
    read = 0

    def endless() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    results = map_ordered(operator.neg, endless(), 2)
    assert len(list(islice(results, 500))) == 500
    results.close()
    assert read <= 500 + (2 * parallel.AHEAD + 2) * parallel.CHUNK


def test_a_dead_worker_is_an_error_not_a_hang() -> None:
    with pytest.raises(CorpusError, match=r"A worker process died \(exit status 3\)"):
        list(map_ordered(os._exit, [3] * 40, 2))


def test_a_short_stream_is_not_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_Worker", None)
    assert list(map_ordered(operator.neg, [1, 2], 8)) == [(1, -1), (2, -2)]
