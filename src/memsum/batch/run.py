"""Run a batch: documents in, a line for each out; killed at any moment, the same call continues where it was."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from memsum.batch.entries import Entries
from memsum.batch.finished import Files, Finished, publish, reopen, write_record
from memsum.batch.inputs import Input
from memsum.batch.work import SECONDS, BatchSettings, Content, Outcome, Worker, identify, weigh
from memsum.corpus.jobs import refuse_overwriting
from memsum.errors import MemsumError
from memsum.files import check_output
from memsum.jobs.journal import Journal, Mark
from memsum.jobs.lines import STANDARD, is_stream, open_output
from memsum.jobs.workers import TIMED_OUT, map_parallel


@dataclass(frozen=True)
class Task:
    """One document to summarise, and its place in the input, from 1."""

    place: int
    content: Content


class Engine(Protocol):
    """What does the work: gives each task with its outcome, in order or as they come, each exactly once."""

    def __call__(
        self, worker: Worker, tasks: Iterable[Task], *, ordered: bool
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Summarise the documents of a stream, without running far ahead of its reader."""


@dataclass(frozen=True)
class Options:
    """How a batch is run; none changes a line of the output, but that a document that takes too long has failed."""

    ordered: bool = True
    restart: bool = False
    retry_failed: bool = False
    seconds: float = SECONDS
    advance: Callable[[int], None] = lambda count: None


@dataclass(frozen=True)
class Report:
    """How a batch ended; `errors` lists what failed, and `again` means that all of it was done before."""

    summarised: int
    failed: int
    errors: Path | None = None
    again: bool = False


@dataclass(frozen=True)
class LocalEngine:
    """Processes of this machine, each with its own model."""

    workers: int

    def __call__(
        self, worker: Worker, tasks: Iterable[Task], *, ordered: bool
    ) -> Generator[tuple[Task, Outcome], None, None]:
        """Share the documents among the processes; one that a process dies of is a failed document."""
        lost = partial(_lost, worker.seconds)
        return map_parallel(partial(_work, worker), tasks, self.workers, ordered=ordered, lost=lost, weigh=_weigh)


def run_batch(documents: Input, output: str, settings: BatchSettings, options: Options, engine: Engine) -> Report:
    """Write a line for each document to the output, and list those that failed beside it.

    The result is the same whatever the engine and however often the run was killed: byte for byte if it is ordered,
    and else the same lines. Raises if the output is of another job, unless told to restart.
    """
    refuse_overwriting(documents.path, output)
    job: dict[str, object] = {
        "job": "batch",
        "input": documents.fingerprint(),
        "ordered": options.ordered,
        **settings.identity(),
    }
    if options.retry_failed and (options.restart or is_stream(output) or job["input"] == STANDARD):
        raise MemsumError("There is nothing to retry: that needs files, and not --restart.")
    if is_stream(output):
        return _run_to_stream(documents, output, settings, options, engine)
    check_output(Path(output))
    files = Files(Path(output))
    if not options.restart and not files.partial.exists():
        finished = Finished.load(files)
        if finished is None and options.retry_failed:
            raise MemsumError("There is no finished run of which to retry documents.", "Run without --retry-failed.")
        if finished is not None:
            finished.check(files, job)
            if not options.retry_failed or not finished.failed:
                errors = files.errors if finished.failed else None
                return Report(finished.summarised, finished.failed, errors, again=True)
            reopen(files, job)
    with _journal(files.partial, job, options) as journal:
        entries = Entries(journal)
        options.advance(len(entries))
        tasks = (task for task in _tasks(documents) if task.place not in entries)
        with closing(engine(Worker(settings, options.seconds), tasks, ordered=options.ordered)) as results:
            for task, outcome in results:
                entries.add(task.place, outcome)
                options.advance(1)
        failed = journal.counts[Mark.REJECTED]
        publish(entries, files, ordered=options.ordered)
        if job["input"] == STANDARD:  # nobody can ask for the same again
            files.record.unlink(missing_ok=True)
        else:
            write_record(files, job, journal.kept, failed)
    files.partial.unlink(missing_ok=True)
    return Report(journal.kept, failed, files.errors if failed else None)


def _journal(path: Path, job: dict[str, object], options: Options) -> Journal:
    journal = Journal(path, job, restart=options.restart)
    if job["input"] != STANDARD or not journal.done:
        return journal
    with journal:  # the standard input cannot be read again
        pass
    return Journal(path, job, restart=True)


def _run_to_stream(documents: Input, output: str, settings: BatchSettings, options: Options, engine: Engine) -> Report:
    counts = {True: 0, False: 0}
    with (
        open_output(output) as stream,
        closing(engine(Worker(settings, options.seconds), _tasks(documents), ordered=options.ordered)) as results,
    ):
        for _, outcome in results:
            counts[outcome.error is None] += 1
            stream.write(outcome.line.encode() + b"\n")
            stream.flush()
            options.advance(1)
    return Report(counts[True], counts[False])


def _tasks(documents: Input) -> Iterator[Task]:
    return (Task(place, content) for place, content in enumerate(documents.contents(), start=1))


def _work(worker: Worker, task: Task) -> Outcome:
    return worker(task.content)


def _lost(seconds: float, task: Task, status: int) -> Outcome:
    reason = f"The process that summarised it died (exit status {status}); it may have run out of memory."
    if status == TIMED_OUT:
        reason = f"It took longer than {seconds:g} seconds."
    return Outcome.failure(identify(task.content), reason)


def _weigh(task: Task) -> int:
    return weigh(task.content)
