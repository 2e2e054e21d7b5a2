"""`memsum model import`: from the authors' two files to summaries."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memsum_train.corpus import Example

from ...helpers import run


@pytest.fixture(scope="module")
def imported(authors_files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported") / "pubmed"
    arguments = ("--stop-threshold", 0.99, "--max-sentences", 3, "--document-sentences", 40, "--max-tokens", 30)
    result = run("model", "import", "--from-authors", *authors_files, "-o", folder, *arguments)
    assert result.stderr.startswith(f"{folder}: ")
    return folder


def test_it_is_a_whole_model(imported: Path) -> None:
    run("model", "verify", imported)
    shown = run("model", "show", imported).stdout
    assert "local lstm, context lstm, history attention, stopping policy" in shown
    assert "(drop for unknown ones)" in shown
    assert "by the network, at a probability of 0.99, at most 3 sentences\n" in shown
    assert "  fp32\n" in shown
    assert "  model.pt, vocabulary_200dim.pkl\n" in shown


def test_a_batch_of_split_sentences(imported: Path, examples: list[Example], tmp_path: Path) -> None:
    records = [{"id": i, "text": ["", *example.text]} for i, example in enumerate(examples[:3])]
    records.append({"id": 3, "text": [*examples[0].text, *examples[1].text]})
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--model", imported, "--threads", 1)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for record, line in zip(records, lines, strict=True):
        assert line["id"] == record["id"]
        assert line["sentences"]
        for sentence in line["sentences"]:
            assert sentence["text"] == record["text"][sentence["index"]]
            assert sentence["index"] < 40
    assert "warnings" not in lines[0]
    left = len(records[3]["text"]) - 40
    assert left > 0
    assert lines[3]["warnings"] == [f"The model reads 40 sentences: the last {left} of the document were left out."]


def test_nothing_but_blanks_within_reach(imported: Path, tmp_path: Path) -> None:
    text = [*[""] * 40, "The tide rose."]
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": text}) + "\n")
    run("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--model", imported, status=1)
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"id": 1, "error": "The document has no sentences."}


def test_trigram_blocking_is_not_misled_by_padding(imported: Path, tmp_path: Path) -> None:
    text = ["The committee met often.", "Rain fell.", "Data were kept safe.", "It wasn't recorded."]
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": text}) + "\n")
    options = ("--model", imported, "--block-trigrams", "--sentences", 4)
    run("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl", *options)
    assert len(json.loads((tmp_path / "out.jsonl").read_text())["sentences"]) == 4


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 0), (1, 1)])
def test_other_files_are_refused_in_one_sentence(
    first: int, second: int, authors_files: tuple[Path, Path], tmp_path: Path
) -> None:
    files = (authors_files[first], authors_files[second])
    result = run("model", "import", "--from-authors", *files, "-o", tmp_path / "out", status=1)
    assert result.stderr.startswith("memsum: ")
    assert "in this order" in result.stderr
    assert not (tmp_path / "out").exists()


def test_importing_needs_the_train_extra(
    authors_files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("memsum_train.policy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = run("model", "import", "--from-authors", *authors_files, "-o", tmp_path / "out", status=1)
    assert "memsum[train]" in result.stderr
