"""The frame of the authors' release: a document is padded with blank sentences, and the context encoder reads them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from memsum.policy.batch import Batch, SentenceBucket
from memsum.text.encoding import EncodedText


class Frame(nn.Module):
    """A number of places, each with a sentence of the document or with the blank sentence, encoded once for all."""

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
