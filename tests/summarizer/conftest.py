"""The tiny exported model, loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import Summarizer


@pytest.fixture(scope="session")
def summarizer(model_folder: Path) -> Summarizer:
    """The model, loaded."""
    return Summarizer.load(model_folder, threads=1)
