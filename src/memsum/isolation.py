"""Functions run on untrusted data in processes with limits of time and memory; a process that exceeds them is killed.

`Sandbox` is one such process, `ask_isolated` uses a pool of them. A DocumentError that a function raises there is
raised here.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memsum.errors import DocumentError, DocumentTooLargeError, ScanError

if TYPE_CHECKING:
    import subprocess

SECONDS = 30.0  # for one document
MEMORY_MB = 1024  # at most, for a large one
MAX_ANSWER = 2**28  # bytes that come back of one document

_LENGTHS = struct.Struct("!QQ")  # of the header, which is JSON, and of the data behind it
_JOBS = 200  # a process is replaced after so many, so that what leaks stays small
_AT_ONCE = 2**15  # bytes that a pipe takes without anyone reading
_START = f"from {__name__} import main; main()"
_SECRETS = frozenset({"MEMSUM_TOKEN", "HF_TOKEN"})  # of the environment: work on documents needs none
_GRACE = 5.0  # seconds after which a process ends by itself, should nobody be left to kill it

_ERRORS: dict[object, type[DocumentError]] = {"large": DocumentTooLargeError, "scan": ScanError}

_lock = threading.Lock()  # of what all threads share: idle processes, and the environment
Answer = tuple[dict[str, Any], bytes]
Function = Callable[[dict[str, Any], bytes], Answer]


def memory_for(size: int) -> int:
    """Return the MB that work on so many bytes may take: what is small has no reason to become large."""
    return min(MEMORY_MB, 448 + 16 * size // 2**20)


class SandboxDiedError(Exception):
    """The process ended before it answered: a crash, or no memory left."""


class Sandbox:
    """A process that answers one request after the other; one thread at a time. It starts with the first request."""

    def __init__(self, memory_mb: int | None = MEMORY_MB, jobs: int | None = _JOBS, *, log: bool = False) -> None:
        self.memory_mb = memory_mb
        self._most_jobs = jobs
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._jobs = 0

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def ask(
        self, function: str, header: dict[str, Any], data: bytes, seconds: float, memory_mb: int | None = None
    ) -> Answer:
        """Call `package.module:function`; raise TimeoutError if it takes too long, SandboxDiedError if it dies.

        It may take `memory_mb`; by default, what the size of the data allows.
        """
        process = self._running()
        deadline = time.monotonic() + seconds
        memory = None if self.memory_mb is None else min(self.memory_mb, memory_mb or memory_for(len(data)))
        order = json.dumps({**header, "function": function, "seconds": seconds, "memory_mb": memory}).encode()
        message = _LENGTHS.pack(len(order), len(data)) + order
        try:
            if len(message) + len(data) <= _AT_ONCE:
                _send(process, message + data)
            else:  # it may end, or answer, before it has read all
                threading.Thread(target=_send, args=(process, message, data), daemon=True).start()
            answer = _receive(process, deadline)
        except BaseException as error:
            self.close()
            if isinstance(error, (EOFError, ValueError)):
                raise SandboxDiedError from None
            raise
        self._jobs += 1
        raise_error(answer[0])
        return answer

    def kill(self) -> None:
        """Kill the process and what it started; another thread that waits for its answer sees that it died."""
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()

    def close(self) -> None:
        """Kill the process; the next request starts a new one."""
        self.kill()
        process, self._process, self._jobs = self._process, None, 0
        if process is None:
            return
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _running(self) -> subprocess.Popen[bytes]:
        is_worn = self._most_jobs is not None and self._jobs >= self._most_jobs
        if self._process is not None and (is_worn or self._process.poll() is not None):
            self.close()
        if self._process is None:
            import subprocess  # here, so that what needs no sandbox starts sooner

            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", _START, *(["log"] if self._log else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if self._log else subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us; and what it starts is killed with it
                env=_environment(),
            )
        return self._process


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _SECRETS}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}


@contextlib.contextmanager
def without_secrets() -> Iterator[None]:
    """Start processes that do not inherit the secrets of the environment; one thread at a time."""
    with _lock:
        taken = {name: os.environ.pop(name) for name in _SECRETS & os.environ.keys()}
        try:
            yield
        finally:
            os.environ.update(taken)


def _packed_error(error: DocumentError) -> Answer:
    kind = next((name for name, known in _ERRORS.items() if isinstance(error, known)), None)
    return {"error": {"message": error.message, "hint": error.hint, "kind": kind}}, b""


def raise_error(answer: dict[str, Any]) -> None:
    """Raise the DocumentError that a function raised in a sandbox, if it did."""
    error = answer.get("error")
    if isinstance(error, dict):
        hint = error.get("hint")
        kind = _ERRORS.get(error.get("kind"), DocumentError)
        raise kind(str(error.get("message")), None if hint is None else str(hint))


def _send(process: subprocess.Popen[bytes], *parts: bytes) -> None:
    """Write a request; if the process dies meanwhile, whoever waits for its answer sees that."""
    assert process.stdin is not None  # noqa: S101
    with contextlib.suppress(OSError, ValueError):
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[process.stdin.write(rest) :]


def _receive(process: subprocess.Popen[bytes], deadline: float) -> Answer:
    assert process.stdout is not None  # noqa: S101
    pipe = process.stdout.fileno()
    header, data = _LENGTHS.unpack(_exactly(pipe, _LENGTHS.size, deadline))
    if header + data > MAX_ANSWER:
        raise EOFError
    answer = json.loads(_exactly(pipe, header, deadline))
    if not isinstance(answer, dict):
        raise EOFError
    return answer, _exactly(pipe, data, deadline)


def _exactly(pipe: int, size: int, deadline: float) -> bytes:
    """Read exactly `size` bytes, before the deadline."""
    received = bytearray()
    while len(received) < size:
        left = deadline - time.monotonic()
        if left <= 0 or not _is_readable(pipe, left):
            raise TimeoutError
        part = os.read(pipe, min(size - len(received), 2**20))
        if not part:
            raise EOFError
        received += part
    return bytes(received)


def _is_readable(pipe: int, seconds: float) -> bool:
    if not hasattr(select, "poll"):
        return bool(select.select([pipe], [], [], seconds)[0])
    poll = select.poll()  # unlike select, it takes any number of open files
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(1000 * seconds))


_idle: list[Sandbox] = []


def ask_isolated(function: str, header: dict[str, Any], data: bytes, seconds: float) -> Answer:
    """Ask a process that is free, or a new one: as many threads as ask, so many processes."""
    with _lock:
        sandbox = _idle.pop() if _idle else Sandbox()
    try:
        return sandbox.ask(function, header, data, seconds)
    finally:
        with _lock:
            _idle.append(sandbox)


@atexit.register
def close_sandboxes() -> None:
    """End the processes that wait for requests."""
    with _lock:
        while _idle:
            _idle.pop().close()


def _start_anew() -> None:
    """Forget the sandboxes in a process that was forked: they are those of its parent."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def kill_self_after(seconds: float) -> None:
    """Let the system end this very process after a time, whatever it is doing then; 0 calls it off. Not on Windows."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _end_with_parent(pipe: int, *, on: bool) -> None:
    """Let the system end this process when nobody is left to write to the pipe, whatever it is doing; not on Windows.

    `PR_SET_PDEATHSIG` would not do: it ends the process with the thread that started it.
    """
    if not hasattr(os, "O_ASYNC"):
        return
    import fcntl

    with contextlib.suppress(OSError):
        flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid() if on else 0)
        fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)
    if on and _is_readable(pipe, 0):  # between two requests nothing is sent: the parent had gone before
        os._exit(1)


def _limit_files() -> None:
    """Let the process write no files; the system keeps to it, but for Windows."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        for what in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
            resource.setrlimit(what, (0, 0))


def limit_memory(memory_mb: int | None) -> None:
    """Bound the memory of what comes next; the system keeps to it, but for Windows."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        if memory_mb is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20, resource.getrlimit(resource.RLIMIT_AS)[1]))


def resident_mb() -> int:
    """Return the memory that this process takes now; 0 where the system does not tell."""
    return _pages_mb(1)


def address_space_mb() -> int:
    """Return the address space of this process, of which much is shared or not used; 0 where the system is silent."""
    return _pages_mb(0)


def _pages_mb(field: int) -> int:
    try:
        counts = Path("/proc/self/statm").read_bytes().split()
        return int(counts[field]) * os.sysconf("SC_PAGE_SIZE") // 2**20
    except (OSError, ValueError):
        return 0


def _read_all(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer one request after the other, until the pipe is closed."""
    functions: dict[str, Function] = {}
    while True:
        try:
            lengths = _LENGTHS.unpack(_read_all(source, _LENGTHS.size))
            header, data = json.loads(_read_all(source, lengths[0])), _read_all(source, lengths[1])
        except EOFError:
            return
        name = header["function"]
        if name not in functions:
            module, _, function = name.partition(":")
            functions[name] = getattr(importlib.import_module(module), function)
        kill_self_after(header["seconds"] + _GRACE)
        limit_memory(header["memory_mb"])
        _end_with_parent(source.fileno(), on=True)
        try:
            answer, content = functions[name](header, data)
        except DocumentError as error:
            answer, content = _packed_error(error)
        except MemoryError:
            return
        _end_with_parent(source.fileno(), on=False)
        kill_self_after(0)
        del header, data
        packed = json.dumps(answer).encode()
        sink.write(_LENGTHS.pack(len(packed), len(content)) + packed)
        sink.write(content)
        sink.flush()
        del answer, content, packed


def main() -> None:
    """Answer on what was the standard output; what anyone prints goes to the standard error."""
    if "log" not in sys.argv:
        _limit_files()
    for name in ("SIGALRM", "SIGIO"):  # they end the process, even where the parent ignored them
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, sink)
