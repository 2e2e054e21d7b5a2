"""Names of models: inside the package, on disk, on the Hub."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memsum.errors import MissingExtraError, ModelError
from memsum.model import ModelConfig, find_model, list_models, registry, resolve_model

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two models inside."""
    folder = tmp_path / "embedded"
    for name in ("reports", "default", "unfinished"):
        (folder / name).mkdir(parents=True)
        if name != "unfinished":
            ModelConfig({"local": "mean"}).save(folder / name)
    monkeypatch.setattr(registry, "_EMBEDDED", folder)
    return folder


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Stands in for the library, which is optional, and for the network."""
    calls: list[dict[str, Any]] = []

    def snapshot_download(repo_id: str, **options: Any) -> str:
        calls.append({"repo_id": repo_id, **options})
        if repo_id == "someone/absent":
            raise OSError("404 Client Error.\nRepository Not Found for url.")
        folder = tmp_path / "snapshots" / COMMIT
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    module = ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return calls


def test_models_inside_the_package_have_names(embedded: Path) -> None:
    assert [source.name for source in list_models()] == ["default", "reports"]
    assert resolve_model("default") == embedded / "default"
    assert find_model("reports").name == "reports"


def test_a_package_without_models_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_EMBEDDED", tmp_path / "nothing")
    assert list_models() == []
    with pytest.raises(ModelError, match="no default model"):
        resolve_model("default")


def test_a_folder_is_a_model(embedded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "default").mkdir()
    monkeypatch.chdir(tmp_path)
    assert resolve_model(tmp_path / "mine") == tmp_path / "mine"
    assert resolve_model("mine") == Path("mine")
    assert resolve_model("default") == embedded / "default"
    assert resolve_model("./default") == resolve_model(Path("default")) == Path("default")


@pytest.mark.parametrize("name", ["run/modle", "someone/model@main", "run/model"])
def test_what_looks_like_a_path_never_asks_the_hub(embedded: Path, hub: list[dict[str, Any]], name: str) -> None:
    with pytest.raises(ModelError, match=f"There is no model folder {name}") as caught:
        resolve_model(name)
    assert f"For a repository of the Hugging Face Hub write hf:{name}." in str(caught.value.hint)
    assert hub == []


@pytest.mark.parametrize(
    "name",
    [
        "hf:",
        "hf:model",
        "hf:a/b/c",
        "hf:../model",
        "hf:someone/model@",
        "hf:a b/c",
        "hf:a/b@../../x",
        "hf:a/b@/x",
        "hf:a/b@-x",
    ],
)
def test_a_repository_has_an_owner_and_a_name(hub: list[dict[str, Any]], name: str) -> None:
    with pytest.raises(ModelError, match="is not a repository"):
        resolve_model(name)
    assert hub == []


def test_a_repository_is_fetched_at_its_revision_and_only_data(hub: list[dict[str, Any]]) -> None:
    source = find_model("hf:someone/tiny-model@v1.0")
    (call,) = hub
    assert call["repo_id"] == "someone/tiny-model"
    assert call["revision"] == "v1.0"
    assert set(call["allow_patterns"]) == {"*.json", "*.txt", "*.safetensors", "*.onnx", "*.md"}
    assert source.folder.name == COMMIT


def test_without_a_revision_the_name_tells_which_commit_it_was(hub: list[dict[str, Any]]) -> None:
    assert find_model("hf:someone/tiny-model").name == "hf:someone/tiny-model@0123456789ab"
    assert hub[0]["revision"] is None


def test_a_repository_that_cannot_be_fetched(hub: list[dict[str, Any]]) -> None:
    with pytest.raises(ModelError, match=r"someone/absent.*404 Client Error\.$"):
        resolve_model("hf:someone/absent")


def test_a_repository_needs_the_hub_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match="someone/model") as caught:
        resolve_model("hf:someone/model")
    assert "memsum[hub]" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["papers", "a/b/c", "../models", "/no/such/folder", "someone/model@", "", "a b/c"])
def test_other_names_are_folders_that_are_not_there(embedded: Path, hub: list[dict[str, Any]], name: str) -> None:
    if name in ("", "../models"):
        name += "absent"
    with pytest.raises(ModelError, match="no model folder") as caught:
        resolve_model(name)
    assert caught.value.hint == "Models inside the package: default, reports."
    assert hub == []
