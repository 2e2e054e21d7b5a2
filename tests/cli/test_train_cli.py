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
from memsum.training.corpus import Example, write_examples
from memsum.training.learning.metrics import read_metrics

FLAGS = (
    "output",
    "vectors",
    "init",
    "epochs",
    "batch",
    "learning_rate",
    "objective",
    "history",
    "seed",
    "device",
    "restart",
)
NETWORK = ("local", "context", "stopping", "dropout")


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
        tables: dict[str, dict[str, Any]] = {"network": {}, "training": {}}
        for name, value in {**usual, **options}.items():
            if name not in FLAGS:
                tables["network" if name in NETWORK else "training"][name] = value
            elif value is not None:
                arguments += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        return [*arguments, *settings_file(self.folder / "settings.toml", tables)]


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


VARIANTS = [
    {},
    {"local": "lstm"},
    {"local": "mean"},
    {"context": "none"},
    {"history": "gru"},
    {"history": "none"},
    {"stopping": "fixed"},
    {"stopping": "stop-sentence"},
    {"states": 0, "stopping": "stop-sentence"},
]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_variant_trains_and_validates(files: Files, variant: dict[str, Any]):
    status, said = run(files.arguments(**variant))
    assert status == 0, said
    assert "Best validation" in said
    assert str(files.folder / "run" / "model") in said.replace("\n", "")
    config = json.loads((files.folder / "run" / "model" / "config.json").read_text())
    assert config["policy"]["word_dimension"] == 16
    assert {name: config["policy"][name] for name in variant if name in config["policy"]} == {
        name: value for name, value in variant.items() if name != "states"
    }
    last = read_metrics(files.folder / "run" / "metrics.jsonl")[-1]
    assert last["update"] == 2
    assert last["validation"]["score"] > 0


def test_what_the_folder_of_a_run_holds(files: Files):
    status, said = run(files.arguments(**SMALL, seed=7))
    assert status == 0, said
    folder = files.folder / "run"
    names = {path.name for path in folder.iterdir()}
    assert {"training.json", "train.toml", "metrics.jsonl", "curves.png", "model", "checkpoint.safetensors"} <= names
    settings = json.loads((folder / "training.json").read_text())
    assert settings["training"]["seed"] == 7
    assert settings["policy"]["local"] == "mean"
    assert settings["train"]["name"] == "train.jsonl"
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert {path.name for path in (folder / "model").iterdir()} == {
        "config.json",
        "vocabulary.txt",
        "embeddings.safetensors",
        "policy.safetensors",
    }
    assert {"loss", "validation"} <= {key for line in read_metrics(folder / "metrics.jsonl") for key in line}


def test_a_model_can_be_trained_on(files: Files):
    run(files.arguments(**SMALL))
    first = files.folder / "run" / "model"
    status, said = run(files.arguments(vectors=None, init=first, output=files.folder / "tuned"))
    assert status == 0, said
    config = json.loads((files.folder / "tuned" / "model" / "config.json").read_text())
    assert config["policy"]["local"] == "mean"
    assert (files.folder / "tuned" / "model" / "vocabulary.txt").read_text() == (first / "vocabulary.txt").read_text()


def change(files: Files, **changes: Any) -> Path:
    """The training corpus with other values in its second line."""
    lines = files.train.read_text().splitlines()
    record = json.loads(lines[1])
    record.update(changes)
    path = files.folder / "changed.jsonl"
    path.write_text("\n".join([lines[0], json.dumps({k: v for k, v in record.items() if v is not None})]) + "\n")
    return path


def text(files: Files, content: str | bytes, name: str = "other.txt") -> Path:
    path = files.folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


BAD: dict[str, tuple[Callable[[Files], dict[str, Any]], str]] = {
    "no episodes": (lambda f: {"train": f.valid}, "None of the corpus's 2 documents has episodes"),
    "empty corpus": (lambda f: {"train": text(f, "")}, "no documents"),
    "indices out of range": (lambda f: {"train": change(f, indices=[[0, 99]], score=[0.5])}, "line 2: .* sentence 99"),
    "negative indices": (lambda f: {"train": change(f, indices=[[-1]], score=[0.5])}, "line 2: .* sentence -1"),
    "indices without scores": (lambda f: {"train": change(f, score=None)}, "line 2: "),
    "a score that is no number": (lambda f: {"train": change(f, score=[float("nan")] * 2)}, "line 2: "),
    "empty summary": (lambda f: {"train": change(f, summary=[])}, 'line 2: "summary" holds no sentence'),
    "empty summary to validate on": (lambda f: {"valid": change(f, summary=[""])}, 'line 2: "summary" holds no'),
    "empty text": (lambda f: {"train": change(f, text=[])}, 'line 2: "text" holds no sentence'),
    "a line cut in half": (lambda f: {"train": text(f, f.train.read_text()[:-40])}, "line 4: .* cut off"),
    "nothing to validate on": (lambda f: {"valid": text(f, "")}, "no document with a summary"),
    "missing corpus": (lambda f: {"train": "nowhere.jsonl"}, "No such file or directory: nowhere.jsonl"),
    "missing validation": (lambda f: {"valid": "nowhere.jsonl"}, "No such file or directory: nowhere.jsonl"),
    "a folder as corpus": (lambda f: {"train": f.folder}, "is a folder"),
    "missing vectors": (lambda f: {"vectors": "nowhere.txt"}, "nowhere.txt is neither"),
    "vectors that are none": (lambda f: {"vectors": f.train}, "line 1: not a word and"),
    "binary vectors": (lambda f: {"vectors": text(f, b"\x00\xff\xfe" * 99)}, "line 1: "),
    "both vectors and a model": (lambda f: {"init": f.folder}, "either --vectors or --init"),
    "neither vectors nor a model": (lambda f: {"vectors": None}, "either --vectors or --init"),
    "a model that is none": (lambda f: {"vectors": None, "init": f.folder}, "is not a model folder"),
    "a model that is a file": (lambda f: {"vectors": None, "init": f.train}, "no model folder"),
    "an output that is a file": (lambda f: {"output": f.train}, "train.jsonl"),
    "no epochs": (lambda f: {"epochs": 0}, "epochs must be greater than 0"),
    "no batch": (lambda f: {"batch": 0}, "batch must be greater than 0"),
    "negative seed": (lambda f: {"seed": -1}, "seed must not be less than 0"),
    "all dropped": (lambda f: {"dropout": 1.0}, "dropout must be at least 0 and less than 1"),
    "unknown device": (lambda f: {"device": "abacus"}, "'abacus' is not a valid device"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(files: Files, case: str):
    make, says = BAD[case]
    result = CliRunner().invoke(app, files.arguments(**{**SMALL, **make(files)}))
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    first, *hint = result.stderr.strip().splitlines()
    assert first.startswith("memsum: ")
    assert first.endswith(".")
    assert len(hint) <= 1
    assert re.search(says, first), first
    assert not (files.folder / "run" / "model").exists()


@pytest.mark.parametrize("options", [{"local": "bert"}, {"precision": "fp8"}, {"epochs": "many"}, {"patience": "long"}])
def test_an_option_that_is_none_is_named(files: Files, options: dict[str, Any]):
    result = CliRunner().invoke(app, files.arguments(**options))
    assert result.exit_code in (1, 2)
    assert next(iter(options)) in result.stderr


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        (["--twins", "0.6"], "`duplicates = 0.6` under [training]"),
        (["--thinning", "0"], "`block_dropout = 0` under [training]"),
        (["--validate-every", "9"], "`validate_every = 9` under [training]"),
        (["--local-encoder", "lstm"], "`local = 'lstm'` under [network]"),
        (["--dropout", "0.2"], "`dropout = 0.2` under [network]"),
        (["--system", "neusum"], "`system = 'neusum'` into"),
        (["--keep-repeats"], "`keep_repeats = true` into"),
    ],
)
def test_a_former_flag_says_where_its_setting_is(files: Files, flags: list[str], hint: str):
    status, said = run([*files.arguments(), *flags])
    assert status == 1
    assert f"memsum: {flags[0]} is a setting of a file now." in said
    assert hint in said


def test_the_settings_of_a_run_train_another_one_alike(files: Files):
    small = {**SMALL, "max_sentences": 3, "block_dropout": 0.25}
    assert run(files.arguments(**small))[0] == 0
    again = ["--vectors", str(files.vectors), "--output", str(files.folder / "again")]
    config = ["--config", str(files.folder / "run" / "train.toml")]
    status, said = run(["train", str(files.train), str(files.valid), *again, *config])
    assert status == 0, said
    weights = [(files.folder / name / "model" / "policy.safetensors").read_bytes() for name in ("run", "again")]
    assert weights[0] == weights[1]
    settings = [(files.folder / name / "train.toml").read_text() for name in ("run", "again")]
    assert settings[0] == settings[1]
    assert "block_dropout = 0.25" in settings[0]
    assert run([*files.arguments(output=files.folder / "third"), *config, "--seed", "5", "--epochs", "0.5"])[0] == 0
    third = json.loads((files.folder / "third" / "training.json").read_text())["training"]
    assert (third["seed"], third["epochs"], third["max_sentences"]) == (5, 0.5, 3)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[training]\ntwinns = 1\n", "'twinns' is not a setting"),
        ("[training]\npatience = true\n", "patience cannot be True"),
        ("[training]\nstates = 2.5\n", "states cannot be 2.5"),
        ("epochs = 3\n", "'epochs' is not a setting"),
        ("system = 'bert'\n", "'bert' is not a setting"),
        ("[network]\nwidth = 3\n", "does not know: width"),
        ("training = 3\n", "'training' is not a setting"),
        ("[training\n", "cannot be read"),
    ],
)
def test_a_file_of_bad_settings_is_one_sentence(files: Files, content: str, says: str):
    path = text(files, content, "bad.toml")
    status, said = run([*files.arguments(), "--config", str(path)])
    assert status == 1
    assert says in said.splitlines()[0]


def test_former_names_of_settings_are_understood(files: Files):
    path = text(files, "[training]\nthinning = 0.1\ntwins = 0.2\n[network]\nhistory = 'none'\n", "former.toml")
    status, said = run([*files.arguments(**SMALL), "--config", str(path)])
    assert status == 0, said
    settings = json.loads((files.folder / "run" / "training.json").read_text())["training"]
    assert (settings["block_dropout"], settings["duplicates"]) == (0.1, 0.2)


def test_another_training_in_the_same_folder_is_refused(files: Files):
    assert run(files.arguments(**SMALL))[0] == 0
    checkpoint = (files.folder / "run" / "checkpoint.safetensors").read_bytes()
    status, said = run(files.arguments(**SMALL, seed=1))
    assert status == 1
    assert "other settings (seed)" in said.replace("\n", " ")
    assert (files.folder / "run" / "checkpoint.safetensors").read_bytes() == checkpoint
    assert json.loads((files.folder / "run" / "training.json").read_text())["training"]["seed"] == 0
    assert run(files.arguments(**SMALL, seed=1, restart=True))[0] == 0
    assert json.loads((files.folder / "run" / "training.json").read_text())["training"]["seed"] == 1


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done_and_the_same_command_goes_on(files: Files):
    arguments = files.arguments(**SMALL, epochs=100, validate_every=200)
    process = subprocess.Popen(
        [sys.executable, "-m", "memsum", *arguments], stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    started = time.monotonic()
    while not (files.folder / "run" / "metrics.jsonl").exists() and time.monotonic() - started < 60:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert "The training was interrupted and can be resumed." in said
    assert "Traceback" not in said
    assert (files.folder / "run" / "checkpoint.safetensors").exists()
    status, said = run(arguments)
    assert status == 0, said
    assert read_metrics(files.folder / "run" / "metrics.jsonl")[-1]["update"] == 200


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
    assert done.stderr == (
        f"memsum: `memsum {command}` needs an optional part of memsum.\n"
        f"        Install it: {install_command('train')}\n"
    )


@pytest.mark.slow
def test_the_count_based_network_from_vectors_to_a_summary(
    files: Files, make_examples: Callable[..., list[Example]], paper: str
):
    """Supervised, then on-policy, tuned, exported, used; and the encoders of a model with another history are kept."""
    train = files.folder / "many.jsonl"
    write_examples(train, make_examples(60, sentences=8))
    folder = files.folder
    small = {"train": train, "local": "mean", "context": "none", "epochs": 0.2, "batch": 6, "max_sentences": 5}
    status, said = run(files.arguments(**small, history="counted", output=folder / "one"))
    assert status == 0, said
    config = json.loads((folder / "one" / "model" / "config.json").read_text())
    assert config["training"]["objective"] == "hits"
    assert config["stop"]["by"] == "length"
    again = {"train": train, "epochs": 0.2, "batch": 6, "max_sentences": 5, "vectors": None}
    more = {"init": folder / "one" / "model", "objective": "rehearsal", "samples": 2}
    status, said = run(files.arguments(**again, **more, output=folder / "two"))
    assert status == 0, said
    model = folder / "two" / "model"
    options = [
        "--max-sentences",
        "3",
        "--low-value",
        "2.5",
        "--needs-context",
        "0.6",
        "--fullness",
        "0.7",
        "--short-quotes",
        "1",
    ]
    assert run(["tune", str(files.valid), "--model", str(model), *options])[0] == 0
    config = json.loads((model / "config.json").read_text())
    assert (config["stop"]["by"], config["stop"]["max_sentences"]) == ("policy", 3)
    assert (config["penalties"]["low_value"], config["penalties"]["fullness"]) == (2.5, 0.7)
    assert (config["penalties"]["needs_context"], config["penalties"]["short"]) == (0.6, 1)
    assert run(["model", "export", str(model), "--output", str(folder / "mine"), "--precision", "int8"])[0] == 0
    (folder / "paper.md").write_text(paper)
    result = CliRunner().invoke(app, ["summarize", str(folder / "paper.md"), "--model", str(folder / "mine")])
    assert 1 <= len(result.stdout.splitlines()) <= 3
    status, said = run(files.arguments(**SMALL, output=folder / "other"))
    assert status == 0, said
    status, said = run(
        files.arguments(**again, init=folder / "other" / "model", history="counted", output=folder / "three")
    )
    assert status == 0, said
