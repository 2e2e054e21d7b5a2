from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memsum import isolation as sandboxes
from memsum.document import Document, load, read_document
from memsum.document.load import pack, read_isolated, unpack
from memsum.errors import DocumentError, DocumentTooLargeError
from memsum.isolation import NO_MEMORY, Sandbox, SandboxDiedError, SandboxReply, ask_isolated, raise_error

PDF = Path(__file__).parents[1] / "data" / "documents" / "two-columns.pdf"
READ = "memsum.document.load:read_packed"


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))  # so that the process finds the functions below
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


def echo(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    print("what is printed is no answer")
    return {"said": header["say"]}, data


def hang(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    import re

    re.match(r"(a+)+$", "a" * 60 + "b")  # holds the interpreter for longer than anyone lives
    return {}, b""


def read(sandbox: Sandbox, text: str, **options: Any) -> Document:
    limits = {"most_bytes": 2**30, "most_sentences": None}
    header = {
        "format": None,
        "language": None,
        "strict": False,
        "text": True,
        "scan": False,
        "main": None,
        **limits,
        **options,
    }
    return unpack(sandbox.ask(READ, header, text.encode(), 30)[1])


def test_the_same_document_as_without() -> None:
    assert read_document(PDF) == read_document(PDF, isolated=False)
    text = "# Pumps\n\nThe pump was old. \ud800 It was “worn”.\n\n## Wells\n\nThe well is deep. It is dry."
    assert read_isolated(text) == read_document(text)


def test_errors_come_back_as_they_are() -> None:
    with pytest.raises(DocumentError, match=r"^bill\.pdf: The PDF is damaged or cut off\.$") as caught:
        read_document(b"%PDF-1.7\n1 0 obj", name="bill.pdf")
    assert caught.value.hint == "Download or export it again."


@pytest.mark.parametrize("size", [10, 5_000_000])
def test_a_process_answers_one_request_after_the_other(sandbox: Sandbox, size: int) -> None:
    for said in ("first", "second"):
        answer, data = sandbox.ask("test_isolation:echo", {"say": said}, b"x" * size, 60)
        assert (answer, len(data)) == ({"said": said}, size)


def test_what_takes_too_long_is_killed_and_the_next_request_is_answered(sandbox: Sandbox) -> None:
    sandbox.ask("test_isolation:echo", {"say": ""}, b"", 60)
    stuck = sandbox.pid
    with pytest.raises(TimeoutError):
        sandbox.ask("test_isolation:hang", {}, b"", 0.2)
    assert stuck is not None
    with pytest.raises(ProcessLookupError):
        os.kill(stuck, 0)
    assert sandbox.ask("test_isolation:echo", {"say": "again"}, b"", 60)[0] == {"said": "again"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such timer")
def test_what_hangs_ends_by_itself_if_nobody_is_left_to_kill_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sandbox, "receive", lambda sandbox, deadline: ({}, b""))  # who never looks
    sandbox.ask("test_isolation:hang", {}, b"", -4.5)
    assert sandbox._process is not None
    assert sandbox._process.wait(60) < 0


def test_reading_that_takes_too_long_is_one_sentence() -> None:
    with pytest.raises(DocumentError, match=r"^Reading the document took longer than 0\.0001 seconds\.$"):
        read_isolated(PDF.read_bytes(), seconds=0.0001)
    assert read_isolated("The pump was old.").text == "The pump was old."


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_what_needs_too_much_memory_dies_alone() -> None:
    sandbox = Sandbox(memory_mb=250)
    with pytest.raises(SandboxDiedError) as death:
        read(sandbox, "word " * 12_000_000)
    assert death.value.status == NO_MEMORY
    assert read(sandbox, "The pump was old.").text == "The pump was old."
    sandbox.close()


@pytest.mark.parametrize("secret", ["MEMSUM_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL"])
def test_a_process_that_reads_has_nothing_of_the_environment_that_it_does_not_need(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv(secret, "secret")
    monkeypatch.setenv("LC_TIME", "C")
    names = sandbox.ask("test_isolation:environment", {}, b"", 60)[0]["names"]
    assert secret not in names
    assert {"LC_TIME", "PATH"} <= set(names)


def test_a_document_of_which_a_process_dies_is_read_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []

    def ask(function: str, header: dict[str, Any], data: bytes, seconds: float) -> SandboxReply:
        calls.append(seconds)
        if len(calls) in dies:
            raise SandboxDiedError(-11)
        return ask_isolated(function, header, data, seconds)

    monkeypatch.setattr(load, "ask_isolated", ask)
    dies = {1}
    assert read_document(b"The pump was old.").text == "The pump was old."
    assert calls[1] < calls[0]
    dies = {3, 4}
    with pytest.raises(DocumentError, match="two processes died of it") as error:
        read_document(b"The pump was old.")
    assert error.value.hint == "It is damaged or hostile, or needs more than 448 MB of memory."
    assert len(calls) == 4


def test_a_document_with_more_text_than_its_caller_takes_is_refused_where_it_is_read() -> None:
    with pytest.raises(DocumentError, match="more than 10 bytes of text"):
        read_isolated("The pump was old.", most_bytes=10)


def test_a_crash_is_noticed(sandbox: Sandbox) -> None:
    sandbox.ask("test_isolation:echo", {"say": ""}, b"", 60)
    assert sandbox.pid is not None
    os.kill(sandbox.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sandbox.pid, os.WEXITED | os.WNOWAIT)
    assert sandbox.ask("test_isolation:echo", {"say": "new"}, b"", 60)[0] == {"said": "new"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_sandboxes_of_its_own() -> None:
    read_isolated("The pump was old.")  # one is idle now
    before = {sandbox.pid for sandbox in sandboxes._idle}
    child = os.fork()
    if not child:
        ok = read_isolated("It was worn.").text == "It was worn."
        mine = {sandbox.pid for sandbox in sandboxes._idle}
        sandboxes.close_sandboxes()
        os._exit(0 if ok and not mine & before else 1)
    assert read_isolated("The pump was new.").text == "The pump was new."
    assert os.waitpid(child, 0)[1] == 0


def test_the_way_in(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.raises(DocumentError, match=r"^empty\.txt: The document is empty\.$"):
        read_document(tmp_path / "empty.txt")


def test_formats_that_can_explode_are_never_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import docx

    word = docx.Document()
    word.add_paragraph("The pump was old. It was worn.")
    word.save(str(tmp_path / "pump.docx"))
    asked: list[str] = []

    def ask(function: str, *arguments: Any) -> Any:
        asked.append(function)
        return ask_isolated(function, *arguments)

    monkeypatch.setattr("memsum.document.load.ask_isolated", ask)
    read_document(PDF)
    read_document(tmp_path / "pump.docx")
    assert asked == [READ, READ]


def test_a_section_is_sent_once() -> None:
    heading = "A very long heading " * 10
    document = read_document(f"# {heading}\n\n" + "It is short. " * 500)
    assert len(pack(document)) < 6 * len(document.text)
    assert unpack(pack(document)) == document


def test_what_comes_back_is_not_trusted() -> None:
    document = Document.from_sentences(["One.", "Two."])
    assert unpack(pack(document)) == document
    for data in (b"", b"{}", b"[]", b"\xff", pack(document).replace(b"[0, 4,", b"[0, 99,"), b"[" * 100_000):
        with pytest.raises(DocumentError, match="damaged"):
            unpack(data)
    with pytest.raises(DocumentError, match=r"^1$"):
        raise_error({"error": {"message": 1}})


def test_more_sentences_than_wanted_do_not_leave_the_process() -> None:
    assert len(read_isolated("The pump ran. It stopped.", most_sentences=2).sentences) == 2
    with pytest.raises(DocumentTooLargeError, match="more than 2 sentences"):
        read_isolated("The pump ran. It stopped. Nobody came.", most_sentences=2)


def test_eight_megabytes_have_less_than_600_mb() -> None:
    assert sandboxes.memory_for(8 * 2**20) < 600


def environment(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    return {"names": sorted(os.environ)}, b""


_PARENT = """
from memsum.isolation import Sandbox
sandbox = Sandbox()
sandbox.ask("test_isolation:echo", {"say": ""}, b"", 60)
print(sandbox.pid, flush=True)
sandbox.ask("test_isolation:hang", {}, b"", 600)
"""


@pytest.mark.skipif(not hasattr(os, "O_ASYNC"), reason="the system does not signal that a pipe was closed")
def test_a_busy_process_ends_with_its_killed_parent() -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.5)  # until it hangs
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(1200):
        if not _is_running(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the process outlived its parent")


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_where_pipes_cannot_be_waited_for_they_are_asked(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll")  # as on Windows
    monkeypatch.setattr(sandboxes, "_has_more", lambda pipe: bool(select.select([pipe], [], [], 0)[0]))
    assert sandbox.ask("test_isolation:echo", {"say": "yes"}, b"x" * 10**6, 30) == ({"said": "yes"}, b"x" * 10**6)
    with pytest.raises(TimeoutError):
        sandbox.ask("test_isolation:hang", {}, b"", 0.5)
    with pytest.raises(SandboxDiedError):
        sandbox.ask("os:_exit", {}, b"", 30)


ELSEWHERE = """
import importlib, pkgutil, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
del signal.setitimer
import memsum
from memsum import isolation
for module in pkgutil.walk_packages(memsum.__path__, "memsum."):
    if not module.name.endswith((".__main__", ".ray_cluster", ".ray_engine", ".server.mcp")):
        importlib.import_module(module.name)
isolation.limit_memory(64)
isolation.kill_self_after(1)
print(len(memsum.read_document("The tide rose. It fell again.", isolated=False).sentences))
"""


def test_systems_without_limits_have_none_and_go_on() -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, check=False)
    assert done.stdout == "2\n", done.stderr
