"""Every error a user can cause is one of these: the message is one sentence, the hint says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MemsumError(Exception):
    """Base of all errors that memsum raises on purpose."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class DocumentError(MemsumError):
    """A file or a string that cannot become a document."""


class DocumentTooLargeError(DocumentError):
    """A document with more text than its caller takes."""


class ScanError(DocumentError):
    """A PDF without a text layer: its text would have to be recognized."""


class CorpusError(MemsumError):
    """A corpus file, or a record of it, that cannot be used."""


class ModelError(MemsumError):
    """A model folder that is missing, damaged, or of another version."""


class TrainingError(MemsumError):
    """A training that cannot start or continue."""


class MissingExtraError(MemsumError):
    """An optional part of memsum is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part of memsum.", f"Install it: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this very memsum, whether it was installed from an index or a folder."""
    import shutil
    import sys
    from pathlib import PurePath

    name = PurePath(sys.executable).name
    python = name if shutil.which(name) == sys.executable else sys.executable
    return f"{python} -m pip install 'memsum[{extra}]'"


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Import what an extra installs; if it is missing, name the extra that `what` needs.

    If it is there, and lacks something itself, that is named instead.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("memsum"):
            raise
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        importer = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] if trace else ""
        if importer and not importer.startswith(("memsum", "__main__")):
            raise MemsumError(
                f"{what} needs {importer}, which is installed but cannot be imported: {reason_of(error)}.",
                f"Install it anew: {install_command(extra)}",
            ) from None
        raise MissingExtraError(what, extra) from None


def reason_of(error: BaseException) -> str:
    """Give the first line of another library's error, without its full stop, for a sentence of ours."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".: ") if lines else type(error).__name__
