from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memsum.errors import CorpusError
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Prediction, parse_prediction, read_predictions, write_predictions

from ...helpers import write_lines

TEXT = ("The tide rose.", "Boats left the harbour.", "Nobody saw the lighthouse.")


def corpus(*ids: str | int | None) -> list[Example]:
    return [Example(TEXT, ("A summary.",), id=identity) for identity in ids]


def test_positions_become_sentences_of_the_document() -> None:
    assert parse_prediction({"indices": [2, 0]}, TEXT) == Prediction((TEXT[2], TEXT[0]), (2, 0))


def test_a_list_is_taken_as_it_is() -> None:
    record = {"summary": ["The sea came. It went.", " ", "Boats left."]}
    assert parse_prediction(record, TEXT) == Prediction(("The sea came. It went.", "Boats left."))


@pytest.mark.parametrize(
    ("summary", "sentences"),
    [
        ("The sea came. It went.", ("The sea came.", "It went.")),
        ("The sea came. It went\nand boats left.", ("The sea came. It went", "and boats left.")),
        ("", ()),
    ],
)
def test_a_string_has_one_sentence_a_line_or_is_split(summary: str, sentences: tuple[str, ...]) -> None:
    assert parse_prediction({"summary": summary}, TEXT).sentences == sentences


def test_the_lines_of_batch_are_predictions() -> None:
    quotes = [{"index": 1, "text": TEXT[1], "score": 0.9}, {"index": 2, "text": TEXT[2], "score": 0.4}]
    assert parse_prediction({"id": "a", "sentences": quotes}, TEXT) == Prediction(TEXT[1:])


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"indices": [0, 3]}, "points to sentence 3 of a document of 3"),
        ({"indices": [-1]}, "points to sentence -1"),
        ({"indices": [[0, 1]]}, "list of positions"),
        ({"indices": [True]}, "list of positions"),
        ({"summary": 4}, "list of sentences or a string"),
        ({"sentences": ["plain"]}, "memsum batch"),
        ({"id": "a", "error": "The file is empty."}, "no summary of this document: The file is empty."),
        ({"prediction": "x"}, 'neither "summary" nor "indices"; its keys are "prediction"'),
    ],
)
def test_what_is_no_prediction_is_named_with_its_line(tmp_path: Path, record: object, reason: str) -> None:
    path = write_lines(tmp_path / "p.jsonl", [{"summary": ["Fine."]}, record])
    with pytest.raises(CorpusError) as error:
        read_predictions(path, corpus(None, None))
    assert f"{path}, line 2: " in error.value.message
    assert reason in error.value.message


def test_without_ids_the_order_counts(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", [{"indices": [0]}, {"indices": [1]}])
    assert [p.indices for p in read_predictions(path, corpus("b", "a"))] == [(0,), (1,)]
    numbered = write_lines(tmp_path / "n.jsonl", [{"id": 1, "indices": [0]}, {"id": 2, "indices": [1]}])
    assert [p.indices for p in read_predictions(numbered, corpus(None, None))] == [(0,), (1,)]


def test_with_ids_the_order_does_not_count(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", [{"id": 7, "indices": [0]}, {"id": "a", "indices": [1]}])
    assert [p.indices for p in read_predictions(path, corpus("a", "7"))] == [(1,), (0,)]


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([{"indices": [0]}], "has 1 predictions for 2 documents"),
        ([{"indices": [0]}] * 3, "has 3 predictions for 2 documents"),
        ([{"id": "a", "indices": [0]}, {"id": "c", "indices": [0]}], "line 2: The corpus has no document 'c'"),
        ([{"id": "a", "indices": [0]}, {"indices": [0]}], "line 2: The prediction has no id, and others have"),
        ([{"id": "a", "indices": [0]}, {"id": "a", "indices": [0]}], "line 2: Line 1 is also for document 'a'"),
        ([{"id": "b", "indices": [0]}], "lacks 1 of 2 documents, 'a' the first"),
    ],
)
def test_predictions_that_do_not_fit_the_corpus(tmp_path: Path, records: list[object], reason: str) -> None:
    path = write_lines(tmp_path / "p.jsonl", [*records])
    with pytest.raises(CorpusError) as error:
        read_predictions(path, corpus("a", "b"))
    assert reason in error.value.message


def test_of_a_limited_corpus_other_documents_are_passed_over(tmp_path: Path) -> None:
    by_id = write_lines(tmp_path / "i.jsonl", [{"id": "z", "indices": [9]}, {"id": "a", "indices": [1]}])
    assert [p.indices for p in read_predictions(by_id, corpus("a"), limited=True)] == [(1,)]
    by_order = write_lines(tmp_path / "o.jsonl", [{"indices": [1]}, {"indices": [99]}])
    assert [p.indices for p in read_predictions(by_order, corpus("a"), limited=True)] == [(1,)]


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz", "p.jsonl.zst"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    examples = corpus("a", "b")
    predictions = [Prediction.extract(TEXT, (0, 2)), Prediction(("Free text, with “quotes”.",))]
    write_predictions(tmp_path / name, examples, predictions)
    assert read_predictions(tmp_path / name, examples) == predictions
    assert read_predictions(tmp_path / name, examples[::-1]) == predictions[::-1]
    anonymous = [replace(example, id=None) for example in examples]
    write_predictions(tmp_path / name, anonymous, predictions)
    assert read_predictions(tmp_path / name, anonymous) == predictions
