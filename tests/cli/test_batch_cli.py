from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memsum.cli.app import app

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


@pytest.fixture
def model(model_folder: Path) -> list[str]:
    return ["--model", str(model_folder), "--threads", "1"]


def batch(*arguments: object, status: int = 0, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(app, ["batch", *map(str, arguments)], input=stdin)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result


def write(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + '{"text": "cut\n')
    return path


def test_help_teaches_with_an_example() -> None:
    assert "memsum batch papers.jsonl summaries.jsonl" in batch("--help").stdout


def test_every_line_has_its_answer(model: list[str], tmp_path: Path) -> None:
    source, target = write(tmp_path / "in.jsonl", RECORDS), tmp_path / "out.jsonl"
    result = batch(source, target, *model, "--sentences", 2)
    assert result.stderr == "3 summarised, 6 failed.\n"
    lines = [json.loads(line) for line in target.read_text().splitlines()]
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


def test_it_gives_what_summarize_gives(model: list[str], tmp_path: Path) -> None:
    text = "Both readers were unaware of the group. The committee met 3 times. No events were reported."
    (tmp_path / "note.txt").write_text(text)
    write(tmp_path / "in.jsonl", [{"id": "x", "text": text}])
    batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *model, "--words", 8, "--explain", "--order", "extraction")
    arguments = [*model, "--words", "8", "--explain", "--order", "extraction", "-f", "json"]
    single = CliRunner().invoke(app, ["summarize", str(tmp_path / "note.txt"), *arguments])
    one = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert one == {**json.loads(single.stdout), "id": "x"}


def test_pipes(model: list[str]) -> None:
    result = batch("-", "-", *model, stdin='{"id": 1, "text": "The tide rose. It fell."}\n')
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["id"] == 1


def test_compressed_files(model: list[str], tmp_path: Path) -> None:
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b'{"text": "The tide rose."}\n'))
    batch(tmp_path / "in.jsonl.gz", tmp_path / "out.jsonl.gz", *model)
    assert json.loads(gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()))["id"] == 1


def test_nothing_but_failures_is_a_failure(model: list[str], tmp_path: Path) -> None:
    write(tmp_path / "in.jsonl", [])
    assert batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", *model, status=1).stderr == "0 summarised, 1 failed.\n"
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 1


def test_an_absent_input_is_one_sentence_and_leaves_no_output(model: list[str], tmp_path: Path) -> None:
    result = batch(tmp_path / "absent.jsonl", tmp_path / "out.jsonl", *model, status=1)
    assert result.stderr.startswith("memsum: No such file or directory: ")
    assert list(tmp_path.iterdir()) == []
