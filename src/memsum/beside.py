"""All places where the product reaches into the packages beside it, `memsum_train` and `memsum_study`.

Nothing else in `memsum` names them, and each is imported when it is used: training needs PyTorch.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Commands of `memsum`, in the order of --help.
COMMANDS = {
    "corpus": "memsum_train.cli.corpus:app",
    "study": "memsum_study.cli:app",
    "train": "memsum_train.cli.train:train",
    "adapt": "memsum_train.cli.adapt:adapt",
    "evaluate": "memsum_train.cli.evaluate:evaluate",
    "tune": "memsum_train.cli.tune:tune",
    "experiment": "memsum_train.cli.experiment:experiment",
}
# Functions: `memsum.train` and `memsum.adapt`, and what `memsum model` calls.
FUNCTIONS = {
    "train": "memsum_train.functions:train",
    "adapt": "memsum_train.functions:adapt",
    "export_model": "memsum_train.policy.export:export_model",
    "import_checkpoint": "memsum_train.policy.importer:import_checkpoint",
}


def find_function(name: str) -> Any:
    """Import a function of the packages beside the product."""
    return find_object(FUNCTIONS[name])


def find_object(place: str) -> Any:
    """Import what a "module:name" says."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
