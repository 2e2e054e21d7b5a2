"""The models that tests of the product share: of few weights, and the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import Summarizer


@pytest.fixture(scope="session")
def summarizer(model_folder: Path) -> Summarizer:
    """The tiny exported model, loaded."""
    return Summarizer.load(model_folder, threads=1)


@pytest.fixture(scope="session")
def default() -> Summarizer:
    """The model that is embedded, loaded."""
    return Summarizer.load(threads=1)
