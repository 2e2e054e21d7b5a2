"""Folders of a model of few weights: as a training leaves it, and exported by the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memsum.cli.app import app
from memsum.features.encoding import TextEncoder
from memsum.model import ModelConfig, StopSettings
from memsum.text import WordVectors
from memsum_train.policy import PolicyConfig


@pytest.fixture(scope="session")
def trained_folder(tiny: PolicyConfig, vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a training writes, with a model card."""
    import torch

    from memsum_train.policy.folder import new_policy, save_policy

    folder = tmp_path_factory.mktemp("run") / "model"
    torch.manual_seed(3)
    policy = new_policy(tiny, TextEncoder(vectors))
    training = {"train": {"name": "train.jsonl", "bytes": 3}}
    save_policy(
        folder, policy, ModelConfig(tiny.to_dict(), stop=StopSettings(1.0, 4), training=training), TextEncoder(vectors)
    )
    (folder / "README.md").write_text("# A tiny model\n")
    return folder


@pytest.fixture(scope="session")
def model_folder(trained_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported model."""
    folder = tmp_path_factory.mktemp("exported") / "tiny"
    result = CliRunner().invoke(app, ["model", "export", str(trained_folder), "--output", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def model(model_folder: Path) -> list[str]:
    """The options by which a command takes the exported model, on one core."""
    return ["--model", str(model_folder), "--threads", "1"]
