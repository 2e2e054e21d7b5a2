"""Losses of the paper's network beside the paper's own: one against repeats, and that of the baseline NeuSum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.learner import LossInput
from memsum_train.paper.episodes import sentence_gains
from memsum_train.paper.train import States
from memsum_train.policy import Policy

MARKER = "marker"  # the name of the layer's weights, which are not saved with a model
SHARPNESS = 20.0  # NeuSum's τ


def add_marker(policy: Policy) -> None:
    """Add a layer that tells from an attention history which sentences repeat an extracted one; never saved."""
    if policy.config.history == "attention":  # the other histories are the same for all sentences
        policy.add_module(MARKER, nn.Linear(policy.config.dimension, 1))


def repeats_loss(given: LossInput) -> Tensor:
    """Compute the paper's loss over some states of one episode per document, and the loss for repeats."""
    policy, config, device = given.policy, given.config, given.batch.mask.device
    targets = draw_states(given.documents, given.generators, config.states)
    repeats = find_repeats(given.documents, targets).to(device)
    targets = targets.to(device)
    state = targets.state
    encoded = policy.encode(given.batch).repeat(targets.per_document)
    history = policy.remember(encoded, state)
    scores = policy.score(encoded, history, state)
    loss: Tensor = -(targets.weight * scores.log_action(state.remaining, targets.action, targets.stops)).sum()
    if policy.config.history == "none":
        return loss
    marks = getattr(policy, MARKER)(history).squeeze(-1) if hasattr(policy, MARKER) else None
    return loss + config.repeats * penalize_repeats(scores.logits, marks, targets, repeats)


def draw_states(documents: Sequence[EncodedDocument], generators: Sequence[np.random.Generator], states: int) -> States:
    """Draw an episode per document, shuffle it, and draw `states` of its states (0: all of them, padded)."""
    episodes, times, weights = [], [], []
    for document, rng in zip(documents, generators, strict=True):
        which = int(rng.integers(len(document.episodes)))
        episode = _either(document, rng.permutation(document.episodes[which]), rng)
        episodes.append(episode)
        times.append(draw_times(len(episode) + 1, states, rng))
        weights.append(float(document.rewards[which]) / len(times[-1]))
    return States.of(documents, episodes, times, weights)


def draw_times(count: int, states: int, rng: np.random.Generator) -> list[int]:
    """Draw some of an episode's states, without repeats where it has enough; 0: all of them."""
    times = range(count) if not states else rng.choice(count, states, replace=states > count)
    return [int(time) for time in times]


def _either(document: EncodedDocument, episode: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Take any one of duplicates: if it were always the first, no network would need a history."""
    meanings = document.meanings
    if len(np.unique(meanings)) == len(meanings):
        return episode
    wanted = dict.fromkeys(meanings[episode].tolist())
    return np.array([rng.choice(np.flatnonzero(meanings == meaning)) for meaning in wanted], np.int64)


def find_repeats(documents: Sequence[EncodedDocument], targets: States) -> Tensor:
    """Return which of the remaining sentences (B · K, N) say the same as one that was extracted."""
    state, each = targets.state, targets.per_document
    extracted, taken = state.extracted.numpy(), state.taken.numpy()
    repeats = np.zeros(state.remaining.shape, bool)
    for number, document in enumerate(documents):
        meanings = document.meanings
        for row in range(number * each, (number + 1) * each):
            repeats[row, : len(meanings)] = np.isin(meanings, meanings[extracted[row][taken[row]]])
    return torch.from_numpy(repeats) & state.remaining


def penalize_repeats(logits: Tensor, marks: Tensor | None, targets: States, repeats: Tensor) -> Tensor:
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
