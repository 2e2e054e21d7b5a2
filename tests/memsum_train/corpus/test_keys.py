from __future__ import annotations

import json
from pathlib import Path

import pytest

from memsum.errors import CorpusError
from memsum_train.corpus.keys import Key, Wording, read_keys

RECORD = {
    "name": "ferry",
    "kind": "policy",
    "file": "ferry.md",
    "points": [{"point": "Tickets cost money.", "any_of": ["A ticket costs 5 euros.", "Tickets are sold on board."]}],
    "poor": ["See below."],
}


@pytest.mark.parametrize(
    ("quote", "sentence", "matches"),
    [
        ("A ticket costs 5 euros.", "a ticket costs 5 euros", True),
        ("Note: a ticket costs 5 euros, children pay 2.", "A ticket costs 5 euros.", True),
        ("Every passenger needs a valid ticket on board.", "On board every passenger needs a ticket.", True),
        ("A ticket costs 5 euros.", "A coffee costs 2 euros.", False),
        ("…", "A ticket costs 5 euros.", False),
    ],
)
def test_another_way_to_split_still_counts(quote: str, sentence: str, matches: bool) -> None:
    assert Wording(quote).matches(Wording(sentence)) is matches
    assert Wording(sentence).matches(Wording(quote)) is matches


def test_a_key_finds_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "keys.jsonl"
    path.write_text(json.dumps(RECORD) + "\n")
    (key,) = read_keys(path)
    sentences = ["See below.", "Tickets are sold on board.", "The sea is blue."]
    assert key.conveyed(sentences).tolist() == [[False], [True], [False]]
    assert key.low_value(sentences).tolist() == [True, False, False]


def test_a_document_without_quotes_conveys_nothing() -> None:
    key = Key("ferry", "policy", "ferry.md", (("A ticket costs 5 euros.",),), ())
    assert key.conveyed([]).any(axis=0).tolist() == [False]


def test_a_line_that_is_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "keys.jsonl"
    path.write_text(json.dumps(RECORD) + '\n{"points": 3}\n')
    with pytest.raises(CorpusError, match="Line 2"):
        list(read_keys(path))
