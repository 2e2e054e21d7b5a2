"""Networks and model folders: make a new network, load and save a trained one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError

from memsum.errors import ModelError, reason_of
from memsum.features.encoding import TextEncoder
from memsum.files import write_atomically
from memsum.model import ModelConfig
from memsum_train.paper.model import MemSum
from memsum_train.paper.variants import CONTEXT, HISTORY, LOCAL, StopSentenceMemSum
from memsum_train.policy.authors_padding import PaddedMemSum
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.counted import CountedNetwork, PooledLocal
from memsum_train.policy.network import Policy

POLICY_FILE = "policy.safetensors"


def new_policy(config: PolicyConfig, encoder: TextEncoder, seed: int | None = None) -> Policy:
    """Make a network over the encoder's word vectors; the seed gives its first weights."""
    if seed is not None:
        torch.manual_seed(seed)
    words = torch.from_numpy(encoder.vectors.dense())
    if words.shape[1] != config.word_dimension:
        raise ModelError(
            f"The word vectors have {words.shape[1]} dimensions, the model needs {config.word_dimension}.",
            "Give vectors of that width, or another network.word_dimension.",
        )
    inputs = (config, words, torch.from_numpy(encoder.weights))
    local = PooledLocal if config.local == "pooled" else LOCAL[config.local]
    context = CONTEXT[config.context]
    if config.history == "counted":
        return CountedNetwork(*inputs, local(config), context(config))
    blocks: dict[str, Any] = {"local": local, "context": context, "history": HISTORY[config.history]}
    size, blank = encoder.settings.padded_to, encoder.blank
    if size and blank:
        if config.stopping == "stop-sentence":
            raise ModelError("A model that stops by a sentence cannot read padded documents.")
        return PaddedMemSum(*inputs, **blocks, size=size, blank=blank)
    return (StopSentenceMemSum if config.stopping == "stop-sentence" else MemSum)(*inputs, **blocks)


def save_policy(folder: Path, policy: Policy, config: ModelConfig, encoder: TextEncoder) -> None:
    """Write the model folder; each file is replaced whole."""
    folder.mkdir(parents=True, exist_ok=True)
    encoder.vectors.save(folder)
    save_weights(folder, policy)
    if encoder.salience and encoder.length:
        encoder.salience.save(folder)
        encoder.length.save(folder)
    config.save(folder)


def save_weights(folder: Path, policy: Policy, dtype: torch.dtype = torch.float32) -> None:
    """Write only the weights; half precision is half the size, and precise enough to go on from."""
    kept = {name: weight for name, weight in policy.state_dict().items() if not name.startswith("marker.")}
    weights = {name: weight.detach().cpu().contiguous().to(dtype) for name, weight in kept.items()}
    write_atomically(folder / POLICY_FILE, safetensors.torch.save(weights))


def load_policy(folder: Path) -> tuple[Policy, TextEncoder, ModelConfig]:
    """Read a model folder for training or evaluation in PyTorch."""
    config = ModelConfig.load(folder)
    encoder = config.open_encoder(folder)
    policy = new_policy(PolicyConfig.from_dict(config.policy), encoder)
    try:
        weights = safetensors.torch.load((folder / POLICY_FILE).read_bytes())
        policy.load_state_dict({name: weight.float() for name, weight in weights.items()})
    except FileNotFoundError:
        raise ModelError(f"{folder} has no {POLICY_FILE}.", "The model folder is incomplete.") from None
    except (SafetensorError, RuntimeError) as error:
        raise ModelError(f"{folder / POLICY_FILE} does not fit its config: {reason_of(error)}.") from None
    return policy.eval(), encoder, config
