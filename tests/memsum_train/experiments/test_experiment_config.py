"""Configs: presets, files, and what is wrong with them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from memsum.errors import MemsumError
from memsum_train.experiments.config import Config, Corpus, Documents, read_config


def made(folder: Path, content: dict[str, object]) -> Config:
    for split in ("train", "valid", "test"):
        (folder / f"{split}.jsonl").touch()
    corpus = {split: f"{split}.jsonl" for split in ("train", "valid", "test")}
    return Config.make({"corpora": {"papers": corpus}, **content}, folder)


def test_toml_says_what_differs_from_a_scale(tmp_path: Path) -> None:
    small = made(tmp_path, {})
    path = tmp_path / "run.toml"
    path.write_text(
        """
        scale = "small"
        seeds = [3, 4]
        [corpora.papers]
        train = "train.jsonl"
        valid = "valid.jsonl"
        test = "test.jsonl"
        [documents]
        train = 50
        [network]
        local = "lstm"
        [training]
        epochs = 2
        betas = [0.9, 0.999]
        """
    )
    config = read_config(path)
    assert config.corpora == (Corpus("papers", *(tmp_path / f"{split}.jsonl" for split in ("train", "valid", "test"))),)
    assert config.seeds == (3, 4)
    assert config.documents.train == 50
    assert config.network.local == "lstm"
    assert (config.training.epochs, config.training.betas) == (2, (0.9, 0.999))
    assert small.documents.test == config.documents.test
    assert read_config(path, "toy").documents == Documents(50, 6, 6)


def test_the_full_scale_is_the_paper(tmp_path: Path) -> None:
    full = made(tmp_path, {"scale": "full"})
    assert (full.documents, full.seeds) == (Documents(), (0, 1, 2))
    assert (full.training.optimizer, full.training.learning_rate, full.network.dimension) == ("adam", 1e-4, 200)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"scale": "huge"}, "scale cannot be 'huge'"),
        ({"sedes": [1]}, "'sedes' is not a setting"),
        ({"network": {"layers": 3}}, "'layers' is not a setting of network"),
        ({"network": {"history": "magic"}}, "history cannot be 'magic'"),
        ({"training": {"epochs": -1}}, "epochs must be a number greater than 0"),
        ({"seeds": [1, 1]}, "seeds must be different"),
        ({"seeds": "1"}, "seeds must be a list"),
        ({"seeds": [-1]}, "at least 0"),
        ({"documents": {"train": 0}}, "at least 1"),
        ({"documents": {"train": "many"}}, "at least 1"),
        ({"corpora": {"a": {"train": "train.jsonl"}}}, "needs train, valid, test"),
        ({"corpora": {}}, "no corpus"),
        ({"corpora": []}, "must be a table"),
        ({"vectors": "nowhere"}, "There is no"),
        ({"predictions": {"bart": "nowhere.jsonl"}}, "There is no"),
        ({"predictions": {"NeuSum": "test.jsonl"}}, "Predictions cannot be called NeuSum"),
        (
            {"corpora": {"a/b": {"train": "train.jsonl", "valid": "valid.jsonl", "test": "test.jsonl"}}},
            "name of a corpus",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, content: dict[str, object], says: str) -> None:
    with pytest.raises(MemsumError, match=says):
        made(tmp_path, content)


@pytest.mark.parametrize("content", [b"{", b"\x00", b'"text"', b"\xff = 1"])
def test_no_config_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(content)
    with pytest.raises(MemsumError, match=r"run\.toml cannot be read"):
        read_config(path)


def test_a_config_can_be_written_down(tmp_path: Path) -> None:
    config = made(tmp_path, {"scale": "toy"})
    again = json.loads(json.dumps(asdict(config), default=str))
    assert again["seeds"] == [0]
    assert again["corpora"][0]["test"] == str(tmp_path / "test.jsonl")
