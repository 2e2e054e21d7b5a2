from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.errors import CorpusError
from memsum.files import json_line, parse_object
from memsum_train.corpus.records import Example

TEXT = ["Rainfall was measured at twelve stations.", "Three of them failed in March.", "We report monthly means."]
SUMMARY = ["Monthly means of rainfall are reported for twelve stations."]

sentences = st.lists(st.text(min_size=1), min_size=1, max_size=5).filter(lambda some: any(s.strip() for s in some))


def record(**changes: object) -> dict[str, object]:
    return {"text": TEXT, "summary": SUMMARY, **changes}


def reason(**changes: object) -> str:
    with pytest.raises(CorpusError) as caught:
        Example.from_json(record(**changes))
    return caught.value.message


def test_the_authors_format_is_read_and_written_back() -> None:
    original = record(indices=[[0, 2], [2]], score=[0.5, 0.25])
    example = Example.from_json(original)
    assert example.indices == ((0, 2), (2,))
    assert example.scores == (0.5, 0.25)
    assert example.to_json() == original


def test_unknown_keys_are_kept_in_their_order() -> None:
    example = Example.from_json({"zone": "north", **record(), "altitude": [3, 4], "id": 17})
    assert list(example.extra) == ["zone", "altitude"]
    assert example.id == 17
    assert json.loads(example.to_line()) == {"zone": "north", **record(), "altitude": [3, 4], "id": 17}


def test_no_episodes_is_not_the_same_as_never_searched() -> None:
    assert Example.from_json(record()).indices is None
    assert Example.from_json(record(indices=[], score=[])).indices == ()
    assert "indices" not in Example.from_json(record()).to_json()
    assert Example.from_json(record(indices=[], score=[])).to_json()["indices"] == []


def test_sections_are_understood_only_if_there_is_one_for_each_sentence() -> None:
    aligned = Example.from_json(record(sections=["Methods", "Methods", "Results"]))
    assert aligned.sections == ("Methods", "Methods", "Results")
    other = Example.from_json(record(sections=[{"title": "Methods"}]))
    assert other.sections is None
    assert other.to_json() == record(sections=[{"title": "Methods"}])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"text": "One string."}, '"text" is one string, not a list of sentences.'),
        ({"text": 7}, '"text" must be a list of sentences, not a number.'),
        ({"text": None}, '"text" must be a list of sentences, not null.'),
        ({"text": ["Fine.", 3]}, '"text" must hold strings only, and has a number.'),
        ({"text": ["Fine.", True]}, '"text" must hold strings only, and has true.'),
        ({"text": []}, '"text" holds no sentence.'),
        ({"summary": [" ", ""]}, '"summary" holds no sentence.'),
        ({"indices": [[0]]}, 'Episodes need both "indices" and "score", each a list.'),
        ({"indices": [[0]], "score": []}, '"indices" has 1 episodes and "score" has 0.'),
        ({"indices": [[3]], "score": [0.5]}, '"indices" points to sentence 3 of a text of 3.'),
        ({"indices": [[-1]], "score": [0.5]}, '"indices" points to sentence -1 of a text of 3.'),
        ({"indices": [0], "score": [0.5]}, '"indices" must hold lists of integers.'),
        ({"indices": [[True]], "score": [0.5]}, '"indices" must hold lists of integers.'),
        ({"indices": [[0]], "score": [float("nan")]}, '"score" must hold finite numbers.'),
        ({"indices": [[0]], "score": ["0.5"]}, '"score" must hold finite numbers.'),
        ({"id": ["a"]}, '"id" must be a string or a number, not a list.'),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(changes: dict[str, object], expected: str) -> None:
    assert reason(**changes) == expected


def test_a_missing_key_is_named_with_those_that_are_there() -> None:
    with pytest.raises(CorpusError, match=r'The record has no "summary"; its keys are "text", "title"\.'):
        Example.from_json({"text": TEXT, "title": "Rainfall"})


@given(sentences, sentences, st.dictionaries(st.text(), st.none() | st.text() | st.integers(-9, 9), max_size=3))
def test_any_record_survives_a_line(text: list[str], summary: list[str], extra: dict[str, object]) -> None:
    example = Example.from_json(
        {**{key: value for key, value in extra.items() if key not in "id"}, "text": text, "summary": summary}
    )
    line = example.to_line().encode()
    assert b"\n" not in line
    assert Example.from_json(parse_object(line)) == example


def test_half_a_surrogate_pair_can_be_written() -> None:
    line = json_line({"text": "broken \ud83d emoji"})
    assert json.loads(line.encode("utf-8")) == {"text": "broken \ud83d emoji"}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"text": ["cut in', "The line seems to be cut off: it is not valid JSON ("),
        (b'{"text": ["a", "b"', "The line seems to be cut off: it is not valid JSON ("),
        (b'{"text": [oops], "more": 1}', "The line is not valid JSON ("),
        (b"[1, 2]", "The line holds a list, not an object."),
        (b"null", "The line holds null, not an object."),
        (b'{"text": "caf\xe9"}', "The line is not valid UTF-8 at byte 14."),
        (b"\x00\x01\xff\xfe", "The line is not valid UTF-8 at byte 3."),
        (b'{"a": ' + b"[" * 200_000, "The line is "),
        (b'{"a": ' + b"9" * 5_000 + b"}", "The line is JSON of a kind that cannot be read"),
    ],
)
def test_a_line_that_is_no_object_says_why(raw: bytes, expected: str) -> None:
    with pytest.raises(CorpusError) as caught:
        parse_object(raw)
    assert caught.value.message.startswith(expected)
