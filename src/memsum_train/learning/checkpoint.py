"""The state of a training: its progress, the average of the weights, and the checkpoint of all, replaced whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from memsum.errors import TrainingError
from memsum.files import write_atomically
from memsum_train.policy import Policy

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


def save_checkpoint(
    path: Path,
    policy: Policy,
    average: Average,
    optimizer: torch.optim.Optimizer,
    progress: TrainingProgress,
    settings: dict[str, Any],
) -> None:
    """Write the checkpoint; a full disk or a kill leaves the previous one."""
    tensors: dict[str, Tensor] = {}
    for name, weight in policy.named_parameters():
        tensors[f"policy.{name}"] = weight.detach()
        tensors[f"average.{name}"] = average.weights[name]
        for key, value in optimizer.state.get(weight, {}).items():
            tensors[f"optimizer.{key}.{name}"] = value.detach().clone()
    tensors = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"progress": json.dumps(asdict(progress)), "settings": json.dumps(settings)}
    try:
        write_atomically(path, safetensors.torch.save(tensors, metadata))
    except OSError as error:
        raise TrainingError(
            f"The checkpoint could not be written: {error.strerror}.",
            "The previous one is kept; free some space and resume.",
        ) from error


def read_progress(path: Path, settings: dict[str, Any]) -> TrainingProgress:
    """Read how far the checkpoint's training had come; one of other settings is refused."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            metadata = file.metadata()
        saved: dict[str, Any] = json.loads(metadata["settings"])
        progress = TrainingProgress(**json.loads(metadata["progress"]))
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise _damaged(path, error) from None
    differing = sorted(key for key in saved.keys() | settings.keys() if saved.get(key) != settings.get(key))
    if differing:
        raise TrainingError(
            f"{path.parent} holds a training with other settings ({', '.join(differing)}).",
            "Resume with the same settings, choose another folder, or start again with --restart.",
        )
    return progress


@torch.no_grad()
def load_checkpoint(
    path: Path, policy: Policy, average: Average, optimizer: torch.optim.Optimizer, settings: dict[str, Any]
) -> TrainingProgress:
    """Put policy, average and optimizer where the checkpoint left them; one of other settings is refused."""
    progress = read_progress(path, settings)
    try:
        tensors = safetensors.torch.load_file(path)
        for name, weight in policy.named_parameters():
            weight.copy_(tensors[f"policy.{name}"])
            average.weights[name].copy_(tensors[f"average.{name}"])
            keys = [k.split(".")[1] for k in tensors if k.startswith("optimizer.") and k.split(".", 2)[2] == name]
            optimizer.state[weight] = {
                key: tensors[f"optimizer.{key}.{name}"].to("cpu" if key == "step" else weight.device) for key in keys
            }
    except (SafetensorError, OSError, KeyError, RuntimeError) as error:
        raise _damaged(path, error) from None
    return progress


def _damaged(path: Path, error: Exception) -> TrainingError:
    return TrainingError(f"{path} is damaged: {error}.", "Start again with --restart.")
