"""A context whose models were never trained: what experiments make of models can be tested without waiting for any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from memsum.features.encoding import TextEncoder
from memsum.model import ModelConfig, StopSettings
from memsum.text.vectors import WordVectors
from memsum_train.corpus import Example, write_examples
from memsum_train.evaluation.data import Data
from memsum_train.evaluation.measuring import Scores, evaluate
from memsum_train.evaluation.playing import Model, open_model
from memsum_train.evaluation.systems import System
from memsum_train.experiments.config import Config, Corpus, Variant
from memsum_train.experiments.context import Context
from memsum_train.policy import PolicyConfig
from memsum_train.policy.folder import new_policy, save_policy


class UntrainedContext(Context):
    """Gives models at once, and keeps no summaries."""

    network: PolicyConfig
    vectors: WordVectors

    def model(self, variant: Variant, corpus: Corpus, seed: int | None = None, device: str = "cpu") -> Model:
        folder = self.folder / "untrained" / f"{variant.name} on {corpus.name}".replace("/", "-")
        if not folder.exists():
            blocks: dict[str, Any] = {**variant.network}
            network = replace(self.network, **blocks)
            torch.manual_seed(seed or 0)
            policy = new_policy(network, TextEncoder(self.vectors)).eval()
            config = ModelConfig(network.to_dict(), stop=StopSettings(0.9, 3))
            save_policy(folder, policy, config, TextEncoder(self.vectors))
        return open_model(folder, device)

    def train(self, variants: Iterable[Variant], corpus: Corpus) -> None:
        pass

    def summarize(self, system: System, data: Data) -> Scores:
        return evaluate([system], data)[0]


def untrained_context(
    folder: Path, splits: dict[str, list[Example]], network: PolicyConfig, vectors: WordVectors
) -> tuple[Context, list[str]]:
    """A context over these documents, and what it says."""
    for split, examples in splits.items():
        write_examples(folder / f"{split}.jsonl", examples)
    files = {split: f"{split}.jsonl" for split in ("train", "valid", "test")}
    config = Config.make({"scale": "toy", "corpora": {"trials": files}}, folder)
    said: list[str] = []
    context = UntrainedContext(config, folder, say=said.append)
    context.network, context.vectors = network, vectors
    return context, said
