"""The device a policy runs on, and whether it can compute in bf16."""

from __future__ import annotations

import faulthandler
import os
from typing import NoReturn

import torch
from torch import nn

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


def is_one_gpu(name: str) -> bool:
    """Tell if a device is named with its index, so that there is nothing for several processes."""
    return name.startswith("cuda:")


def require_precision(device: torch.device, precision: str) -> None:
    """Refuse fp16 on a processor, and bf16 on one that cannot do it.

    Some virtual machines promise instructions for it that end the process that uses them, so it is tried in another
    process.
    """
    if device.type == "cpu" and precision == "fp16":
        raise TrainingError("The precision fp16 is for GPUs.", "Use fp32, or bf16 on a processor with AMX.")
    if device.type != "cpu" or precision != "bf16" or not hasattr(os, "fork"):
        return
    process = os.fork()
    if not process:
        _try_bf16()
    _, status = os.waitpid(process, 0)
    if status:
        raise TrainingError("This processor cannot compute in bf16.", "Use the precision fp32.")


def _try_bf16() -> NoReturn:
    status = 1
    try:
        faulthandler.disable()  # dying of it is an answer, not a fault
        torch.set_num_threads(1)  # a fork has no threads but this one
        with torch.autocast("cpu", torch.bfloat16):
            for width in (16, 200):
                nn.Linear(width, width)(torch.ones(100, width)).sum().backward()
        status = 0
    finally:
        os._exit(status)
