"""The paper's network with the padding of the authors' release, which their pre-trained files were trained with."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from memsum.features.encoding import EncodedText
from memsum_train.paper.model import MemSum, gather_sentences
from memsum_train.policy.batch import Batch, SentenceBucket


class AuthorsPadding(nn.Module):
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
        """Return the blank sentence, made of `words`."""
        lengths = torch.tensor([self._rows.shape[1]], device=self._rows.device)
        return SentenceBucket(self._rows, self._rows != 0, lengths, self._features)

    def forward(self, local: Tensor, blank: Tensor, batch: Batch) -> Tensor:
        """Put local embeddings (B, N, d) into frames (B, size, d) of the blank's embedding (1, d)."""
        document, _ = batch.mask.nonzero(as_tuple=True)
        frames = blank.expand(len(local), self.size, -1)
        return frames.index_put((document, batch.positions[batch.mask]), local[batch.mask])


class PaddedMemSum(MemSum):
    """Reads every document in a frame of as many sentences as the release pads to."""

    def __init__(self, *inputs: Any, frame: AuthorsPadding, **blocks: Any) -> None:
        super().__init__(*inputs, **blocks)
        self.frame = frame

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        local = self.embed_sentences(batch)
        frames = self.frame(local, self.embed(self.frame.words, [self.frame.blank]), batch)
        context = self.context(frames, torch.full_like(batch.lengths, self.frame.size))
        return local, gather_sentences(context, batch.positions)
