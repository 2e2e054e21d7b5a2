"""A finished batch: the output, the list of what failed, and the record by which the same command knows its work."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from memsum.batch.entries import Entries
from memsum.batch.work import Outcome
from memsum.errors import MemsumError
from memsum.files import json_line, parse_object, write_atomically
from memsum.jobs.journal import Journal, Mark
from memsum.jobs.lines import open_output, read_lines


@dataclass(frozen=True)
class Files:
    """The files of a batch, all beside its output."""

    output: Path

    @property
    def partial(self) -> Path:
        """What an unfinished run has done so far."""
        return Path(f"{self.output}.partial")

    @property
    def errors(self) -> Path:
        """The documents that failed, with their reasons; it exists only if there are any."""
        return Path(f"{self.output}.errors.jsonl")

    @property
    def record(self) -> Path:
        """What the finished run was."""
        return Path(f"{self.output}.job.json")


@dataclass(frozen=True)
class Finished:
    """What a finished run was: of what it was made, how it ended, and the size of its output."""

    settings: Mapping[str, object]
    summarised: int
    failed: int
    bytes: int

    @classmethod
    def load(cls, files: Files) -> Finished | None:
        """Read the record of a run that is finished and whose output is still there."""
        if not files.output.exists():
            return None
        try:
            return cls(**json.loads(files.record.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            raise MemsumError(f"{files.record} is damaged.", "Add --restart to do all documents again.") from None

    def check(self, files: Files, settings: Mapping[str, object]) -> None:
        """Refuse to take the output of another job, or one that was changed, for ours."""
        hint = "Write to another file, or add --restart to do all documents again."
        if self.settings != settings:
            raise MemsumError(f"{files.output} was made from another input or with other settings.", hint)
        if files.output.stat().st_size != self.bytes:
            raise MemsumError(f"{files.output} was changed after it was finished.", hint)


def publish(entries: Entries, files: Files, *, ordered: bool) -> None:
    """Write the output and the list of what failed; the output comes last: its presence means that all is done."""
    failed = False
    with ExitStack() as stack:
        output = stack.enter_context(open_output(files.output))
        errors = stack.enter_context(open_output(files.errors))
        for entry in entries.sorted() if ordered else entries:
            output.write(entry.line)
            if entry.failed:
                failed = True
                errors.write(json_line({"document": entry.place, **json.loads(entry.line)}).encode() + b"\n")
    if not failed:
        files.errors.unlink()


def write_record(files: Files, settings: Mapping[str, object], summarised: int, failed: int) -> None:
    """Say what the finished run was."""
    finished = Finished(settings, summarised, failed, files.output.stat().st_size)
    write_atomically(files.record, (json.dumps(asdict(finished), indent=2) + "\n").encode())


def reopen(files: Files, settings: Mapping[str, object]) -> None:
    """Make of a finished run an unfinished one that lacks the documents that failed."""
    failures = list(_failures(files))
    missing = {place for place, _ in failures}
    places = (place for place in _natural() if place not in missing)
    lines = iter([line for _, line in failures])
    failure = next(lines, None)
    copy = files.partial.with_name(f"{files.partial.name}.new")
    with Journal(copy, settings, restart=True) as journal:
        for line in read_lines(files.output):
            if line.raw == failure:
                failure = next(lines, None)
            else:
                journal.append(Mark.KEPT, f"{next(places)} {line.raw.decode()}")
    if failure is not None:
        copy.unlink(missing_ok=True)
        raise MemsumError(f"{files.errors} does not belong to {files.output}.", "Add --restart to do all again.")
    if copy.exists():
        copy.replace(files.partial)


def _failures(files: Files) -> Iterator[tuple[int, bytes]]:
    """The places of the documents that failed, and their lines in the output, in its order."""
    try:
        for line in read_lines(files.errors):
            record = parse_object(line.raw)
            yield int(record["document"]), Outcome.failure(record["id"], record["error"]).line.encode()
    except (OSError, MemsumError, KeyError, TypeError, ValueError):
        raise MemsumError(
            f"{files.errors}, the list of what failed, is damaged or gone.", "Add --restart to do all documents again."
        ) from None


def _natural() -> Iterator[int]:
    place = 0
    while True:
        place += 1
        yield place
