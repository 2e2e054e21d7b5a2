from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from memsum.errors import install_command

from ...helpers import run

serve = partial(run, "serve", status=1)


def test_it_serves_until_interrupted(model_folder: Path) -> None:
    command = [sys.executable, "-m", "memsum", "serve", "--port", "0", "--model", str(model_folder), "--workers", "1"]
    environment = {**os.environ, "MEMSUM_TOKEN": "sesame"}
    with subprocess.Popen([*command, "--access-log"], stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr
        line = process.stderr.readline()
        url = re.match(r"memsum listens on (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\.", line)
        assert url, line
        request = urllib.request.Request(f"{url[1]}v1/models", headers={"authorization": "Bearer sesame"})
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert answer["models"][0]["name"] == model_folder.name
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        process.wait(60)
    assert "Traceback" not in rest
    access = [line for line in rest.splitlines() if " INFO memsum.access: " in line]
    assert len(access) == 1
    assert re.search(r"127\.0\.0\.1 GET /v1/models 200 \d+ bytes \d\.\d{3} s$", access[0])


def test_it_opens_the_page(model_folder: Path, tmp_path: Path) -> None:
    opened, script = tmp_path / "opened", tmp_path / "browser.py"
    script.write_text(f"import sys; open({str(opened)!r}, 'w').write(sys.argv[1])")
    command = [sys.executable, "-m", "memsum", "serve", "--open", "--port", "0", "--model", str(model_folder)]
    environment = {**os.environ, "BROWSER": f"{sys.executable} {script} %s"}
    with subprocess.Popen([*command, "--workers", "1"], stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr
        address = process.stderr.readline().split()[3]
        until = time.monotonic() + 60
        while not (opened.exists() and opened.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert opened.read_text() == address


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = serve("--port", port, "--model", tmp_path)
    assert result.stderr.startswith(f"memsum: The server cannot listen on 127.0.0.1, port {port}: ")


def test_an_address_that_is_none_is_one_sentence() -> None:
    assert serve("--host", "no.such.host.invalid").stderr.startswith("memsum: The server cannot listen on no.such.host")


def test_a_token_must_be_usable() -> None:
    assert serve("--token", "ключ", "--port", 0).stderr == "memsum: The token must be printable ASCII.\n"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = serve()
    said = "memsum: The server needs an optional part of memsum.\n        Install it: "
    assert result.stderr == f"{said}{install_command('serve')}\n"
    assert install_command("serve").endswith(" -m pip install 'memsum[serve]'")
