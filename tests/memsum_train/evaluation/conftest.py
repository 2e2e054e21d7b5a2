"""Small documents and tiny models to evaluate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum.features.encoding import TextEncoder, TextSettings
from memsum.model import ModelConfig, SelectionPenalties, StopSettings
from memsum.text.tokens import tokenize
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import PAD, UNK, Vocabulary
from memsum_train.corpus.records import Example
from memsum_train.policy import PolicyConfig
from memsum_train.policy.folder import new_policy, save_policy

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


def save_model(
    folder: Path,
    examples: Sequence[Example] = EXAMPLES,
    *,
    stop: StopSettings | None = None,
    penalties: SelectionPenalties | None = None,
    collapse: bool = True,
    **variant: str,
) -> Path:
    """Save a tiny policy with random weights, which knows the words of some documents; its config can be varied."""
    words = sorted({token for example in examples for sentence in example.text for token in tokenize(sentence)})
    vocabulary = Vocabulary([PAD, UNK, *words], unknown="token")
    vectors = np.random.default_rng(3).normal(size=(len(vocabulary), 16)).astype(np.float32)
    frequencies = np.full(len(vocabulary), 1 / len(vocabulary), np.float32)
    text = TextSettings(collapse_repeats=collapse)
    encoder = TextEncoder(WordVectors.quantize(vocabulary, vectors, frequencies), text)
    network = PolicyConfig(dimension=16, word_dimension=16, heads=4, feed_forward=32, **variant)  # type: ignore[arg-type]
    config = ModelConfig(network.to_dict(), encoder.settings, stop or StopSettings(1.0, 3), {"seed": 5})
    config = replace(config, penalties=penalties or SelectionPenalties())
    save_policy(folder, new_policy(network, encoder, 5), config, encoder)
    return folder


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """Saves a tiny model under a name."""
    return lambda name="model", **settings: save_model(tmp_path / name, **settings)
