"""The moving average of the weights."""

from __future__ import annotations

import torch
from torch import nn


class Average:
    """Exponential moving average of the weights, what is validated and kept."""

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
