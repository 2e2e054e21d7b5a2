"""SummaRuNNer's objective: is a sentence a member of the best episode?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memsum.policy import Batch, Policy, State
from memsum.training.config import TrainingConfig
from memsum.training.data import Document


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """Binary cross-entropy, the mean over each document's sentences; nothing is random."""
    members = np.zeros(batch.mask.shape, np.float32)
    for row, document in enumerate(documents):
        members[row, document.best] = 1
    encoded = policy.encode(batch)
    logits = policy.step(encoded, State.start(encoded.mask)).logits.float()
    wanted = torch.from_numpy(members).to(logits.device)
    each = F.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * batch.mask
    return (each.sum(dim=1) / batch.lengths).sum()
