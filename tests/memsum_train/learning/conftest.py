"""Small trainings: a dozen short documents, a network of a few thousand weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.text import WordVectors
from memsum_train.corpus import Example, write_examples
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.distributed import World
from memsum_train.learning.trainer import Trainer, build_trainer
from memsum_train.policy import PolicyConfig
from memsum_train.policy.folder import new_policy

ALONE = World(0, 1, torch.device("cpu"))

MakeTrainer = Callable[..., Trainer]


@pytest.fixture(scope="session")
def short_file(short_examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, as a file."""
    path = tmp_path_factory.mktemp("short") / "short.jsonl"
    write_examples(path, short_examples)
    return path


@pytest.fixture(scope="session")
def make_trainer(
    short_file: Path, make_examples: Callable[..., list[Example]], vectors: WordVectors, tiny: PolicyConfig
) -> MakeTrainer:
    """Sets up a training in a folder: three updates an epoch, a validation on four documents of two sources."""
    held_out = make_examples(12, seed=2, sentences=8)[::3]

    def make(
        folder: Path,
        *,
        world: World = ALONE,
        train: Path = short_file,
        valid: list[Example] = held_out,
        network: dict[str, Any] | None = None,
        text: TextSettings | None = None,
        **settings: Any,
    ) -> Trainer:
        usual = {"batch": 4, "epochs": 2, "validate_every": 1_000, "max_sentences": 4}
        config = TrainingConfig(**{**usual, **settings})
        encoder = TextEncoder(vectors, text or TextSettings())
        policy = new_policy(replace(tiny, **(network or {})), encoder, config.seed)
        return build_trainer(policy, encoder, train, valid, config, folder, world)

    return make
