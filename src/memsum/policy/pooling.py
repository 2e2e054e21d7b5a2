"""Multi-head pooling: many states to one vector, by one attention a head."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadPooling(nn.Module):
    """Each head weights the positions by its own softmax; padding has no weight."""

    def __init__(self, width_in: int, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention = nn.Linear(width_in, heads)
        self.value = nn.Linear(width_in, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, L, width_in), mask (B, L) true where there is something → (B, width)."""
        # A row with nothing at all pools its padding evenly instead of dividing by zero.
        weights = self.attention(x).float().masked_fill(~mask[..., None], -1e9).softmax(dim=1).to(x.dtype)
        # Weights that sum to one commute with the linear values: pool first, and project once instead of L times.
        pooled = weights.transpose(1, 2) @ x  # (B, heads, width_in)
        by_head = self.value.weight.view(self.heads, -1, x.shape[-1])  # (heads, width / heads, width_in)
        values = torch.einsum("bhi,hwi->bhw", pooled, by_head).flatten(1) + self.value.bias
        out: Tensor = self.out(values)
        return out
