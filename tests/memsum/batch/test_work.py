from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.batch.inputs import File, Row
from memsum.batch.journal import Outcome
from memsum.batch.summaries import BatchSettings, Worker, failure, identify
from memsum.errors import MemsumError, ModelError
from memsum.jsonl import Line
from memsum.options import SummaryOptions

from ...helpers import make_page

TEXT = "The bridge was closed in May. Traffic moved to the ferry. The ferry was late every day. Nobody complained."


def name(outcome: Outcome) -> object:
    return json.loads(outcome.line)["id"]


@pytest.fixture(scope="module")
def worker(settings: BatchSettings) -> Worker:
    return Worker(settings)


def test_a_document_becomes_the_line_that_the_library_gives(worker: Worker, settings: BatchSettings) -> None:
    outcome = worker(Row(3, {"id": "ferry", "text": TEXT}))
    summary = Summarizer.load(settings.model, threads=1).summarize(TEXT, sentences=2, id="ferry")
    assert json.loads(outcome.line) == summary.to_dict()
    assert (name(outcome), outcome.error) == ("ferry", None)


def test_a_line_a_row_and_a_file_of_the_same_text_give_the_same(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "ferry.txt"
    path.write_text(TEXT)
    line = Line(3, json.dumps({"id": "ferry.txt", "text": TEXT}).encode())
    row = Row(3, {"id": "ferry.txt", "text": TEXT})
    assert worker(line) == worker(row) == worker(File(path, "ferry.txt"))


def test_without_an_id_the_number_is_one(worker: Worker) -> None:
    assert name(worker(Row(3, {"text": TEXT, "id": None}))) == 3
    assert name(worker(Line(8, b'{"text": "The tide rose."}'))) == 8


def test_a_record_may_say_what_its_summary_is_about(worker: Worker, settings: BatchSettings) -> None:
    asked = worker(Row(3, {"text": TEXT, "about": "the late ferry"}))
    summarizer = Summarizer.load(settings.model, threads=1)
    assert json.loads(asked.line) == summarizer.summarize(TEXT, sentences=2, id=3, about="the late ferry").to_dict()
    assert asked == worker(Line(3, json.dumps({"text": TEXT, "about": "the late ferry"}).encode()))
    assert worker(Row(3, {"text": TEXT, "about": None})) == worker(Row(3, {"text": TEXT})) != asked


def test_the_question_of_all_documents_gives_way_to_that_of_a_record(settings: BatchSettings) -> None:
    questions = replace(settings, options=replace(settings.options, about="the late ferry"))
    asking = Worker(questions)
    assert json.loads(asking(Row(1, {"text": TEXT})).line)["about"] == "the late ferry"
    assert json.loads(asking(Row(2, {"text": TEXT, "about": "bridges"})).line)["about"] == "bridges"
    assert questions.identity() != settings.identity()


def test_the_language_is_that_of_all_documents(settings: BatchSettings, tmp_path: Path) -> None:
    text = "On the 3. Mai it rained. The 5. Juni was dry. Nobody came."  # German writes its dates like this
    (tmp_path / "rain.txt").write_text(text)
    found, german = Worker(settings), Worker(replace(settings, language="de"))
    for content in (Row(1, {"text": text}), File(tmp_path / "rain.txt", "rain.txt")):
        assert json.loads(found(content).line)["document"]["sentences"] == 5
        assert json.loads(german(content).line)["document"]["sentences"] == 3
    assert json.loads(found(Row(1, {"text": text, "language": "de"})).line)["document"]["sentences"] == 3
    assert json.loads(found(Row(1, {"text": text, "language": "a language"})).line)["document"]["sentences"] == 5
    with pytest.raises(MemsumError, match="There is no language 'klingon'"):
        BatchSettings(settings.model, language="klingon")


@pytest.mark.parametrize(
    ("content", "identity", "reason"),
    [
        (Row(1, {"id": "x", "text": " \n"}), "x", "The document is empty."),
        (Row(2, {"id": "x", "body": ""}), "x", 'The record has no "text"; its keys are "id", "body".'),
        (Row(2, {"id": "x", "text": None}), "x", 'The "text" of the record is null.'),
        (Row(3, {"id": True, "text": "A."}), 3, 'The "id" is neither a string nor a whole number.'),
        (Row(4, {"text": b"bytes"}), 4, 'The "text" is neither a string nor a list of strings.'),
        (Row(4, {"text": TEXT, "about": 5}), 4, 'The "about" is neither a string nor a list of strings.'),
        (Row(4, {"text": TEXT, "about": " ?"}), 4, "The question has no words."),
        (Line(5, b"[]"), 5, "The line holds a list, not an object."),
        (Line(6, b"{", "The line is too long."), 6, "The line is too long."),
    ],
)
def test_what_cannot_be_summarized_says_why(worker: Worker, content: Row | Line, identity: object, reason: str) -> None:
    outcome = worker(content)
    assert (name(outcome), outcome.error) == (identity, reason)
    record = json.loads(outcome.line)
    record.pop("hint", None)
    assert record == {"id": identity, "error": reason}
    assert identify(content) == identity


def test_files_that_cannot_be_read_say_why(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "cut.pdf").write_bytes(make_page(TEXT.split(". "))[:200])
    assert "damaged or cut off" in (worker(File(tmp_path / "cut.pdf", "cut.pdf")).error or "")
    assert "cannot be read" in (worker(File(tmp_path / "gone.pdf", "gone.pdf")).error or "")


def test_a_record_does_not_ask_what_files_there_are(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    without = worker(Row(1, {"text": "diary"}))
    (tmp_path / "diary").write_text(TEXT)
    assert worker(Row(1, {"text": "diary"})) == without
    assert "is the name of a file" in (worker(Row(1, {"text": "papers/diary.pdf"})).error or "")


def test_a_bug_costs_one_document(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Summarizer, "read", broken)
    assert worker(Row(1, {"text": TEXT})) == failure(1, "Unexpected ZeroDivisionError: a bug.")


def test_a_worker_travels_without_its_model(worker: Worker) -> None:
    first = worker(Row(1, {"text": TEXT}))
    data = pickle.dumps(worker)
    assert len(data) < 1000
    assert pickle.loads(data)(Row(1, {"text": TEXT})) == first


def test_a_model_that_cannot_be_loaded_fails_no_document(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        Worker(BatchSettings(str(tmp_path / "absent")))(Row(1, {"text": TEXT}))


def test_the_identity_changes_with_all_that_the_lines_depend_on(settings: BatchSettings, tmp_path: Path) -> None:
    import shutil

    one = settings.identity()
    assert json.loads(json.dumps(one)) == one == replace(settings).identity()
    assert replace(settings, options=SummaryOptions(words=9)).identity() != one
    assert replace(settings, options=replace(settings.options, explain=True)).identity() != one
    changed = shutil.copytree(settings.model, tmp_path / "model")
    before = replace(settings, model=str(changed)).identity()
    (changed / "MANIFEST.json").unlink()
    (changed / "vocabulary.txt").write_text((changed / "vocabulary.txt").read_text().swapcase())
    assert replace(settings, model=str(changed)).identity() != before


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("[ONNXRuntimeError] : 1 : FAIL : Failed to allocate memory for a buffer")]
)
def test_a_document_that_takes_too_much_memory_fails_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Session:
        def run(self, *inputs: object) -> None:
            raise error

    worker = Worker(BatchSettings())
    monkeypatch.setattr(worker.load().runtime.graphs["step"], "_session", Session())
    sentences = TEXT.split(". ")
    assert worker(Row(1, {"text": sentences})).error == "It needs more memory than a document may take."


def test_quotes_of_a_record_are_looked_up_in_its_text(worker: Worker) -> None:
    found = json.loads(
        worker(Row(1, {"id": "ferry", "text": TEXT, "quotes": ["closed in MAY", "closed in June"]})).line
    )
    assert (found["id"], found["found"]) == ("ferry", 1)
    assert [one["status"] for one in found["quotes"]] == ["same words", "edited"]
    wrong = worker(Row(1, {"text": TEXT, "quotes": 3}))
    assert wrong.error == 'The "quotes" are neither a string nor a list of strings.'
