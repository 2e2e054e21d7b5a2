"""Files that appear under their name only when they are complete and on disk, or are locked; JSON, read with care."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeGuard

from memsum.errors import CorpusError, MemsumError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def check_output(path: Path) -> None:
    """Refuse a path where no file can be written, before anything is computed for it."""
    if path.is_dir():
        raise MemsumError(f"{path} is a folder, not a file.", "Name a file in it.")
    if not path.parent.is_dir():
        raise MemsumError(f"There is no folder {path.parent}.", "Create it first, or choose another output.")


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `path` that replaces it at the end; if anything fails, `path` is as it was.

    A link stays, and what it leads to is replaced; a device or a pipe is written to.
    """
    check_output(path)
    if (path.exists() and not path.is_file()) or str(path).startswith(("/dev/", "/proc/")):
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a whole file, or nothing."""
    with atomic_file(path) as file:
        file.write(content)


def lock(file: IO[Any]) -> bool:
    """Take a file for as long as it is open, and tell whether no other process has it."""
    with suppress(BlockingIOError):
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def read_json(path: Path, most_bytes: int = 2**24) -> Any:
    """Read a small JSON file of others: ValueError in words if it is none, whatever it is."""
    if not path.is_file() and path.exists():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"it has more than {most_bytes:,} bytes")
    try:
        return json.loads(content, parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> None:
    """Refuse NaN and infinities, which JSON does not have."""
    raise ValueError(f"{constant} is no JSON")


def is_object(raw: bytes) -> bool:
    """Tell if a line is a JSON object."""
    try:
        parse_object(raw)
    except CorpusError:
        return False
    return True


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read one line as a JSON object, or say why it is none."""
    try:
        record = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise CorpusError(f"The line is not valid UTF-8 at byte {error.start + 1}.") from None
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated") or error.pos >= len(error.doc.rstrip()) - 1
        problem = "seems to be cut off: it is not valid JSON" if cut else "is not valid JSON"
        where = f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"
        raise CorpusError(f"The line {problem} ({where}).") from None
    except (ValueError, RecursionError):
        raise CorpusError(
            "The line is JSON of a kind that cannot be read: too deep, with too large a number, or with NaN."
        ) from None
    if not isinstance(record, dict):
        raise CorpusError(f"The line holds {name_kind(record)}, not an object.")
    return record


def open_inside(folder: Path, path: Path) -> int:
    """Open a file below a folder for reading; a link in the way, be it made a moment ago, is an OSError.

    The path has no links when it is given: whoever checks a name first, and opens it then, may get another file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if os.open not in os.supports_dir_fd:
        return os.open(path, flags)
    opened = os.open(folder, os.O_RDONLY)
    for part in path.relative_to(folder).parts:
        try:
            inside = os.open(part, flags | os.O_NOFOLLOW, dir_fd=opened)
        finally:
            os.close(opened)
        opened = inside
    return opened


def json_line(record: Mapping[str, object]) -> str:
    """Write an object on one line that always encodes to UTF-8, halves of surrogate pairs included."""
    line = json.dumps(record, ensure_ascii=False)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(record)
    return line


def listing(record: Mapping[str, object]) -> str:
    """Name the keys of a record for a sentence."""
    keys = ", ".join(f'"{key}"' for key in list(record)[:8])
    return f"{keys}, …" if len(record) > 8 else keys or "none"


def corpus_hint(record: Mapping[str, object]) -> str | None:
    """Suggest to build a corpus first, if a record without a text is a paper in parts."""
    if "text" in record or not {"abstract", "sections"} & set(record):
        return None
    return "Records with an abstract and sections become a corpus by: memsum corpus build IN --output OUT"


def is_list_of(value: object, kind: type | tuple[type, ...]) -> TypeGuard[list[Any]]:
    """Tell if a JSON value is a list of values of one kind; true and false are no numbers."""
    return isinstance(value, list) and all(isinstance(one, kind) and not isinstance(one, bool) for one in value)


def name_kind(value: object) -> str:
    """Name the kind of a JSON value for a sentence."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    names: dict[type, str] = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), f"a {type(value).__name__}")
