"""Functions run in other processes, which may have limits of time and memory; a process that exceeds them is killed.

`Sandbox` is one such process: servers, `map_parallel` and, through a pool of them, `ask_isolated` run their work in it.
A DocumentError that a function raises there is raised here.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import math
import os
import re
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memsum.errors import DocumentError, DocumentTooLargeError, ScanError

if TYPE_CHECKING:
    import subprocess

SECONDS = 30.0  # for one document
MEMORY_MB = 1024  # at most, for a large one
NO_MEMORY = 77  # exit status of a process that needs more memory than it may have
MAX_REPLY = 2**28  # bytes that come back of one document

_LENGTHS = struct.Struct("!QQ")  # of the header, which is JSON, and of the data behind it
_JOBS = 200  # a process is replaced after so many, so that what leaks stays small
_AT_ONCE = 2**15  # bytes that a pipe takes without anyone reading
_START = f"from {__name__} import main; main()"
_SECRETS = frozenset({"MEMSUM_TOKEN", "HF_TOKEN"})  # of the environment: work on documents needs none
# What a process that reads documents needs of the environment; anything else may be a secret.
_NEEDED = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|PYTHON\w+|OPENBLAS_\w+|SYSTEMROOT|WINDIR"
    r"|COMSPEC",
    re.IGNORECASE,
)
_PAUSE = 0.002  # seconds between two looks at pipes that cannot be waited for
_GRACE = 5.0  # seconds after which a process ends by itself, should nobody be left to kill it

_ERRORS: dict[object, type[DocumentError]] = {"large": DocumentTooLargeError, "scan": ScanError}

_lock = threading.Lock()  # of what all threads share: idle processes, and the environment
SandboxReply = tuple[dict[str, Any], bytes]
Function = Callable[[dict[str, Any], bytes], SandboxReply]


def cores() -> int:
    """Count the processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_for(size: int) -> int:
    """Return the MB that work on so many bytes may take: what is small has no reason to become large."""
    return min(MEMORY_MB, 448 + 16 * size // 2**20)


class SandboxDiedError(Exception):
    """The process ended before it answered, with an exit status: a crash, or no memory left."""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


class Sandbox:
    """A process that answers one request after the other; one thread at a time. It starts with the first request.

    With `log` it writes to our standard error, and may write files. Work of our own need not be `confined` to one core,
    nor to answers of bounded size.
    """

    def __init__(
        self,
        memory_mb: int | None = MEMORY_MB,
        jobs: int | None = _JOBS,
        *,
        log: bool = False,
        confined: bool = True,
    ) -> None:
        self.memory_mb = memory_mb
        self._most_jobs = jobs
        self._log = log
        self._confined = confined
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
    ) -> SandboxReply:
        """Call `package.module:function`; raise TimeoutError if it takes too long, SandboxDiedError if it dies.

        It may take `memory_mb`; by default, what the size of the data allows.
        """
        deadline = time.monotonic() + seconds
        self.send(function, header, data, seconds, memory_mb)
        return self.receive(deadline)

    def send(
        self,
        function: str,
        header: dict[str, Any],
        data: bytes,
        seconds: float | None = None,
        memory_mb: int | None = None,
    ) -> None:
        """Call a function as `ask` does, by default without a limit of time; `receive` returns what it answers."""
        if not self.alive or (self._most_jobs is not None and self._jobs >= self._most_jobs):
            self.start()
        assert self._process is not None  # noqa: S101
        memory = None if self.memory_mb is None else min(self.memory_mb, memory_mb or memory_for(len(data)))
        order = json.dumps({**header, "function": function, "seconds": seconds, "memory_mb": memory}).encode()
        message = _LENGTHS.pack(len(order), len(data)) + order
        try:
            if len(message) + len(data) <= _AT_ONCE:
                _send(self._process, message + data)
            else:  # it may end, or answer, before it has read all
                threading.Thread(target=_send, args=(self._process, message, data), daemon=True).start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start a new process, in place of the one there is."""
        import subprocess  # here, so that what needs no sandbox starts sooner

        self.close()
        kept = {
            name: value
            for name, value in os.environ.items()
            if (_NEEDED.fullmatch(name) if self._confined else name not in _SECRETS)
        }
        bare = ["-S"] if self._confined else []  # starts sooner; where modules are is in the environment
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, *bare, "-c", _START, *(["log"] if self._log else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if self._log else subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for us; and what it starts is killed with it
            env={
                **kept,
                **({"OMP_NUM_THREADS": "1"} if self._confined else {}),
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
        )

    def receive(self, deadline: float | None = None) -> SandboxReply:
        """Wait for the answer to a request until a time of `time.monotonic`."""
        try:
            header, data = _LENGTHS.unpack(self._read(_LENGTHS.size, deadline))
            if header + data > MAX_REPLY and self._confined:
                raise EOFError
            answer = json.loads(self._read(header, deadline))
            if not isinstance(answer, dict):
                raise EOFError
            content = self._read(data, deadline)
        except (EOFError, ValueError):
            raise SandboxDiedError(self.close(_GRACE)) from None
        except BaseException:
            self.close()
            raise
        self._jobs += 1
        raise_error(answer)
        return answer, content

    def fileno(self) -> int:
        """Return the pipe that its answers come from."""
        assert self._process is not None and self._process.stdout is not None  # noqa: S101, PT018
        return self._process.stdout.fileno()

    def kill(self) -> None:
        """Kill the process and what it started; another thread that waits for its answer sees that it died."""
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()

    def close(self, grace: float = 0.0) -> int:
        """Kill the process, after so many seconds in which it may end itself; the next request starts a new one."""
        process = self._process
        if process is None:
            return 0
        import subprocess

        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        self.kill()
        self._process, self._jobs = None, 0
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return process.wait()

    def _read(self, size: int, deadline: float | None) -> bytes:
        """Read exactly `size` bytes, before the deadline."""
        received = bytearray()
        while len(received) < size:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not readable([self], left):
                raise TimeoutError
            part = os.read(self.fileno(), min(size - len(received), 2**20))
            if not part:
                raise EOFError
            received += part
        return bytes(received)


def readable(sandboxes: Sequence[Sandbox], seconds: float | None = None) -> list[Sandbox]:
    """Wait until at least one of the sandboxes answers or ends, and return those that do; none after the time."""
    found = _readable([sandbox.fileno() for sandbox in sandboxes], seconds)
    return [sandbox for sandbox in sandboxes if sandbox.fileno() in found]


def _readable(pipes: Sequence[int], seconds: float | None) -> list[int]:
    if not hasattr(select, "poll"):
        end = math.inf if seconds is None else time.monotonic() + seconds
        while not (found := [pipe for pipe in pipes if _has_more(pipe)]) and time.monotonic() < end:
            time.sleep(_PAUSE)
        return found
    poll = select.poll()  # unlike select, it takes any number of open files
    for pipe in pipes:
        poll.register(pipe, select.POLLIN)
    return [pipe for pipe, _ in poll.poll(None if seconds is None else 1000 * seconds)]


def _has_more(pipe: int) -> bool:
    """Tell on Windows, where one can only ask, if a pipe holds something or has ended."""
    import ctypes
    import msvcrt

    count, handle = ctypes.c_ulong(), ctypes.c_void_p(msvcrt.get_osfhandle(pipe))  # type: ignore[attr-defined]
    is_open = ctypes.windll.kernel32.PeekNamedPipe(handle, None, 0, None, ctypes.byref(count), None)  # type: ignore[attr-defined]
    return not is_open or count.value > 0


def _send(process: subprocess.Popen[bytes], *parts: bytes) -> None:
    """Write a request; if the process dies meanwhile, whoever waits for its answer sees that."""
    assert process.stdin is not None  # noqa: S101
    with contextlib.suppress(OSError, ValueError):
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[process.stdin.write(rest) :]


def raise_error(answer: dict[str, Any]) -> None:
    """Raise the DocumentError that a function raised in a sandbox, if it did."""
    error = answer.get("error")
    if isinstance(error, dict):
        hint = error.get("hint")
        kind = _ERRORS.get(error.get("kind"), DocumentError)
        raise kind(str(error.get("message")), None if hint is None else str(hint))


@contextlib.contextmanager
def without_secrets() -> Iterator[None]:
    """Start processes that do not inherit the secrets of the environment; one thread at a time."""
    with _lock:
        taken = {name: os.environ.pop(name) for name in _SECRETS & os.environ.keys()}
        try:
            yield
        finally:
            os.environ.update(taken)


_idle: list[Sandbox] = []


def start_sandbox() -> None:
    """Start a process that the next `ask_isolated` will not have to wait for."""
    sandbox = Sandbox()
    sandbox.start()
    with _lock:
        _idle.append(sandbox)


def ask_isolated(function: str, header: dict[str, Any], data: bytes, seconds: float) -> SandboxReply:
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
    if on and _readable([pipe], 0):  # between two requests nothing is sent: the parent had gone before
        os._exit(1)


def limit_memory(memory_mb: int | None) -> None:
    """Bound the memory of what comes next; the system keeps to it, but for Windows."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        if memory_mb is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20, resource.getrlimit(resource.RLIMIT_AS)[1]))


def process_memory(process: int | str = "self") -> tuple[int, int]:
    """Return the bytes of a process's address space, and those that are resident; 0 where the system is silent."""
    try:
        pages = Path(f"/proc/{process}/statm").read_bytes().split()
        return int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), int(pages[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0, 0


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
        kill_self_after(0 if header["seconds"] is None else header["seconds"] + _GRACE)
        limit_memory(header["memory_mb"])
        _end_with_parent(source.fileno(), on=True)
        try:
            answer, content = functions[name](header, data)
        except DocumentError as error:
            kind = next((name for name, known in _ERRORS.items() if isinstance(error, known)), None)
            answer, content = {"error": {"message": error.message, "hint": error.hint, "kind": kind}}, b""
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
    if "log" not in sys.argv:  # then it may write no files; the system keeps to it, but for Windows
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            for what in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
                resource.setrlimit(what, (0, 0))
    for name in ("SIGALRM", "SIGIO"):  # they end the process, even where the parent ignored them
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(sys.stdin.buffer, sink)
    except MemoryError:
        os._exit(NO_MEMORY)
