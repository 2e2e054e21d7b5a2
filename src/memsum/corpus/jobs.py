"""Turn a stream of items into a corpus file: many processes, resumable, what is not usable listed with its reason."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from memsum._version import __version__
from memsum.corpus.records import Example
from memsum.errors import CorpusError, MemsumError
from memsum.files import json_line
from memsum.jobs.journal import Journal, Mark
from memsum.jobs.lines import Line, is_remote, is_stream, open_output, read_lines, remote_fingerprint
from memsum.jobs.workers import map_parallel


@dataclass(frozen=True)
class Item:
    """One input of a job, and where it stands: a line of a file, a file of a folder, a row of a dataset."""

    source: str
    content: object
    number: int | None = None


@dataclass(frozen=True)
class Result:
    """What an item became; a noted result is kept like any other and counted apart."""

    example: Example
    noted: bool = False


@dataclass(frozen=True)
class Counts:
    """How a job ended; `errors` is the file that lists what was rejected, if anything was."""

    kept: int = 0
    noted: int = 0
    rejected: int = 0
    errors: Path | None = None


Attempt = Callable[[Item], tuple[Mark, str]]
Mapper = Callable[[Attempt, Iterable[Item]], Generator[tuple[Item, tuple[Mark, str]], None, None]]


@dataclass(frozen=True)
class Run:
    """How a job is run: `limit` ends it after so many records, `strict` makes a rejected one an error in the end.

    By default the work is shared among processes of this machine; `map` shares it out elsewhere.
    """

    workers: int = 1
    limit: int | None = None
    restart: bool = False
    strict: bool = False
    advance: Callable[[int], None] = lambda count: None
    map: Mapper | None = None


def line_items(path: str) -> Iterator[Item]:
    """Give the lines of a JSONL file as items."""
    for line in read_lines(path):
        yield Item(path, line, line.number)


def fingerprint(path: str) -> str:
    """Give what changes when a file does; the standard input is never the same twice."""
    if is_stream(path):
        return f"{path} {uuid.uuid4()}"
    if is_remote(path):
        return remote_fingerprint(path)
    status = Path(path).stat()
    return f"{Path(path).resolve()} {status.st_size} {status.st_mtime_ns}"


def refuse_overwriting(source: str, output: str) -> None:
    """Raise if the output is the very file that is read."""
    if not is_stream(output) and Path(source).resolve() == Path(output).resolve():
        raise CorpusError(f"{output} is the input itself.", "Write to another file.")


def run_job(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    output: str,
    settings: Mapping[str, object],
    run: Run,
) -> Counts:
    """Write what the function makes of the items to the output, in their order.

    Killed at any moment, the same call continues where it was, and its output is the same as that of one run.
    The function raises a MemsumError for an item it rejects; it must be picklable.
    """
    attempt = partial(_attempt, function)
    if is_stream(output):
        return _run_to_stream(attempt, items, output, run)
    settings = {**settings, "limit": run.limit, "version": __version__}
    partial_output, errors = Path(f"{output}.partial"), Path(f"{output}.errors.jsonl")
    with Journal(partial_output, settings, restart=run.restart) as journal:
        run.advance(journal.done)
        if run.limit is None or journal.kept < run.limit:
            remaining = islice(items, journal.done, None)
            with closing(_map(attempt, remaining, run)) as results:
                for item, (mark, line) in results:
                    journal.append(mark, _complaint(item, line) if mark is Mark.REJECTED else line)
                    run.advance(1)
                    if journal.kept == run.limit:
                        break
        rejected = journal.counts[Mark.REJECTED]
        _publish(journal, output if journal.kept else None, errors if rejected else None)
    if not rejected:
        errors.unlink(missing_ok=True)
    partial_output.unlink(missing_ok=True)
    return _judged(Counts(journal.kept, journal.counts[Mark.NOTED], rejected, errors if rejected else None), run)


def map_corpus(
    function: Callable[[Example], Result], source: str, output: str, settings: Mapping[str, object], run: Run
) -> Counts:
    """Run a job on the records of a corpus file."""
    refuse_overwriting(source, output)
    settings = {**settings, "input": fingerprint(source)}
    return run_job(partial(_on_line, function), line_items(source), output, settings, run)


def _on_line(function: Callable[[Example], Result], item: Item) -> Result:
    if not isinstance(item.content, Line):
        raise TypeError(type(item.content))
    return function(Example.from_json(item.content.parse()))


def _map(attempt: Attempt, items: Iterable[Item], run: Run) -> Generator[tuple[Item, tuple[Mark, str]], None, None]:
    return run.map(attempt, items) if run.map else map_parallel(attempt, items, run.workers)


def _attempt(function: Callable[[Item], Result], item: Item) -> tuple[Mark, str]:
    """Run the function; what one document does wrong must not end the work on a million others."""
    try:
        result = function(item)
        return Mark.NOTED if result.noted else Mark.KEPT, result.example.to_line()
    except MemsumError as error:
        return Mark.REJECTED, error.message
    except Exception as error:
        return Mark.REJECTED, f"Unexpected {type(error).__name__}: {error}."


def _complaint(item: Item, reason: str) -> str:
    record: dict[str, object] = {"source": item.source, "line": item.number, "reason": reason}
    if isinstance(item.content, Line):
        # Bytes that are not UTF-8 survive as lone surrogates: `raw.encode("utf-8", "surrogateescape")` gives them back.
        record["raw"] = item.content.raw.decode("utf-8", "surrogateescape")
    return json_line({key: value for key, value in record.items() if value is not None})


def _publish(journal: Journal, output: str | None, errors: Path | None) -> None:
    """Write the files from the journal, the errors first: the output's presence means that all is done."""
    with ExitStack() as stack:
        kept = stack.enter_context(open_output(output)) if output else None
        rejected = stack.enter_context(open_output(errors)) if errors else None
        for mark, line in journal.entries():
            stream = rejected if mark is Mark.REJECTED else kept
            if stream:
                stream.write(line)


def _run_to_stream(attempt: Attempt, items: Iterable[Item], output: str, run: Run) -> Counts:
    counts = dict.fromkeys(Mark, 0)
    with open_output(output) as stream, closing(_map(attempt, items, run)) as results:
        for item, (mark, line) in results:
            counts[mark] += 1
            if mark is Mark.REJECTED:
                place = item.source if item.number is None else f"{item.source}, line {item.number}"
                print(f"{place}: {line}", file=sys.stderr)
            else:
                stream.write(line.encode() + b"\n")
            run.advance(1)
            if counts[Mark.KEPT] + counts[Mark.NOTED] == run.limit:
                break
    kept = counts[Mark.KEPT] + counts[Mark.NOTED]
    return _judged(Counts(kept, counts[Mark.NOTED], counts[Mark.REJECTED]), run)


def _judged(counts: Counts, run: Run) -> Counts:
    hint = f"{counts.errors} says what is wrong with each." if counts.errors else None
    if not counts.kept and not counts.rejected:
        raise CorpusError("There is no record in the input.")
    if not counts.kept:
        raise CorpusError(f"None of the {counts.rejected:,} records could be used.", hint)
    if counts.rejected and run.strict:
        raise CorpusError(f"{counts.rejected:,} of {counts.kept + counts.rejected:,} records were rejected.", hint)
    return counts
