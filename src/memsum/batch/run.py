"""Run a job: documents in, lines out; killed at any moment, the same call resumes it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memsum.batch.engines import Engine, Job, LocalEngine
from memsum.batch.finished import Finished, JobFiles, publish, reopen, write_record
from memsum.batch.inputs import Input
from memsum.batch.journal import Journal, Mark
from memsum.errors import CorpusError, MemsumError
from memsum.jsonl import is_stream, open_output
from memsum.parallel import cores


@dataclass(frozen=True)
class Run:
    """How a job is run: the engine, the order, and what to do with the files of an earlier run.

    `limit` ends it after so many items that did not fail; with `strict` one that failed is an error in the end.
    """

    engine: Engine = field(default_factory=LocalEngine)
    ordered: bool = True
    restart: bool = False
    retry_failed: bool = False
    limit: int | None = None
    strict: bool = False
    advance: Callable[[int], None] = lambda count: None


@dataclass(frozen=True)
class Counts:
    """The result of a job; `errors` lists what failed, and `again` means that all of it was done before."""

    kept: int
    failed: int
    errors: Path | None = None
    again: bool = False
    noted: int = 0  # of those that were kept
    first_error: str | None = field(default=None, compare=False)  # the reason of the first that failed, with its hint


def choose_engine(
    name: Literal["local", "ray"], workers: int | None, address: str | None = None, threads: int = 1
) -> Engine:
    """Give the engine of a name; by default it has as many workers as cores for them."""
    if name == "ray":
        from memsum.batch.ray_engine import RayEngine

        return RayEngine(address, workers)
    return LocalEngine(workers or max(1, cores() // threads))


def run_job(job: Job, source: Input, output: str, run: Run) -> Counts:
    """Write what becomes of the items to the output, and list those that failed beside it.

    The result is the same whatever the engine and however often the run was killed: byte for byte if it is ordered,
    and else the same lines. Raises if the output is of another job, unless `restart` is set.
    """
    run.engine.check(source)
    if run.retry_failed and (run.restart or source.once or is_stream(output)):
        raise MemsumError("--retry-failed needs file input and output and excludes --restart.")
    if is_stream(output):
        return _run_to_stream(job, source, output, run)
    files = JobFiles(Path(output))
    if job.every_item and not run.restart and not files.partial.exists() and (counts := _finished(job, files, run)):
        return counts
    with Journal(
        files.partial, job.settings, numbered=job.every_item, restart=run.restart, resume=not source.once
    ) as journal:
        run.advance(journal.done)
        if run.limit is None or journal.kept < run.limit:
            with closing(run.engine(job, source, journal, ordered=run.ordered)) as results:
                for position, outcome in results:
                    journal.add(position, outcome)
                    run.advance(1)
                    if journal.kept == run.limit:
                        break
        publish(journal, files, ordered=run.ordered, every_item=job.every_item)
        if job.every_item and source.once:  # nobody can ask for the same again
            files.record.unlink(missing_ok=True)
        elif job.every_item:
            write_record(files, job.settings, journal)
    files.partial.unlink(missing_ok=True)
    errors = files.errors if journal.failed else None
    first = files.first_error() if job.every_item else None
    return Counts(journal.kept, journal.failed, errors, noted=journal.counts[Mark.NOTED], first_error=first)


def refuse_overwriting(source: str, output: str) -> None:
    """Raise if the output is the very file that is read."""
    if not is_stream(output) and Path(source).resolve() == Path(output).resolve():
        raise CorpusError(f"{output} is the input itself.", "Write to another file.")


def _finished(job: Job, files: JobFiles, run: Run) -> Counts | None:
    """Return how the same job ended before, unless what failed is to be retried."""
    finished = Finished.load(files)
    if finished is None:
        if run.retry_failed:
            raise MemsumError("There is no finished run of which to retry documents.", "Run without --retry-failed.")
        return None
    finished.check(files, job.settings)
    if run.retry_failed and finished.failed:
        reopen(files, job.settings)
        return None
    errors = files.errors if finished.failed else None
    return Counts(finished.summarised, finished.failed, errors, again=True, first_error=files.first_error())


def _run_to_stream(job: Job, source: Input, output: str, run: Run) -> Counts:
    kept = failed = noted = 0
    first = None
    with open_output(output) as stream, closing(run.engine(job, source, (), ordered=run.ordered)) as results:
        for _, outcome in results:
            kept += outcome.error is None
            failed += outcome.error is not None
            noted += outcome.noted
            first = first or outcome.error
            if outcome.error is None or job.every_item:
                stream.write(outcome.line.encode() + b"\n")
                stream.flush()
            else:
                print(outcome.error, file=sys.stderr)
            run.advance(1)
            if kept == run.limit:
                break
    return Counts(kept, failed, noted=noted, first_error=first if job.every_item else None)
