"""What nothing can be learned from: named by its line, and left out by a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum.errors import CorpusError
from memsum_train.corpus.check import check_corpus
from memsum_train.corpus.records import read_corpus

from ...helpers import run, write_lines

TEXT = [
    "The ferry to the northern islands leaves the harbour at six in the evening.",
    "Coffee was served on deck while the passengers waited for the rain to stop.",
    "A ticket costs five euros, and children under six travel without paying anything.",
    "The captain has said that the sea will be calm until the end of the week.",
    "In winter there are only two ferries each day because of the storms.",
    "Bicycles may be taken along if there is enough room for all of them.",
    "The council wants to buy a second ship for the line before next summer.",
    "Nobody knows yet who is going to pay for it.",
]
GERMAN = [
    "Die Fähre zu den nördlichen Inseln verlässt den Hafen um sechs Uhr am Abend.",
    "Der Kapitän hat gesagt, dass das Meer bis zum Ende der Woche ruhig sein wird.",
    "Im Winter gibt es wegen der Stürme nur zwei Fähren an jedem Tag.",
]
GOOD = {"text": TEXT, "summary": ["Ferries leave in the evening.", "A second ship is wanted."]}
ONE = {"text": TEXT[:1], "summary": ["A ferry leaves."]}
OTHER = {"text": GERMAN, "summary": ["Die Fähre fährt am Abend."]}
COPY = {"text": [*TEXT, "It is over."], "summary": TEXT[:3]}
WHOLE = {"text": TEXT[:5], "summary": TEXT[:5]}


def number(record: dict[str, list[str]], count: int) -> list[dict[str, list[str]]]:
    """The record and others like it."""
    return [{**record, "text": [*record["text"], f"This is note {n} of the crew of the ship."]} for n in range(count)]


def test_every_fault_is_named_with_its_lines(tmp_path: Path) -> None:
    lines = [*number(GOOD | {"origin": "a ferry"}, 8), ONE, OTHER, COPY, WHOLE, number(GOOD, 3)[2]]
    path = write_lines(tmp_path / "mine.jsonl", lines)
    check = check_corpus(path)
    assert check.documents == 13
    assert list(check.sentences()) == [
        f"{path}, line 9: the text has only one sentence, so there is nothing to choose.",
        f"{path}, lines 11, 12: the summary is a copy of the text's beginning, or of all of it.",
        f"{path}, line 13 (as 3): the text is that of an earlier document.",
        f"{path}, line 10: the text is in the language 'de', not 'en'.",
    ]
    check.require_usable()


def test_sentences_picked_from_all_of_a_text_are_no_copy(tmp_path: Path) -> None:
    picked = {"text": TEXT, "summary": [TEXT[0], TEXT[6]]}
    assert not check_corpus(write_lines(tmp_path / "mine.jsonl", [picked, GOOD | {"text": TEXT[1:]}])).faults


def test_a_corpus_of_mostly_faults_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", [*number(GOOD, 1), COPY, WHOLE])
    with pytest.raises(CorpusError, match=r"2 of the 3 documents of .* line 2: the summary is a copy") as caught:
        check_corpus(path).require_usable()
    assert f"memsum corpus check {path} --output clean.jsonl" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("record", "says", "command"),
    [
        ({"abstract": ["A ferry."], "sections": []}, 'has no "text"; its keys are "abstract", "sections"', "build"),
        ({"text": "A ferry. A ship.", "summary": ["A ferry."]}, '"text" is one string', "build"),
        ({"text": TEXT, "summary": []}, '"summary" holds no sentence', "check"),
        ({"text": TEXT}, 'has no "summary"', "check"),
        ([1], "holds a list, not an object", "check"),
    ],
)
def test_a_line_that_is_no_record_comes_with_the_command_that_fixes_it(
    tmp_path: Path, record: object, says: str, command: str
) -> None:
    path = write_lines(tmp_path / "mine.jsonl", [GOOD, record])
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(path))
    assert "line 2: " in caught.value.message
    assert says in caught.value.message
    assert f"memsum corpus {command} {path} --output " in (caught.value.hint or "")


def test_papers_in_parts_are_not_called_faults_but_made_into_a_corpus(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "papers.jsonl", [{"abstract": ["A ferry."], "sections": []}])
    with pytest.raises(CorpusError, match="line 1: The record has no") as caught:
        check_corpus(path)
    assert f"memsum corpus build {path} --output corpus.jsonl" in (caught.value.hint or "")


def test_texts_in_one_string_are_fine_as_they_are_for_training(tmp_path: Path) -> None:
    one = {"text": " ".join(TEXT), "summary": GOOD["summary"][0]}
    check = check_corpus(write_lines(tmp_path / "mine.jsonl", [one]))
    assert (check.documents, check.faults) == (1, {})


def test_the_command_leaves_out_what_it_names(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", [*number(GOOD, 4), ONE, {"text": TEXT, "summary": [""]}, OTHER])
    alone = run("corpus", "check", path, status=1)
    assert 'line 6: "summary" holds no sentence.' in alone.stderr
    assert "4 of 7 documents can be learned from." in alone.stderr
    result = run("corpus", "check", path, "--output", tmp_path / "clean.jsonl")
    assert "4 of 7 documents to" in result.stderr
    assert not check_corpus(tmp_path / "clean.jsonl").faults
    assert len(list(read_corpus(tmp_path / "clean.jsonl"))) == 4
    run("corpus", "check", path, "--output", path, status=1)


def test_adapting_names_and_leaves_out(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", [*number(GOOD, 5), ONE, OTHER, GOOD | {"summary": []}])
    result = run("adapt", path, "--output", tmp_path / "model", status=1)
    assert f"Left out: {path}, line 6: the text has only one sentence" in result.stderr
    assert f"Left out: {path}, line 7: the text is in the language 'de'" in result.stderr
    assert f'Left out: {path}, line 8: "summary" holds no sentence.' in result.stderr
    assert "at least 10 documents with summaries; there are 5" in result.stderr
