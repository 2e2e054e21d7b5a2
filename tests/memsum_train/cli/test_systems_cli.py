"""Every system trains and is evaluated by the same two commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from memsum_train.corpus import Example, write_examples

from ...helpers import run

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, make_examples: Callable[..., list[Example]], vectors_file: Path
) -> tuple[Path, Path, Path]:
    folder = tmp_path_factory.mktemp("systems")
    write_examples(folder / "train.jsonl", make_examples(8, sentences=8))
    write_examples(folder / "valid.jsonl", make_examples(3, seed=2, sentences=8))
    return folder / "train.jsonl", folder / "valid.jsonl", vectors_file


def train(
    files: tuple[Path, Path, Path],
    output: Path,
    *options: object,
    network: dict[str, str] | None = None,
    status: int = 0,
) -> Result:
    """Two updates."""
    corpus, valid, _ = files
    short = ("--processes", 1, "--device", "cpu")
    content = "[training]\nmax_sentences = 3\nbatch = 4\nepochs = 1\n"
    content += "[corpus]\nreject_copies = false\n[tuning]\nmaxima = [3]\n"
    content += "[network]\n" + "".join(f"{name} = {value!r}\n" for name, value in (network or {}).items())
    settings = corpus.with_name("settings.toml")
    settings.write_text(content)
    arguments = ("--output", output, "--config", settings, *short, *options)
    return run("train", corpus, valid, *arguments, status=status)


def check_evaluation(files: tuple[Path, Path, Path], model: Path) -> None:
    report = json.loads(run("evaluate", files[1], "--model", f"it={model}", "--format", "json").stdout)
    [system] = report["systems"]
    assert system["name"] == "it"
    assert system["documents"] == 3
    assert 0 < system["rouge1"]["mean"] <= 1
    assert 1 <= system["sentences"] <= 3


@pytest.fixture(scope="module")
def trained(files: tuple[Path, Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small MemSum to go on from."""
    output = tmp_path_factory.mktemp("trained") / "run"
    train(files, output, "--vectors", files[2], network={"local": "mean"})
    return output / "model"


NEUSUM = ("--set", "network.history=gru", "--set", "network.stopping=fixed", "--set", "training.objective=gains")


def test_neusum_learns(files: tuple[Path, Path, Path], tmp_path: Path):
    train(files, tmp_path, "--vectors", files[2], *NEUSUM, network={"local": "mean"})
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert (config["training"]["objective"], config["training"]["updates"]) == ("gains", 2)
    assert [config["policy"][name] for name in ("local", "history", "stopping")] == ["mean", "gru", "fixed"]
    check_evaluation(files, tmp_path / "model")


def test_the_default_is_memsum(trained: Path):
    config = json.loads((trained / "config.json").read_text())
    assert config["training"]["objective"] == "episodes"
    blocks = {"history": "attention", "stopping": "policy"}
    assert {name: config["policy"][name] for name in blocks} == blocks


def test_what_does_not_go_together_is_said_in_one_sentence(files: tuple[Path, Path, Path], tmp_path: Path):
    result = train(files, tmp_path / "run", "--vectors", files[2], "--set", "training.objective=gains", status=1)
    assert result.stderr.splitlines()[0] == "memsum: The objective gains does not teach when to stop."
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("network", "sentence"),
    [
        ({"local": "lstm"}, "The model to continue from has the local mean, not lstm."),
        ({"history": "gru"}, "The model to continue from has the history attention, not gru."),
    ],
)
def test_trained_blocks_cannot_be_exchanged(
    network: dict[str, str], sentence: str, files: tuple[Path, Path, Path], trained: Path, tmp_path: Path
):
    result = train(files, tmp_path / "run", "--init", trained, network=network, status=1)
    assert result.stderr.splitlines()[0] == f"memsum: {sentence}"
    assert not (tmp_path / "run").exists()
