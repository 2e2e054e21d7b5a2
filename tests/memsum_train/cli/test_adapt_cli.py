"""`memsum adapt` from the command line: what it announces and reports, from summaries, votes and keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum_study.records import WIN, Extract, Record, render_records
from memsum_train.corpus import Example, write_examples


@pytest.fixture
def unseen(make_examples: Callable[..., list[Example]]) -> list[Example]:
    return [replace(example, indices=None, scores=None) for example in make_examples(13, sentences=8)]


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["adapt", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_a_corpus_and_votes(
    unseen: list[Example], trained_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memsum_train.cli.adapt._LOG_SECONDS", 0.0)
    write_examples(tmp_path / "mine.jsonl", unseen[:8])
    votes = []
    for example in unseen[8:]:
        extracts = [Extract(tuple(example.text[i] for i in some), some) for some in ((0, 1), (2,))]
        ranks = dict.fromkeys(("overall", "coverage", "non-redundancy"), WIN)
        systems = ("one", "other")
        votes.append(Record("1", 1, example.text, example.summary, systems, (extracts[0], extracts[1]), ranks))
    (tmp_path / "votes.jsonl").write_text(render_records(votes, "jsonl"))
    arguments = (tmp_path / "mine.jsonl", "--votes", tmp_path / "votes.jsonl", "--model", trained_folder)
    status, table, said = run(*arguments, "--output", tmp_path / "model", "--minutes", "20")
    assert status == 0, said
    assert said.startswith(f"Adapting {trained_folder} to 13 documents, in at most about 20 min: a fifth of them")
    assert re.search(r"\d+ (min|s) left · judging the model as it is: document 1 of 3", said)
    assert "Adapted on 10 documents, judged on 3 that it did not learn from" in " ".join(table.split())
    assert re.search(r"difference +[+-]\d", table)
    assert (tmp_path / "model" / "step.onnx").exists()


def test_a_model_that_is_no_better_is_shown_as_rejected(
    unseen: list[Example], trained_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "mine.jsonl").open("w") as corpus:  # each text and summary in one string
        for example in unseen:
            json.dump({"text": " ".join(example.text), "summary": " ".join(example.summary)}, corpus)
            corpus.write("\n")
    scores = iter(range(100, 0, -1))  # of one document after the other
    monkeypatch.setattr("memsum_train.learning.adapt.judge", lambda *given: (np.full(3, next(scores) / 100), 3))
    arguments = (tmp_path / "mine.jsonl", "--model", trained_folder, "--output", tmp_path / "model")
    status, table, said = run(*arguments, "--minutes", "20", "--processes", "1")
    assert status == 0, said
    assert re.search(r"before +99.*\n\s*rejected +96", table)
    assert "after" not in table.replace("Adapted", "")
    assert "It is no better, so this is the model as it was" in said


BAD = {
    "nothing": ((), "There is nothing to learn from."),
    "a missing corpus": (("nowhere.jsonl",), "nowhere.jsonl"),
    "a missing study": (("--votes", "nowhere.db"), "There is no file nowhere.db."),
    "no time": (("mine.jsonl", "--minutes", "0"), "minutes must be greater than 0"),
    "a key that is none": (("keys.jsonl",), "Line 2 of keys.jsonl is not a document's key."),
    "a key without its document": (("key.jsonl",), "pier.md"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(
    case: str, unseen: list[Example], trained_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_examples(tmp_path / "mine.jsonl", unseen)
    key = {"name": "pier", "kind": "policy", "file": "pier.md", "points": [{"any_of": ["Leave."]}], "poor": []}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    (tmp_path / "keys.jsonl").write_text(json.dumps(key) + '\n{"points": 3}\n')
    arguments, says = BAD[case]
    status, _, said = run(*arguments, "--model", trained_folder, "--output", "model")
    assert status == 1
    first, *hint = [line for line in said.splitlines() if not line.startswith("Adapting")]
    assert first.startswith("memsum: ")
    assert says in first
    assert len(hint) <= 1
    assert not (tmp_path / "model").exists()
