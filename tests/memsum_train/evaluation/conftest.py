"""Small documents and tiny models to evaluate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import PAD, UNK, Vocabulary
from memsum.training.corpus.records import Example
from memsum.training.policy import PolicyConfig
from memsum.training.policy.folder import new_policy, save_policy

FERRY = Example(
    id="ferry",
    text=(
        "The harbour council met on Tuesday evening in the old customs house.",
        "Night ferries to the northern islands will start again in April.",
        "The ferries carry medicine, mail and about forty passengers each night.",
        "Coffee was served during the break.",
        "A new ferry costs nine million and the islands pay a third of it.",
        "The council will vote on the price of tickets in March.",
    ),
    summary=("Night ferries to the northern islands start again in April.", "The islands pay a third of a new ferry."),
    extra={"source": "harbour"},
)
ORCHARD = Example(
    id="orchard",
    text=(
        "We counted bees in twelve orchards over three summers.",
        "Orchards with a strip of wild flowers had twice as many bees.",
        "Spraying at dusk did not change the number of bees.",
        "The weather station was repaired in the second summer.",
        "More bees meant heavier apples, but not more of them.",
    ),
    summary=("Strips of wild flowers doubled the bees in orchards.", "Apples became heavier."),
    extra={"source": "field"},
)
LIBRARY = Example(
    id="library",
    text=(
        "The library opens at nine.",
        "Readers asked for longer evening hours in winter.",
        "Longer evening hours in winter would need two more librarians.",
        "The roof leaks.",
    ),
    summary=("Readers want longer evening hours, which need two more librarians.",),
    extra={"source": "field"},
)
EXAMPLES = (FERRY, ORCHARD, LIBRARY)

MakeModel = Callable[..., Path]


@pytest.fixture
def examples() -> tuple[Example, ...]:
    return EXAMPLES


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """Save a tiny policy with random weights; its config can be varied."""

    def make(
        name: str = "model",
        *,
        stop: StopSettings | None = None,
        penalties: SelectionPenalties | None = None,
        collapse: bool = True,
        **variant: str,
    ) -> Path:
        words = sorted({token for example in EXAMPLES for sentence in example.text for token in tokenize(sentence)})
        vocabulary = Vocabulary([PAD, UNK, *words], unknown="token")
        rng = np.random.default_rng(3)
        vectors = rng.normal(size=(len(vocabulary), 16)).astype(np.float32)
        frequencies = np.full(len(vocabulary), 1 / len(vocabulary), np.float32)
        encoder = TextEncoder(
            WordVectors.quantise(vocabulary, vectors, frequencies), TextSettings(collapse_repeats=collapse)
        )
        import torch

        torch.manual_seed(5)
        network = PolicyConfig(dimension=16, word_dimension=16, heads=4, feed_forward=32, **variant)  # type: ignore[arg-type]
        config = ModelConfig(network.to_dict(), encoder.settings, stop or StopSettings(1.0, 3), {"seed": 5})
        config = replace(config, penalties=penalties or SelectionPenalties())
        save_policy(tmp_path / name, new_policy(network, encoder), config, encoder)
        return tmp_path / name

    return make
