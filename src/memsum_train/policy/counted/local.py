"""Local sentence encoders: what a sentence says, from its words alone (`pooled`: also from its position).

All take the vectors (U, D) and weights (U,) of the batch's distinct words, and sentences that point to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.sentence import FEATURES
from memsum.training.policy.batch import SentenceBucket
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.layers import BiLSTM, MultiHeadPooling


class LSTMLocal(nn.Module):
    """The paper's LSE: a bi-LSTM over the words, pooled."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = 2 * config.dimension
        self.rnn = BiLSTM(config.word_dimension, config.dimension, config.local_layers)
        self.pool = MultiHeadPooling(width, width, config.heads)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return embeddings (S, dimension) of all buckets' sentences."""
        pooled = [self.pool(self.rnn(F.embedding(b.words, words), b.lengths), b.mask) for b in buckets]
        local: Tensor = self.out(F.relu(self.norm(torch.cat(pooled))))
        return local


class MeanLocal(nn.Module):
    """The paper's ablation "w/o LSE": the mean of the word vectors."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        same = config.word_dimension == config.dimension
        self.out = nn.Identity() if same else nn.Linear(config.word_dimension, config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return embeddings (S, dimension) of all buckets' sentences."""
        local: Tensor = self.out(torch.cat([weighted_mean(b, words, b.mask.to(words.dtype)) for b in buckets]))
        return local


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


def weighted_mean(bucket: SentenceBucket, words: Tensor, weights: Tensor) -> Tensor:
    """Average each sentence's word vectors with weights (S, W), zero for padding."""
    total = weights.sum(dim=1, keepdim=True).clamp(min=1e-6)
    return ((weights / total)[:, None, :] @ F.embedding(bucket.words, words)).squeeze(1)


LOCAL = {"lstm": LSTMLocal, "mean": MeanLocal, "pooled": PooledLocal}
