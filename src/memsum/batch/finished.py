"""The files of a job, all beside its output, and the record by which the same command knows that its work is done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from memsum.batch.journal import Entry, Journal, Outcome
from memsum.errors import MemsumError
from memsum.files import json_line, parse_object, write_atomically
from memsum.jsonl import open_output, read_lines


@dataclass(frozen=True)
class JobFiles:
    """Where the files of a job are."""

    output: Path

    @property
    def partial(self) -> Path:
        """Return the path of the journal of an unfinished run."""
        return Path(f"{self.output}.partial")

    @property
    def errors(self) -> Path:
        """Return the path of the list of failed items; it exists only if there are any."""
        return Path(f"{self.output}.errors.jsonl")

    @property
    def record(self) -> Path:
        return Path(f"{self.output}.job.json")

    def first_error(self) -> str | None:
        """Return the reason of the first item that failed, with its name and hint."""
        if not self.errors.exists():
            return None
        record = parse_object(next(iter(read_lines(self.errors))).raw)
        return " ".join(str(part) for part in (f"{record.get('id')}:", record.get("error"), record.get("hint")) if part)


@dataclass(frozen=True)
class Finished:
    """A finished run: its job, its result, and the size of its output."""

    settings: Mapping[str, object]
    summarised: int
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


def publish(journal: Journal, files: JobFiles, *, ordered: bool, every_item: bool) -> None:
    """Write the output and the list of what failed from the journal; with `every_item`, that is in the output too.

    The output comes last: its presence means that all is done. A file in which nothing would be is not made, except
    for the output of a job for every item.
    """
    with ExitStack() as stack:
        output = stack.enter_context(open_output(files.output)) if journal.kept or every_item else None
        errors = stack.enter_context(open_output(files.errors)) if journal.failed else None
        for entry in journal.entries(ordered=ordered):
            if output and (every_item or not entry.failed):
                output.write(entry.line)
            if errors and entry.failed:
                errors.write(_failure(entry) if every_item else entry.line)
    if not journal.failed:
        files.errors.unlink(missing_ok=True)


def _failure(entry: Entry) -> bytes:
    return json_line({"document": entry.position, **json.loads(entry.line)}).encode() + b"\n"


def write_record(files: JobFiles, settings: Mapping[str, object], journal: Journal) -> None:
    """Write the record of a finished run."""
    finished = Finished(settings, journal.kept, journal.failed, files.output.stat().st_size)
    write_atomically(files.record, (json.dumps(asdict(finished), indent=2) + "\n").encode())


def reopen(files: JobFiles, settings: Mapping[str, object]) -> None:
    """Turn a finished run into an unfinished one that lacks the items that failed."""
    failures = list(_failures(files))
    missing = {position for position, _ in failures}
    positions = (position for position in count(1) if position not in missing)
    lines = iter([line for _, line in failures])
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


def _failures(files: JobFiles) -> Iterator[tuple[int, bytes]]:
    """Yield the positions of the items that failed, and their lines in the output, in its order."""
    try:
        for line in read_lines(files.errors):
            record = parse_object(line.raw)
            yield int(record.pop("document")), json_line(record).encode()
    except (OSError, MemsumError, KeyError, TypeError, ValueError):
        raise MemsumError(
            f"{files.errors}, the list of what failed, is damaged or gone.", "Add --restart to do all documents again."
        ) from None
