"""A model folder that is damaged, incomplete or newer: one sentence that names the file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import onnx
import onnx.helper
import pytest

from memsum import Summarizer
from memsum.errors import ModelError
from memsum.model.graphs import Graph
from memsum.model.verify import GRAPH_FILES, MANIFEST_FILE, RUNTIME_FILES


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
    assert "cannot summarize yet" in error.message
    assert "memsum model export" in str(error.hint)


def test_a_newer_format_asks_for_an_upgrade(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "format": 99, "new": {}}))
    (copy / "step.onnx").unlink()  # a newer format may have other files
    error = complaint(copy)
    assert "format 99" in error.message
    assert error.hint == "Upgrade memsum."


def test_a_manifest_that_is_none(copy: Path) -> None:
    files = ('{"format": 1}', '{"format": 1, "files": {"step.onnx": 3}}', '{"format": 2, "files": {}}')
    for content in ("", "[]", *files):
        (copy / MANIFEST_FILE).write_text(content)
        assert MANIFEST_FILE in complaint(copy).message


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    assert "not a model folder" in complaint(tmp_path).message
    assert "no model folder" in complaint(tmp_path / "absent").message
    assert "no model folder" in complaint(str(tmp_path / "absent")).message


@pytest.mark.parametrize("name", GRAPH_FILES)
@pytest.mark.parametrize("location", ["../secret.bin", "secret.bin", "/etc/hostname"])
def test_a_graph_with_numbers_in_other_files_is_refused(copy: Path, name: str, location: str) -> None:
    (copy / MANIFEST_FILE).unlink()
    model = onnx.load(copy / name)
    tensor = next(tensor for tensor in model.graph.initializer if tensor.raw_data)
    (copy / "secret.bin").write_bytes(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    (copy / name).write_bytes(model.SerializeToString())
    assert f"{name} keeps numbers in other files" in complaint(copy).message


def test_numbers_in_other_files_are_found_wherever_they_hide(tmp_path: Path) -> None:
    tensor = onnx.TensorProto(name="x", dims=[1], data_type=1, data_location=1)
    tensor.external_data.add(key="location", value="../secret")
    inner = onnx.helper.make_graph([onnx.helper.make_node("Constant", [], ["y"], value=tensor)], "inner", [], [])
    node = onnx.helper.make_node("If", ["c"], ["z"], then_branch=inner, else_branch=inner)
    (tmp_path / "step.onnx").write_bytes(
        onnx.helper.make_model(onnx.helper.make_graph([node], "outer", [], [])).SerializeToString()
    )
    with pytest.raises(ModelError, match="keeps numbers in other files"):
        Graph(tmp_path / "step.onnx", 1)


@pytest.mark.parametrize(
    "header", [b"[" * 100_000, b'{"rows":' * 50_000, b'{"rows": 5}', b'{"rows": {"shape": "x"}}', b"9" * 5000, b"[[]]"]
)
def test_headers_of_tensors_that_are_traps(copy: Path, header: bytes) -> None:
    (copy / MANIFEST_FILE).unlink()
    (copy / "embeddings.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    assert "embeddings.safetensors" in complaint(copy).message
    (copy / "embeddings.safetensors").write_bytes((2**40).to_bytes(8, "little") + header)
    assert "its header has 1,099,511,627,776 bytes" in complaint(copy).message
