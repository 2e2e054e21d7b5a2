"""Slips that everyone makes once: each gets a sentence that names the thing, and a hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum.model.runtime import Runtime

TEXT = "The tide turned at noon. Nobody in the harbour saw it. The boats were gone by then."


def fails(*arguments: object, status: int = 1) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    assert ".tmp" not in result.stderr
    return " ".join(result.stderr.split())


def test_an_address_is_not_a_file(model: list[str]) -> None:
    said = fails("summarize", "https://example.org/paper.pdf", *model)
    assert "https://example.org/paper.pdf is an address" in said
    assert "curl" in said


def test_a_file_that_is_not_there_costs_no_model(tmp_path: Path) -> None:
    said = fails("summarize", tmp_path / "absent.pdf", "--model", tmp_path / "no-model")
    assert "absent.pdf: The file cannot be read" in said


@pytest.mark.parametrize("command", ["summarize", "locate", "highlight", "batch", "model info", ""])
def test_names_in_messages_are_cut_and_made_printable(command: str, tmp_path: Path) -> None:
    name = "\x1b]0;owned\x07\u202e" + "a" * 200
    options = {"locate": ["--quote", "a"], "batch": [tmp_path / "b.jsonl"]}.get(command, [])
    path = "/".join([str(tmp_path), *[name] * 15, "x"])
    result = CliRunner().invoke(app, list(map(str, [*command.split(), path, *options])))
    assert result.exit_code in (1, 2)
    assert len(result.stderr) < 1000
    assert not {"\x1b", "\x07", "\u202e"} & set(result.stderr)


def test_too_little_memory_is_one_sentence(model: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "note.txt").write_text(TEXT)

    def exhausted(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Runtime, "load", exhausted)
    assert fails("summarize", tmp_path / "note.txt", *model).startswith("memsum: This needs more memory than there is.")


def test_a_folder_where_a_file_is_meant_is_named(model: list[str], tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    said = fails("summarize", tmp_path / "papers", *model)
    assert "papers: This is a folder, not a file." in said
    assert "memsum batch" in said
    assert ".: This is a folder" in fails("summarize", ".", *model)
    assert "--together" in fails(tmp_path / "papers", *model)


def test_a_number_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(TEXT)
    assert "'abc' is not a whole number." in fails(tmp_path / "note.txt", "--words", "abc", status=2)
    assert "'x' is not a number." in fails(tmp_path / "note.txt", "--ratio", "x", status=2)


def test_a_picture_names_the_extra_that_reads_scans(model: list[str], tmp_path: Path) -> None:
    (tmp_path / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    said = fails(tmp_path / "scan.png", *model)
    assert "scan.png: This is a picture." in said
    assert "extra `ocr`" in said


@pytest.mark.parametrize("command", ["summarize", "highlight", "batch"])
def test_an_output_folder_that_does_not_exist_is_named(command: str, model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(TEXT)
    output = tmp_path / "gone" / "summary.html"
    arguments = [source, output] if command == "batch" else [source, "--output", output]
    assert f"There is no folder {tmp_path / 'gone'}." in fails(command, *arguments, *model)
    (tmp_path / "here").mkdir()
    arguments[-1] = tmp_path / "here"
    assert f"{tmp_path / 'here'} is a folder, not a file." in fails(command, *arguments, *model)


def test_a_marked_document_is_not_called_what_it_is_not(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(TEXT)
    said = fails("highlight", source, "--output", tmp_path / "marked.pdf", *model)
    assert "a page of HTML, and marked.pdf does not end like one." in said
    assert "Call it marked.html" in said
    assert not (tmp_path / "marked.pdf").exists()
    assert "a PDF, and x.html" in fails("highlight", source, "-o", tmp_path / "x.html", "--format", "pdf", *model)
    paper = Path(__file__).parents[2] / "data" / "documents" / "one-column.pdf"
    assert "Call it marked.pdf" in fails("highlight", paper, "--output", tmp_path / "marked.md", *model)


def test_skipped_files_of_a_folder_are_counted_and_named(model: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    (folder / "old").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT)
    (folder / "old" / "cat.jpg").write_bytes(b"\xff\xd8")
    (folder / "b.xlsx").write_bytes(b"PK")
    result = CliRunner().invoke(app, ["batch", str(folder), str(tmp_path / "out.jsonl"), *model])
    assert result.exit_code == 0, result.output
    assert "Skipped 2 files with unsupported extensions: b.xlsx, old/cat.jpg." in result.stderr
    assert "1 summarized, 0 failed." in result.stderr


def test_the_language_can_be_given(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "notiz.txt"
    source.write_text("Er kam am 3. Mai. Sie ging.", encoding="utf-8")
    result = CliRunner().invoke(app, ["summarize", str(source), "--language", "de", "--sentences", "9", *model])
    assert result.stdout.splitlines() == ["Er kam am 3. Mai.", "Sie ging."]
    assert "no language 'German'" in fails("summarize", source, "--language", "German", *model)


def test_a_file_alone_is_summarized(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(TEXT)
    expected = CliRunner().invoke(app, ["summarize", str(source), "-n", "1", *model]).stdout
    assert expected.strip() in TEXT
    for arguments in ([str(source), "-n", "1"], ["-n", "1", str(source)], ["--debug", str(source), "-n", "1"]):
        assert CliRunner().invoke(app, [*arguments, *model]).stdout == expected
    assert CliRunner().invoke(app, ["-", "-n", "1", *model], input=TEXT).stdout == expected
    assert "absent.pdf: The file cannot be read" in fails(tmp_path / "absent.pdf", *model)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [("summarise", "summarize"), ("sumarize", "summarize"), ("highlite", "highlight"), ("evalute", "evaluate")],
)
def test_a_slip_gets_a_suggestion(slip: str, meant: str) -> None:
    assert f"Did you mean '{meant}'?" in fails(slip, "paper.pdf", status=2)


def test_a_slip_in_a_group_gets_a_suggestion() -> None:
    assert "Did you mean 'verify'?" in fails("model", "verfy", status=2)


def test_what_is_no_command_and_no_file_is_named() -> None:
    assert "No such command or file 'xyzzy'." in fails("xyzzy", status=2)
    assert "No such command or file" in fails("A text that is too long for a name. " * 200, status=2)
    assert "--versoin" in fails("--versoin", status=2)


def test_a_highlighted_document_has_a_name_of_its_own(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(TEXT)
    assert CliRunner().invoke(app, ["highlight", str(source), *model]).exit_code == 0
    assert (tmp_path / "note.highlighted.html").read_text().startswith("<!doctype html>")


def test_the_key_of_the_text_can_be_named(model: list[str], tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"name": "tide", "body": TEXT}) + "\n")
    said = fails("batch", source, output, *model)
    assert '1: The record has no "text"; its keys are "name", "body". Name the key of the text: --text-key KEY' in said
    keys = ["--text-key", "body", "--id-key", "name", "--keywords"]
    assert CliRunner().invoke(app, ["batch", str(source), str(output), *keys, "--restart", *model]).exit_code == 0
    assert json.loads(output.read_text())["id"] == "tide"


def test_papers_in_parts_are_to_be_built_first(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "papers.jsonl"
    paper = {"id": "p", "abstract": ["It rose."], "sections": [{"title": "Tide", "paragraphs": [TEXT]}]}
    source.write_text((json.dumps(paper) + "\n") * 3)
    said = fails("batch", source, tmp_path / "out.jsonl", *model)
    assert "first of 3: p: The record has no" in said
    assert "memsum corpus build" in said
    for command in (["evaluate", source, "--baseline", "lead-3"], ["adapt", source, "--output", tmp_path / "adapted"]):
        assert "memsum corpus build" in fails(*command)


def test_readers_see_no_word_of_the_lab(model: list[str], tmp_path: Path) -> None:
    source = tmp_path / "note.txt"
    source.write_text(TEXT)
    shown = [CliRunner().invoke(app, [command, "--help"]).stdout for command in ("summarize", "highlight", "batch")]
    for form in ("text", "markdown", "html"):
        shown.append(CliRunner().invoke(app, [str(source), "--explain", "--format", form, *model]).output)
    for text in shown:
        assert "p_stop" not in text
        assert "policy" not in text.lower().replace("content-security-policy", "")


def test_neither_documents_nor_file_names_talk_to_the_terminal(model: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "note.txt").write_text(TEXT)
    (folder / "\x1b]0;owned\x07\x1b[2J.xyz").touch()
    (folder / "\x1b[31mempty.txt").touch()
    mail = folder / "mail.eml"
    attached = (
        "Content-Type: application/pdf; name*=utf-8''%1b%5b2J%C2%9B31mbill.pdf\nContent-Disposition: attachment\n\nx"
    )
    head = "From: a@example.org\nTo: b@example.org\nSubject: Tides\nContent-Type: multipart/mixed; boundary=b\n\n"
    mail.write_text(f"{head}--b\nContent-Type: text/plain\n\n{TEXT}\n--b\n{attached}\n--b--\n")
    commands = [
        ["batch", folder, tmp_path / "out.jsonl", "--workers", "1"],
        ["summarize", folder / "\x1b[31mempty.txt"],
        ["summarize", mail],
    ]
    for command in commands:
        result = CliRunner().invoke(app, [*map(str, command), *model])
        assert result.stderr
        assert command[-1] != mail or "attachments" in result.stderr
        assert not set("\x1b\x07\x9b") & set(result.output), result.output
