"""A context whose models were never trained: what experiments make of models can be tested without waiting for any."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch

from memsum.corpus import Example, write_examples
from memsum.evaluation import Data, Run, System, run_system
from memsum.experiments.config import Files, at_scale
from memsum.experiments.context import Context
from memsum.experiments.corpora import Corpus, Library
from memsum.experiments.variants import Variant
from memsum.experiments.workshop import Workshop
from memsum.models import ModelConfig, StopSettings
from memsum.policy import PolicyConfig
from memsum.policy.folder import new_policy, save_policy
from memsum.text.encoding import TextEncoder
from memsum.text.vectors import WordVectors


class UntrainedModels:
    """Takes the place of the workshop: gives models at once, and keeps no summaries."""

    def __init__(self, folder: Path, network: PolicyConfig, vectors: WordVectors) -> None:
        self.folder = folder
        self.network = network
        self.vectors = vectors

    def model(self, variant: Variant, corpus: Corpus, seed: int) -> Path:
        folder = self.folder / f"{variant.name} on {corpus.name}".replace("/", "-")
        if not folder.exists():
            blocks: dict[str, Any] = {name: value for name, value in variant.blocks.items() if value is not None}
            network = replace(self.network, **blocks)
            torch.manual_seed(seed)
            policy = new_policy(network, TextEncoder(self.vectors)).eval()
            config = ModelConfig(network.to_dict(), stop=StopSettings(0.9, 3))
            save_policy(folder, policy, config, TextEncoder(self.vectors))
        return folder

    def train(self, wanted: Iterable[tuple[Variant, Corpus, int]]) -> None:
        pass

    def summarise(self, system: System, data: Data) -> Run:
        return run_system(system, data)


def with_sections(example: Example) -> Example:
    """The first third is the introduction."""
    third = len(example.text) // 3
    titles = ["1. Introduction"] * third + ["2. Methods"] * third + ["3. Results"] * len(example.text)
    return replace(example, sections=tuple(titles[: len(example.text)]))


def untrained_context(
    folder: Path, splits: dict[str, list[Example]], network: PolicyConfig, vectors: WordVectors
) -> tuple[Context, list[str]]:
    """A context over these documents, and what it says."""
    for split, examples in splits.items():
        write_examples(folder / f"{split}.jsonl", examples)
    config = at_scale("toy", (Files("trials", *(folder / f"{split}.jsonl" for split in ("train", "valid", "test"))),))
    said: list[str] = []
    say: Callable[[str], None] = said.append
    library = Library(config, folder / "corpora", say)
    models = cast(Workshop, UntrainedModels(folder / "models", network, vectors))
    return Context(config, folder / "report", library, models, say), said
