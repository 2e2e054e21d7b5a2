"""What leaves a study: only what was judged, and ties that someone has come past."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from memsum_study.plan import Ballot
from memsum_study.records import CRITERIA, render_records
from memsum_study.store import Study

from .conftest import HERON, MAGPIE, MakeStudy

ALL_LEFT = dict.fromkeys(CRITERIA, "left")


def test_an_untouched_study_has_no_records(make_study: MakeStudy) -> None:
    with Study(make_study(annotators=2)) as study:
        assert study.records() == []


def test_ties_of_identical_summaries_count_once_someone_has_come_past_them(make_study: MakeStudy) -> None:
    for seed in range(6):
        with Study(make_study(f"{seed}.db", seed=seed), write=True) as study:
            [annotator] = study.annotators()
            [(place,)] = study.rows("SELECT place FROM assignments WHERE number IS NULL")
            for number in (1, 2, 3):
                study.cast(annotator, number, Ballot(ALL_LEFT))
                records = study.records()
                passed = number == 3 or number >= place
                assert sum(record.automatic for record in records) == passed
                assert len(records) == number + passed


def test_skipped_pairs_are_not_exported(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study:
        [annotator] = study.annotators()
        for number in (1, 2, 3):
            study.cast(annotator, number, Ballot(None))
        assert [record.automatic for record in study.records()] == [True]


def test_formats(make_study: MakeStudy) -> None:
    with Study(make_study(), write=True) as study:
        [annotator] = study.annotators()
        study.cast(annotator, 1, Ballot(ALL_LEFT, '=cmd() "quoted", ü', 7.25))
        records = [record for record in study.records() if not record.automatic]
    [line] = render_records(records, "jsonl").splitlines()
    assert json.loads(line)["ranking_results"]["overall"] == [1, 2]
    [row] = csv.DictReader(io.StringIO(render_records(records, "csv")))
    assert row["overall"] == "A"
    assert {row["system_a"], row["system_b"]} == {MAGPIE, HERON}
    assert row["comment"].startswith("'=")
    [row] = csv.DictReader(io.StringIO(render_records([replace(records[0], annotator=" =1+1", id="@x")], "csv")))
    assert (row["annotator"], row["id"]) == ("' =1+1", "'@x")
    [task] = json.loads(render_records(records, "label-studio"))
    results = task["annotations"][0]["result"]
    assert [result["value"] for result in results[:3]] == [{"choices": ["A"]}] * 3
    assert results[3]["type"] == "textarea"
    assert task["annotations"][0]["lead_time"] == 7.25
    assert MAGPIE not in json.dumps(task["data"])
