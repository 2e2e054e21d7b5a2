"""Small policies of every variant, exported and loaded, beside the PyTorch policy they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from torch import nn

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.model import ModelConfig
from memsum.model.runtime import Runtime
from memsum.text import WordVectors
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.counted import CountedNetwork
from memsum_train.policy.export import Precision, export_policy
from memsum_train.policy.folder import new_policy, save_policy

# Four topics, a repeat, sentences of one word, of numbers, of one character, of words the model has never seen.
NOTES = [
    "The harbour office counted 312 ferries in the first week of July.",
    "Rain.",
    "Most of them were late, because the new pier was still closed for repairs.",
    "7",
    "We conclude that music therapy should be offered to residents with dementia who are at risk of restlessness.",
    "Überraschenderweise blieb die Wasserqualität unverändert.",
    "Nobody on the committee had read the minutes (see the annex, p. 14).",
    "12.5 % of 1,040 samples, 3.1 % of 88 and none of 7.",
    "Rain.",
    "海水の温度は平年より高かった。",
    "A second ferry was ordered in August, and a third one was leased from the neighbouring county.",
    "Its crew wasn't paid until October!",
    "The principal finding is that blood pressure changed by 9 % after a low-salt diet was introduced.",
    "?",
    "Fishermen blamed the dredging, the ministry blamed the weather, and the pier stayed closed.",
]


@dataclass(frozen=True)
class Pair:
    """The same policy in PyTorch and on ONNX Runtime."""

    policy: Policy
    runtime: Runtime
    folder: Path

    @property
    def encoder(self) -> TextEncoder:
        return self.runtime.encoder


MakePair = Callable[..., Pair]


@pytest.fixture(scope="session")
def make_pair(
    tiny: PolicyConfig, vectors: WordVectors, counting_encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory
) -> MakePair:
    """Makes a policy of a variant and exports it: `make_pair(local="lstm", …)`; each variant only once."""
    made: dict[str, Pair] = {}

    def make(precision: Precision = "fp32", text: TextSettings | None = None, **variant: object) -> Pair:
        key = f"{precision}{text}{sorted(variant.items())}"
        if key not in made:
            config = replace(tiny, **variant)
            folder = tmp_path_factory.mktemp("model")
            torch.manual_seed(5)
            policy = new_policy(config, TextEncoder(vectors)).eval()
            if isinstance(policy, CountedNetwork):
                salience, stop = policy.extractor.salience, policy.extractor.stop
                # A fresh stop knows nothing but length, and fresh contextual salience corrects nothing.
                for out in (salience.word_out, salience.pair_out, *([stop.out] if stop else [])):
                    nn.init.normal_(out.weight)
                if (columns := policy.extractor.columns) is not None:  # fresh ones add nothing
                    for weight in columns.parameters():
                        nn.init.normal_(weight, std=0.05)
                    nn.init.uniform_(columns.scale, 0.5, 2)
            if config.history == "counted":
                assert counting_encoder.salience is not None
                assert counting_encoder.length is not None
                counting_encoder.salience.save(folder)
                counting_encoder.length.save(folder)
                text = replace(text or TextSettings(), signals=True)
            for part in policy.modules():
                if isinstance(part, nn.LayerNorm):  # fresh norms change nothing, which would hide a forgotten weight
                    nn.init.normal_(part.weight, 1, 0.3)
                    nn.init.normal_(part.bias, 0, 0.3)
            save_policy(folder, policy, ModelConfig(config.to_dict(), text or TextSettings()), TextEncoder(vectors))
            export_policy(policy, folder, precision)
            made[key] = Pair(policy, Runtime.load(folder, threads=1), folder)
        return made[key]

    return make


@pytest.fixture(scope="session")
def pair(make_pair: MakePair) -> Pair:
    """The default variant."""
    return make_pair()


@pytest.fixture(scope="session")
def notes() -> list[str]:
    """A document of fifteen very different sentences, one of them twice."""
    return list(NOTES)
