from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from memsum.document import read_document
from memsum.text import Vocabulary, WordVectors
from memsum.text.vocabulary import PAD, UNK

PATH = Path(__file__).parents[3] / "benchmarks" / "machine.py"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark, measuring once instead of for seconds."""
    spec = importlib.util.spec_from_file_location("machine", PATH)
    assert spec is not None
    assert spec.loader is not None
    machine = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "machine", machine)
    spec.loader.exec_module(machine)
    monkeypatch.setattr(machine, "_SECONDS", 0.0001)
    monkeypatch.setattr(machine, "_PROCESSES", 1)
    return machine


def test_it_measures_this_machine(machine: Any, model_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine.main(["--model", str(model_folder), "--threads", "1", "--json"])
    measures = json.loads(capsys.readouterr().out)
    assert set(measures["document_ms"]) == {"30 sentences", "90 sentences", "300 sentences"}
    assert all(milliseconds > 0 for milliseconds in measures["document_ms"].values())
    assert measures["import_ms"] < measures["help_ms"]
    assert measures["documents_per_second"] > 0
    assert measures["peak_mb"] > 20
    assert f"model:{model_folder}|threads:1|" in measures["signature"]


def test_the_table_names_the_documents_and_its_signature(machine: Any) -> None:
    measures = machine.Measures("memsum:1", 20.4, 150, 600, {"note.txt": 9.87}, 101.3, None)
    lines = [line.split() for line in machine.table(measures).splitlines()]
    assert ["7", "sentences", "of", "note.txt", "9.9", "ms"] in lines
    assert ["peak", "memory", "of", "one", "summary", "unknown"] in lines
    assert lines[-1] == ["memsum:1"]


def test_ones_own_documents_must_be_readable(machine: Any, model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"absent\.txt"):
        machine.main([str(tmp_path / "absent.txt"), "--model", str(model_folder)])


def test_generated_texts_have_the_size_they_are_said_to_have(machine: Any, vectors: WordVectors) -> None:
    text = machine.generate_text(vectors.vocabulary, 90)
    assert len(read_document(text).sentences) == 90
    assert 3_000 < len(text.split()) < 3_400
    assert text == machine.generate_text(vectors.vocabulary, 90)


def test_generated_texts_are_as_varied_as_papers(machine: Any) -> None:
    syllables = [a + b for a in "bdfgklmnprstv" for b in "aeiou"]
    words = [a + b + c for a in syllables for b in syllables for c in ("n", "r", "st", "l")]
    text = machine.generate_text(Vocabulary([PAD, UNK, *words]), 90)
    assert 700 < len(set(text.lower().replace(".", "").split())) < 1_000
