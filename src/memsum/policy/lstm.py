"""A bidirectional LSTM that padding cannot reach, without packing (which is slow on a CPU in training)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BiLSTM(nn.Module):
    """Layers of one forward and one backward LSTM.

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
    """Flat positions that reverse each row within its length; applied twice, they change nothing."""
    places = torch.arange(longest, device=lengths.device).expand(len(lengths), longest)
    ends = lengths[:, None]
    flipped = torch.where(places < ends, ends - 1 - places, places)
    rows = torch.arange(len(lengths), device=lengths.device)[:, None] * longest
    return (rows + flipped).flatten()
