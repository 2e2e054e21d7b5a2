"""NeuSum's objective: at each step of the best episode, prefer sentences by how much ROUGE they would add.

Zhou et al. (2018): gains are scaled to 0 … 1 and sharpened to a distribution, which the scores' softmax is to match.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.corpus.episodes import sentence_gains
from memsum.policy import Batch, Policy
from memsum.training.batches import Visit, draw_times, fill_targets
from memsum.training.config import TrainingConfig
from memsum.training.data import Document, wordings

SHARPNESS = 20.0  # the paper's τ


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """KL divergence from the gains, the mean over some states of each document's best episode, in its own order."""
    visits = [_visit(document.best, config.states, rng) for document, rng in zip(documents, generators, strict=True)]
    targets = fill_targets(documents, visits)
    gains = np.zeros(targets.state.remaining.shape, np.float32)
    for d, (visit, wording) in enumerate(zip(visits, wordings(documents), strict=True)):
        row = d * targets.per_document
        rows = sentence_gains(wording.text, wording.summary, visit.episode)[visit.times]
        gains[row : row + len(rows), : rows.shape[1]] = rows
    device = batch.mask.device
    targets = targets.to(device)
    logits = policy.step(policy.encode(batch).repeat(targets.per_document), targets.state).logits.float()
    # Rows without weight, which only pad, have nothing to choose from; anything finite will do for them.
    remaining = targets.state.remaining | ~targets.state.remaining.any(dim=1, keepdim=True)
    wanted = preferences(torch.from_numpy(gains).to(device), remaining)
    found = logits.masked_fill(~remaining, -torch.inf).log_softmax(dim=1).masked_fill(~remaining, 0)
    return (targets.weight * F.kl_div(found, wanted, reduction="none").sum(dim=1)).sum()


def preferences(gains: Tensor, remaining: Tensor) -> Tensor:
    """The distribution (B, N) over what remains: the softmax of the gains, scaled to 0 … 1 and sharpened."""
    low = gains.masked_fill(~remaining, torch.inf).amin(dim=1, keepdim=True)
    high = gains.masked_fill(~remaining, -torch.inf).amax(dim=1, keepdim=True)
    scaled = (gains - low) / (high - low).clamp(min=1e-12)
    return (SHARPNESS * scaled).masked_fill(~remaining, -torch.inf).softmax(dim=1)


def _visit(episode: NDArray[np.int64], states: int, rng: np.random.Generator) -> Visit:
    """States before an extraction; an episode without any still has a beginning."""
    times = draw_times(max(1, len(episode)), states, rng)
    return Visit(episode, times, 1 / len(times))
