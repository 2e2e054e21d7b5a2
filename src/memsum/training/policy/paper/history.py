"""Extraction history encoders: what a remaining sentence is, given what was already extracted."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.training.policy.batch import State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.layers import Dropout


class Attention(nn.Module):
    """Multi-head attention; a query with no key to look at gives nothing."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Attend with x (B, N, w) to keys (B, K, w) where mask (B, K) → (B, N, w)."""
        q, k, v = self._split(self.query(x)), self._split(self.key(keys)), self._split(self.value(keys))
        anything = mask.any(dim=1)
        visible = (mask | ~anything[:, None])[:, None, None, :]
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)  # (B, heads, N, w / heads)
        out: Tensor = self.out(seen.transpose(1, 2).flatten(2))
        return out * anything[:, None, None]

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class AttentionLayer(nn.Module):
    """Remaining sentences look at each other, then at the extracted ones; residual and norm after each part."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.among_remaining = Attention(d, config.heads)
        self.norm1 = nn.LayerNorm(d)
        self.to_extracted = Attention(d, config.heads)
        self.norm2 = nn.LayerNorm(d)
        self.feed_forward = nn.Sequential(
            nn.Linear(d, config.feed_forward), nn.ReLU(), nn.Linear(config.feed_forward, d)
        )
        self.norm3 = nn.LayerNorm(d)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, remaining: Tensor, extracted: Tensor, taken: Tensor) -> Tensor:
        """x (B, N, d), remaining (B, N), extracted (B, E, d), taken (B, E) → (B, N, d)."""
        x = self.norm1(x + self.dropout(self.among_remaining(x, x, remaining)))
        x = self.norm2(x + self.dropout(self.to_extracted(x, extracted, taken)))
        out: Tensor = self.norm3(x + self.dropout(self.feed_forward(x)))
        return out


class AttentionHistory(nn.Module):
    """The paper's EHE. It knows no order: neither of the sentences nor of the extractions."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList([AttentionLayer(config) for _ in range(config.history_layers)])

    def forward(self, local: Tensor, state: State) -> Tensor:
        """local (B, N, d) → history (B, N, d), zero for a document with nothing extracted."""
        history = torch.zeros_like(local)
        begun = state.taken.any(dim=1).nonzero()[:, 0]
        if not len(begun):
            return history
        x, remaining = local[begun], state.remaining[begun]
        extracted, taken = gather_sentences(x, state.extracted[begun]), state.taken[begun]
        for layer in self.layers:
            x = layer(x, remaining, extracted, taken)
        return history.to(x.dtype).index_copy(0, begun, x)


class GRUHistory(nn.Module):
    """GRU-EHE, as in NeuSum: the last state of a GRU over the extracted sentences, the same for all that remain."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.rnn = nn.GRU(config.dimension, config.dimension, batch_first=True)

    def forward(self, local: Tensor, state: State) -> Tensor:
        """local (B, N, d) → history (B, N, d), zero for a document with nothing extracted."""
        if not state.taken.shape[1]:
            return torch.zeros_like(local)
        states, _ = self.rnn(gather_sentences(local, state.extracted))  # (B, E, d); what is taken comes first
        counts = state.taken.sum(dim=1)
        last = gather_sentences(states, (counts - 1).clamp(min=0)[:, None])  # (B, 1, d)
        return (last * (counts > 0)[:, None, None]).expand_as(local)


class NoHistory(nn.Module):
    """The ablation "w/o EHE": one scoring, then sampling without replacement, as in BanditSum."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()

    def forward(self, local: Tensor, state: State) -> Tensor:
        return torch.zeros_like(local)


def gather_sentences(x: Tensor, positions: Tensor) -> Tensor:
    """Take rows of x (B, N, d) at positions (B, E) → (B, E, d); index_select has a fast gradient on a CPU."""
    batch, length, width = x.shape
    flat = (positions + torch.arange(batch, device=x.device)[:, None] * length).flatten()
    return x.reshape(batch * length, width).index_select(0, flat).view(batch, -1, width)


HISTORY = {"attention": AttentionHistory, "gru": GRUHistory, "none": NoHistory}
