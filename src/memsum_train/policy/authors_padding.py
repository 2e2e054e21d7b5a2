"""The paper's network with the padding of the authors' release, which their pre-trained files were trained with."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from memsum.features.encoding import EncodedText
from memsum_train.paper.model import MemSum, gather_sentences
from memsum_train.policy.batch import Batch, SentenceBucket


class PaddedMemSum(MemSum):
    """Reads every document in a frame of as many sentences as the release pads to, and its context encoder all of them.

    Each is a sentence of the document or the blank sentence, which is encoded once for all.
    """

    _words: Tensor
    _rows: Tensor
    _features: Tensor

    def __init__(self, *inputs: Any, size: int, blank: EncodedText, **blocks: Any) -> None:
        super().__init__(*inputs, **blocks)
        self.size = size
        words, rows = np.unique(np.append(0, blank.ids), return_inverse=True)  # the padding's row is the first
        self.register_buffer("_words", torch.from_numpy(words), persistent=False)
        self.register_buffer("_rows", torch.from_numpy(rows[None, 1:]), persistent=False)
        self.register_buffer("_features", torch.from_numpy(blank.features), persistent=False)

    def blank(self) -> Tensor:
        """Return the embedding (1, d) of the blank sentence."""
        lengths = torch.tensor([self._rows.shape[1]], device=self._rows.device)
        return self.embed(self._words, [SentenceBucket(self._rows, self._rows != 0, lengths, self._features)])

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        local = self.embed_sentences(batch)
        document, _ = batch.mask.nonzero(as_tuple=True)
        frames = self.blank().expand(len(local), self.size, -1)
        frames = frames.index_put((document, batch.positions[batch.mask]), local[batch.mask])
        context = self.context(frames, torch.full_like(batch.lengths, self.size))
        return local, gather_sentences(context, batch.positions)
