"""Whatever ends a run, the same command continues it, and the result is that of a run that nothing ended."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as given_settings
from hypothesis import strategies as st

from memsum.batch import run
from memsum.batch.run import LocalEngine, Run
from memsum.batch.summaries import SECONDS, BatchSettings, find_documents, run_batch

pytestmark = pytest.mark.slow

Runner = Callable[..., Path]
often = given_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def to(source: Path, settings: BatchSettings, tmp_path: Path) -> Runner:
    """Runs the documents to the file of a name."""

    def to(name: str, engine: Any, *, seconds: float = SECONDS, **options: Any) -> Path:
        output = tmp_path / name
        run_batch(find_documents(str(source)), str(output), settings, Run(engine, **options), seconds=seconds)
        return output

    return to


def files(output: Path) -> list[bytes]:
    """The output and the list of what failed; nothing else may be left but the record."""
    left = {path.name.removeprefix(output.name) for path in output.parent.glob(f"{output.name}*")}
    assert left == {"", ".errors.jsonl", ".job.json"}
    return [output.read_bytes(), Path(f"{output}.errors.jsonl").read_bytes()]


@often
@given(stops=st.lists(st.integers(0, 31), max_size=4), cut=st.integers(0, 200), ordered=st.booleans())
def test_interrupted_anywhere_and_cut_off(
    to: Runner, tmp_path: Path, known: Any, stops: list[int], cut: int, ordered: bool
) -> None:
    once = files(to("once.jsonl", known(), ordered=ordered, restart=True))
    partial = tmp_path / "often.jsonl.partial"
    (tmp_path / "often.jsonl").unlink(missing_ok=True)
    for stop in stops:
        try:
            to("often.jsonl", known(stop_after=stop), ordered=ordered)
        except KeyboardInterrupt:
            if partial.exists():
                partial.write_bytes(partial.read_bytes()[: -cut or None])
    again = files(to("often.jsonl", known(), ordered=ordered))
    assert (
        again == once
        if ordered
        else [sorted(file.splitlines()) for file in again] == [sorted(file.splitlines()) for file in once]
    )


@pytest.mark.parametrize("retry", [False, True])
@pytest.mark.parametrize("step", ["publish", "write_record", "reopen"])
@pytest.mark.parametrize("before", [True, False])
def test_ended_between_two_steps(
    to: Runner, known: Any, monkeypatch: pytest.MonkeyPatch, step: str, before: bool, retry: bool
) -> None:
    once = files(to("once.jsonl", known()))
    if retry:
        to("ended.jsonl", known())
    real = getattr(run, step)

    def ended(*arguments: Any, **options: Any) -> None:
        if not before:
            real(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(run, step, ended)
    if step != "reopen" or retry:
        with pytest.raises(KeyboardInterrupt):
            to("ended.jsonl", known(), retry_failed=retry)
    monkeypatch.undo()
    engine = known()
    to("ended.jsonl", engine, retry_failed=retry)
    assert files(to("ended.jsonl", known())) == once
    assert len(engine.seen) <= (30 if step == "reopen" and not retry else 4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_by_the_system_at_many_points(to: Runner, tmp_path: Path, source: Path) -> None:
    once = files(to("once.jsonl", LocalEngine(1)))
    chance = random.Random(8)
    partial = tmp_path / "killed.jsonl.partial"
    size = sum(map(len, once))
    kills = 0
    for _ in range(3):
        while True:
            child = os.fork()
            if child == 0:
                to("killed.jsonl", LocalEngine(1))
                os._exit(0)
            status = _kill_when(child, partial, _size(partial) + chance.randint(0, size // 3))
            if status == 0:
                break
            kills += 1
            if partial.exists():
                partial.write_bytes(partial.read_bytes()[: -chance.randint(0, 80) or None])
        assert files(tmp_path / "killed.jsonl") == once
        (tmp_path / "killed.jsonl").unlink()
    assert kills >= 3


def _kill_when(child: int, partial: Path, size: int) -> int:
    """Kill a process as soon as its journal has a size; its exit status, -9 if it was killed."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if _size(partial) >= size:
            os.kill(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        time.sleep(0.0005)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def test_documents_that_take_too_long_are_errors_like_any_other(to: Runner, source: Path) -> None:
    first = source.read_text().splitlines(keepends=True)[:4]  # each document ends a process
    source.write_text("".join(first))
    late = to("late.jsonl", LocalEngine(2), seconds=1e-6)
    lines = [json.loads(line) for line in late.read_text().splitlines()]
    assert len(lines) == 4
    assert {line["error"] for line in lines} == {"It took longer than 1e-06 seconds."}
    assert lines[0]["id"] == "doc-1"
    again = to("late.jsonl", LocalEngine(2), retry_failed=True)
    assert files(again) == files(to("once.jsonl", LocalEngine(1)))


def test_a_text_that_hangs_does_not_stall_the_others(settings: BatchSettings, tmp_path: Path) -> None:
    texts = ["The tide rose. It fell.", "<!-- a -->\n" * 45 + "Hello there.", "The pump stood still. It was old."]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    output = tmp_path / "out.jsonl"
    counts = run_batch(
        find_documents(str(tmp_path / "in.jsonl")), str(output), settings, Run(LocalEngine(1)), seconds=2
    )
    first, second, third = (json.loads(line) for line in output.read_text().splitlines())
    assert first["sentences"]
    assert third["sentences"]
    assert counts.failed == ("error" in second)
