"""Convert documents into the examples of a corpus file; unusable ones are listed with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from memsum._version import __version__
from memsum.batch.inputs import Input, Item, Lines, name_record
from memsum.batch.journal import Outcome
from memsum.batch.run import Job, JobResult, Run, refuse_overwriting, run_job
from memsum.errors import CorpusError, MemsumError
from memsum.files import json_line
from memsum.jsonl import Line, read_lines
from memsum_train.corpus.records import Example


def convert(
    function: Callable[[Item], Example], source: Input, output: str, settings: Mapping[str, object], run: Run
) -> JobResult:
    """Write what the function makes of the documents to the output, in their order.

    The function raises a MemsumError for a document that it rejects; it must be picklable. Documents in which no
    episode was found are kept like any other, and flagged.
    """
    settings = {**settings, "limit": run.limit, "version": __version__}
    counts = run_job(Job(settings, partial(_attempt, function), _lost), source, output, run)
    hint = f"{counts.errors} says what is wrong with each." if counts.errors else None
    if not counts.kept and not counts.failed:
        raise CorpusError("There is no record in the input.")
    if not counts.kept:
        reason = f"; {first_rejection(counts.errors)}" if counts.errors else "."
        raise CorpusError(f"None of the {counts.failed:,} records could be used{reason}", hint)
    if counts.failed and run.strict:
        raise CorpusError(f"{counts.failed:,} of {counts.kept + counts.failed:,} records were rejected.", hint)
    return counts


def first_rejection(errors: Path) -> str:
    """Return what is wrong with the first rejected record, and where it is."""
    first = next(read_lines(errors)).parse()
    return f"{name_record(str(first['source']), first.get('line'))}: {first['reason']}"


def convert_corpus(
    function: Callable[[Example], Example], source: str, output: str, settings: Mapping[str, object], run: Run
) -> JobResult:
    """Write what the function makes of the records of a corpus file."""
    refuse_overwriting(source, output)
    lines = Lines(source)
    return convert(partial(_on_line, function), lines, output, {**settings, "input": lines.fingerprint()}, run)


def _on_line(function: Callable[[Example], Example], item: Item) -> Example:
    return function(Example.from_json(cast(Line, item.content).parse()))


def _attempt(function: Callable[[Item], Example], item: Item) -> Outcome:
    """Run the function; what one document does wrong must not end the work on a million others."""
    try:
        example = function(item)
        return Outcome(example.to_line(), flagged=example.indices == ())
    except MemsumError as error:
        return _rejected(item, error.message)
    except Exception as error:
        return _rejected(item, f"Unexpected {type(error).__name__}: {error}.")


def _lost(item: Item, status: int | None) -> Outcome:
    return _rejected(item, "The process that worked on it died; it may have run out of memory.")


def _rejected(item: Item, reason: str) -> Outcome:
    record: dict[str, object] = {"source": item.source, "line": item.number, "reason": reason}
    if isinstance(item.content, Line):
        # Bytes that are not UTF-8 survive as lone surrogates: `raw.encode("utf-8", "surrogateescape")` gives them back.
        record["raw"] = item.content.raw.decode("utf-8", "surrogateescape")
    kept = {key: value for key, value in record.items() if value is not None}
    return Outcome(json_line(kept), f"{item.name}: {reason}")
