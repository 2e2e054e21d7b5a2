"""The paper's loss: −r / (T + 1) · Σ_t log π(A_t), the final stop included."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from memsum.policy import Batch, Encoded, Policy, State
from memsum.training.batches import Targets
from memsum.training.repeats import repeats_loss


def episode_loss(policy: Policy, batch: Batch, targets: Targets, repeats: float = 0.0) -> Tensor:
    """Sum over the batch's documents of the weighted negative log-likelihood of their episodes' actions.

    With a weight for repeats, what the policy loses by them is added.
    """
    return encoded_loss(policy, policy.encode(batch), targets, repeats)


def encoded_loss(policy: Policy, encoded: Encoded, targets: Targets, repeats: float = 0.0) -> Tensor:
    """The same of documents that are encoded already."""
    encoded = encoded.repeat(targets.per_document)
    state, action, stops = _with_stop_sentence(encoded, targets)
    result = policy.step(encoded, state)
    # Where nothing remains there is nothing to choose: its log would be −inf − (−inf), and stopping is certain.
    over = ~state.remaining.any(dim=1)
    log_choice = result.log_choice(state.remaining | over[:, None]).gather(1, action[:, None])[:, 0]
    if result.stop is not None:
        stop = result.stop.float()
        log_action = torch.where(stops, F.logsigmoid(stop), F.logsigmoid(-stop) + log_choice.masked_fill(stops, 0))
    elif encoded.stop_place is not None:
        log_action = log_choice
    else:
        log_action = log_choice.masked_fill(stops, 0)
    log_action = log_action.masked_fill(over, 0)
    loss = -(targets.weight * log_action).sum()
    return loss + repeats * repeats_loss(result, targets) if repeats else loss


def _with_stop_sentence(encoded: Encoded, targets: Targets) -> tuple[State, Tensor, Tensor]:
    """Where a stop sentence ends the episode, it can always be chosen, and stopping is choosing it."""
    state, action, stops = targets.state, targets.action, targets.stops
    if encoded.stop_place is None:
        return state, action, stops
    remaining = F.pad(state.remaining, (0, 1)).scatter(1, encoded.stop_place[:, None], True)
    return State(remaining, state.extracted, state.taken), torch.where(stops, encoded.stop_place, action), stops
