"""The objective of the baseline NeuSum."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memsum_train.learning.learner import LossInput
from memsum_train.learning.objectives.repeats import draw_times
from memsum_train.paper.episodes import sentence_gains
from memsum_train.paper.train import States

SHARPNESS = 20.0  # NeuSum's τ


def gains_loss(given: LossInput) -> Tensor:
    """Compute NeuSum's objective: at each step of the best episode, prefer sentences by the ROUGE they would add.

    Zhou et al. (2018): gains are scaled to 0 … 1 and sharpened to a distribution, which the scores' softmax is to
    match: the KL divergence, the mean over some states of each document's best episode, in its own order.
    """
    documents, policy, device = given.documents, given.policy, given.batch.mask.device
    episodes = [document.best for document in documents]
    # States before an extraction; an episode without any still has a beginning.
    times = [
        draw_times(max(1, len(best)), given.config.states, rng)
        for best, rng in zip(episodes, given.generators, strict=True)
    ]
    targets = States.of(documents, episodes, times, [1 / len(drawn) for drawn in times])
    gains = np.zeros(targets.state.remaining.shape, np.float32)
    for d, (document, episode) in enumerate(zip(documents, episodes, strict=True)):
        row, raw = d * targets.per_document, document.reference
        rows = sentence_gains(raw.text, raw.summary, episode)[times[d]]
        gains[row : row + len(rows), : rows.shape[1]] = rows
    targets = targets.to(device)
    logits = policy.step(policy.encode(given.batch).repeat(targets.per_document), targets.state).logits.float()
    # Rows without weight, which only pad, have nothing to choose from; anything finite will do for them.
    remaining = targets.state.remaining | ~targets.state.remaining.any(dim=1, keepdim=True)
    wanted = preferences(torch.from_numpy(gains).to(device), remaining)
    found = logits.masked_fill(~remaining, -torch.inf).log_softmax(dim=1).masked_fill(~remaining, 0)
    return (targets.weight * F.kl_div(found, wanted, reduction="none").sum(dim=1)).sum()


def preferences(gains: Tensor, remaining: Tensor) -> Tensor:
    """Return the distribution (B, N) over what remains: the softmax of the gains, scaled to 0 … 1 and sharpened."""
    low = gains.masked_fill(~remaining, torch.inf).amin(dim=1, keepdim=True)
    high = gains.masked_fill(~remaining, -torch.inf).amax(dim=1, keepdim=True)
    scaled = (gains - low) / (high - low).clamp(min=1e-12)
    return (SHARPNESS * scaled).masked_fill(~remaining, -torch.inf).softmax(dim=1)
