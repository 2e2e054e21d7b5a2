"""`memsum study` from the command line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from memsum_study.plan import Ballot
from memsum_study.records import CRITERIA
from memsum_study.store import Study
from memsum_train.corpus import write_examples
from memsum_train.evaluation.data import Data

from ..helpers import run, write_lines
from .conftest import EXTRACTS, HERON

study = partial(run, "study")


@pytest.fixture
def corpus(study_data: Data, tmp_path: Path) -> Path:
    path = tmp_path / "town.jsonl"
    write_examples(path, study_data.examples)
    return path


def test_from_documents_to_a_report(corpus: Path, tmp_path: Path) -> None:
    predictions = write_lines(tmp_path / "heron.jsonl", ({"id": k, "indices": v} for k, v in EXTRACTS[HERON].items()))
    path = tmp_path / "study.db"
    output = study(
        "new", path, "--documents", corpus, "--systems", f"heron={predictions}", "first=lead-2",
        "--annotators", 3, "--overlap", 2, "--seed", 5,
    ).output  # fmt: skip
    assert "4 documents, 8 judgments by 3 annotators" in output
    assert "Nobody has judged anything" in study("report", path, status=1).output
    with Study(path, write=True) as opened:
        for annotator in opened.annotators():
            for number in range(1, opened.progress(annotator).total + 1):
                opened.cast(annotator, number, Ballot(dict.fromkeys(CRITERIA, "left")))
    report = study("report", path, "--plot", tmp_path / "ranks.svg").output
    assert "heron and first: 8 judgments of 4 documents" in report
    assert (tmp_path / "ranks.svg").read_text().startswith("<?xml")
    records = tmp_path / "records.jsonl"
    study("export", path, "--output", records)
    study("import", records, tmp_path / "again.db")
    for source in (records, tmp_path / "again.db"):
        assert json.loads(study("report", source, "--format", "json").output)["comparisons"][0]["judgments"] == 8


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
    assert says in study("new", tmp_path / "study.db", "--documents", corpus, *arguments, status=1).output
    assert not (tmp_path / "study.db").exists()


def test_serving_what_is_no_study_or_on_a_taken_port(corpus: Path, tmp_path: Path) -> None:
    import socket

    assert "There is no study" in study("serve", tmp_path / "absent.db", status=1).output
    assert "not a database" in study("serve", corpus, status=1).output
    study("new", tmp_path / "study.db", "--documents", corpus, "--systems", "lead-2", "lead-3")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        output = study("serve", tmp_path / "study.db", "--port", taken.getsockname()[1], status=1).output
    assert "cannot listen" in output
