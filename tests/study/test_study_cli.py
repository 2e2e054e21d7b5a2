"""`memsum study` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum.study import Study
from memsum.study.plan import Ballot
from memsum.study.records import CRITERIA
from memsum.training.corpus import write_examples
from memsum.training.evaluation import Data

from .conftest import EXTRACTS, HERON


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["study", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def corpus(study_data: Data, tmp_path: Path) -> Path:
    path = tmp_path / "town.jsonl"
    write_examples(path, study_data.examples)
    return path


def test_from_documents_to_a_report(corpus: Path, tmp_path: Path) -> None:
    predictions = tmp_path / "heron.jsonl"
    predictions.write_text("".join(json.dumps({"id": k, "indices": v}) + "\n" for k, v in EXTRACTS[HERON].items()))
    path = tmp_path / "study.db"
    code, output = run(
        "new", path, "--documents", corpus, "--systems", f"heron={predictions}", "first=lead-2",
        "--annotators", 3, "--overlap", 2, "--seed", 5,
    )  # fmt: skip
    assert code == 0, output
    assert "4 documents, 8 judgements by 3 annotators" in output
    code, output = run("report", path)
    assert (code, "Nobody has judged anything" in output) == (1, True)
    with Study(path, write=True) as study:
        for annotator in study.annotators():
            for number in range(1, study.progress(annotator).total + 1):
                study.cast(annotator, number, Ballot(dict.fromkeys(CRITERIA, "left")))
    code, output = run("report", path, "--plot", tmp_path / "ranks.svg")
    assert code == 0, output
    assert "heron and first: 8 judgements of 4 documents" in output
    assert (tmp_path / "ranks.svg").read_text().startswith("<?xml")
    records = tmp_path / "records.jsonl"
    assert run("export", path, "--output", records)[0] == 0
    assert run("import", records, tmp_path / "again.db")[0] == 0
    for source in (records, tmp_path / "again.db"):
        code, output = run("report", source, "--format", "json")
        assert json.loads(output)["comparisons"][0]["judgements"] == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--systems", "lead-2"], "at least two systems"),
        (["--systems", "lead-2", "lead-2"], "Two systems are called lead-2"),
        (["--systems", "lead-2", "x=nothing"], "no baseline called 'nothing'"),
        (["--systems", "lead-2", "lead-3", "--overlap", "2"], "judged by 2 of 1"),
    ],
)
def test_bad_studies_are_refused_in_one_sentence(corpus: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    code, output = run("new", tmp_path / "study.db", "--documents", corpus, *arguments)
    assert code == 1
    assert says in output
    assert "Traceback" not in output
    assert not (tmp_path / "study.db").exists()


def test_serving_what_is_no_study_or_on_a_taken_port(corpus: Path, tmp_path: Path) -> None:
    import socket

    assert "There is no study" in run("serve", tmp_path / "absent.db")[1]
    assert "not a database" in run("serve", corpus)[1]
    run("new", tmp_path / "study.db", "--documents", corpus, "--systems", "lead-2", "lead-3")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, output = run("serve", tmp_path / "study.db", "--port", taken.getsockname()[1])
    assert code == 1
    assert "cannot listen" in output
