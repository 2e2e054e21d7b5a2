"""Export to the ONNX graphs that `memsum.model` runs, per network: sentences, document, step, and salience."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import cast

import torch

from memsum.errors import ModelError
from memsum.features.expected_length import LENGTH_FILE
from memsum.features.salience import SALIENCE_FILE
from memsum.files import write_atomically
from memsum.model import write_manifest
from memsum.model.config import CONFIG_FILE
from memsum.text.vectors import EMBEDDINGS_FILE, VOCABULARY_FILE
from memsum_train.paper.model import MemSum
from memsum_train.policy import Policy
from memsum_train.policy.counted import CountedNetwork
from memsum_train.policy.export.builder import Precision
from memsum_train.policy.export.graphs import counted_graphs, paper_graphs
from memsum_train.policy.folder import POLICY_FILE, load_policy, save_weights

__all__ = ["Precision", "export_model", "export_policy"]

_CARD = "README.md"
_COPIED = (VOCABULARY_FILE, EMBEDDINGS_FILE, LENGTH_FILE, SALIENCE_FILE, CONFIG_FILE, _CARD)


def export_model(model: Path, output: Path, precision: Precision = "fp32", *, weights: bool = True) -> None:
    """Write the model folder of a training as one to use: with graphs and a manifest, and the weights if wanted.

    With int8 graphs, the weights are kept in half precision, which is enough to go on from.
    """
    if output.exists() and output.samefile(model):
        raise ModelError(f"{output} is the training's own folder, which it may write to again.", "Name another folder.")
    policy, _, _ = load_policy(model)
    output.mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        (output / name).unlink(missing_ok=True)  # of an earlier export
        if (model / name).exists():
            shutil.copyfile(model / name, output / name)
    (output / POLICY_FILE).unlink(missing_ok=True)
    if weights:
        save_weights(output, policy, torch.float16 if precision == "int8" else torch.float32)
    export_policy(policy, output, precision)
    write_manifest(output)


def export_policy(policy: Policy, folder: Path, precision: Precision = "fp32") -> None:
    """Write the graphs of a network into its model folder; in int8 they are about a third of the size, and faster."""
    if isinstance(policy, CountedNetwork):
        graphs = counted_graphs(policy, precision)
    else:
        graphs = paper_graphs(cast(MemSum, policy), precision)
    for graph in graphs:
        write_atomically(folder / f"{graph.name}.onnx", graph.serialize({"precision": precision}))
