from __future__ import annotations

import operator
import os
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from memsum import parallel
from memsum.errors import CorpusError, MemsumError
from memsum.files import parse_object
from memsum.isolation import NO_MEMORY
from memsum.parallel import map_parallel

# Workers import the function by name, so these tests use functions of installed modules.


@pytest.mark.parametrize(("workers", "count"), [(1, 0), (1, 100), (2, 0), (2, 7), (2, 8), (2, 9), (3, 100)])
def test_results_come_in_order_with_their_items(workers: int, count: int) -> None:
    assert list(map_parallel(operator.neg, range(count), workers)) == [(n, -n) for n in range(count)]


def test_slow_items_do_not_change_the_order() -> None:
    delays = [0.2 if n == 0 else 0.0 for n in range(60)]
    assert [item for item, _ in map_parallel(time.sleep, delays, 2)] == delays


def test_only_a_bounded_number_of_items_is_read_ahead() -> None:
    read = 0

    def endless() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    results = map_parallel(operator.neg, endless(), 2)
    assert len(list(islice(results, 500))) == 500
    results.close()
    assert read <= 500 + (2 * parallel.AHEAD + 2) * parallel.CHUNK


def test_a_dead_worker_is_an_error_not_a_hang() -> None:
    with pytest.raises(CorpusError, match=r"A worker process died \(exit status 3\)"):
        list(map_parallel(os._exit, [3] * 40, 2))


def test_a_short_stream_is_not_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_Worker", None)
    assert list(map_parallel(operator.neg, [1, 2], 8)) == [(1, -1), (2, -2)]


def test_one_worker_reads_nothing_ahead() -> None:
    items = iter([1, 2])
    assert next(map_parallel(operator.neg, items, 1)) == (1, -1)
    assert next(items) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_as_they_come_the_fast_do_not_wait_for_the_slow(tmp_path: Path) -> None:
    slow, fast = tmp_path / "slow", tmp_path / "fast"
    os.mkfifo(slow)  # who reads it waits until somebody writes
    fast.touch()
    paths = [slow, *[fast] * 159]
    results = map_parallel(Path.read_bytes, paths, 2, ordered=False)
    too_late = threading.Timer(60, slow.write_bytes, [b""])
    too_late.start()
    first = [path for path, _ in islice(results, parallel.CHUNK + 1)]
    too_late.cancel()
    assert slow not in first
    slow.write_bytes(b"")
    assert sorted([*first, *(path for path, _ in results)]) == sorted(paths)


def test_an_item_that_kills_is_lost_alone() -> None:
    items = ["pass"] * 40
    items[13] = items[14] = "import os; os._exit(5)"
    results = map_parallel(exec, items, 2, lost=lambda item, status: status)
    assert [result for _, result in results] == [None] * 13 + [5, 5] + [None] * 25


def test_if_every_item_kills_it_is_not_the_items() -> None:
    with pytest.raises(CorpusError, match=r"A worker process died \(exit status 3\)"):
        list(map_parallel(os._exit, [3] * 40, 2, lost=lambda item, status: None))


def test_an_error_of_ours_in_a_worker_is_raised_here() -> None:
    with pytest.raises(MemsumError, match="not valid JSON"):
        list(map_parallel(parse_object, [b"{}"] * 9 + [b"{no}"] * 9, 2))


HANGS = """
import re
from memsum.isolation import kill_self_after
kill_self_after(0.2)
re.match("(a+)+$", "a" * 60 + "b")
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_takes_too_long_is_lost_alone(workers: int) -> None:
    items = ["pass"] * 12
    items[3] = items[4] = HANGS
    results = map_parallel(exec, items, workers, lost=lambda item, status: status)
    assert [result for _, result in results] == [None] * 3 + [parallel.TIMED_OUT] * 2 + [None] * 7


@pytest.mark.slow
def test_however_many_take_too_long_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK", 2)
    items = [HANGS] * (parallel.CHUNK + 1) + ["pass"]
    results = map_parallel(exec, items, 1, lost=lambda item, status: status)
    assert [result for _, result in results] == [parallel.TIMED_OUT] * (parallel.CHUNK + 1) + [None]


def test_what_may_be_lost_is_never_worked_on_right_here() -> None:
    assert list(map_parallel(os._exit, [3], 1, lost=lambda item, status: status)) == [(3, 3)]
    assert list(map_parallel(os._exit, [3], 2, lost=lambda item, status: status)) == [(3, 3)]


def test_heavy_items_are_not_read_ahead_by_the_dozen() -> None:
    read = 0

    def heavy() -> Iterator[bytes]:
        nonlocal read
        for _ in range(60):
            read += 1
            yield b"x" * 10

    weigh = lambda item: parallel.CHUNK_BYTES  # noqa: E731
    results = map_parallel(len, heavy(), 2, lost=lambda item, status: status, weigh=weigh)
    assert next(results) == (b"x" * 10, 10)
    assert read <= 2 * parallel.AHEAD + 2
    results.close()


def test_workers_have_no_secrets_in_their_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSUM_TOKEN", "secret")
    monkeypatch.setenv("MEMSUM_OTHER", "known")
    names = ["MEMSUM_TOKEN", "MEMSUM_OTHER"] * 20
    assert list(map_parallel(os.getenv, names, 2)) == [("MEMSUM_TOKEN", None), ("MEMSUM_OTHER", "known")] * 20
    assert os.environ["MEMSUM_TOKEN"] == "secret"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_takes_too_much_memory_is_lost_alone(workers: int) -> None:
    sizes = [10, 2**30, 20] * 3
    lost = lambda size, status: f"{size} died {status}"  # noqa: E731
    made = [result for _, result in map_parallel(bytes, sizes, workers, lost=lost, memory_mb=256)]  # type: ignore[type-var]
    assert made == [bytes(10), f"{2**30} died {NO_MEMORY}", bytes(20)] * 3
