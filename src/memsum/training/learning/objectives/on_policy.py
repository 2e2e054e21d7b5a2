"""Learning from its own episodes: the policy plays, ROUGE judges, and what did better than the others is reinforced.

REINFORCE with the mean of the document's other episodes as the baseline (self-critical, leave-one-out). Meant to
follow the imitation of high-ROUGE episodes: a policy that knows nothing plays nothing worth learning from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.training.learning.algorithm import Visit, draw_times, episode_loss, fill_targets
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedDocument, raw_texts
from memsum.training.policy import Batch, Encoded, Policy, State
from memsum.training.policy.layers import Dropout
from memsum.training.rouge import score_many

_VARIANTS, _F1 = (0, 1, 3), 2  # ROUGE-1, ROUGE-2, ROUGE-Lsum


def on_policy_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """−advantage · Σ_t log π(A_t), the mean over each document's episodes, from some states of each."""
    sentences = [len(document.text) for document in documents]
    noise = draw_noise(sentences, generators, config.samples, min(config.max_sentences, max(sentences)))
    with _without_dropout(policy):  # what plays and what learns is the policy as it will be used
        encoded = policy.encode(batch)
        played = play_at_random(policy, encoded, noise.to(batch.mask.device))
        better = advantages(rewards(documents, played).reshape(len(documents), -1))
        visits = [
            _visit(episode, advantage / config.samples, config.states, generators[i // config.samples])
            for i, (episode, advantage) in enumerate(zip(played, better.ravel().tolist(), strict=True))
        ]
        targets = fill_targets(documents, visits).to(batch.mask.device)
        return episode_loss(policy, encoded, targets)[0]


def rewards(documents: Sequence[EncodedDocument], played: Sequence[Played]) -> NDArray[np.float64]:
    """The mean of ROUGE-1, 2 and Lsum F1 of each episode, as validation computes it; as many episodes per document."""
    each = len(played) // len(documents)
    said = [raw for raw in raw_texts(documents) for _ in range(each)]
    extracts = [[w.text[i] for i in sorted(e.choices.tolist())] for w, e in zip(said, played, strict=True)]
    scores = score_many(extracts, [raw.summary for raw in said])
    means: NDArray[np.float64] = scores[:, _VARIANTS, _F1].mean(axis=1)
    return means


def advantages(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much better each episode (documents, samples) is than the mean of the document's others."""
    others = (rewards.sum(axis=1, keepdims=True) - rewards) / (rewards.shape[1] - 1)
    better: NDArray[np.float64] = rewards - others
    return better


def _visit(episode: Played, weight: float, states: int, rng: np.random.Generator) -> Visit:
    """Some of the actions, weighted as if they were all; the stop is one if the policy has chosen it."""
    actions = len(episode.choices) + episode.stopped
    times = draw_times(actions, states, rng)
    return Visit(episode.choices, times, weight * actions / len(times))


@contextmanager
def _without_dropout(policy: Policy) -> Iterator[None]:
    dropouts = [module for module in policy.modules() if isinstance(module, Dropout)]
    before = [module.training for module in dropouts]
    for module in dropouts:
        module.eval()
    try:
        yield
    finally:
        for module, training in zip(dropouts, before, strict=True):
            module.train(training)


# --- episodes drawn at random from the policy itself -----------------------------------------------------------------


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
