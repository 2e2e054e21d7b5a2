"""A small corpus, for trainings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memsum.features.encoding import TextEncoder
from memsum_train.corpus import Example
from memsum_train.learning.data import EncodedCorpus, encode_corpus


@pytest.fixture(scope="session")
def short_examples(make_examples: Callable[..., list[Example]]) -> list[Example]:
    """Twelve documents of about eight sentences."""
    return make_examples(12, sentences=8)


@pytest.fixture(scope="session")
def short_corpus(short_examples: list[Example], encoder: TextEncoder) -> EncodedCorpus:
    """The same, encoded."""
    return encode_corpus(short_examples, encoder)
