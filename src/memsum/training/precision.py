"""Whether bf16 works here: some virtual machines promise instructions for it that end the process that uses them."""

from __future__ import annotations

import faulthandler
import os
from typing import NoReturn

import torch
from torch import nn

from memsum.errors import TrainingError


def require_bf16(device: torch.device) -> None:
    """Refuse bf16 on a processor that cannot do it; found out in a process of its own, which may die of it."""
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
