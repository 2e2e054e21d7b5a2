"""What `pip install memsum` brings: the package, its model and its web files, and nothing that lies around."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "src" / name for name in ("memsum", "memsum_train", "memsum_study")]
MODEL = "memsum/model/embedded/default"
KINDS = {".py", ".html", ".css", ".js", ".svg"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("dist")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_it_holds_the_package_and_its_description_alone(names: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in names} == {"memsum", "memsum_train", "memsum_study"}
    described = {PurePosixPath(name).name for name in names if ".dist-info/" in name}
    assert described == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE"}


def test_it_holds_every_file_of_the_package(names: set[str]) -> None:
    files = {
        path
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == {
        path.relative_to(ROOT / "src").as_posix() for path in files
    }


def test_no_file_lies_around(names: set[str]) -> None:
    others = {name for name in names if ".dist-info/" not in name and PurePosixPath(name).suffix not in KINDS}
    assert {
        name for name in others if not name.startswith((f"{MODEL}/", "memsum/query/minilm/", "memsum/languages/data/"))
    } == {
        "memsum/py.typed",
        "memsum_study/py.typed",
        "memsum_train/py.typed",
        "memsum/server/static/sample.md",
        "memsum_study/schema.sql",
        "memsum_train/learning/layout_noise.txt",
        "memsum_train/experiments/paper.toml",
        "memsum_train/report/memsum.mplstyle",
        "memsum_train/recipes/default.toml",
        "memsum_train/recipes/paper-small.toml",
        *(f"memsum_train/paper/{name}.toml" for name in ("arxiv", "govreport", "pubmed", "pubmed-trunc")),
    }
    assert not {name for name in names if PurePosixPath(name).name.startswith(("test_", "conftest"))}


def test_the_default_model_is_whole(wheel: Path, names: set[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        manifest = json.loads(archive.read(f"{MODEL}/MANIFEST.json"))
        for name, file in manifest["files"].items():
            assert archive.getinfo(f"{MODEL}/{name}").file_size == file["bytes"]
    assert f"{MODEL}/README.md" in names


def test_types_and_web_files_are_there(names: set[str]) -> None:
    assert {"memsum/py.typed", "memsum_train/py.typed", "memsum_study/py.typed"} <= names
    for package in ("memsum/server", "memsum_study", "memsum/summary"):
        assert any(name.startswith(f"{package}/") and name.endswith(".html") for name in names), package
        assert any(name.startswith(f"{package}/") and name.endswith(".css") for name in names), package


def test_it_installs_a_command_and_says_where_the_paper_is(wheel: Path, names: set[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entry = next(name for name in names if name.endswith("entry_points.txt"))
        assert "memsum = memsum.cli:main" in archive.read(entry).decode()
        metadata = archive.read(entry.replace("entry_points.txt", "METADATA")).decode()
    assert "Project-URL: Paper, https://aclanthology.org/2022.acl-long.450" in metadata
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert any("onnxruntime" in line for line in needed)
    assert not any("torch" in line for line in needed)
