"""`config.json` of a model folder: written, read, and refused where it is none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memsum.errors import ModelError
from memsum.features.encoding import TextSettings
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum.model.verify import read_manifest

CONFIG = ModelConfig(
    {"local": "lstm", "dimension": 16},
    TextSettings(max_tokens=99, collapse_repeats=False),
    StopSettings(0.6, 7),
    {"train": {"name": "train.jsonl"}, "seed": 1},
)


def test_saved_and_loaded_it_is_the_same(tmp_path: Path):
    CONFIG.save(tmp_path)
    assert ModelConfig.load(tmp_path) == CONFIG
    assert json.loads((tmp_path / "config.json").read_text())["format"] == 1


def test_a_threshold_may_be_a_whole_number(tmp_path: Path):
    write(tmp_path, stop={"threshold": 1, "max_sentences": 3})
    assert ModelConfig.load(tmp_path).stop == StopSettings(1, 3)


def test_penalties_among_the_stop_settings_of_older_models_are_read(tmp_path: Path):
    old = {"brevity": 0.1, "fullness": 1.0, "short_quotes": 1.5, "dependent_quotes": 0.6, "poor_quotes": 4}
    write(tmp_path, stop={"threshold": 0.2, **old})
    content = json.loads((tmp_path / "config.json").read_text())
    del content["penalties"]
    (tmp_path / "config.json").write_text(json.dumps(content))
    loaded = ModelConfig.load(tmp_path)
    assert loaded.stop == StopSettings(0.2)
    assert loaded.penalties == SelectionPenalties(needs_context=0.6, low_value=4)
    loaded.save(tmp_path)
    assert ModelConfig.load(tmp_path) == loaded
    assert "poor_quotes" not in json.loads((tmp_path / "config.json").read_text())["stop"]


def test_settings_that_are_missing_have_their_defaults(tmp_path: Path):
    write(tmp_path, text={}, stop={"threshold": 0.2})
    loaded = ModelConfig.load(tmp_path)
    assert loaded.text == TextSettings()
    assert loaded.stop == StopSettings(0.2)


def write(folder: Path, **changes: Any) -> None:
    CONFIG.save(folder)
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 2}, "format 2"),
        ({"format": None}, "format"),
        ({"format": "1"}, "format"),
        ({"text": {"max_tokens": 10, "language": "en"}}, "language"),
        ({"text": {"max_tokens": "10"}}, "max_tokens"),
        ({"text": {"max_tokens": 0}}, "max_tokens"),
        ({"text": {"max_tokens": True}}, "max_tokens"),
        ({"text": {"collapse_repeats": "yes"}}, "collapse_repeats"),
        ({"text": None}, "incomplete"),
        ({"stop": 3}, "incomplete"),
        ({"stop": {"threshold": None}}, "threshold"),
        ({"stop": {"max_sentences": 2.5}}, "max_sentences"),
        ({"policy": 3}, "incomplete"),
        ({"policy": {"local": ["lstm"]}}, "impossible local"),
        ({"policy": {"dimension": {"of": 3}}}, "impossible dimension"),
        ({"policy": {"dimension": 10**40}}, "impossible dimension"),
        ({"text": [["max_tokens", 5]]}, "incomplete"),
        ({"format": True}, "format"),
        ({"stop": {"threshold": float("nan")}}, "NaN is no JSON"),
        ({"stop": {"max_sentences": 10**300}}, "max_sentences"),
        ({"stop": {"by": ["policy"]}}, "by"),
        ({"stop": {"threshold": 10**400}}, "threshold"),
        ({"penalties": {"low_value": -(10**400)}}, "low_value"),
        ({"training": 3}, "incomplete"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changes: dict[str, Any], says: str):
    write(tmp_path, **changes)
    with pytest.raises(ModelError, match=says) as caught:
        ModelConfig.load(tmp_path)
    assert caught.value.message.endswith(".")


def test_a_newer_model_asks_for_a_newer_memsum(tmp_path: Path):
    write(tmp_path, format=7)
    with pytest.raises(ModelError) as caught:
        ModelConfig.load(tmp_path)
    assert caught.value.hint == "Upgrade memsum."


def test_a_folder_without_config_is_no_model(tmp_path: Path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ModelError, match="is not a model folder"):
            ModelConfig.load(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"format": ' + b"9" * 5000 + b"}", "damaged"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'"' + b"x" * 2**24 + b'"', "more than 16,777,216 bytes"),
        (b"\xff\xfe{}", "damaged"),
    ],
)
@pytest.mark.parametrize("name", ["config.json", "MANIFEST.json"])
def test_json_that_is_a_trap_is_one_sentence(tmp_path: Path, content: bytes, says: str, name: str):
    CONFIG.save(tmp_path)
    (tmp_path / name).write_bytes(content)
    load = ModelConfig.load if name == "config.json" else read_manifest
    with pytest.raises(ModelError, match=says if name == "config.json" else "damaged") as caught:
        load(tmp_path)
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize("name", ["config.json", "MANIFEST.json", "length.safetensors", "policy.safetensors"])
def test_a_pipe_or_a_device_is_no_file(tmp_path: Path, name: str):
    CONFIG.save(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(ModelError, match=f"{name} is not a file"):
        ModelConfig.load(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(ModelError, match=f"{name} is not a file"):
        ModelConfig.load(tmp_path)
