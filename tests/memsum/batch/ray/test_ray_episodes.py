"""Episodes on Ray: the same corpus and the same list of rejected lines as on one machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum_train.corpus import Example, write_examples

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cluster")]


def search(source: Path, output: Path, *options: str) -> tuple[bytes, bytes]:
    result = CliRunner().invoke(app, ["corpus", "episodes", str(source), str(output), *options])
    assert result.exit_code == 0, result.output
    return output.read_bytes(), Path(f"{output}.errors.jsonl").read_bytes()


def test_the_same_bytes_as_on_one_machine(tmp_path: Path, make_examples: Callable[..., list[Example]]):
    source = tmp_path / "corpus.jsonl.zst"
    examples = [replace(example, indices=None, scores=None) for example in make_examples(12, sentences=8)]
    write_examples(tmp_path / "corpus.jsonl", examples)
    lines = (tmp_path / "corpus.jsonl").read_text().splitlines()
    (tmp_path / "corpus.jsonl").write_text("\n".join([*lines[:5], "no JSON", '{"text": "Käse"}', *lines[5:]]))
    from memsum.jsonl import open_output

    with open_output(source) as stream:
        stream.write((tmp_path / "corpus.jsonl").read_bytes())
    found = search(source, tmp_path / "ray.jsonl", "--engine", "ray")
    assert found == search(source, tmp_path / "local.jsonl", "--workers", "1")
    records = [json.loads(line) for line in found[0].splitlines()]
    assert len(records) == 12
    assert all(record["indices"] for record in records)
    assert [json.loads(line)["line"] for line in found[1].splitlines()] == [6, 7]


def test_the_standard_input_is_refused(tmp_path: Path):
    result = CliRunner().invoke(app, ["corpus", "episodes", "-", str(tmp_path / "out.jsonl"), "--engine", "ray"])
    assert result.exit_code == 1
    assert "read files" in result.output
