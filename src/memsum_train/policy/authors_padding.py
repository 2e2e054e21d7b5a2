"""Global context encoders: what a sentence is within its document."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.encoding import EncodedText
from memsum.training.policy.batch import Batch, SentenceBucket
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.layers import BiLSTM


class LSTMContext(nn.Module):
    """The paper's GCE: a bi-LSTM over the local embeddings."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.rnn = BiLSTM(config.dimension, config.dimension, config.context_layers)
        self.norm = nn.LayerNorm(2 * config.dimension)
        self.out = nn.Linear(2 * config.dimension, config.dimension)

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        """local (B, N, d), lengths (B,) → (B, N, d)."""
        context: Tensor = self.out(F.relu(self.norm(self.rnn(local, lengths))))
        return context


class NoContext(nn.Module):
    """The ablation "w/o GCE": nothing is known of the document."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        return local.new_zeros(local.shape)


CONTEXT = {"lstm": LSTMContext, "none": NoContext}


class Frame(nn.Module):
    """The padding of the authors' release: as many sentences as it pads to, which the context encoder reads all.

    Each holds a sentence of the document or the blank sentence, which is encoded once for all.
    """

    words: Tensor
    _rows: Tensor
    _features: Tensor

    def __init__(self, size: int, blank: EncodedText) -> None:
        super().__init__()
        self.size = size
        words, rows = np.unique(np.append(0, blank.ids), return_inverse=True)  # the padding's row is the first
        self.register_buffer("words", torch.from_numpy(words), persistent=False)
        self.register_buffer("_rows", torch.from_numpy(rows[None, 1:]), persistent=False)
        self.register_buffer("_features", torch.from_numpy(blank.features), persistent=False)

    @property
    def blank(self) -> SentenceBucket:
        """The blank sentence, made of `words`."""
        lengths = torch.tensor([self._rows.shape[1]], device=self._rows.device)
        return SentenceBucket(self._rows, self._rows != 0, lengths, self._features)

    def forward(self, local: Tensor, blank: Tensor, batch: Batch) -> Tensor:
        """Put local embeddings (B, N, d) into frames (B, size, d) of the blank's embedding (1, d)."""
        document, _ = batch.mask.nonzero(as_tuple=True)
        frames = blank.expand(len(local), self.size, -1)
        return frames.index_put((document, batch.positions[batch.mask]), local[batch.mask])
