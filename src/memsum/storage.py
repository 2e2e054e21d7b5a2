"""Files in object storage (`s3://…`, `gs://…`, `abfs://…`, `hdfs://…`), through pyarrow's file systems."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from memsum.errors import DocumentError, MissingExtraError


def is_remote(path: str | Path) -> bool:
    """Tell a URI from a path of this machine."""
    return "://" in str(path)


@contextmanager
def open_remote(uri: str) -> Iterator[io.BufferedReader]:
    """Open a file for reading, from its beginning to its end."""
    system, path = _system(uri)
    try:
        stream = system.open_input_stream(path, compression=None, buffer_size=1 << 20)
    except OSError as error:
        raise _unreadable(uri, error) from None
    with stream:
        yield io.BufferedReader(cast(io.RawIOBase, stream))


def remote_fingerprint(uri: str) -> str:
    """Give what changes when the file does."""
    system, path = _system(uri)
    try:
        info = system.get_file_info(path)
    except OSError as error:
        raise _unreadable(uri, error) from None
    if not info.is_file:
        raise DocumentError(f"There is no file {uri}.")
    return f"{uri} {info.size} {info.mtime_ns}"


def _system(uri: str) -> tuple[Any, str]:
    try:
        from pyarrow.fs import FileSystem  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError(f"Reading {uri}", "cluster") from None
    try:
        system, path = FileSystem.from_uri(uri)
    except (OSError, ValueError) as error:  # of which pyarrow's own errors are
        raise _unreadable(uri, error) from None
    return system, path


def _unreadable(uri: str, error: Exception) -> DocumentError:
    reason = str(error).strip().split("\n")[0].rstrip(".")
    return DocumentError(f"{uri} cannot be read: {reason}.", "Check the address, the network and the credentials.")
