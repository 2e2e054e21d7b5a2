from __future__ import annotations

import importlib.util
import json
from functools import partial
from pathlib import Path

import pytest

from ...helpers import run

SAMPLE = Path(__file__).parents[3] / "docs" / "sample"

needs_search = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs the train extra")


memsum = partial(run, "corpus")


def test_the_sample_becomes_a_corpus_with_statistics(tmp_path: Path) -> None:
    corpus = tmp_path / "sample.jsonl"
    built = memsum("build", SAMPLE, "--output", corpus)
    assert built.stderr == f"2 records to {corpus}; 0 rejected.\n"
    assert built.stdout == ""
    (row,) = json.loads(memsum("stats", corpus, "--format", "json").stdout)
    assert row["pairs"] == 2
    assert row["text_sentences"] > 25
    assert row["summary_sentences"] > 3
    assert 0.5 < row["coverage"] < 1
    assert "words per document" in memsum("stats", corpus).stdout
    assert memsum("stats", corpus, "-f", "markdown").stdout.startswith("|  | sample |\n| --- | ---: |\n| pairs | 2 |")


def test_the_introduction_alone(tmp_path: Path) -> None:
    memsum("build", SAMPLE, "--output", tmp_path / "c.jsonl", "--truncate", "introduction", "--limit", 1)
    record = json.loads((tmp_path / "c.jsonl").read_text())
    assert set(record["sections"]) == {"1. Introduction"}


@pytest.mark.slow
@needs_search
def test_from_documents_to_redundant_episodes(tmp_path: Path) -> None:
    built, searched, doubled = (tmp_path / f"{name}.jsonl.zst" for name in ("built", "searched", "doubled"))
    memsum("build", SAMPLE, "-o", built)
    assert memsum("episodes", built, searched, "--maximum", 4, "--cap", 5).stderr.startswith("2 records to ")
    memsum("redundant", searched, doubled)
    before, after, _ = json.loads(memsum("stats", searched, doubled, "-f", "json").stdout)
    assert before["oracle_score"] == after["oracle_score"] > 0.3
    assert before["oracle_sentences"] <= 4
    assert after["repeated_sentences"] == 0.5


@needs_search
def test_documents_without_episode_are_told(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": ["Salt and wind."], "summary": ["Other words."]}\n')
    result = memsum("episodes", tmp_path / "in.jsonl", tmp_path / "o.jsonl")
    assert result.stderr == f"1 record to {tmp_path / 'o.jsonl'} (1 without an episode); 0 rejected.\n"


def test_what_is_rejected_is_told_in_the_last_line(tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    source.write_text('{"text": "The tide rose. It fell.", "summary": "The tide."}\n{"text": "cut\n')
    result = memsum("build", source, "-o", output)
    assert result.stderr == f"1 record to {output}; 1 rejected, see {output}.errors.jsonl.\n"
    strict = memsum("build", source, "-o", output, "--strict", status=1)
    assert "1 of 2 records were rejected." in strict.stderr
    assert output.exists()


def test_pipes(tmp_path: Path) -> None:
    pair = '{"text": "The tide rose. It fell.", "summary": "The tide."}\n'
    result = memsum("build", "-", "-o", "-", stdin=pair)
    assert json.loads(result.stdout) == {"text": ["The tide rose.", "It fell."], "summary": ["The tide."]}
    doubled = memsum("redundant", "-", "-", stdin=result.stdout)
    assert json.loads(doubled.stdout)["text"] == ["The tide rose.", "The tide rose.", "It fell.", "It fell."]


def test_bad_lines_in_statistics_go_to_stderr(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"text": ["A."], "summary": ["A."]}\n{"text": "A."}\n')
    result = memsum("stats", tmp_path / "c.jsonl", "-f", "json")
    assert json.loads(result.stdout)[0]["bad_lines"] == 1
    assert result.stderr == 'c, line 2: "text" is one string, not a list of sentences.\n'
    memsum("stats", tmp_path / "c.jsonl", "--strict", status=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["build", "nowhere.jsonl", "-o", "o.jsonl"], "There is no file or folder nowhere.jsonl."),
        (["stats", "nowhere.jsonl"], "No such file or directory: nowhere.jsonl."),
        (["stats", "."], ". is a folder, not a file."),
        (["redundant", "nowhere.jsonl", "o.jsonl"], "No such file or directory: nowhere.jsonl."),
        (["redundant", "c.jsonl", "c.jsonl"], "c.jsonl is the input itself."),
        (["build", "c.jsonl", "-o", "absent/o.jsonl"], "No such file or directory: absent/o.jsonl.partial."),
        (["build", "c.jsonl", "-o", "."], ". is a folder, not a file."),
        (["build", "empty.jsonl", "-o", "o.jsonl"], "There is no record in the input."),
    ],
)
def test_errors_are_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text('{"text": ["A."], "summary": ["A."]}\n')
    Path("empty.jsonl").touch()
    result = memsum(*arguments, status=1)
    assert result.stderr.splitlines()[0] == f"memsum: {sentence}"
    assert not list(tmp_path.glob("*.partial"))


def test_an_interrupted_run_with_other_settings_hints_at_restart(tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    source.write_text('{"text": "The tide rose.", "summary": "The tide."}\n')
    (tmp_path / "o.jsonl.partial").write_text('#{"job": "another"}\n+{}\n')
    assert "--restart" in memsum("build", source, "-o", output, status=1).stderr
    memsum("build", source, "-o", output, "--restart")
    assert output.exists()
