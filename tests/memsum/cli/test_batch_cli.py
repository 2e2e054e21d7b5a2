from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memsum.cli.app import INTERRUPTED, app
from memsum.cli.batch import SOME_FAILED

from ...helpers import read_lines, run, write_lines

RECORDS: list[Any] = [
    {"id": "a", "text": "The tide rose. It fell. Nobody came.", "year": 1999},
    {"text": ["Staff were trained.", "", "Costs are given in dollars."]},
    {"id": "c", "text": ""},
    {"id": "d", "body": "The tide rose."},
    {"id": ["e"], "text": "The tide rose."},
    {"id": 6, "text": [1, 2]},
    ["no", "object"],
    {"id": None, "text": "It fell \ud83d alone."},
]


batch = partial(run, "batch")


def test_every_line_has_its_answer(model: list[str], tmp_path: Path) -> None:
    source, target = write_lines(tmp_path / "in.jsonl", RECORDS, '{"text": "cut\n'), tmp_path / "out.jsonl"
    result = batch(source, target, *model, "--sentences", 2, status=SOME_FAILED)
    reasons = f"{target}.errors.jsonl"
    assert result.stderr == (
        "3 summarized, 6 failed.\nmemsum: first of 6: c: The document is empty.\n"
        f"{reasons} lists the reasons; --retry-failed retries these documents.\n"
    )
    assert [json.loads(line)["document"] for line in Path(reasons).read_text().splitlines()] == [3, 4, 5, 6, 7, 9]
    lines = read_lines(target)
    assert [line["id"] for line in lines] == ["a", 2, "c", "d", 5, 6, 7, 8, 9]
    assert [sentence["index"] for sentence in lines[1]["sentences"]] == [0, 2]
    assert lines[0]["document"] == {"sentences": 3, "words": 7}
    assert lines[0]["stop"]["reason"] == "sentences"
    assert lines[7]["sentences"][0]["text"] == "It fell \ud83d alone."
    assert [line.get("error") for line in lines[2:7]] == [
        "The document is empty.",
        'The record has no "text"; its keys are "id", "body".',
        'The "id" is neither a string nor a whole number.',
        'The "text" is neither a string nor a list of strings.',
        "The line holds a list, not an object.",
    ]
    assert "cut off" in lines[8]["error"]


def test_questions_of_records_and_of_all(model: list[str], tmp_path: Path) -> None:
    text = "The tide rose. The bridge was closed. Nobody came."
    records = [{"text": text}, {"text": text, "about": "the tide"}, {"text": text, "about": ["the tide", "the bridge"]}]
    records += [{"text": text, "about": 5}]
    source, target = write_lines(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl"
    batch(source, target, *model, "--sentences", 1, "--about", "the bridge", "--language", "en", status=SOME_FAILED)
    first, second, third, fourth = read_lines(target)
    assert (first["about"], first["sentences"][0]["index"]) == ("the bridge", 1)
    assert (second["about"], second["sentences"][0]["index"]) == ("the tide", 0)
    assert third["id"] == 3
    assert [answer["about"] for answer in third["answers"]] == ["the tide", "the bridge"]
    assert [answer["sentences"][0]["index"] for answer in third["answers"]] == [0, 1]
    assert (fourth["id"], fourth["error"]) == (4, 'The "about" is neither a string nor a list of strings.')
    assert "There is no language" in batch(source, target, *model, "--language", "klingon", status=1).stderr


def test_it_gives_what_summarize_gives(model: list[str], tmp_path: Path) -> None:
    text = "Both readers were unaware of the group. The committee met 3 times. No events were reported."
    (tmp_path / "note.txt").write_text(text)
    write_lines(tmp_path / "in.jsonl", [{"id": "x", "text": text}])
    batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *model, "--words", 8, "--explain", "--order", "extraction")
    arguments = [*model, "--words", "8", "--explain", "--order", "extraction", "-f", "json"]
    single = CliRunner().invoke(app, ["summarize", str(tmp_path / "note.txt"), *arguments])
    one = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert one == {**json.loads(single.stdout), "id": "x"}


def test_a_file_that_fails_is_named_once(model: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bad.txt").write_bytes(bytes(range(256)) * 9)
    result = batch(tmp_path / "in", tmp_path / "out.jsonl", *model, status=1)
    assert "memsum: bad.txt: The file holds binary data" in result.stderr


def test_pipes(model: list[str]) -> None:
    result = batch("-", "-", *model, stdin='{"id": 1, "text": "The tide rose. It fell."}\n')
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["id"] == 1


def test_nothing_but_failures_is_a_failure(model: list[str], tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", [{}])
    result = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *model, status=1)
    assert result.stderr.startswith("0 summarized, 1 failed.\n")
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1


def test_an_absent_input_is_one_sentence_and_leaves_no_output(model: list[str], tmp_path: Path) -> None:
    result = batch(tmp_path / "absent.jsonl", tmp_path / "out.jsonl", *model, status=1)
    assert result.stderr.startswith("memsum: There is no file or folder ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_done_again_restarted_and_retried(model: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        (tmp_path / "in" / f"{number}.txt").write_text("The tide rose. It fell." if number else "")
    arguments: list[object] = [tmp_path / "in", tmp_path / "out.jsonl", *model]
    batch(*arguments, status=SOME_FAILED)
    assert "is complete already: 2 summarized, 1 failed." in batch(*arguments, status=SOME_FAILED).stderr
    result = batch(*arguments, "--words", 5, status=1)
    assert "was made from another input or with other settings" in result.stderr
    assert "--restart" in result.stderr
    batch(*arguments, "--words", 5, "--restart", status=SOME_FAILED)
    assert "2 summarized, 1 failed." in batch(*arguments, "--words", 5, "--retry-failed", status=SOME_FAILED).stderr


def test_a_damaged_model_is_one_sentence(model: list[str], tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", RECORDS[:2] * 10)
    folder = shutil.copytree(model[1], tmp_path / "model")
    graph = folder / "step.onnx"
    graph.write_bytes(bytes(graph.stat().st_size))
    arguments = ["--model", str(folder), "--workers", "2"]
    result = batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *arguments, status=1)
    assert "step.onnx is damaged" in result.stderr
    assert not (tmp_path / "out.jsonl.partial").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_ended_from_outside_it_continues(model: list[str], tmp_path: Path, number: signal.Signals) -> None:
    text = ["The tide rose.", "It fell.", "Nobody came."]
    source = write_lines(tmp_path / "in.jsonl", [{"id": i, "text": text[: i % 3 + 1]} for i in range(800)])
    arguments = [str(source), str(tmp_path / "out.jsonl"), *model]
    command = [sys.executable, "-m", "memsum", "batch", *arguments, "--workers", "2"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_hear_interrupts
    ) as process:
        partial = tmp_path / "out.jsonl.partial"
        while process.poll() is None and (not partial.exists() or partial.stat().st_size < 5000):
            time.sleep(0.002)
        workers = _children(process.pid)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as Ctrl-C does
        else:
            os.kill(process.pid, number)
        _, errors = process.communicate()
    if number == signal.SIGINT:
        assert process.returncode == INTERRUPTED
        assert errors.decode() == "memsum: Interrupted; the same command resumes it.\n"
    assert not (tmp_path / "out.jsonl").exists()
    assert len(workers) >= 2
    _wait_until_gone(workers)
    batch(*arguments, "--workers", 1)
    assert [json.loads(line)["id"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == list(range(800))


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background may have been told to ignore it


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _wait_until_gone(pids: list[int]) -> None:
    for _ in range(3000):
        if not any(_lives(pid) for pid in pids):
            return
        time.sleep(0.01)
    raise AssertionError(f"{pids} are still there")


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
