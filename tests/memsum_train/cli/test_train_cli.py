"""`memsum train` from the command line: every variant, what a run's folder holds, and one sentence for bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum.errors import install_command
from memsum_train.corpus import Example, write_examples
from memsum_train.learning.trainer import read_metrics

FLAGS = ("output", "vectors", "init", "recipe", "seed", "device", "restart", "keys")
NETWORK = ("local", "context", "stopping", "dropout", "history")


def settings_file(path: Path, tables: dict[str, dict[str, Any]]) -> list[str]:
    lines = [
        line
        for name, table in tables.items()
        for line in (f"[{name}]", *(f"{k} = {json.dumps(v)}" for k, v in table.items()))
    ]
    path.write_text("\n".join(lines) + "\n")
    return ["--config", str(path)]


@dataclass(frozen=True)
class Files:
    """A training's input."""

    folder: Path
    train: Path
    valid: Path
    vectors: Path

    def arguments(self, **options: Any) -> list[str]:
        """The command's: two updates of two documents, one validation, unless told otherwise.

        Settings without a flag are written to a file.
        """
        usual: dict[str, Any] = {"output": self.folder / "run", "vectors": self.vectors, "epochs": 1, "batch": 2}
        arguments = ["train", str(options.pop("train", self.train)), str(options.pop("valid", self.valid))]
        tables: dict[str, dict[str, Any]] = {"network": {}, "training": {}, "corpus": {"reject_copies": False}}
        for name, value in {**usual, **options}.items():
            if name not in FLAGS:
                tables["network" if name in NETWORK else "training"][name] = value
            elif value is not None:
                arguments += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        return [*arguments, "--processes", "1", *settings_file(self.folder / "settings.toml", tables)]


@pytest.fixture
def files(tmp_path: Path, make_examples: Callable[..., list[Example]], vectors_file: Path) -> Files:
    """Four documents of eight sentences to learn from, two to validate on."""
    examples = make_examples(12, sentences=8)
    write_examples(tmp_path / "train.jsonl", examples[::3])
    write_examples(tmp_path / "valid.jsonl", [replace(e, indices=None, scores=None) for e in examples[1::6]])
    return Files(tmp_path, tmp_path / "train.jsonl", tmp_path / "valid.jsonl", vectors_file)


# The smallest network, for tests of what is around it.
SMALL = {"local": "mean", "context": "none", "history": "none", "stopping": "fixed"}


def run(arguments: list[str]) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stderr


VARIANTS = [{}, {"local": "lstm", "history": "gru"}, {"states": 0, "stopping": "stop-sentence", "context": "none"}]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_variant_trains_and_validates(files: Files, variant: dict[str, Any]):
    status, said = run(files.arguments(**variant))
    assert status == 0, said
    assert f"The model is in {files.folder / 'run' / 'model'}" in said.replace("\n", "")
    config = json.loads((files.folder / "run" / "model" / "config.json").read_text())
    assert config["policy"]["word_dimension"] == 16
    assert {name: config["policy"][name] for name in variant if name in config["policy"]} == {
        name: value for name, value in variant.items() if name != "states"
    }
    last = read_metrics(files.folder / "run" / "phases" / "training" / "metrics.jsonl")[-1]
    assert last["update"] == 2
    assert last["validation"]["score"] > 0


def test_what_the_folder_of_a_run_holds(files: Files):
    status, said = run(files.arguments(**SMALL, seed=7))
    assert status == 0, said
    assert re.search(r"phase 3 of 5: training the network \(episodes\)", said)
    folder = files.folder / "run"
    assert {path.name for path in folder.iterdir()} == {"train.toml", "run.json", "model", "phases"}
    training = folder / "phases" / "training"
    assert (training / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert {"loss", "validation"} <= {key for line in read_metrics(training / "metrics.jsonl") for key in line}
    settings = json.loads((folder / "model" / "config.json").read_text())
    assert settings["training"]["seed"] == 7
    assert settings["policy"]["local"] == "mean"
    names = {path.name for path in (folder / "model").iterdir()}
    assert {"config.json", "embeddings.safetensors", "policy.safetensors", "step.onnx", "MANIFEST.json"} <= names
    assert (
        "| 2 " in (folder / "model" / "README.md").read_text() or "| 1 " in (folder / "model" / "README.md").read_text()
    )


def test_a_model_can_be_trained_on(files: Files):
    run(files.arguments(**SMALL))
    first = files.folder / "run" / "model"
    status, said = run(files.arguments(vectors=None, init=first, output=files.folder / "tuned"))
    assert status == 0, said
    config = json.loads((files.folder / "tuned" / "model" / "config.json").read_text())
    assert config["policy"]["local"] == "mean"
    assert (files.folder / "tuned" / "model" / "vocabulary.txt").read_text() == (first / "vocabulary.txt").read_text()


def change(files: Files, **changes: Any) -> Path:
    """The training corpus with other values in all its lines."""
    lines = [{**json.loads(line), **changes} for line in files.train.read_text().splitlines()]
    path = files.folder / "changed.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def text(files: Files, content: str | bytes, name: str = "other.txt") -> Path:
    path = files.folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


BAD: dict[str, tuple[Callable[[Files], dict[str, Any]], str]] = {
    "empty corpus": (lambda f: {"train": text(f, "", "empty.jsonl")}, "There is no record in the input"),
    "no sentence like the summary": (lambda f: {"train": change(f, indices=[], score=[])}, "has episodes"),
    "indices out of range": (lambda f: {"train": change(f, indices=[[0, 99]], score=[0.5])}, "line 1: .* sentence 99"),
    "empty summary": (lambda f: {"train": change(f, summary=[])}, 'line 1: "summary" holds no sentence'),
    "empty summary to validate on": (lambda f: {"valid": change(f, summary=[""])}, 'line 1: "summary" holds no'),
    "a line cut in half": (lambda f: {"train": text(f, f.train.read_text()[:40])}, "None of the 1 records"),
    "nothing to validate on": (lambda f: {"valid": text(f, "", "empty.jsonl")}, "There is no record in the input"),
    "missing corpus": (lambda f: {"train": "nowhere.jsonl"}, "There is no file or folder nowhere.jsonl"),
    "a pattern without a match": (lambda f: {"train": "nowhere-*.jsonl"}, "No file matches nowhere-"),
    "missing vectors": (lambda f: {"vectors": "nowhere.txt"}, "No such file or directory: nowhere.txt"),
    "vectors that are none": (lambda f: {"vectors": f.train}, "line 1: not a word and"),
    "both vectors and a model": (lambda f: {"init": "default"}, "has its own word vectors"),
    "a model that is none": (lambda f: {"vectors": None, "init": f.folder}, "is not a model folder"),
    "keys for another history": (lambda f: {"keys": f.train}, "Keys are learned from by"),
    "an output that is a file": (lambda f: {"output": f.train}, "train.jsonl"),
    "no epochs": (lambda f: {"epochs": 0}, "epochs must be a number greater than 0"),
    "negative seed": (lambda f: {"seed": -1}, "seed must be a whole number of at least 0"),
    "all dropped": (lambda f: {"dropout": 1.0}, "dropout must be a number from 0 to 1, and less than 1"),
    "unknown device": (lambda f: {"device": "abacus"}, "'abacus' is not a valid device"),
    "unknown recipe": (lambda f: {"recipe": "soup"}, "There is no recipe 'soup'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(files: Files, case: str):
    make, says = BAD[case]
    result = CliRunner().invoke(app, files.arguments(**{**SMALL, **make(files)}))
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    first, *hint = [line for line in result.stderr.strip().splitlines() if not line.startswith(("phase ", "4 of 4 "))]
    assert first.startswith("memsum: ")
    assert first.endswith(".")
    assert len(hint) <= 1
    assert re.search(says, first), first
    assert not (files.folder / "run" / "model").exists()


def test_the_settings_of_a_run_train_another_one_alike(files: Files):
    small = {**SMALL, "max_sentences": 3, "block_dropout": 0.25}
    assert run(files.arguments(**small))[0] == 0
    again = ["--processes", "1", "--output", str(files.folder / "again")]
    config = ["--config", str(files.folder / "run" / "train.toml")]
    status, said = run(["train", *config, *again])
    assert status == 0, said
    weights = [(files.folder / name / "model" / "policy.safetensors").read_bytes() for name in ("run", "again")]
    assert weights[0] == weights[1]
    settings = [(files.folder / name / "train.toml").read_text() for name in ("run", "again")]
    assert settings[0] == settings[1]
    assert "block_dropout = 0.25" in settings[0]
    changes = ["--set", "training.seed=5", "--set", "training.epochs=0.5", "--output", str(files.folder / "third")]
    assert run(["train", *config, "--processes", "1", *changes])[0] == 0
    third = json.loads((files.folder / "third" / "model" / "config.json").read_text())["training"]
    assert (third["seed"], third["epochs"], third["max_sentences"]) == (5, 0.5, 3)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[training]\ntwinns = 1\n", "'twinns' is not a setting"),
        ("[training]\npatience = true\n", "patience must be a whole number of at least 1, not True"),
        ("[training]\nstates = 2.5\n", "states must be a whole number of at least 0, not 2.5"),
        ("epochs = 3\n", "'epochs' is not a setting"),
        ("network.local = 'bert'\n", "local cannot be 'bert'"),
        ("[network]\nwidth = 3\n", "'width' is not a setting of a network"),
        ("training = 3\n", "'training' is not a setting"),
        ("[training\n", "cannot be read"),
    ],
)
def test_a_file_of_bad_settings_is_one_sentence(files: Files, content: str, says: str):
    path = text(files, content, "bad.toml")
    status, said = run([*files.arguments(), "--config", str(path)])
    assert status == 1
    assert says in said.splitlines()[0]


def test_another_training_in_the_same_folder_is_refused(files: Files):
    assert run(files.arguments(**SMALL))[0] == 0
    model = (files.folder / "run" / "model" / "policy.safetensors").read_bytes()
    status, said = run(files.arguments(**SMALL, seed=1))
    assert status == 1
    assert "other settings (seed, training.seed)" in said.replace("\n", " ")
    assert (files.folder / "run" / "model" / "policy.safetensors").read_bytes() == model
    assert run(files.arguments(**SMALL, seed=1, restart=True))[0] == 0
    assert "\nseed = 1\n" in (files.folder / "run" / "train.toml").read_text()
    assert (files.folder / "run" / "model" / "policy.safetensors").read_bytes() != model


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done_and_the_same_command_goes_on(files: Files):
    """In two processes, as the command starts them itself."""
    arguments = [*files.arguments(**SMALL, epochs=100, validate_every=200), "--processes", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "memsum", *arguments], stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    training, started = files.folder / "run" / "phases" / "training", time.monotonic()
    while not (training / "metrics.jsonl").exists() and time.monotonic() - started < 120:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1, said
    assert "The training was interrupted and can be resumed." in said
    assert "Traceback" not in said
    assert (training / "checkpoint.safetensors").exists()
    interrupted = read_metrics(training / "metrics.jsonl")[-1]["update"]
    status, said = run(arguments)
    assert status == 0, said
    assert interrupted < read_metrics(training / "metrics.jsonl")[-1]["update"] <= 200  # fewer where none was better


@pytest.mark.parametrize("command", ["train", "adapt"])
def test_without_the_extra_it_says_what_to_install(command: str, tmp_path: Path) -> None:
    arguments = ["train", "a.jsonl", "b.jsonl", "--vectors", "v"] if command == "train" else ["adapt", "a.jsonl"]
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from memsum.cli import main\n"
        f"sys.argv = ['memsum', *{[*arguments, '--output', str(tmp_path / 'run')]}]; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    what = "`memsum train`" if command == "train" else "Adapting a model"
    assert done.stderr == (
        f"memsum: {what} needs an optional part of memsum.\n        Install it: {install_command('train')}\n"
    )
