"""Local sentence encoders: what a sentence says, from its words alone (`pooled`: also from its place).

All take the vectors (U, D) and weights (U,) of the batch's distinct words, and sentences that point to them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.policy.batch import SentenceBucket
from memsum.policy.config import PolicyConfig
from memsum.policy.lstm import BiLSTM
from memsum.policy.pooling import MultiHeadPooling
from memsum.text.features import FEATURES


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
        """Embeddings (S, dimension) of all buckets' sentences."""
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
        """Embeddings (S, dimension) of all buckets' sentences."""
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
        """Embeddings (S, dimension) of all buckets' sentences."""
        hidden = F.relu(self.hidden(words))
        logits = self.pool.attention(hidden)
        pooled = [self.pool(F.embedding(b.words, hidden), b.mask, F.embedding(b.words, logits)) for b in buckets]
        means = [weighted_mean(b, words, weights[b.words] * b.mask) for b in buckets]
        features = torch.cat([b.features for b in buckets])
        local: Tensor = self.norm(self.mean(torch.cat(means)) + torch.cat(pooled) + self.features(features))
        return local


def weighted_mean(bucket: SentenceBucket, words: Tensor, weights: Tensor) -> Tensor:
    """Average of each sentence's word vectors with weights (S, W), zero for padding."""
    total = weights.sum(dim=1, keepdim=True).clamp(min=1e-6)
    return ((weights / total)[:, None, :] @ F.embedding(bucket.words, words)).squeeze(1)


LOCAL = {"lstm": LSTMLocal, "mean": MeanLocal, "pooled": PooledLocal}
