"""The device a policy runs on."""

from __future__ import annotations

import torch

from memsum.errors import TrainingError


def choose_device(name: str = "auto", number: int = 0) -> torch.device:
    """Return a device by name: `auto` is a GPU or the CPU; `number` is the GPU where the name has no index."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):  # on others, such as mps, no part of this was ever run
        raise TrainingError(f"{name!r} is not a valid device.", "Use auto, cpu, cuda or cuda:N.")
    if device.type == "cpu":
        return device
    if not torch.cuda.is_available():
        raise TrainingError("This machine has no usable GPU.", "Use --device cpu.")
    index, count = number if device.index is None else device.index, torch.cuda.device_count()
    if index >= count:
        raise TrainingError(
            f"There is no GPU {index}: this machine has {count}.", "Each process of a training needs a GPU of its own."
        )
    return torch.device("cuda", index)


def require_precision(device: torch.device, precision: str) -> None:
    """Refuse half precision on a processor: some end the process that computes in it."""
    if device.type == "cpu" and precision != "fp32":
        raise TrainingError(f"The precision {precision} is for GPUs.", "Use fp32.")
