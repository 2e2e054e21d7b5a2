from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memsum.batch.run import JobResult, LocalEngine, Run
from memsum.batch.summaries import BatchSettings, find_documents, run_batch
from memsum.errors import MemsumError
from memsum.options import SummaryOptions
from memsum.parallel import CHUNK

from ...helpers import make_page


@pytest.fixture
def run(source: Path, settings: BatchSettings, known: Any) -> Callable[..., JobResult]:
    """Runs the documents to a file with the engine that knows all results."""

    def run(output: Path, engine: Any = None, /, *, settings: BatchSettings = settings, **options: Any) -> JobResult:
        return run_batch(find_documents(str(source)), str(output), settings, Run(engine or known(), **options))

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_document_is_accounted_for(source: Path, settings: BatchSettings, tmp_path: Path) -> None:
    done: list[int] = []
    output = tmp_path / "out.jsonl"
    counts = run_batch(find_documents(str(source)), str(output), settings, Run(LocalEngine(1), advance=done.append))
    assert counts == JobResult(26, 4, tmp_path / "out.jsonl.errors.jsonl")
    assert sum(done) == 30
    found = lines(output)
    assert [line["id"] for line in found[:9]] == ["doc-1", "doc-2", 3, "empty", "doc-5", 6, "doc-7", "doc-8", 10]
    assert all(len(line["sentences"]) == 2 for line in found if "error" not in line)
    hint = "Name the key of the text: --text-key KEY"
    assert counts.first_error == "empty: The document is empty."
    assert lines(tmp_path / "out.jsonl.errors.jsonl") == [
        {"document": 4, "id": "empty", "error": "The document is empty."},
        {"document": 11, "id": "wordless", "error": 'The record has no "text"; its keys are "id".', "hint": hint},
        {"document": 18, "id": "numbers", "error": 'The "text" is neither a string nor a list of strings.'},
        {"document": 25, "id": 26, "error": 'The "id" is neither a string nor a whole number.'},
    ]
    assert {path.name for path in tmp_path.iterdir()} == {
        "in.jsonl",
        "out.jsonl",
        "out.jsonl.errors.jsonl",
        "out.jsonl.job.json",
    }


@pytest.mark.slow
def test_processes_give_the_same_bytes_as_one(source: Path, settings: BatchSettings, tmp_path: Path) -> None:
    documents = find_documents(str(source))
    for name, workers, ordered in (("one", 1, True), ("two", 2, True), ("any", 2, False)):
        run_batch(documents, str(tmp_path / name), settings, Run(LocalEngine(workers), ordered))
    one, two, unordered = ((tmp_path / name).read_bytes() for name in ("one", "two", "any"))
    assert one == two
    assert sorted(one.splitlines()) == sorted(unordered.splitlines())
    assert (tmp_path / "one.errors.jsonl").read_bytes() == (tmp_path / "two.errors.jsonl").read_bytes()


@pytest.mark.slow
def test_a_folder_of_files_good_and_bad(settings: BatchSettings, tmp_path: Path, paper: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    text = ["The bridge was closed in spring.", "Traffic moved to the ferry.", "Nobody complained."]
    pdf = make_page(text)
    (folder / "good.pdf").write_bytes(pdf)
    (folder / "cut.pdf").write_bytes(pdf[:250])
    (folder / "paper.md").write_text(paper)
    (folder / "page.html").write_text(f"<html><body><p>{' '.join(text)}</p></body></html>")
    (folder / "old.txt").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old Word")
    (folder / "empty.txt").write_text("")
    assert len(list(folder.iterdir())) < CHUNK
    counts = run_batch(find_documents(str(folder)), str(tmp_path / "out.jsonl"), settings, Run(LocalEngine(2)))
    assert (counts.kept, counts.failed) == (3, 3)
    found = {line["id"]: line for line in lines(tmp_path / "out.jsonl")}
    assert list(found) == ["cut.pdf", "empty.txt", "good.pdf", "old.txt", "page.html", "paper.md"]
    assert found["good.pdf"]["sentences"][0]["page"] == 1
    assert {sentence["text"] for sentence in found["page.html"]["sentences"]} <= set(text)
    assert "damaged or cut off" in found["cut.pdf"]["error"]
    assert "old Word" in found["old.txt"]["error"]


def test_the_same_command_knows_that_it_is_done(run: Callable[..., JobResult], tmp_path: Path, known: Any) -> None:
    first = run(tmp_path / "out.jsonl")
    engine = known()
    assert run(tmp_path / "out.jsonl", engine) == replace(first, again=True)
    assert engine.seen == []
    (tmp_path / "out.jsonl").unlink()
    assert run(tmp_path / "out.jsonl") == first


@pytest.mark.parametrize("finished", [True, False])
def test_another_input_or_other_settings_are_refused(
    run: Callable[..., JobResult], settings: BatchSettings, source: Path, tmp_path: Path, known: Any, finished: bool
) -> None:
    output = tmp_path / "out.jsonl"
    if finished:
        run(output)
    else:
        with pytest.raises(KeyboardInterrupt):
            run(output, known(stop_after=20))
    others: list[dict[str, Any]] = [
        {"settings": replace(settings, options=SummaryOptions(words=50))},
        {"ordered": False},
    ]
    for other in others:
        with pytest.raises(MemsumError, match=r"another input or (with )?other settings") as caught:
            run(output, **other)
        assert "--restart" in (caught.value.hint or "")
    source.write_text(source.read_text() + '{"text": "One more."}\n')
    with pytest.raises(MemsumError, match="another input"):
        run(output)
    engine = known()
    run(output, engine, restart=True)
    assert len(engine.seen) == 31


def test_an_output_that_was_changed_is_not_taken_for_ours(run: Callable[..., JobResult], tmp_path: Path) -> None:
    run(tmp_path / "out.jsonl")
    with (tmp_path / "out.jsonl").open("a") as file:
        file.write("one more\n")
    with pytest.raises(MemsumError, match="was changed after it was finished"):
        run(tmp_path / "out.jsonl")
    (tmp_path / "out.jsonl.job.json").write_text("{}")
    with pytest.raises(MemsumError, match=r"job\.json is damaged"):
        run(tmp_path / "out.jsonl")


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"])
def test_a_retry_does_only_what_failed_and_puts_it_in_its_place(
    run: Callable[..., JobResult], tmp_path: Path, known: Any, name: str
) -> None:
    run(tmp_path / name)
    engine = known(heal=True)
    assert run(tmp_path / name, engine, retry_failed=True) == JobResult(30, 0)
    assert engine.seen == [4, 11, 18, 25]
    run(tmp_path / f"healthy-{name}", known(heal=True))
    assert (tmp_path / name).read_bytes() == (tmp_path / f"healthy-{name}").read_bytes()
    assert not (tmp_path / f"{name}.errors.jsonl").exists()
    assert run(tmp_path / name, engine, retry_failed=True).again


def test_what_fails_again_stays_listed(run: Callable[..., JobResult], tmp_path: Path, known: Any) -> None:
    first = run(tmp_path / "out.jsonl")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for _ in range(2):
        engine = known()
        assert run(tmp_path / "out.jsonl", engine, retry_failed=True) == first
        assert len(engine.seen) == 4
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_unordered_retry(run: Callable[..., JobResult], tmp_path: Path, known: Any) -> None:
    run(tmp_path / "out.jsonl", ordered=False)
    run(tmp_path / "healthy.jsonl", known(heal=True))
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out.jsonl", known(heal=True, stop_after=1), ordered=False, retry_failed=True)
    engine = known(heal=True)
    assert run(tmp_path / "out.jsonl", engine, ordered=False, retry_failed=True) == JobResult(30, 0)
    assert len(engine.seen) == 3
    assert sorted(map(str, lines(tmp_path / "out.jsonl"))) == sorted(map(str, lines(tmp_path / "healthy.jsonl")))


def test_where_there_is_nothing_to_retry(run: Callable[..., JobResult], tmp_path: Path) -> None:
    with pytest.raises(MemsumError, match="no finished run"):
        run(tmp_path / "out.jsonl", retry_failed=True)
    with pytest.raises(MemsumError, match="needs file input and output"):
        run(tmp_path / "out.jsonl", retry_failed=True, restart=True)
    run(tmp_path / "out.jsonl")
    (tmp_path / "out.jsonl.errors.jsonl").write_text('{"document": 4, "id": 4, "error": "Something else."}\n')
    with pytest.raises(MemsumError, match="does not belong to"):
        run(tmp_path / "out.jsonl", retry_failed=True)
    (tmp_path / "out.jsonl.errors.jsonl").unlink()
    with pytest.raises(MemsumError, match="damaged or gone"):
        run(tmp_path / "out.jsonl", retry_failed=True)


def test_if_all_failed_all_are_retried(source: Path, run: Callable[..., JobResult], tmp_path: Path, known: Any) -> None:
    source.write_text("{}\n")
    assert run(tmp_path / "out.jsonl", LocalEngine(1)) == JobResult(0, 1, tmp_path / "out.jsonl.errors.jsonl")
    assert run(tmp_path / "out.jsonl", known(), retry_failed=True) == JobResult(1, 0)


def test_the_standard_input_is_done_anew_each_time(
    settings: BatchSettings, tmp_path: Path, known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.jsonl"
    for stop_after, expected in ((2, None), (None, 3), (None, 3)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}\n" * 3)))
        engine = known(stop_after=stop_after)
        if expected is None:
            with pytest.raises(KeyboardInterrupt):
                run_batch(find_documents("-"), str(output), settings, Run(engine))
        else:
            assert run_batch(find_documents("-"), str(output), settings, Run(engine)) == JobResult(3, 0)
            assert engine.seen == [1, 2, 3]
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_stream_gets_each_line_when_it_is_ready(
    run: Callable[..., JobResult], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(Path("-")) == JobResult(26, 4)
    assert len(capsysbinary.readouterr().out.splitlines()) == 30


def test_an_empty_input_gives_an_empty_output(source: Path, run: Callable[..., JobResult], tmp_path: Path) -> None:
    source.write_text("\n")
    assert run(tmp_path / "out.jsonl") == JobResult(0, 0)
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_the_input_is_never_overwritten(source: Path, run: Callable[..., JobResult]) -> None:
    with pytest.raises(MemsumError, match="is the input itself"):
        run(source, restart=True)
