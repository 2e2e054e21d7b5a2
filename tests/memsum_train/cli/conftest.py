"""The model folders that the commands of the product are tested with."""

from __future__ import annotations

from ...memsum.cli.conftest import model, model_folder, trained_folder

__all__ = ["model", "model_folder", "trained_folder"]
