"""The extractor: a score for every remaining sentence, and the probability of stopping."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.layers import Dropout, MultiHeadPooling
from memsum.training.policy.network import StepScores, StopScores


class Extractor(nn.Module):
    """Two hidden layers shared by all sentences; a linear score, and a stop from the remaining ones together."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.norm_input = nn.LayerNorm(3 * d)
        self.hidden1 = nn.Linear(3 * d, 2 * d)
        self.norm1 = nn.LayerNorm(2 * d)
        self.hidden2 = nn.Linear(2 * d, d)
        self.norm2 = nn.LayerNorm(d)
        self.score = nn.Linear(d, 1)
        self.stop = Stop(config) if config.stopping == "policy" else None
        self.dropout = Dropout(config.dropout)

    def forward(self, local: Tensor, context: Tensor, history: Tensor, remaining: Tensor) -> StepScores:
        """Score sentences by three embeddings (B, N, d); stopping depends on the remaining ones (B, N)."""
        x = self.norm_input(self.dropout(torch.cat([local, context, history], dim=-1)))
        x = F.relu(self.norm1(self.dropout(self.hidden1(x))))
        x = F.relu(self.norm2(self.dropout(self.hidden2(x))))
        if self.stop is None:
            return StepScores(self.score(x).squeeze(-1))
        stop = self.stop(x, remaining)
        return StopScores(self.score(x).squeeze(-1), stop)


class Stop(nn.Module):
    """The stop probability, from the pooled hidden states of what remains."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.pool = MultiHeadPooling(config.dimension, config.dimension, config.heads)
        self.norm = nn.LayerNorm(config.dimension)
        self.out = nn.Linear(config.dimension, 1)
        self.dropout = Dropout(config.dropout)

    def forward(self, hidden: Tensor, remaining: Tensor) -> Tensor:
        """Return logits (B,) of stopping, from the hidden states (B, N, d) of what remains (B, N)."""
        pooled = self.dropout(self.pool(hidden, remaining))
        logits: Tensor = self.out(F.relu(self.norm(pooled))).squeeze(-1)
        return logits
