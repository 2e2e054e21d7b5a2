"""Reading a hostile file in a process of its own, under limits of time and memory, that can be killed."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import IO

from memsum.document.model import Document
from memsum.document.wire import pack, unpack
from memsum.errors import DocumentError

_LENGTH = struct.Struct("!Q")
_MAX_ANSWER = 2**30
_JOBS = 200  # a worker is replaced after so many, so that what leaks stays small
_TICK = 0.25


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost."""

    seconds: float = 30.0
    memory_mb: int = 1024


class Worker:
    """A process that reads one document after the other; one thread at a time. It starts with the first document."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None
        self._jobs = 0

    def read(
        self,
        content: bytes | str,
        *,
        name: str | None = None,
        format: str | None = None,  # noqa: A002
        language: str | None = None,
    ) -> Document:
        """What `read_document` makes of the content, or a DocumentError if it took too long, too much, or crashed."""
        options = {"name": name, "format": format, "language": language}
        header = json.dumps({"options": options, "text": isinstance(content, str)}).encode()
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        process = self._running()
        deadline = time.monotonic() + self.limits.seconds
        prefix = f"{name}: " if name else ""
        sender = threading.Thread(target=_send, args=(process, header, data), daemon=True)
        sender.start()
        try:
            answer = _receive(process, deadline)
        except TimeoutError:
            self.close()
            raise DocumentError(
                f"{prefix}Reading the document took longer than {self.limits.seconds:g} seconds.",
                "Split it into parts.",
            ) from None
        except EOFError:
            self.close()
            raise DocumentError(
                f"{prefix}The document cannot be read: it is damaged, hostile, or needs more than "
                f"{self.limits.memory_mb} MB of memory."
            ) from None
        self._jobs += 1
        return unpack(answer)

    def close(self) -> None:
        """Kill the process; the next document starts a new one."""
        process, self._process, self._jobs = self._process, None, 0
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and (self._process.poll() is not None or self._jobs >= _JOBS):
            self.close()
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", __name__, str(self.limits.memory_mb)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"},
            )
        return self._process


def _send(process: subprocess.Popen[bytes], header: bytes, data: bytes) -> None:
    """Write a job; if the worker dies meanwhile, the reader of its answer sees that."""
    assert process.stdin is not None  # noqa: S101
    with contextlib.suppress(OSError, ValueError):
        for part in (header, data):
            process.stdin.write(_LENGTH.pack(len(part)))
            process.stdin.write(part)
        process.stdin.flush()


def _receive(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    assert process.stdout is not None  # noqa: S101
    pipe = process.stdout.fileno()
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size, deadline))
    if length > _MAX_ANSWER:
        raise EOFError
    return _exactly(pipe, length, deadline)


def _exactly(pipe: int, size: int, deadline: float) -> bytes:
    """So many bytes, before the deadline."""
    received = bytearray()
    while len(received) < size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if select.select([pipe], [], [], min(left, _TICK))[0]:
            part = os.read(pipe, min(size - len(received), 2**20))
            if not part:
                raise EOFError
            received += part
    return bytes(received)


_idle: list[Worker] = []
_lock = threading.Lock()


def read_isolated(
    content: bytes | str,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
) -> Document:
    """Read with a worker that is free, or a new one; as many threads as call, so many workers."""
    with _lock:
        worker = _idle.pop() if _idle else Worker()
    try:
        return worker.read(content, name=name, format=format, language=language)
    finally:
        with _lock:
            _idle.append(worker)


@atexit.register
def close_workers() -> None:
    """End the processes that wait for documents."""
    with _lock:
        while _idle:
            _idle.pop().close()


def _limit(memory_mb: int) -> None:
    """Bounds that the operating system keeps; Windows has none of them."""
    try:
        import resource
    except ImportError:
        return
    memory = memory_mb * 2**20
    for what, bound in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (bound, bound))


def _read_all(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """The worker's loop: a job comes in, a document or an error goes out, until the pipe is closed."""
    from memsum.document.readers import read_document

    while True:
        try:
            header = json.loads(_read_all(source, _LENGTH.unpack(_read_all(source, _LENGTH.size))[0]))
            data = _read_all(source, _LENGTH.unpack(_read_all(source, _LENGTH.size))[0])
        except EOFError:
            return
        content = data.decode("utf-8", "surrogatepass") if header["text"] else data
        try:
            answer = pack(read_document(content, **header["options"]))
        except DocumentError as error:
            answer = pack(error)
        except MemoryError:
            return
        sink.write(_LENGTH.pack(len(answer)))
        sink.write(answer)
        sink.flush()


if __name__ == "__main__":
    _limit(int(sys.argv[1]))
    serve(sys.stdin.buffer, sys.stdout.buffer)
