"""Episodes drawn at random from the policy itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.policy import Encoded, Policy, State


@dataclass(frozen=True)
class Played:
    """An episode that the policy has played."""

    choices: NDArray[np.int64]  # positions, in order of extraction
    stopped: bool  # by itself, rather than at the maximum or because nothing was left


def draw_noise(sentences: Sequence[int], generators: Sequence[np.random.Generator], samples: int, steps: int) -> Tensor:
    """Gumbel noise (B · samples, steps, N + 1) for each sentence and, last, for stopping.

    The largest of log-probabilities with such noise added is a sample of them. Each document draws its own, so that it
    plays the same episodes whatever else is in the batch.
    """
    noise = np.zeros((len(sentences), samples, steps, max(sentences) + 1), np.float32)
    for row, (size, rng) in enumerate(zip(sentences, generators, strict=True)):
        own = min(steps, size)
        drawn = rng.gumbel(size=(samples, own, size + 1))
        noise[row, :, :own, :size] = drawn[..., :size]
        noise[row, :, :own, -1] = drawn[..., size]
    return torch.from_numpy(noise.reshape(-1, *noise.shape[2:]))


@torch.no_grad()
def play_at_random(policy: Policy, encoded: Encoded, noise: Tensor) -> list[Played]:
    """Play as many episodes of each document, and at most as many steps, as there is noise for."""
    rows, steps, width = noise.shape
    stop = width - 1
    encoded = encoded.repeat(rows // len(encoded.mask))
    mask = encoded.mask
    if encoded.stop_place is not None:
        mask = mask.scatter(1, encoded.stop_place[:, None], False)
    state = State.start(mask)
    live = torch.arange(rows, device=noise.device)
    actions = torch.full((rows, steps), -1, device=noise.device)
    for time in range(steps):
        action = (log_actions(policy, encoded, state) + noise[live, time]).argmax(dim=1)
        actions[live, time] = action
        extracts = action != stop
        state = state.extract(action.masked_fill(~extracts, 0), extracts)
        goes_on = extracts & state.remaining.any(dim=1)
        if not goes_on.any():
            break
        if not goes_on.all():
            live, encoded, state = live[goes_on], encoded.rows(goes_on), _state_of(state, goes_on)
    played = actions.cpu().numpy()
    return [Played(row[(row >= 0) & (row < stop)], bool((row == stop).any())) for row in played]


def log_actions(policy: Policy, encoded: Encoded, state: State) -> Tensor:
    """log π (B, N + 1) of extracting each of the remaining sentences and, last, of stopping; −inf of all else."""
    place = encoded.stop_place
    if place is not None:
        seen = state.remaining.scatter(1, place[:, None], True)
        log_choice = policy.step(encoded, State(seen, state.extracted, state.taken)).log_choice(seen)
        # One column is a sentence of no document: in the longest, it is that of the stop sentence.
        sentences = log_choice.scatter(1, place[:, None], -torch.inf)[:, :-1]
        return torch.cat([sentences, log_choice.gather(1, place[:, None])], dim=1)
    result = policy.step(encoded, state)
    log_choice = result.log_choice(state.remaining)
    if result.stop is None:
        return F.pad(log_choice, (0, 1), value=-torch.inf)
    stop = result.stop.float()[:, None]
    return torch.cat([log_choice + F.logsigmoid(-stop), F.logsigmoid(stop)], dim=1)


def _state_of(state: State, rows: Tensor) -> State:
    return State(state.remaining[rows], state.extracted[rows], state.taken[rows])
