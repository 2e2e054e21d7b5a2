"""Planning a study from documents and systems, and from records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memsum.errors import CorpusError, MemsumError
from memsum_study.plan import StudyOptions, locate, open_systems, plan_import, plan_study
from memsum_study.records import Record, StudyError, parse_record, read_records, render_records
from memsum_study.store import Study, write_study
from memsum_train.evaluation.data import Data, Prediction
from memsum_train.evaluation.systems import System

from .conftest import HERON, MAGPIE, MakeStudy, predictions_of
from .test_study_records import RECORD


def test_systems_are_files_and_baselines(study_data: Data, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps({"id": e.id, "summary": [e.text[1]]}) + "\n" for e in study_data.examples))
    systems = open_systems([f"ours={file}", "first=lead-2", "random-1"], study_data)
    assert [system.name for system in systems] == ["ours", "first", "random-1"]
    plan = plan_study("t", study_data, systems, StudyOptions(pairs=3))
    assert plan.extracts[0, 0] == (1,)
    assert plan.extracts[0, 1] == (0, 1)
    assert len(plan.assignments) == 12
    assert plan.systems[1] == ("first", "baseline:lead-2")


@pytest.mark.parametrize("value", ["x=nothing-here", "lead", "missing.jsonl"])
def test_a_system_that_is_none_is_refused(study_data: Data, value: str) -> None:
    with pytest.raises(MemsumError):
        open_systems(["lead-2", value], study_data)


def test_documents_that_a_system_lacks_are_named(study_data: Data, tmp_path: Path) -> None:
    file = tmp_path / "short.jsonl"
    file.write_text(json.dumps({"id": "ferry", "indices": [0]}) + "\n")
    with pytest.raises(CorpusError, match="lacks 3 of 4 documents"):
        open_systems(["lead-2", str(file)], study_data)


def test_a_sentence_that_is_not_in_the_document_is_refused(study_data: Data) -> None:
    found = [Prediction(("It was a dark night.",)) for _ in study_data.examples]
    invented = System("bard", "predictions:0", lambda examples: found, found)
    with pytest.raises(StudyError, match="bard has a sentence that is not in document ferry: 'It was a"):
        plan_study("t", study_data, [predictions_of(MAGPIE, study_data), invented], StudyOptions())


def test_a_sentence_that_repeats_is_found_at_its_first_free_place() -> None:
    assert locate(Prediction(("b", "a", "b")), ["a", "b", "c", "b"], "s", "d") == (1, 0, 3)
    assert locate(Prediction(("a", "a"), (0, 0)), ["a", "b"], "s", "d") == (0,)


def test_a_sample_takes_each_systems_own_predictions_for_it(study_data: Data) -> None:
    systems = [predictions_of(name, study_data) for name in (MAGPIE, HERON)]
    plan = plan_study("t", study_data, systems, StudyOptions(sample=2, seed=4))
    whole = plan_study("t", study_data, systems, StudyOptions(seed=4))
    names = [document.name for document in whole.documents]
    assert len(plan.documents) == 2
    assert plan.settings.data.endswith("|n:2")
    assert whole.settings.data == study_data.signature
    for place, document in enumerate(plan.documents):
        for system in (0, 1):
            assert plan.extracts[place, system] == whole.extracts[names.index(document.name), system]


def imported(tmp_path: Path, records: list[Record]) -> list[Record]:
    path = tmp_path / "imported.db"
    write_study(path, plan_import("t", records))
    with Study(path) as study:
        return study.records()


def test_records_survive_a_study(tmp_path: Path) -> None:
    tie = {
        **RECORD,
        "text": ["Snow fell.", "Trains were late."],
        "random_extracted_results": [[["Snow fell."], [0]]] * 2,
        "random_orders": ["MemSum", "NeuSum"],
        "ranking_results": {criterion: [1, 1] for criterion in RECORD["ranking_results"]},
    }
    odd = {**tie, "text": ["Snow fell.", "Buses were late."], "ranking_results": RECORD["ranking_results"]}
    records = [parse_record(record, n) for n, record in enumerate([RECORD, tie, odd, {**RECORD, "annotator": "Ida"}])]
    keys = ("text", "summary", "systems", "extracts", "ranks", "annotator", "automatic")
    found = imported(tmp_path, records)
    assert [[getattr(one, key) for key in keys] for one in found] == [
        [getattr(one, key) for key in keys] for one in records
    ]


def test_records_that_contradict_themselves_are_not_imported(tmp_path: Path) -> None:
    other = [RECORD["random_extracted_results"][0], [["The bridge closed."], [1]]]
    with pytest.raises(CorpusError, match="another summary of MemSum"):
        plan_import(
            "t",
            [
                parse_record({**RECORD, "random_extracted_results": e}, 1)
                for e in (other, RECORD["random_extracted_results"])
            ],
        )
    wrong = [[["Made up."], [0]], other[1]]
    with pytest.raises(CorpusError, match="Record 1 has a sentence"):
        plan_import("t", [parse_record({**RECORD, "random_extracted_results": wrong}, 1)])


def test_an_exported_study_can_be_imported(make_study: MakeStudy, tmp_path: Path) -> None:
    from memsum_study.plan import Ballot
    from memsum_study.records import CRITERIA

    with Study(make_study(annotators=2, overlap=2), write=True) as study:
        for annotator in study.annotators():
            for number in (1, 2, 3):
                study.cast(annotator, number, Ballot(dict.fromkeys(CRITERIA, "left"), "fine", 12.5))
        records = study.records()
    assert sum(record.automatic for record in records) == 2
    (tmp_path / "r.jsonl").write_text(render_records(records, "jsonl"))
    assert read_records(tmp_path / "r.jsonl") == records
    again = imported(tmp_path, records)
    assert sorted(r.ranks["overall"] for r in again) == sorted(r.ranks["overall"] for r in records)
