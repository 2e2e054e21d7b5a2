"""Run a job: documents in, lines out; killed at any moment, the same call resumes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Generator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal, Protocol

from memsum.batch.inputs import Input, Item, weigh
from memsum.batch.journal import Journal, Mark, Outcome
from memsum.errors import CorpusError, MemsumError
from memsum.files import json_line, parse_object, write_atomically
from memsum.isolation import cores
from memsum.jsonl import is_stream, open_output, read_lines
from memsum.parallel import map_parallel
from memsum.printable import one_line

Results = Generator[tuple[int, Outcome], None, None]


@dataclass(frozen=True)
class Job:
    """The work on each item, and the settings by which a later run knows that it resumes the same job.

    `work` is pickled and handles its own errors, except for a MemsumError, which ends the job. `lost` makes the outcome
    of an item that a process died of, from the exit status, or None where that is not known.
    """

    settings: Mapping[str, object]
    work: Callable[[Item], Outcome]
    lost: Callable[[Item, int | None], Outcome]
    # Each item has a line in the output, also one that failed or that a process of this machine died of; the finished
    # run is recorded, and those that failed can be retried. Without, a process that dies ends the job.
    one_line_per_item: bool = False
    threads: int = 1  # cores for one item
    memory_mb: int | None = None  # of address space that a process of this machine may take for the work


class Engine(Protocol):
    """Does the work: gives the position and the outcome of each item, in order or as they come, each exactly once."""

    def check(self, source: Input) -> None:
        """Refuse an input that this engine cannot read."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """Do the items whose positions are not done, without running far ahead of the reader."""


@dataclass(frozen=True)
class LocalEngine:
    """Processes of this machine."""

    workers: int = 1

    def check(self, source: Input) -> None:
        """Accept every input."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        items = (item for item in source.items() if item.position not in done)
        lost = job.lost if job.one_line_per_item else None
        mapped = map_parallel(
            job.work, items, self.workers, ordered=ordered, lost=lost, weigh=weigh, memory_mb=job.memory_mb
        )
        with closing(mapped) as results:
            for item, outcome in results:
                yield item.position, outcome


class JobFiles:
    """Where the files of a job are."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.partial = Path(f"{output}.partial")  # the journal of an unfinished run
        self.errors = Path(f"{output}.errors.jsonl")  # the list of failed items; it exists only if there are any
        self.record = Path(f"{output}.job.json")

    def first_error(self) -> str | None:
        """Return the reason of the first item that failed, with its name and hint."""
        if not self.errors.exists():
            return None
        try:
            record = parse_object(next(iter(read_lines(self.errors))).raw)
        except (StopIteration, MemsumError):  # somebody changed it; all that it says is in the output
            return None
        name, says = f"{record.get('id')}:", str(record.get("error"))
        named = says if says.startswith(name) else f"{name} {says}"
        return " ".join(str(part) for part in (named, record.get("hint")) if part)


@dataclass(frozen=True)
class Finished:
    """A finished run: its job, its result, and the size of its output."""

    settings: Mapping[str, object]
    summarized: int
    failed: int
    bytes: int

    @classmethod
    def load(cls, files: JobFiles) -> Finished | None:
        """Read the record of a run that is finished and whose output is still there."""
        if not files.output.exists():
            return None
        try:
            return cls(**json.loads(files.record.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            raise MemsumError(f"{files.record} is damaged.", "Add --restart to do all documents again.") from None

    def check(self, files: JobFiles, settings: Mapping[str, object]) -> None:
        """Refuse to take the output of another job, or one that was changed, for ours."""
        hint = "Write to another file, or add --restart to do all documents again."
        if self.settings != settings:
            raise MemsumError(f"{files.output} was made from another input or with other settings.", hint)
        if files.output.stat().st_size != self.bytes:
            raise MemsumError(f"{files.output} was changed after it was finished.", hint)


def publish(journal: Journal, files: JobFiles, *, ordered: bool, one_line_per_item: bool) -> None:
    """Write the output, and the list of what failed, which `one_line_per_item` has in the output too.

    The output comes last: its presence means that all is done. A file in which nothing would be is not made, except
    for the output of a job for every item.
    """
    with ExitStack() as stack:
        output = stack.enter_context(open_output(files.output)) if journal.kept or one_line_per_item else None
        errors = stack.enter_context(open_output(files.errors)) if journal.failed else None
        for entry in journal.entries(ordered=ordered):
            if output and (one_line_per_item or not entry.failed):
                output.write(entry.line)
            if errors and entry.failed:
                record = {"document": entry.position, **json.loads(entry.line)}
                errors.write(json_line(record).encode() + b"\n" if one_line_per_item else entry.line)
    if not journal.failed:
        files.errors.unlink(missing_ok=True)


def write_record(files: JobFiles, settings: Mapping[str, object], journal: Journal) -> None:
    """Write the record of a finished run."""
    finished = Finished(settings, journal.kept, journal.failed, files.output.stat().st_size)
    write_atomically(files.record, (json.dumps(asdict(finished), indent=2) + "\n").encode())


def reopen(files: JobFiles, settings: Mapping[str, object]) -> None:
    """Turn a finished run into an unfinished one that lacks the items that failed."""
    try:
        records = [parse_object(line.raw) for line in read_lines(files.errors)]
        missing = {int(record.pop("document")) for record in records}
        lines = iter([json_line(record).encode() for record in records])  # in the output's order
    except (OSError, MemsumError, KeyError, TypeError, ValueError):
        raise MemsumError(
            f"{files.errors}, the list of what failed, is damaged or gone.", "Add --restart to do all documents again."
        ) from None
    positions = (position for position in count(1) if position not in missing)
    failure = next(lines, None)
    copy = files.partial.with_name(f"{files.partial.name}.new")
    with Journal(copy, settings, numbered=True, restart=True) as journal:
        for line in read_lines(files.output):
            if line.raw == failure:
                failure = next(lines, None)
            else:
                journal.add(next(positions), Outcome(line.raw.decode()))
    if failure is not None:
        copy.unlink(missing_ok=True)
        raise MemsumError(f"{files.errors} does not belong to {files.output}.", "Add --restart to do all again.")
    if copy.exists():
        copy.replace(files.partial)


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
class JobResult:
    """The result of a job; `errors` lists what failed, and `again` means that all of it was done before."""

    kept: int
    failed: int
    errors: Path | None = None
    again: bool = False
    flagged: int = 0  # of those that were kept
    first_error: str | None = field(default=None, compare=False)  # the reason of the first that failed, with its hint


def choose_engine(
    name: Literal["local", "ray"], workers: int | None, address: str | None = None, threads: int = 1
) -> Engine:
    """Give the engine of a name; by default it has as many workers as cores for them."""
    if name == "ray":
        from memsum.batch.ray_engine import RayEngine

        return RayEngine(address, workers)
    return LocalEngine(workers or max(1, cores() // threads))


def run_job(job: Job, source: Input, output: str, run: Run) -> JobResult:
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
    if job.one_line_per_item and not run.restart and not files.partial.exists():
        finished = Finished.load(files)
        if finished is None and run.retry_failed:
            raise MemsumError("There is no finished run of which to retry documents.", "Run without --retry-failed.")
        if finished is not None:
            finished.check(files, job.settings)
            if not (run.retry_failed and finished.failed):
                errors = files.errors if finished.failed else None
                kept, first = finished.summarized, files.first_error()
                return JobResult(kept, finished.failed, errors, again=True, first_error=first)
            reopen(files, job.settings)
    with Journal(
        files.partial, job.settings, numbered=job.one_line_per_item, restart=run.restart, resume=not source.once
    ) as journal:
        run.advance(journal.done)
        if run.limit is None or journal.kept < run.limit:
            with closing(run.engine(job, source, journal, ordered=run.ordered)) as results:
                for position, outcome in results:
                    journal.add(position, outcome)
                    run.advance(1)
                    if journal.kept == run.limit:
                        break
        publish(journal, files, ordered=run.ordered, one_line_per_item=job.one_line_per_item)
        if job.one_line_per_item and source.once:  # nobody can ask for the same again
            files.record.unlink(missing_ok=True)
        elif job.one_line_per_item:
            write_record(files, job.settings, journal)
    files.partial.unlink(missing_ok=True)
    errors = files.errors if journal.failed else None
    first = files.first_error() if job.one_line_per_item else None
    return JobResult(journal.kept, journal.failed, errors, flagged=journal.counts[Mark.FLAGGED], first_error=first)


def refuse_overwriting(source: str, output: str) -> None:
    """Raise if the output is the very file that is read."""
    if not is_stream(output) and Path(source).resolve() == Path(output).resolve():
        raise CorpusError(f"{output} is the input itself.", "Write to another file.")


def _run_to_stream(job: Job, source: Input, output: str, run: Run) -> JobResult:
    kept = failed = flagged = 0
    first = None
    with open_output(output) as stream, closing(run.engine(job, source, (), ordered=run.ordered)) as results:
        for _, outcome in results:
            kept += outcome.error is None
            failed += outcome.error is not None
            flagged += outcome.flagged
            first = first or outcome.error
            if outcome.error is None or job.one_line_per_item:
                stream.write(outcome.line.encode() + b"\n")
                stream.flush()
            else:
                print(one_line(outcome.error), file=sys.stderr)
            run.advance(1)
            if kept == run.limit:
                break
    return JobResult(kept, failed, flagged=flagged, first_error=first if job.one_line_per_item else None)
