"""A model of few weights that was exported, and a document with sections."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import Summarizer
from memsum.models import ModelConfig, StopSettings, write_manifest
from memsum.policy import PolicyConfig
from memsum.text import WordVectors
from memsum.text.encoding import TextEncoder

PAPER = """\
# Lighting on rural roads

## Background

Little was known about collisions when the first surveys began in 1999. Night-time crashes are rare
in rural counties. They are often fatal, and road lighting was said to prevent them.

## Methods

Data were entered twice and checked by a second reader. Missing values were replaced by the median of
the group. The analysis used a mixed model with a random intercept.

## Results

Overall, road lighting clearly improved safety among rural counties (p < 0.01). Response rates differed
little between regions. Sensitivity analyses gave the same picture.

## Conclusion

We conclude that road lighting should be offered to counties that are at risk of collisions. The benefit
lasts for at least 12 months.

## References

1. Smith J. A similar scheme. 2001.
"""


@pytest.fixture(scope="session")
def paper() -> str:
    """A document in Markdown: eleven sentences, some across lines."""
    return PAPER


@pytest.fixture(scope="session")
def model_folder(tiny: PolicyConfig, vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported model; untrained, it stops neither at once nor with certainty."""
    import torch

    from memsum.policy.export import export_policy
    from memsum.policy.folder import new_policy, save_policy

    folder = tmp_path_factory.mktemp("models") / "tiny"
    torch.manual_seed(3)
    policy = new_policy(tiny, TextEncoder(vectors)).eval()
    save_policy(folder, policy, ModelConfig(tiny.to_dict(), stop=StopSettings(0.999, 4)), vectors)
    export_policy(policy, folder)
    write_manifest(folder)
    return folder


@pytest.fixture(scope="session")
def summarizer(model_folder: Path) -> Summarizer:
    """The model, loaded."""
    return Summarizer.load(model_folder, threads=1)
