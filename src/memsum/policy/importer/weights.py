"""The authors' names of the weights, and ours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import Tensor

from memsum.errors import ModelError
from memsum.policy.config import PolicyConfig
from memsum.policy.importer.files import PARTS
from memsum.policy.policy import Policy

LOCAL, CONTEXT, HISTORY, EXTRACTOR = PARTS
EMBEDDING = f"{LOCAL}.word_embedding"

_ENCODERS = {"local": LOCAL, "context": CONTEXT}
_ATTENTION = {"query": "ln_q", "key": "ln_k", "value": "ln_v", "out": "ln_out"}
_POOLING = {"attention": "ln_attention_score", "value": "ln_value", "out": "ln_out"}
_LAYER = {
    **{f"among_remaining.{ours}": f"masked_mha.{theirs}" for ours, theirs in _ATTENTION.items()},
    **{f"to_extracted.{ours}": f"mha.{theirs}" for ours, theirs in _ATTENTION.items()},
    "feed_forward.0": "feed_forward.ln1",
    "feed_forward.2": "feed_forward.ln2",
    **{norm: norm for norm in ("norm1", "norm2", "norm3")},
}
_MODULES = {
    **{f"local.pool.{ours}": f"{LOCAL}.mh_pool.{theirs}" for ours, theirs in _POOLING.items()},
    **{f"{ours}.norm": f"{theirs}.norm_out" for ours, theirs in _ENCODERS.items()},
    **{f"{ours}.out": f"{theirs}.ln_out" for ours, theirs in _ENCODERS.items()},
    "extractor.norm_input": f"{EXTRACTOR}.norm_input",
    "extractor.hidden1": f"{EXTRACTOR}.ln_hidden1",
    "extractor.norm1": f"{EXTRACTOR}.norm_hidden1",
    "extractor.hidden2": f"{EXTRACTOR}.ln_hidden2",
    "extractor.norm2": f"{EXTRACTOR}.norm_hidden2",
    "extractor.score": f"{EXTRACTOR}.ln_out",
    **{f"extractor.stop.pool.{ours}": f"{EXTRACTOR}.mh_pool.{theirs}" for ours, theirs in _POOLING.items()},
    "extractor.stop.norm": f"{EXTRACTOR}.norm_pool",
    "extractor.stop.out": f"{EXTRACTOR}.ln_stop",
}
# The baseline of the returns, which the loss of the release does not use.
_UNUSED = re.compile(rf"{EXTRACTOR}\.(mh_pool_2|norm_pool_2|ln_baseline)\..+")


def describe(weights: Mapping[str, Tensor]) -> PolicyConfig:
    """The network that the weights are of; its sizes are theirs."""
    return PolicyConfig(
        local="lstm",
        word_dimension=_size(weights, EMBEDDING, 1),
        dimension=_size(weights, f"{LOCAL}.ln_out.weight", 0),
        heads=_size(weights, f"{LOCAL}.mh_pool.ln_attention_score.weight", 0),
        local_layers=_count(weights, rf"{LOCAL}\.rnn\.weight_ih_l\d+"),
        context_layers=_count(weights, rf"{CONTEXT}\.rnn\.weight_ih_l\d+"),
        history_layers=_count(weights, rf"{HISTORY}\.layer_list\.\d+\.norm1\.weight"),
        feed_forward=_size(weights, f"{HISTORY}.layer_list.0.feed_forward.ln1.weight", 0),
    )


def fill(policy: Policy, weights: Mapping[str, Tensor]) -> None:
    """Give a policy the weights; each must be there with its shape, and none may be left over."""
    names = {ours: _theirs(ours) for ours in policy.state_dict()}
    left = weights.keys() - names.values() - {EMBEDDING}
    unknown = next((name for name in sorted(left) if not _UNUSED.fullmatch(name)), None)
    if unknown:
        raise ModelError(f"The checkpoint has a weight that MemSum does not have: {unknown}.")
    for ours, weight in policy.state_dict().items():
        theirs = _weight(weights, names[ours])
        if theirs.shape != weight.shape:
            raise ModelError(f"The weight {names[ours]} is {_shape(theirs)}, where {_shape(weight)} would fit.")
    policy.load_state_dict({ours: weights[theirs] for ours, theirs in names.items()})


def _theirs(name: str) -> str:
    """Their name of one of our weights."""
    module, _, kind = name.rpartition(".")
    if match := re.fullmatch(r"(local|context)\.rnn\.(forwards|backwards)\.(\d+)", module):
        encoder, direction, layer = match.groups()
        reverse = "_reverse" if direction == "backwards" else ""
        return f"{_ENCODERS[encoder]}.rnn.{kind.removesuffix('0')}{layer}{reverse}"
    if match := re.fullmatch(r"history\.layers\.(\d+)\.(.+)", module):
        return f"{HISTORY}.layer_list.{match[1]}.{_LAYER[match[2]]}.{kind}"
    return f"{_MODULES[module]}.{kind}"


def _weight(weights: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in weights:
        raise ModelError(f"The checkpoint lacks the weight {name}.")
    return weights[name]


def _size(weights: Mapping[str, Tensor], name: str, axis: int) -> int:
    weight = _weight(weights, name)
    if weight.ndim != 2:
        raise ModelError(f"The weight {name} is {_shape(weight)}, where rows and columns would fit.")
    return weight.shape[axis]


def _count(weights: Mapping[str, Tensor], pattern: str) -> int:
    return max(1, sum(re.fullmatch(pattern, name) is not None for name in weights))


def _shape(weight: Tensor) -> str:
    return " × ".join(map(str, weight.shape)) or "a single number"
