from __future__ import annotations

import json
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.model import registry

from ...helpers import run

model = partial(run, "model")


def test_an_export_has_all_that_use_needs(model_folder: Path, trained_folder: Path) -> None:
    names = {path.name for path in model_folder.iterdir()}
    trained = {"config.json", "vocabulary.txt", "embeddings.safetensors", "policy.safetensors", "README.md"}
    assert names == trained | {"sentences.onnx", "document.onnx", "step.onnx", "MANIFEST.json"}
    assert all((model_folder / name).read_bytes() == (trained_folder / name).read_bytes() for name in trained)


def test_an_export_in_int8_without_weights(trained_folder: Path, model_folder: Path, tmp_path: Path) -> None:
    result = model("export", trained_folder, "-o", tmp_path / "small", "--precision", "int8", "--no-weights")
    assert result.stderr.rstrip().endswith("int8.")
    assert not (tmp_path / "small" / "policy.safetensors").exists()
    model("export", trained_folder, "-o", tmp_path / "small")
    (tmp_path / "small" / "length.safetensors").write_bytes(b"of an earlier export")
    model("export", trained_folder, "-o", tmp_path / "small", "--precision", "int8", "--no-weights")
    assert not list((tmp_path / "small").glob("[pl]*.safetensors"))
    model("verify", tmp_path / "small")
    assert "graphs      int8" in model("show", tmp_path / "small").stdout
    assert "graphs      fp32" in model("show", model_folder).stdout
    assert Summarizer.load(tmp_path / "small").summarize("The tide rose. It fell.", sentences=1).text


def test_a_training_is_not_exported_into_its_own_folder(trained_folder: Path) -> None:
    before = {path.name for path in trained_folder.iterdir()}
    assert "the training's own folder" in model("export", trained_folder, "-o", trained_folder, status=1).stderr
    assert {path.name for path in trained_folder.iterdir()} == before


def test_exporting_needs_the_train_extra(trained_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("memsum_train.policy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = model("export", trained_folder, "-o", tmp_path / "out", status=1)
    assert "memsum[train]" in result.stderr
    assert not (tmp_path / "out").exists()


def test_show_says_what_it_is(model_folder: Path, trained_folder: Path) -> None:
    def shown(folder: Path) -> dict[str, str]:
        return dict(line.split("  ", 1) for line in model("show", folder).stdout.splitlines())

    rows = {name: value.strip() for name, value in shown(model_folder).items()}
    assert rows["network"].startswith("local pooled, context lstm, history attention, stopping policy")
    assert rows["network"].endswith("dimension 16")
    assert rows["stop"] == "by the network, at a probability of 1, at most 4 sentences"
    assert rows["penalties"].startswith("low-value sentences 0")
    assert rows["trained on"] == "train.jsonl"
    assert rows["verified"].startswith("yes")
    trained = shown(trained_folder)
    assert "none yet" in trained["graphs"]
    assert "no: it has no MANIFEST.json" in trained["verified"]


def test_a_damaged_model_is_not_whole(model_folder: Path, tmp_path: Path) -> None:
    assert model("verify", model_folder).stdout == f"{model_folder}: all files intact.\n"
    folder = shutil.copytree(model_folder, tmp_path / "copy")
    content = bytearray((folder / "embeddings.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "embeddings.safetensors").write_bytes(content)
    for command in ("verify", "show"):
        assert "embeddings.safetensors is damaged" in model(command, folder, status=1).stderr
    (folder / "MANIFEST.json").unlink()
    (folder / "sentences.onnx").write_bytes(b"garbage")
    assert "sentences.onnx is damaged" in model("show", folder, status=1).stderr


def test_the_list_is_of_the_models_inside_the_package(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(model_folder, tmp_path / "default")
    monkeypatch.setattr(registry, "_EMBEDDED", tmp_path)
    (line,) = model("list").stdout.splitlines()
    name, size, stop = line.split("\t")
    assert (name, stop) == ("default", "at most 4 sentences")
    assert size.endswith(" MB")
    assert Summarizer.load().name == "default"
    assert json.loads((tmp_path / "default" / "MANIFEST.json").read_text())["files"]
