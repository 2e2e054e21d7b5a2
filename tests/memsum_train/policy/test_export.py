"""Export: what the graphs are; that they compute the same is tested with the runtime."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx
import pytest
import torch

from memsum.features.encoding import TextEncoder
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.export import export_policy
from memsum_train.policy.folder import new_policy

GRAPHS = ["document.onnx", "sentences.onnx", "step.onnx"]


def make(tiny: PolicyConfig, encoder: TextEncoder, **variant: object) -> Policy:
    torch.manual_seed(0)
    return new_policy(replace(tiny, **variant), encoder)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
@pytest.mark.parametrize("local", ["lstm", "mean", "pooled"])
def test_the_graphs_are_valid_and_know_their_precision(
    tiny: PolicyConfig, encoder: TextEncoder, tmp_path: Path, local: str, precision: str
):
    export_policy(make(tiny, encoder, local=local, dimension=64), tmp_path, precision)
    assert sorted(path.name for path in tmp_path.iterdir()) == GRAPHS
    for path in tmp_path.iterdir():
        model = onnx.load(path)
        onnx.checker.check_model(model)
        assert {entry.key: entry.value for entry in model.metadata_props} == {"precision": precision}


def test_the_same_policy_gives_the_same_files(tiny: PolicyConfig, encoder: TextEncoder, tmp_path: Path):
    contents = []
    for _ in range(2):
        export_policy(make(tiny, encoder), tmp_path)
        contents.append([(tmp_path / name).read_bytes() for name in GRAPHS])
    assert contents[0] == contents[1]


def test_int8_files_are_small(tiny: PolicyConfig, encoder: TextEncoder, tmp_path: Path):
    sizes = {}
    for precision in ("fp32", "int8"):
        export_policy(make(tiny, encoder, local="lstm", dimension=64, feed_forward=256), tmp_path, precision)
        sizes[precision] = sum((tmp_path / name).stat().st_size for name in GRAPHS)
    assert sizes["int8"] < 0.45 * sizes["fp32"]


def test_a_variant_without_a_block_has_no_weights_of_it(tiny: PolicyConfig, encoder: TextEncoder, tmp_path: Path):
    export_policy(make(tiny, encoder, context="none", history="none"), tmp_path)
    document, step = (onnx.load(tmp_path / f"{name}.onnx").graph for name in ("document", "step"))
    assert not {"LSTM", "MultiHeadAttention"} & {node.op_type for node in [*document.node, *step.node]}
    assert [value.name for value in document.output] == ["local", "context", "logits", "stop"]
    assert [value.name for value in step.input] == ["local", "context", "remaining"]


def test_training_goes_on_after_an_export(tiny: PolicyConfig, encoder: TextEncoder, tmp_path: Path):
    policy = make(tiny, encoder).train()
    export_policy(policy, tmp_path)
    assert policy.training
    assert all(weight.requires_grad for weight in policy.parameters())
