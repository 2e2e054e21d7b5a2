"""Layers that several blocks share: dropout, the bidirectional LSTM and multi-head pooling."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_LOWEST = -(2**63)


class Dropout(nn.Module):
    """Zeroes a share of the values in training and scales the others; the share is rounded to a 256th.

    It draws one random byte per value: on a CPU a third of the time of PyTorch's, which draws a float for each.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.dropped = min(255, round(256 * share))  # of the 256 values of a byte

    def forward(self, x: Tensor) -> Tensor:
        """Return x as it is where the module is not in training."""
        if not self.training or not self.dropped:
            return x
        drawn = torch.empty(-(-x.numel() // 8), dtype=torch.int64, device=x.device).random_(_LOWEST, None)
        keep = drawn.view(torch.uint8)[: x.numel()].view(x.shape) >= self.dropped
        return x * keep.to(x.dtype).mul_(256 / (256 - self.dropped))


class BiLSTM(nn.Module):
    """Layers of one forward and one backward LSTM, without packing, which is slow on a CPU in training.

    The backward LSTM reads each sequence reversed within its own length, so its padding comes last for both
    directions and never enters a state that is used.
    """

    def __init__(self, width_in: int, width: int, layers: int) -> None:
        super().__init__()
        widths = [width_in] + [2 * width] * (layers - 1)
        self.forwards = nn.ModuleList([nn.LSTM(w, width, batch_first=True) for w in widths])
        self.backwards = nn.ModuleList([nn.LSTM(w, width, batch_first=True) for w in widths])

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, L, width_in), lengths (B,) → states (B, L, 2 · width); beyond a length they mean nothing."""
        batch, longest, _ = x.shape
        reverse = reversed_positions(lengths, longest)
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            flipped = x.reshape(batch * longest, -1).index_select(0, reverse).view(batch, longest, -1)
            right, _ = ahead(x)
            left, _ = back(flipped)
            left = left.reshape(batch * longest, -1).index_select(0, reverse).view(batch, longest, -1)
            x = torch.cat([right, left], dim=-1)
        return x


def reversed_positions(lengths: Tensor, longest: int) -> Tensor:
    """Return flat positions that reverse each row within its length; applied twice, they change nothing."""
    columns = torch.arange(longest, device=lengths.device).expand(len(lengths), longest)
    ends = lengths[:, None]
    flipped = torch.where(columns < ends, ends - 1 - columns, columns)
    rows = torch.arange(len(lengths), device=lengths.device)[:, None] * longest
    return (rows + flipped).flatten()


class MultiHeadPooling(nn.Module):
    """Many states to one vector: each head weights the positions by its own softmax; padding has no weight."""

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
