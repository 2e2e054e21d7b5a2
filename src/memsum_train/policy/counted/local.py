"""The light local sentence encoder of the model that ships: single words, pooled, and features of the sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.encoding import FEATURES
from memsum_train.paper.model import MultiHeadPooling
from memsum_train.policy.batch import SentenceBucket
from memsum_train.policy.config import PolicyConfig


class PooledLocal(nn.Module):
    """Ours, light: the frequency-weighted mean, multi-head pooling over single words, and the sentence's features.

    A word's hidden state does not depend on its sentence, so it is computed once for each distinct word.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = 2 * config.dimension
        self.mean = nn.Linear(config.word_dimension, config.dimension)
        self.hidden = nn.Linear(config.word_dimension, width)
        self.pool = MultiHeadPooling(width, config.dimension, config.heads)
        self.features = nn.Sequential(nn.Linear(len(FEATURES), 64), nn.ReLU(), nn.Linear(64, config.dimension))
        self.norm = nn.LayerNorm(config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return embeddings (S, dimension) of all buckets' sentences."""
        rows = torch.cat([b.words[b.mask] for b in buckets])
        counts = torch.cat([b.mask.sum(dim=1) for b in buckets])
        starts = counts.cumsum(dim=0) - counts

        def sums(table: Tensor) -> Tensor:
            return F.embedding_bag(rows, table.float(), starts, mode="sum")  # (S, columns)

        features = torch.cat([b.features for b in buckets])
        weighted = sums(torch.cat([words * weights[:, None], weights[:, None]], dim=1))
        mean = weighted[:, :-1] / weighted[:, -1:].clamp(min=1e-6)
        local: Tensor = self.norm(self.mean(mean) + self._pool(words, sums) + self.features(features))
        return local

    def _pool(self, words: Tensor, sums: Callable[[Tensor], Tensor]) -> Tensor:
        """`MultiHeadPooling` as sums over the sentences' words of what is computed once per word.

        The softmax takes off the largest logit of all words instead of the sentence's own: the same, unless the two
        are further apart than any float of use.
        """
        heads = self.pool.heads
        hidden = F.relu(self.hidden(words))
        logits = self.pool.attention(hidden).float()
        weights = (logits - logits.amax(dim=0)).clamp(min=-60).exp()  # (U, heads)
        values = self.pool.value(hidden).view(len(words), heads, -1) * weights[:, :, None]
        summed = sums(torch.cat([values.flatten(1), weights], dim=1))
        values, totals = summed[:, :-heads], summed[:, -heads:]
        pooled: Tensor = self.pool.out((values.view(len(summed), heads, -1) / totals[:, :, None]).flatten(1))
        return pooled
