"""The paper's objective: raise the probability of what high-ROUGE episodes do, by their reward."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from memsum.policy import Batch, Policy
from memsum.training.batches import sample_targets
from memsum.training.config import TrainingConfig
from memsum.training.data import Document
from memsum.training.objective import episode_loss
from memsum.training.repeats import mark_repeats


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """The loss of some states of one episode a document, in random order."""
    targets = sample_targets(documents, generators, config.states)
    if config.repeats and policy.config.history != "none":
        targets = mark_repeats(documents, targets)
    return episode_loss(policy, batch, targets.to(batch.mask.device), config.repeats)
