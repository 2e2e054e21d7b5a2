"""JSONL files, streamed: plain, gzip or zstd, told by content when read, by name when written; `-` is stdin, stdout."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import zstandard

from memsum.corpus.records import Example, parse_object
from memsum.errors import CorpusError
from memsum.files import atomic_file
from memsum.storage import is_remote, open_remote

STANDARD = "-"
# Large corpora are often compressed with a long window; a small file that asks for so much memory does not need it.
ZSTD_WINDOW = 2**27
LONG_ZSTD_WINDOW = 2**31
LONG_ZSTD_FILE = 64 * 2**20  # bytes
# Far beyond any document; a bound so that a decompression bomb or a binary file cannot fill the memory.
LONGEST_LINE = 2**25
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Line:
    """A line as it stands in the file; `fault` says why it cannot even be looked at."""

    number: int
    raw: bytes
    fault: str | None = None

    def parse(self) -> dict[str, object]:
        """Read the line's JSON object."""
        if self.fault:
            raise CorpusError(self.fault)
        return parse_object(self.raw)


@dataclass(frozen=True)
class BadLine:
    """A line that is no record, and why."""

    number: int
    reason: str
    raw: bytes


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


def read_examples(path: str | Path) -> Iterator[Example | BadLine]:
    """Yield the records of a corpus; a line that is none comes as a `BadLine`."""
    for line in read_lines(path):
        try:
            yield Example.from_json(line.parse())
        except CorpusError as error:
            yield BadLine(line.number, error.message, line.raw)


def read_sentences(paths: Iterable[str | Path], advance: Callable[[int], None]) -> Iterator[str]:
    """Yield the sentences of texts and summaries of all good records, saying after each record that one is done."""
    for path in paths:
        for example in read_examples(path):
            if isinstance(example, Example):
                yield from example.text
                yield from example.summary
            advance(1)


def write_examples(path: str | Path, examples: Iterable[Example]) -> int:
    """Write a corpus file as a whole, or not at all; gives the number of records."""
    count = 0
    with open_output(path) as stream:
        for example in examples:
            stream.write(example.to_line().encode() + b"\n")
            count += 1
    return count


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
        with open_remote(str(path)) as file:
            yield _decompressed(file)
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
        return io.BufferedReader(_Zstd(buffered, _zstd_window(file)))
    return buffered


def _zstd_window(file: IO[bytes]) -> int:
    """Bytes that decompressing may hold; what comes through a pipe counts as small."""
    try:
        size = os.fstat(file.fileno()).st_size
    except OSError:
        size = 0
    return LONG_ZSTD_WINDOW if size >= LONG_ZSTD_FILE else ZSTD_WINDOW


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
