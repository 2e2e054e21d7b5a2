"""Summaries on Ray: byte for byte those of one machine, whatever happens to a worker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memsum.batch.inputs import Content, Input, Table
from memsum.batch.journal import Outcome
from memsum.batch.ray_engine import RayEngine
from memsum.batch.run import Job, JobResult, Results, Run
from memsum.batch.summaries import BatchSettings, Worker, find_documents, run_batch
from memsum.cli.app import app
from memsum.errors import MemsumError
from memsum.summarizer import Summarizer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cluster")]
Locally = Callable[[Path], bytes]
OnRay = Callable[[str, Path], JobResult]


def errors(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(f"{output}.errors.jsonl").read_text().splitlines()]


def test_the_same_bytes_as_on_one_machine(
    source: Path, settings: BatchSettings, on_ray: OnRay, locally: Locally, tmp_path: Path
):
    """A `file://` URI takes the way of object storage."""
    output = tmp_path / "ray.jsonl"
    counts = on_ray(f"file://{source}", output)
    assert (counts.kept, counts.failed, counts.again) == (28, 3, False)
    assert output.read_bytes() == locally(source)
    assert [record["document"] for record in errors(output)] == [4, 11, 21]
    assert not Path(f"{output}.partial").exists()
    assert on_ray(f"file://{source}", output).again


def test_tables_are_read_by_row_groups(
    records: list[dict[str, Any]], settings: BatchSettings, on_ray: OnRay, locally: Locally, tmp_path: Path
):
    import pyarrow
    import pyarrow.parquet

    path, output = tmp_path / "in.parquet", tmp_path / "ray.jsonl"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), path, row_group_size=7)
    assert isinstance(find_documents(str(path)), Table)
    counts = on_ray(str(path), output)
    assert (counts.kept, counts.failed) == (28, 2)
    assert output.read_bytes() == locally(path)


def test_as_they_come_all_lines_are_there(source: Path, settings: BatchSettings, locally: Locally, tmp_path: Path):
    output = tmp_path / "ray.jsonl"
    options = ["--engine", "ray", "--unordered", "--model", settings.model, "--sentences", "2"]
    result = CliRunner().invoke(app, ["batch", str(source), str(output), *options])
    assert result.exit_code == 3, result.output
    assert "28 summarized, 3 failed" in result.output
    assert sorted(output.read_bytes().splitlines()) == sorted(locally(source).splitlines())


def test_a_run_that_was_stopped_goes_on_where_it_was(
    source: Path, settings: BatchSettings, on_ray: OnRay, locally: Locally, tmp_path: Path
):
    output = tmp_path / "ray.jsonl"
    counted: list[int] = []

    def interrupt(count: int) -> None:
        counted.append(count)
        if len(counted) == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(find_documents(str(source)), str(output), settings, Run(RayEngine(), advance=interrupt))
    assert Path(f"{output}.partial").read_bytes().count(b"\n") == 1 + 11
    on_ray(str(source), output)
    assert output.read_bytes() == locally(source)


@dataclass(frozen=True)
class With:
    """The engine with another worker."""

    engine: RayEngine
    worker: Worker

    def check(self, source: Input) -> None:
        self.engine.check(source)

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        return self.engine(replace(job, work=self.worker.work), source, done, ordered=ordered)


def test_kill_9_of_a_worker_in_the_middle(source: Path, settings: BatchSettings, locally: Locally, tmp_path: Path):
    folder, output = tmp_path / "pids", tmp_path / "ray.jsonl"
    folder.mkdir()

    # Classes of a function travel to the workers as they are; those of a test module could not be imported there.
    class Slow(Worker):
        """Tells which process it is, and takes its time."""

        def __reduce__(self) -> Any:
            return Slow, (self.settings,)

        def __call__(self, content: Content) -> Outcome:
            (folder / str(os.getpid())).touch()
            time.sleep(0.1)
            return super().__call__(content)

    killed: list[int] = []

    def kill(count: int) -> None:
        if count and not killed:
            killed.append(int(next(folder.iterdir()).name))
            os.kill(killed[0], signal.SIGKILL)

    engine = With(RayEngine(), Slow(settings))
    counts = run_batch(find_documents(str(source)), str(output), settings, Run(engine, advance=kill))
    assert (counts.kept, counts.failed) == (28, 3)
    assert output.read_bytes() == locally(source)
    assert len(list(folder.iterdir())) > 2, "the killed worker was not replaced"


def test_documents_that_workers_die_of_or_never_finish_are_two_that_failed(
    source: Path, settings: BatchSettings, locally: Locally, tmp_path: Path
):
    output = tmp_path / "ray.jsonl"

    class Unlucky(Worker):
        """Dies of the 14th document, and never comes to an end with the 19th."""

        def __reduce__(self) -> Any:
            return Unlucky, (self.settings, self.seconds)

        def _summarize(self, summarizer: Summarizer, content: Content) -> Outcome:
            outcome = super()._summarize(summarizer, content)
            if '"doc-14"' in outcome.line:
                os.kill(os.getpid(), signal.SIGKILL)
            while '"doc-19"' in outcome.line:
                time.sleep(60)
            return outcome

    engine = With(RayEngine(), Unlucky(settings, 5))
    counts = run_batch(find_documents(str(source)), str(output), settings, Run(engine))
    assert (counts.kept, counts.failed) == (26, 5)
    found, wanted = (lines.splitlines() for lines in (output.read_bytes(), locally(source)))
    assert [n for n in range(31) if found[n] != wanted[n]] == [13, 18]
    error = "The process that summarized it died; it may have run out of memory or time."
    assert [json.loads(found[n]) for n in (13, 18)] == [
        {"id": "doc-14", "error": error},
        {"id": "doc-19", "error": error},
    ]


def test_a_model_that_workers_cannot_load_ends_the_job(source: Path, settings: BatchSettings, tmp_path: Path):
    worker = Worker(replace(settings, model=str(tmp_path / "nowhere")))
    with pytest.raises(MemsumError, match=r"There is no model folder .*nowhere\."):
        run_batch(find_documents(str(source)), str(tmp_path / "out"), settings, Run(With(RayEngine(), worker)))
    assert not (tmp_path / "out").exists()


def test_the_standard_input_is_refused(settings: BatchSettings, on_ray: OnRay, tmp_path: Path):
    with pytest.raises(MemsumError, match="read files"):
        on_ray("-", tmp_path / "out")
