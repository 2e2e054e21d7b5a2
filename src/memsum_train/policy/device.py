"""The device a policy runs on, and whether it can compute in bf16."""

from __future__ import annotations

import faulthandler
import os
from typing import NoReturn

import torch
from torch import nn

from memsum.errors import TrainingError


def choose_device(name: str = "auto", number: int = 0) -> torch.device:
    """Return a device by name; `auto` is the GPU of that number if there is one, else the CPU."""
    if name == "auto":
        name = f"cuda:{number}" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise TrainingError(f"{name!r} is not a valid device.", "Use auto, cpu or cuda.") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise TrainingError("This machine has no usable GPU.", "Use --device cpu.")
    return device


def require_bf16(device: torch.device) -> None:
    """Refuse bf16 on a processor that cannot do it.

    Some virtual machines promise instructions for it that end the process that uses them, so it is tried in another
    process.
    """
    if device.type != "cpu" or not hasattr(os, "fork"):
        return
    process = os.fork()
    if not process:
        _try_bf16()
    _, status = os.waitpid(process, 0)
    if status:
        raise TrainingError("This processor cannot compute in bf16.", "Use --precision fp32.")


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
