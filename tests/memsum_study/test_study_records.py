"""Record files: what is read, what is refused, what comes out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memsum.errors import CorpusError
from memsum_study.records import Record, parse_record, read_records

RECORD = {
    "unique_id": "7f",
    "indice": 12,
    "text": ["Rust ate two cables.", "The bridge closed.", "Walkers take the road (p53-free)."],
    "summary": ["The bridge closed because of rust."],
    "random_orders": ["NeuSum", "MemSum"],
    "random_extracted_results": [
        [["The bridge closed.", "Walkers take the road (p53-free)."], [1, 2]],
        [["Rust ate two cables."], [0]],
    ],
    "ranking_results": {"overall": [2, 1], "coverage": [1, 2], "non-redundancy": [2, 1]},
}


def test_a_record_of_the_authors_is_read() -> None:
    record = parse_record(RECORD, 1)
    assert record.systems == ("NeuSum", "MemSum")
    assert record.ranks["coverage"] == (1, 2)
    assert [extract.words for extract in record.extracts] == [3 + 6, 4]
    assert not record.automatic
    assert all(extract.is_quoted(record.text) for extract in record.extracts)


def test_identical_sets_with_equal_ranks_are_an_automatic_tie() -> None:
    same = (
        [["The bridge closed.", "Rust ate two cables."], [1, 0]],
        [["Rust ate two cables.", "The bridge closed."], [0, 1]],
    )
    ties = {criterion: [1, 1] for criterion in RECORD["ranking_results"]}
    record = parse_record({**RECORD, "random_extracted_results": list(same), "ranking_results": ties}, 1)
    assert record.automatic


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"ranking_results": None}, "must be an object"),
        ({"ranking_results": {"overall": [1, 2]}}, 'lacks "coverage"'),
        ({"ranking_results": {**RECORD["ranking_results"], "overall": [2, 2]}}, "[1, 2], [2, 1] or [1, 1]"),
        ({"ranking_results": {**RECORD["ranking_results"], "overall": "AB"}}, "[1, 2], [2, 1] or [1, 1]"),
        ({"random_orders": ["MemSum"]}, "two different systems"),
        ({"random_orders": ["MemSum", "MemSum"]}, "two different systems"),
        ({"random_extracted_results": [[["a"], [0]]]}, "[sentences, positions]"),
        ({"random_extracted_results": [[["a"], [0]], [["a"], [0, 1]]]}, "[sentences, positions]"),
        ({"random_extracted_results": [[["a"], [0]], [["a"], ["0"]]]}, "[sentences, positions]"),
        ({"text": "one string"}, "list of strings"),
        ({"summary": []}, "not empty"),
    ],
)
def test_a_record_that_is_wrong_is_refused_with_its_line(tmp_path: Path, change: dict[str, object], says: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(RECORD) + "\n" + json.dumps({**RECORD, **change}) + "\n")
    with pytest.raises(CorpusError) as error:
        read_records(path)
    assert says in error.value.message
    assert "line 2" in error.value.message


@pytest.mark.parametrize("key", ["text", "summary", "random_orders", "random_extracted_results", "ranking_results"])
def test_a_missing_field_is_named(key: str) -> None:
    with pytest.raises(CorpusError, match=f'lacks "{key}"'):
        parse_record({name: value for name, value in RECORD.items() if name != key}, 1)


def test_a_sentence_that_is_not_in_the_document_is_noticed() -> None:
    record = parse_record({**RECORD, "random_extracted_results": [[["No such."], [0]], [["a"], [9]]]}, 1)
    assert isinstance(record, Record)
    assert [extract.is_quoted(record.text) for extract in record.extracts] == [False, False]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(CorpusError, match="no record"):
        read_records(tmp_path / "empty.jsonl")
