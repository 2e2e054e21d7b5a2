from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from memsum.document import read_document

from ...helpers import run

SAMPLE = Path(__file__).parents[3] / "docs" / "sample"
LIBRARY, BEES = SAMPLE / "library-hours.md", SAMPLE / "allotment-bees.xml"


summarize = partial(run, "summarize")


def test_text_is_one_sentence_a_line_when_nobody_watches(model: list[str]) -> None:
    result = summarize(LIBRARY, *model)
    lines = result.stdout.splitlines()
    assert len(lines) == 4
    text = " ".join(LIBRARY.read_text().split())
    assert all(line in text for line in lines)
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("options", [[], ["--sentences", "2"], ["--debug"]])
def test_what_is_piped_is_read(options: list[str]) -> None:
    command = [sys.executable, "-m", "memsum", *options]
    piped = subprocess.run(command, input=LIBRARY.read_bytes(), capture_output=True, check=True)
    with LIBRARY.open("rb") as file:
        redirected = subprocess.run(command, stdin=file, capture_output=True, check=True)
    first = piped.stdout.decode().splitlines()[0]
    assert first in " ".join(LIBRARY.read_text().split())
    assert redirected.stdout == piped.stdout
    nothing = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    assert nothing.stderr.startswith(b"Usage: ")


def test_a_reader_at_a_terminal_sees_places(model: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsum.cli.summarize.is_watched", lambda output: True)
    monkeypatch.setenv("COLUMNS", "60")
    shown = summarize(LIBRARY, *model, "--sentences", 2).stdout
    assert shown.startswith("• ")
    assert " of 32\n" in shown
    assert "2 of 32 sentences, as many as asked for" in shown
    assert all(len(line) <= 60 for line in shown.splitlines())


def test_json_is_one_line(model: list[str]) -> None:
    record = json.loads(summarize(LIBRARY, *model, "--format", "json", "--sentences", 3, "--explain").stdout)
    assert record["id"] == str(LIBRARY)
    assert [sentence["section"] for sentence in record["sentences"]]
    assert len(record["explain"]["scores"]) == 3
    assert record["stop"]["reason"] == "sentences"
    text = read_document(LIBRARY).text
    assert all(text[sentence["start"] : sentence["end"]] == sentence["text"] for sentence in record["sentences"])


@pytest.mark.parametrize(
    ("options", "reason", "sentences"),
    [
        (("--sentences", 2), "sentences", 2),
        (("--ratio", 0.25), "ratio", 8),
        (("--max-sentences", 3), "max_sentences", 3),
        (("--stop-threshold", 0), "policy", 1),
        (("--stop-threshold", 0, "--min-sentences", 3), "policy", 3),
        (("--words", 1), "words", 1),
        (("--characters", 1), "characters", 1),
    ],
)
def test_lengths(model: list[str], options: tuple[object, ...], reason: str, sentences: int) -> None:
    record = json.loads(summarize(LIBRARY, *model, "-f", "json", *options).stdout)
    assert record["stop"]["reason"] == reason
    assert len(record["sentences"]) == sentences


def test_order(model: list[str]) -> None:
    record = json.loads(summarize(LIBRARY, *model, "-f", "json", "--order", "extraction").stdout)
    assert [sentence["step"] for sentence in record["sentences"]] == [0, 1, 2, 3]


def test_markdown(model: list[str]) -> None:
    shown = summarize(BEES, *model, "--format", "markdown", "--sentences", 1).stdout
    assert shown.startswith("# Unmown strips on allotment gardens")
    assert "\n- " in shown


def test_several_files_have_headers(model: list[str]) -> None:
    lines = summarize(LIBRARY, BEES, *model, "--sentences", 1).stdout.splitlines()
    assert (lines[0], lines[1], lines[3]) == (f"==> {LIBRARY} <==", "", "")
    assert lines[4] == f"==> {BEES} <=="
    assert len(lines) == 7


def test_a_bad_file_does_not_stop_the_others(model: list[str], tmp_path: Path) -> None:
    binary = tmp_path / "photo.jpg"
    binary.write_bytes(bytes(range(256)) * 10)
    result = summarize(LIBRARY, tmp_path / "absent.txt", binary, BEES, *model, "-f", "json", status=1)
    assert "memsum: absent.txt: The file cannot be read (No such file or directory)." in result.stderr
    assert "memsum: photo.jpg: The file holds binary data, not text." in result.stderr
    good, absent, bad, last = map(json.loads, result.stdout.splitlines())
    assert absent == {"id": str(tmp_path / "absent.txt"), "error": absent["error"]}
    assert bad["error"].startswith("photo.jpg: ")
    assert good["sentences"]
    assert last["id"] == str(BEES)


def test_standard_input(model: list[str]) -> None:
    result = summarize("-", *model, stdin="The tide rose in Ærø. It fell.".encode())
    assert result.stdout == "The tide rose in Ærø.\nIt fell.\n"
    empty = summarize("-", *model, stdin=b"", status=1)
    assert empty.stderr.startswith("memsum: standard input: The document is empty.\n")


def test_warnings_go_to_stderr(model: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bruecke.txt"
    path.write_text("Die Brücke wurde gestern gesperrt. Niemand wusste, warum.")
    alone = summarize(path, *model)
    assert alone.stderr.startswith("memsum: The document seems to be in German, and the model reads English.")
    assert "German" not in alone.stdout
    several = summarize(path, LIBRARY, *model, "-f", "markdown")
    assert f"memsum: {path}: The document seems" in several.stderr


def test_output_goes_to_a_file(model: list[str], tmp_path: Path) -> None:
    path = tmp_path / "summary.txt"
    result = summarize(LIBRARY, *model, "--output", path)
    assert result.stdout == ""
    assert path.read_text() == summarize(LIBRARY, *model).stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--words", 20, "--sentences", 2), "Use only one of sentences, words, characters, ratio."),
        (("--ratio", 7), "ratio must be a number from 0 to 1, and more than 0, not 7.0."),
        (("--words", 20, "--max-sentences", 2), "words cannot be combined with stop_threshold or max_sentences."),
    ],
)
def test_impossible_lengths_are_one_sentence(options: tuple[object, ...], says: str) -> None:
    result = summarize(LIBRARY, *options, "--model", "never/loaded", status=1)
    assert result.stderr.splitlines()[0] == f"memsum: {says}"


def test_an_unknown_model_is_one_sentence(tmp_path: Path) -> None:
    result = summarize(LIBRARY, "--model", tmp_path / "absent", status=1)
    assert result.stderr.startswith(f"memsum: There is no model folder {tmp_path / 'absent'}.\n")


def test_context_is_in_json_unless_it_is_not_wanted(model: list[str], tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(
        "The tide rose. It fell. This was in May. They had seen it. Such tides are rare.", encoding="utf-8"
    )
    options = ("--sentences", 2, "--format", "json", *model)
    with_it = json.loads(summarize(notes, *options).stdout)["sentences"]
    assert any("context" in sentence for sentence in with_it)
    without = json.loads(summarize(notes, "--no-context", *options).stdout)["sentences"]
    assert [{**sentence, "context": 0} for sentence in with_it] == [{**sentence, "context": 0} for sentence in without]
    assert not any("context" in sentence for sentence in without)


HARBOUR = Path(__file__).parents[3] / "docs" / "demo" / "harbour-meeting.txt"


def test_about_a_question(model: list[str]) -> None:
    result = summarize(HARBOUR, "--about", "What happens to the ice machine?", "--format", "json", "--sentences", 2)
    record = json.loads(result.stdout)
    assert record["about"] == "What happens to the ice machine?"
    assert record["found"]
    assert all("ice machine" in quote["text"] and quote["relevance"] > 0.1 for quote in record["sentences"])


def test_about_what_the_document_does_not_say() -> None:
    result = summarize(HARBOUR, "--about", "quantum chromodynamics")
    assert result.stdout == ""
    assert result.stderr == "No relevant sentence found. The nearest ones: --nearest\n"
    assert (
        summarize(HARBOUR, "--about", "quantum chromodynamics", "--nearest", "--sentences", 2).stdout.count("\n") == 2
    )


def test_several_questions_are_answered_one_after_the_other() -> None:
    questions = "What does the second-hand crane cost?", "Who asked the county?"
    asked = [part for question in questions for part in ("--about", question)]
    lines = summarize(HARBOUR, *asked, "--format", "json").stdout.splitlines()
    assert [json.loads(line)["about"] for line in lines] == list(questions)
    text = summarize(HARBOUR, *asked).stdout
    assert text.index(f"==> {questions[0]} <==") < text.index("fifty-eight thousand")
    assert text.index("fifty-eight thousand") < text.index(f"==> {questions[1]} <==")
    assert "one question" in summarize(HARBOUR, *asked, "--format", "html", status=1).stderr


@pytest.mark.parametrize("question", ["", "???", "why " * 300])
def test_about_nothing_that_can_be_asked(question: str) -> None:
    assert "question" in summarize(HARBOUR, HARBOUR, "--about", question, status=1).stderr


def test_several_files_together(model: list[str], tmp_path: Path) -> None:
    record = json.loads(summarize(LIBRARY, BEES, "--together", "--ratio", 0.5, "--format", "json", *model).stdout)
    assert {quote["source"] for quote in record["sentences"]} == {str(LIBRARY), str(BEES)}
    assert [document["id"] for document in record["documents"]] == [str(LIBRARY), str(BEES)]
    lines = summarize(LIBRARY, BEES, "--together", "--ratio", 0.5, *model).stdout.splitlines()
    assert {line.partition(": ")[0] for line in lines} == {str(LIBRARY), str(BEES)}
    page = tmp_path / "page.html"
    summarize(LIBRARY, BEES, "--together", "--format", "html", "--output", page, *model)
    assert str(BEES) in page.read_text("utf-8")


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_a_summary(model: list[str], tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing.txt", tmp_path / "empty.md"
    empty.write_text("# Only a heading\n", encoding="utf-8")
    result = summarize(LIBRARY, missing, empty, "--together", "--sentences", 2, *model, status=1)
    assert len(result.stdout.splitlines()) == 2
    assert "missing.txt" in result.stderr
    assert "no sentences" in result.stderr
    result = summarize(missing, empty, "--together", *model, status=1)
    assert result.stdout == ""
    assert "missing.txt" in result.stderr
