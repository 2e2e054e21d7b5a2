"""The repeats loss: a policy learns to see what it has extracted already, and to pass over what says the same.

The paper's loss holds this lesson, but drowned. A repeat has some hundredths of the probability, and its part of the
gradient is smaller than the noise of which sentence the episode happens to take next: with the paper's loss alone, a
history encoder trained on a few thousand documents does not avoid repeats at all. So it gets two terms of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memsum.policy import StepScores
from memsum.training.batches import Targets
from memsum.training.data import Document


def mark_repeats(documents: Sequence[Document], targets: Targets) -> Targets:
    """The targets, and which of the remaining sentences say the same as one that was extracted."""
    state, each = targets.state, targets.per_document
    extracted, taken = state.extracted.numpy(), state.taken.numpy()
    repeats = np.zeros(state.remaining.shape, bool)
    for number, document in enumerate(documents):
        meanings = document.meanings
        for row in range(number * each, (number + 1) * each):
            repeats[row, : len(meanings)] = np.isin(meanings, meanings[extracted[row][taken[row]]])
    return replace(targets, repeats=torch.from_numpy(repeats) & state.remaining)


def repeats_loss(result: StepScores, targets: Targets) -> Tensor:
    """Sum over documents of the two terms, half of each; 0 if the batch has no repeat.

    *Marks*: the history tells repeats from the others, in a cross-entropy in which the few repeats weigh as much as all
    others together. Where something was extracted and nothing repeats it, all are others: what is only alike is none.
    *Ranking*, weighted by the reward: softplus(score of the repeat - mean score of the others). It is relative, because
    a policy that only had to lower a repeat's score would lower all scores.
    """
    repeats = targets.repeats
    if repeats is None or not repeats.any():
        return result.logits.new_zeros(())
    sentences = repeats.shape[1]  # without a stop sentence, which is no repeat
    others = targets.state.remaining & ~repeats
    logits = result.logits.float()[:, :sentences]
    behind = _mean(F.softplus(logits - _mean(logits, others)), repeats)  # 0 where there is none
    loss = (targets.weight * targets.per_document)[:, None] * behind
    if result.marks is not None:
        marks = result.marks.float()[:, :sentences]
        told = _mean(F.softplus(-marks), repeats) + _mean(F.softplus(marks), others)
        loss = loss + told * targets.state.taken.any(dim=1, keepdim=True)
    return 0.5 * loss.sum() / targets.per_document


def _mean(values: Tensor, where: Tensor) -> Tensor:
    """The mean (B, 1) of the values (B, N) in some places; 0 if there are none."""
    return (values * where).sum(dim=1, keepdim=True) / where.sum(dim=1, keepdim=True).clamp(min=1)
