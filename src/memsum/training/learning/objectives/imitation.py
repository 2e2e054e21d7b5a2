"""Learning from high-ROUGE episodes: the paper's objective, with the repeats that its loss hardly teaches, and those of
the baselines NeuSum and SummaRuNNer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.training.corpus.oracle import sentence_gains
from memsum.training.learning.algorithm import Targets, Visit, draw_times, episode_loss, fill_targets, sample_targets
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedDocument, raw_texts
from memsum.training.policy import Batch, Policy, State, StepScores

SHARPNESS = 20.0  # NeuSum's τ


def imitation_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """The paper's objective: raise the probability of what high-ROUGE episodes do, by their reward.

    Some states of one episode per document, in random order; with a weight for repeats, what the policy loses by them.
    """
    targets = sample_targets(documents, generators, config.states)
    if config.repeats and policy.config.history != "none":
        targets = mark_repeats(documents, targets)
    targets = targets.to(batch.mask.device)
    loss, scores = episode_loss(policy, policy.encode(batch), targets)
    return loss + config.repeats * repeats_loss(scores, targets) if config.repeats else loss


def mark_repeats(documents: Sequence[EncodedDocument], targets: Targets) -> Targets:
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
    """Sum over documents of two terms, half of each; 0 if the batch has no repeat.

    The paper's loss holds this lesson, but drowned. A repeat has some hundredths of the probability, and its part of
    the gradient is smaller than the noise of which sentence the episode happens to take next: with the paper's loss
    alone, a history encoder trained on a few thousand documents does not avoid repeats at all.

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


def gains_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """NeuSum's objective: at each step of the best episode, prefer sentences by how much ROUGE they would add.

    Zhou et al. (2018): gains are scaled to 0 … 1 and sharpened to a distribution, which the scores' softmax is to
    match: the KL divergence, the mean over some states of each document's best episode, in its own order.
    """
    visits = [
        _gains_visit(document.best, config.states, rng) for document, rng in zip(documents, generators, strict=True)
    ]
    targets = fill_targets(documents, visits)
    gains = np.zeros(targets.state.remaining.shape, np.float32)
    for d, (visit, raw) in enumerate(zip(visits, raw_texts(documents), strict=True)):
        row = d * targets.per_document
        rows = sentence_gains(raw.text, raw.summary, visit.episode)[visit.times]
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


def _gains_visit(episode: NDArray[np.int64], states: int, rng: np.random.Generator) -> Visit:
    """States before an extraction; an episode without any still has a beginning."""
    times = draw_times(max(1, len(episode)), states, rng)
    return Visit(episode, times, 1 / len(times))


def labels_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """SummaRuNNer's objective: is a sentence a member of the best episode?

    Binary cross-entropy, the mean over each document's sentences; nothing is random.
    """
    members = np.zeros(batch.mask.shape, np.float32)
    for row, document in enumerate(documents):
        members[row, document.best] = 1
    encoded = policy.encode(batch)
    logits = policy.step(encoded, State.start(encoded.mask)).logits.float()
    wanted = torch.from_numpy(members).to(logits.device)
    each = F.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * batch.mask
    return (each.sum(dim=1) / batch.lengths).sum()
