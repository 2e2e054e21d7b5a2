"""A policy saved is the policy loaded; a folder that is no model says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.model import ModelConfig, StopSettings
from memsum.text import WordVectors
from memsum.text.vectors import EMBEDDINGS_FILE, VOCABULARY_FILE
from memsum_train.corpus import Example
from memsum_train.paper.model import extract
from memsum_train.policy import PolicyConfig
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import POLICY_FILE, load_policy, new_policy, save_policy

STOP = StopSettings(0.4, 9)


@pytest.fixture
def folder(tmp_path: Path, tiny: PolicyConfig, vectors: WordVectors) -> Path:
    save(tmp_path / "model", tiny, vectors)
    return tmp_path / "model"


def save(folder: Path, network: PolicyConfig, vectors: WordVectors) -> None:
    torch.manual_seed(1)
    settings = TextSettings(max_tokens=20, collapse_repeats=False)
    policy = new_policy(network, TextEncoder(vectors, settings))
    config = ModelConfig(network.to_dict(), settings, STOP, {"seed": 3, "data": ["papers"]})
    save_policy(folder, policy, config, TextEncoder(vectors))


@pytest.mark.parametrize(
    "variant", [{}, {"local": "lstm", "history": "gru"}, {"local": "mean", "stopping": "stop-sentence"}]
)
def test_saved_and_loaded_it_is_the_same(
    tmp_path: Path, tiny: PolicyConfig, vectors: WordVectors, examples: list[Example], variant: dict[str, Any]
):
    network = replace(tiny, **variant)
    save(tmp_path, network, vectors)
    policy, encoder, config = load_policy(tmp_path)
    torch.manual_seed(1)
    before = new_policy(network, encoder).eval()
    assert not policy.training
    assert policy.config == network
    assert config.stop == STOP
    assert config.text == encoder.settings == TextSettings(max_tokens=20, collapse_repeats=False)
    assert config.training == {"seed": 3, "data": ["papers"]}
    batch = collate([encoder.encode(example.text) for example in examples[:3]])
    assert extract(policy, batch, 5) == extract(before, batch, 5)


def test_saving_again_replaces_the_weights(folder: Path, vectors: WordVectors):
    names = {VOCABULARY_FILE, EMBEDDINGS_FILE, POLICY_FILE, "config.json"}
    assert {path.name for path in folder.iterdir()} == names
    policy, _, config = load_policy(folder)
    with torch.no_grad():
        policy.extractor.score.bias.fill_(7)
    save_policy(folder, policy, replace(config, stop=StopSettings(0.9, 3)), TextEncoder(vectors))
    again, _, changed = load_policy(folder)
    assert again.extractor.score.bias.item() == 7
    assert changed.stop == StopSettings(0.9, 3)


def test_saving_over_a_model_of_other_words_replaces_them(folder: Path, tiny: PolicyConfig, vectors: WordVectors):
    size = len(vectors.vocabulary) - 10
    fewer = WordVectors(
        type(vectors.vocabulary)(vectors.vocabulary.words[:size]),
        vectors.rows[:size],
        vectors.scales[:size],
        vectors.frequencies[:size],
    )
    save(folder, tiny, fewer)
    _, encoder, _ = load_policy(folder)
    assert encoder.vectors.vocabulary.words == fewer.vocabulary.words


def test_weights_in_half_precision_are_read(folder: Path):
    path = folder / POLICY_FILE
    weights = safetensors.torch.load_file(path)
    safetensors.torch.save_file({name: weight.half() for name, weight in weights.items()}, path)
    policy, _, _ = load_policy(folder)
    assert {weight.dtype for weight in policy.parameters()} == {torch.float32}


def change_config(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "config.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no folder": lambda folder: folder.rename(folder.with_name("elsewhere")),
    "no config": lambda folder: (folder / "config.json").unlink(),
    "no weights": lambda folder: (folder / POLICY_FILE).unlink(),
    "no words": lambda folder: (folder / VOCABULARY_FILE).unlink(),
    "no vectors": lambda folder: (folder / EMBEDDINGS_FILE).unlink(),
    "cut weights": lambda folder: (folder / POLICY_FILE).write_bytes((folder / POLICY_FILE).read_bytes()[:-100]),
    "cut vectors": lambda f: (f / EMBEDDINGS_FILE).write_bytes((f / EMBEDDINGS_FILE).read_bytes()[:-100]),
    "junk for weights": lambda folder: (folder / POLICY_FILE).write_bytes(b"\xff" * 900),
    "empty weights": lambda folder: (folder / POLICY_FILE).write_bytes(b""),
    "cut config": lambda folder: (folder / "config.json").write_text('{"format": 1, "policy": {'),
    "config in another encoding": lambda folder: (folder / "config.json").write_bytes(b"\xff\xfe{}"),
    "config of something else": lambda folder: (folder / "config.json").write_text('{"model_type": "other"}'),
    "config that is a list": lambda folder: (folder / "config.json").write_text("[1]"),
    "newer format": lambda folder: change_config(folder, lambda c: c.update(format=99)),
    "setting of a newer network": lambda folder: change_config(folder, lambda c: c["policy"].update(mixture=3)),
    "setting of a newer reader": lambda folder: change_config(folder, lambda c: c["text"].update(language="en")),
    "unknown variant": lambda folder: change_config(folder, lambda c: c["policy"].update(local="transformer")),
    "size that is no number": lambda folder: change_config(folder, lambda c: c["policy"].update(dimension="16")),
    "no heads": lambda folder: change_config(folder, lambda c: c["policy"].update(heads=0)),
    "half a layer": lambda folder: change_config(folder, lambda c: c["policy"].update(history_layers=0.5)),
    "impossible dropout": lambda folder: change_config(folder, lambda c: c["policy"].update(dropout=1.5)),
    "heads that do not fit": lambda folder: change_config(folder, lambda c: c["policy"].update(heads=3)),
    "another size": lambda folder: change_config(folder, lambda c: c["policy"].update(dimension=32)),
    "another width of words": lambda folder: change_config(folder, lambda c: c["policy"].update(word_dimension=32)),
    "no policy": lambda folder: change_config(folder, lambda c: c.pop("policy")),
    "no text settings": lambda folder: change_config(folder, lambda c: c.pop("text")),
    "settings of another kind": lambda folder: change_config(folder, lambda c: c.update(text=3, stop=[1])),
    "a threshold in words": lambda folder: change_config(folder, lambda c: c["stop"].update(threshold="high")),
    "no tokens at all": lambda folder: change_config(folder, lambda c: c["text"].update(max_tokens=0)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_folder_that_is_no_model_says_so_in_one_sentence(folder: Path, damage: str):
    DAMAGE[damage](folder)
    with pytest.raises(ModelError) as caught:
        load_policy(folder)
    message = caught.value.message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_file_is_no_folder(folder: Path):
    with pytest.raises(ModelError):
        load_policy(folder / "config.json")


def test_a_failed_save_leaves_the_model_as_it_was(folder: Path, vectors: WordVectors, monkeypatch: pytest.MonkeyPatch):
    policy, _, config = load_policy(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with torch.no_grad():
        policy.extractor.score.bias.fill_(7)
    with pytest.raises(OSError, match="No space"):
        save_policy(folder, policy, config, TextEncoder(vectors))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
