"""Learning from high-ROUGE episodes: the paper's objective, with the repeats that its loss hardly teaches, and those of
the baselines NeuSum and SummaRuNNer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from memsum.training.corpus.oracle import sentence_gains
from memsum.training.learning.algorithm import Targets, draw_times, sample_targets
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedDocument
from memsum.training.policy import Batch, Policy, State
from memsum.training.policy.paper.network import PaperNetwork

SHARPNESS = 20.0  # NeuSum's τ


def imitation_loss(
    policy: PaperNetwork,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """Compute the paper's objective, −r / (T + 1) · Σ_t log π(A_t given S_t): imitate high-ROUGE episodes.

    Some states of one episode per document, in random order; with a weight for repeats, `repeats_loss` is added.
    """
    targets = sample_targets(documents, generators, config.states)
    repeats = find_repeats(documents, targets).to(batch.mask.device)
    targets = targets.to(batch.mask.device)
    state = targets.state
    encoded = policy.encode(batch).repeat(targets.per_document)
    history = policy.remember(encoded, state)
    scores = policy.score(encoded, history, state)
    loss = -(targets.weight * scores.log_action(state.remaining, targets.action, targets.stops)).sum()
    if not config.repeats or policy.config.history == "none":
        return loss
    return loss + config.repeats * repeats_loss(scores.logits, policy.marks(history), targets, repeats)


def find_repeats(documents: Sequence[EncodedDocument], targets: Targets) -> Tensor:
    """Return which of the remaining sentences (B · K, N) say the same as one that was extracted."""
    state, each = targets.state, targets.per_document
    extracted, taken = state.extracted.numpy(), state.taken.numpy()
    repeats = np.zeros(state.remaining.shape, bool)
    for number, document in enumerate(documents):
        meanings = document.meanings
        for row in range(number * each, (number + 1) * each):
            repeats[row, : len(meanings)] = np.isin(meanings, meanings[extracted[row][taken[row]]])
    return torch.from_numpy(repeats) & state.remaining


def repeats_loss(logits: Tensor, marks: Tensor | None, targets: Targets, repeats: Tensor) -> Tensor:
    """Sum two terms over documents, half of each; 0 if the batch has no repeat.

    The paper's loss holds this lesson, but drowned. A repeat has some hundredths of the probability, and its part of
    the gradient is smaller than the noise of which sentence the episode happens to take next: with the paper's loss
    alone, a history encoder trained on a few thousand documents does not avoid repeats at all.

    *Marks*: the history tells repeats from the others, in a cross-entropy in which the few repeats weigh as much as all
    others together. Where something was extracted and nothing repeats it, all are others: what is only alike is none.
    *Ranking*, weighted by the reward: softplus(score of the repeat - mean score of the others). It is relative, because
    a network that only had to lower a repeat's score would lower all scores.
    """
    if not repeats.any():
        return logits.new_zeros(())
    others = targets.state.remaining & ~repeats
    logits = logits.float()
    behind = _mean(F.softplus(logits - _mean(logits, others)), repeats)  # 0 where there is none
    loss = (targets.weight * targets.per_document)[:, None] * behind
    if marks is not None:
        marks = marks.float()[:, : repeats.shape[1]]  # without a stop sentence, which is no repeat
        marked = _mean(F.softplus(-marks), repeats) + _mean(F.softplus(marks), others)
        loss = loss + marked * targets.state.taken.any(dim=1, keepdim=True)
    return 0.5 * loss.sum() / targets.per_document


def _mean(values: Tensor, where: Tensor) -> Tensor:
    """Return the mean (B, 1) of some of the values (B, N); 0 if there are none."""
    return (values * where).sum(dim=1, keepdim=True) / where.sum(dim=1, keepdim=True).clamp(min=1)


def gains_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """Compute NeuSum's objective: at each step of the best episode, prefer sentences by the ROUGE they would add.

    Zhou et al. (2018): gains are scaled to 0 … 1 and sharpened to a distribution, which the scores' softmax is to
    match: the KL divergence, the mean over some states of each document's best episode, in its own order.
    """
    episodes = [document.best for document in documents]
    # States before an extraction; an episode without any still has a beginning.
    times = [draw_times(max(1, len(best)), config.states, rng) for best, rng in zip(episodes, generators, strict=True)]
    targets = Targets.of(documents, episodes, times, [1 / len(drawn) for drawn in times])
    gains = np.zeros(targets.state.remaining.shape, np.float32)
    for d, (document, episode) in enumerate(zip(documents, episodes, strict=True)):
        row, raw = d * targets.per_document, document.reference
        rows = sentence_gains(raw.text, raw.summary, episode)[times[d]]
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
    """Return the distribution (B, N) over what remains: the softmax of the gains, scaled to 0 … 1 and sharpened."""
    low = gains.masked_fill(~remaining, torch.inf).amin(dim=1, keepdim=True)
    high = gains.masked_fill(~remaining, -torch.inf).amax(dim=1, keepdim=True)
    scaled = (gains - low) / (high - low).clamp(min=1e-12)
    return (SHARPNESS * scaled).masked_fill(~remaining, -torch.inf).softmax(dim=1)


def labels_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """Compute SummaRuNNer's objective: is a sentence a member of the best episode?

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
