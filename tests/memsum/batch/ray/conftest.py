"""One cluster of two cores for all tests here, documents good and bad, and a model of few weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memsum.batch.run import JobResult, LocalEngine, Run
from memsum.batch.summaries import BatchSettings, find_documents, run_batch
from memsum_train.corpus import Example

pytest.importorskip("ray", reason="the extra `cluster` is not installed")


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """A cluster that all later connections find."""
    from memsum.batch.ray_engine import connect

    with connect(None, 2):
        yield


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few documents a block, so that even thirty of them are shared out."""
    from memsum.batch import ray_engine

    monkeypatch.setattr(ray_engine, "_BLOCK", 3_000)


@pytest.fixture(scope="session")
def records(make_examples: Callable[..., list[Example]]) -> list[dict[str, Any]]:
    """Thirty documents, some without an id, one with a question; two cannot be summarized."""
    made: list[dict[str, Any]] = []
    for number, example in enumerate(make_examples(30, seed=5, sentences=8), start=1):
        about = example.text[2] if number == 9 else None
        made.append({"id": f"doc-{number}" if number % 3 else None, "text": " ".join(example.text), "about": about})
    made[3] = {"id": "empty", "text": ""}
    made[10] = {"id": "nothing", "text": None}
    return made


@pytest.fixture
def source(records: list[dict[str, Any]], tmp_path: Path) -> Path:
    """The documents as a file, with a blank line and one that is no JSON."""
    path = tmp_path / "in.jsonl"
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join([*lines[:7], "", *lines[7:20], "no JSON", *lines[20:], ""]), encoding="utf-8")
    return path


@pytest.fixture
def locally(settings: BatchSettings, tmp_path: Path) -> Callable[[Path], bytes]:
    """What the engine of one machine writes."""

    def run(source: Path) -> bytes:
        output = tmp_path / "local.jsonl"
        run_batch(find_documents(str(source)), str(output), settings, Run(LocalEngine(1)))
        return output.read_bytes()

    return run


@pytest.fixture
def on_ray(settings: BatchSettings) -> Callable[[str, Path], JobResult]:
    """Summarizes with the workers of the cluster."""
    from memsum.batch.ray_engine import RayEngine

    def run(source: str, output: Path) -> JobResult:
        return run_batch(find_documents(source), str(output), settings, Run(RayEngine()))

    return run
