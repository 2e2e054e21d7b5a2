"""The state of a training: its progress, the average of the weights, and the checkpoint of all, replaced whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from memsum.errors import TrainingError
from memsum.files import write_atomically

if TYPE_CHECKING:
    from memsum_train.learning.learner import Learner

CHECKPOINT_FILE = "checkpoint.safetensors"


@dataclass
class TrainingProgress:
    """How far a training has come."""

    update: int = 0
    documents: int = 0
    seconds: float = 0.0
    best: float = -1.0
    best_update: int = 0
    validations_since_best: int = 0
    scale: float = 1.0  # of losses, in fp16
    losses: list[float] = field(default_factory=list)  # since the last line of the metrics


class Average:
    """Exponential moving average of the weights: what is validated and kept."""

    def __init__(self, policy: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: weight.detach().clone() for name, weight in policy.named_parameters()}

    @torch.no_grad()
    def update(self, policy: nn.Module, updates: int) -> None:
        """Move towards the present weights, faster at the beginning."""
        decay = min(self.decay, (1 + updates) / (10 + updates))
        averages = list(self.weights.values())
        torch._foreach_lerp_(averages, [p.detach() for _, p in policy.named_parameters()], 1 - decay)

    @torch.no_grad()
    def swap(self, policy: nn.Module) -> None:
        """Exchange the average and the present weights; a second call puts them back."""
        for name, weight in policy.named_parameters():
            kept = weight.detach().clone()
            weight.copy_(self.weights[name])
            self.weights[name].copy_(kept)


def save_checkpoint(path: Path, learner: Learner) -> None:
    """Write the checkpoint; a full disk or a kill leaves the previous one."""
    tensors: dict[str, Tensor] = {}
    for name, weight in learner.policy.named_parameters():
        tensors[f"policy.{name}"] = weight.detach()
        tensors[f"average.{name}"] = learner.average.weights[name]
        for key, value in learner.optimizer.state.get(weight, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value.detach().clone()
    tensors = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    try:
        write_atomically(path, safetensors.torch.save(tensors, {"progress": json.dumps(asdict(learner.progress))}))
    except OSError as error:
        raise TrainingError(
            f"The checkpoint could not be written: {error.strerror}.",
            "The previous one is kept; free some space and resume.",
        ) from error


@torch.no_grad()
def load_checkpoint(path: Path, learner: Learner) -> None:
    """Put weights, average, optimizer and progress where the checkpoint left them."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            learner.progress = TrainingProgress(**json.loads(file.metadata()["progress"]))
        tensors = safetensors.torch.load_file(path)
        for name, weight in learner.policy.named_parameters():
            weight.copy_(tensors[f"policy.{name}"])
            learner.average.weights[name].copy_(tensors[f"average.{name}"])
            keys = [k.split(".")[1] for k in tensors if k.startswith("optimizer.") and k.split(".", 2)[2] == name]
            learner.optimizer.state[weight] = {
                key: tensors[f"optimizer.{key}.{name}"].to("cpu" if key == "step" else weight.device) for key in keys
            }
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise TrainingError(f"{path} is damaged: {error}.", "Start again with --restart.") from None
