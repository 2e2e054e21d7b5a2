"""Configs: presets, files, and what is wrong with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memsum.errors import MemsumError
from memsum_train.experiments.config import Config, Corpus, Documents, read_config

needs_toml = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no TOML")


def written(folder: Path, content: dict[str, object]) -> Path:
    for split in ("train", "valid", "test"):
        (folder / f"{split}.jsonl").touch()
    corpus = {split: f"{split}.jsonl" for split in ("train", "valid", "test")}
    path = folder / "run.json"
    path.write_text(json.dumps({"corpora": {"papers": corpus}, **content}))
    return path


@needs_toml
def test_toml_says_what_differs_from_a_scale(tmp_path: Path) -> None:
    written(tmp_path, {})
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
    assert read_config(written(tmp_path, {})).documents.test == config.documents.test


def test_json_is_read_too_and_the_scale_can_be_overridden(tmp_path: Path) -> None:
    path = written(tmp_path, {"scale": "full"})
    assert read_config(path).documents == Documents()
    assert read_config(path, "toy").documents.train == 12


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"scale": "huge"}, "'huge' is not a scale"),
        ({"sedes": [1]}, "'sedes' is not a setting"),
        ({"network": {"layers": 3}}, "'layers' is not a setting of network"),
        ({"network": {"history": "magic"}}, "history cannot be 'magic'"),
        ({"training": {"epochs": -1}}, "epochs must be a number greater than 0"),
        ({"seeds": [1, 1]}, "seeds must be different"),
        ({"seeds": "1"}, "seeds must be a list"),
        ({"documents": {"train": 0}}, "at least 1"),
        ({"documents": {"train": "many"}}, "at least 1"),
        ({"corpora": {"a": {"train": "train.jsonl"}}}, "needs train, valid, test"),
        ({"corpora": {}}, "no corpus"),
        ({"corpora": []}, "must be a table"),
        ({"vectors": "nowhere"}, "There is no"),
        ({"predictions": {"bart": "nowhere.jsonl"}}, "There is no"),
        (
            {"corpora": {"a/b": {"train": "train.jsonl", "valid": "valid.jsonl", "test": "test.jsonl"}}},
            "name of a corpus",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, content: dict[str, object], says: str) -> None:
    with pytest.raises(MemsumError, match=says):
        read_config(written(tmp_path, content))


@pytest.mark.parametrize("content", ["{", "[]", "\x00", '"text"'])
def test_no_config_at_all(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(MemsumError, match=r"run\.json"):
        read_config(path)


def test_a_config_can_be_written_down(tmp_path: Path) -> None:
    config: Config = read_config(written(tmp_path, {"scale": "toy"}))
    again = json.loads(json.dumps(config.to_dict()))
    assert again["seeds"] == [0]
    assert again["corpora"]["papers"]["test"] == str(tmp_path / "test.jsonl")
