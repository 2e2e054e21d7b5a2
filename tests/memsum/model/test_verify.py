"""The manifest of a model folder: a file that is missing or changed is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memsum.errors import ModelError
from memsum.model import ModelConfig, StopSettings, verify_model, write_manifest
from memsum.model.verify import MANIFEST_FILE, read_manifest, update_manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a model folder may hold; the content does not matter here."""
    ModelConfig({"local": "mean"}).save(tmp_path)
    (tmp_path / "vocabulary.txt").write_text("<pad>\n<unk>\n")
    (tmp_path / "step.onnx").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "README.md").write_text("# A model\n")
    (tmp_path / ".step.onnx.1.tmp").write_text("left by a crash")
    write_manifest(tmp_path)
    return tmp_path


def test_what_was_written_is_whole(folder: Path) -> None:
    verify_model(folder)
    content = json.loads((folder / MANIFEST_FILE).read_text())
    assert set(content["files"]) == {"config.json", "vocabulary.txt", "step.onnx"}
    assert content["files"]["vocabulary.txt"] == {
        "bytes": 12,
        "sha256": "6b8722924a91a76258ce3759f19bdab2ab8eff8ba6f99f4cc0cad705051ec7ca",
    }


def test_a_changed_byte_is_found(folder: Path) -> None:
    content = bytearray((folder / "step.onnx").read_bytes())
    content[1000] ^= 1
    (folder / "step.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=r"step\.onnx is damaged"):
        verify_model(folder)


def test_a_cut_file_is_found_by_its_size(folder: Path) -> None:
    (folder / "step.onnx").write_bytes(b"\0" * 100)
    with pytest.raises(ModelError, match="100 bytes instead of 5,120"):
        verify_model(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "vocabulary.txt").unlink()
    with pytest.raises(ModelError, match=r"incomplete: vocabulary\.txt is missing"):
        verify_model(folder)


def test_the_card_may_be_edited(folder: Path) -> None:
    (folder / "README.md").write_text("# A model\n\nWith scores.\n")
    verify_model(folder)


def test_without_a_manifest_nothing_can_be_verified(folder: Path) -> None:
    (folder / MANIFEST_FILE).unlink()
    assert read_manifest(folder) is None
    with pytest.raises(ModelError, match="to verify it by"):
        verify_model(folder)


def test_settings_that_memsum_changes_stay_verified(folder: Path) -> None:
    ModelConfig({"local": "mean"}, stop=StopSettings(0.4, 12)).save(folder)
    verify_model(folder)


def test_a_folder_without_a_manifest_gets_none_by_saving(tmp_path: Path) -> None:
    ModelConfig({"local": "mean"}).save(tmp_path)
    update_manifest(tmp_path, "config.json")
    assert not (tmp_path / MANIFEST_FILE).exists()
