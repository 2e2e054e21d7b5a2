"""JSONL files, streamed: plain, gzip or zstd, by content when read, by name when written.

They are on this machine, or to be read in object storage (`s3://…`, `gs://…`, `abfs://…`, `hdfs://…`) through pyarrow's
file systems; `-` is the standard input or output.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import zstandard

from memsum.errors import CorpusError, DocumentError, needs_extra, reason_of
from memsum.files import atomic_file, parse_object

STANDARD = "-"
# Large corpora are often compressed with a long window; a small file that asks for so much memory does not need it.
ZSTD_WINDOW = 2**27
LONG_ZSTD_WINDOW = 2**31
LONG_ZSTD_FILE = 64 * 2**20  # bytes
# Far beyond any document; a bound so that a decompression bomb or a binary file cannot fill the memory.
LONGEST_LINE = 2**25
_BLOCK, _BLOCKS = 2**20, 64  # bytes, and how many of them tell one large remote file from another
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Line:
    """A line as it stands in the file; `fault` says why it cannot even be looked at."""

    number: int
    raw: bytes
    fault: str | None = None

    def parse(self) -> dict[str, object]:
        if self.fault:
            raise CorpusError(self.fault)
        return parse_object(self.raw)


def read_lines(path: str | Path) -> Iterator[Line]:
    """Yield the lines of a file that are not blank, numbered from 1, in constant memory."""
    with _open(path) as stream:
        number = 0
        while True:
            try:
                raw = stream.readline(LONGEST_LINE)
                fault = None
                if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                    fault = f"The line is longer than {LONGEST_LINE:,} bytes."
                    raw = raw[:1000]
                    while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                        pass
            except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
                raise CorpusError(
                    f"{path} is damaged after line {number}: {str(error).rstrip('.')}.", "Fetch or compress it again."
                ) from None
            if not raw:
                return
            number += 1
            raw = raw.removeprefix(_BOM) if number == 1 else raw
            if raw := raw.strip():
                yield Line(number, raw, fault)


@contextmanager
def located(path: str | Path, number: int) -> Iterator[None]:
    """Name the file and the line of an error."""
    try:
        yield
    except CorpusError as error:
        raise CorpusError(f"{path}, line {number}: {error.message}", error.hint) from None


@contextmanager
def open_output(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is complete and on disk."""
    if is_stream(path):
        if str(path) == STANDARD:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        with Path(path).open("wb") as device:
            yield device
        return
    path = Path(path)
    with atomic_file(path) as file, _compressed(file, path.suffix) as stream:
        yield stream


def is_stream(path: str | Path) -> bool:
    """Tell whether a path is the standard stream, a pipe or a device: nothing to rename, nothing to resume."""
    if str(path) == STANDARD:
        return True
    path = Path(path)
    if path.is_dir():
        raise CorpusError(f"{path} is a folder, not a file.")
    return path.exists() and not path.is_file()


@contextmanager
def _compressed(file: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as stream:
            yield cast(IO[bytes], stream)
    elif suffix == ".zst":
        with zstandard.ZstdCompressor(level=5, write_checksum=True).stream_writer(file, closefd=False) as writer:
            yield cast(IO[bytes], writer)
    else:
        yield file


@contextmanager
def _open(path: str | Path) -> Iterator[io.BufferedReader]:
    if str(path) == STANDARD:
        yield _decompressed(sys.stdin.buffer)
        return
    if is_remote(path):
        system, name = _system(str(path))
        try:
            stream = system.open_input_stream(name, compression=None, buffer_size=1 << 20)
        except OSError as error:
            raise _unreadable(str(path), error) from None
        with stream:
            yield _decompressed(io.BufferedReader(cast(io.RawIOBase, stream)))
        return
    if Path(path).is_dir():
        raise CorpusError(f"{path} is a folder, not a file.")
    with Path(path).open("rb") as file:
        yield _decompressed(file)


def _decompressed(file: IO[bytes]) -> io.BufferedReader:
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    magic = buffered.peek(4)[:4]
    if magic[:2] == b"\x1f\x8b":
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=buffered)))
    if magic == b"\x28\xb5\x2f\xfd":
        try:
            size = os.fstat(file.fileno()).st_size
        except OSError:
            size = 0  # what comes through a pipe counts as small
        window = LONG_ZSTD_WINDOW if size >= LONG_ZSTD_FILE else ZSTD_WINDOW
        return io.BufferedReader(_Zstd(buffered, window))
    return buffered


class _Zstd(io.RawIOBase):
    """Decompresses frame after frame; unlike zstandard's own reader it notices that the file ends too early."""

    def __init__(self, source: IO[bytes], window: int) -> None:
        self._source = source
        self._window = window
        self._pending = memoryview(b"")
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._unused = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast(bytearray, buffer))
        while not self._pending:
            # Small bites: 512 bytes of zstd cannot become more than 16 MB.
            compressed = self._unused or self._source.read(512)
            self._unused = b""
            if not compressed:
                if self._frame is not None:
                    raise EOFError("the compressed data is cut off")
                return 0
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor(max_window_size=self._window).decompressobj()
            self._pending = memoryview(self._frame.decompress(compressed))
            if self._frame.eof:
                self._unused = self._frame.unused_data
                self._frame = None
        size = min(len(target), len(self._pending))
        target[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size


def is_remote(path: str | Path) -> bool:
    """Tell a URI from a path of this machine."""
    return "://" in str(path)


def remote_fingerprint(uri: str) -> str:
    """Give what changes when the file does: also a digest of it, or of blocks all over a large one.

    Times can be set, and are coarse.
    """
    system, path = _system(uri)
    digest = hashlib.sha256()
    try:
        info = system.get_file_info(path)
        if not info.is_file:
            raise DocumentError(f"There is no file {uri}.")
        step = max(-(-(info.size - _BLOCK) // (_BLOCKS - 1)), _BLOCK)  # a file of as many blocks is read whole
        with system.open_input_file(path) as file:
            for start in range(0, info.size, step):
                file.seek(min(start, max(info.size - _BLOCK, 0)) if step > _BLOCK else start)
                digest.update(file.read(_BLOCK))
    except OSError as error:
        raise _unreadable(uri, error) from None
    return f"{uri} {info.size} {info.mtime_ns} {digest.hexdigest()}"


def _system(uri: str) -> tuple[Any, str]:
    with needs_extra("cluster", f"Reading {uri}"):
        from pyarrow.fs import FileSystem  # type: ignore[import-untyped]
    try:
        system, path = FileSystem.from_uri(uri)
    except (OSError, ValueError) as error:  # of which pyarrow's own errors are
        raise _unreadable(uri, error) from None
    return system, path


def _unreadable(uri: str, error: Exception) -> DocumentError:
    return DocumentError(
        f"{uri} cannot be read: {reason_of(error)}.", "Check the address, the network and the credentials."
    )
