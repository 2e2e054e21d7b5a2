"""A model folder that is damaged, incomplete or newer: one sentence that names the file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.errors import ModelError
from memsum.models.verify import GRAPH_FILES, MANIFEST_FILE, RUNTIME_FILES


@pytest.fixture
def copy(model_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model_folder, tmp_path / "copy"))


def complaint(folder: Path | str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        Summarizer.load(folder)
    assert caught.value.message.endswith(".")
    return caught.value


@pytest.mark.parametrize("name", RUNTIME_FILES)
@pytest.mark.parametrize("manifest", [True, False])
@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "garbage"])
def test_a_damaged_file_is_named(copy: Path, name: str, damage: str, manifest: bool) -> None:
    if not manifest:
        (copy / MANIFEST_FILE).unlink()
    path = copy / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"cut": content[: len(content) // 2], "empty": b"", "garbage": b"\xffgarbage"}[damage])
    if name == "vocabulary.txt" and not manifest and damage != "missing":
        assert "vocabulary" in complaint(copy).message.lower()
    else:
        assert name in complaint(copy).message


def test_a_trainings_folder_hints_at_the_export(copy: Path) -> None:
    for name in (*GRAPH_FILES, MANIFEST_FILE):
        (copy / name).unlink()
    error = complaint(copy)
    assert "cannot summarise yet" in error.message
    assert "memsum model export" in str(error.hint)


def test_a_newer_format_asks_for_an_upgrade(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "format": 99, "new": {}}))
    (copy / "step.onnx").unlink()  # a newer format may have other files
    error = complaint(copy)
    assert "format 99" in error.message
    assert error.hint == "Upgrade memsum."


def test_a_manifest_that_is_none(copy: Path) -> None:
    for content in (
        "",
        "[]",
        '{"format": 1}',
        '{"format": 1, "files": {"step.onnx": 3}}',
        '{"format": 2, "files": {}}',
    ):
        (copy / MANIFEST_FILE).write_text(content)
        assert MANIFEST_FILE in complaint(copy).message


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    assert "not a model folder" in complaint(tmp_path).message
    assert "no model folder" in complaint(tmp_path / "absent").message
    assert "no model folder" in complaint(str(tmp_path / "absent")).message
