"""Learning from its own episodes: the policy plays, ROUGE judges, and what did better than the others is reinforced.

REINFORCE with the mean of the document's other episodes as the baseline (self-critical, leave-one-out). Meant to
follow the imitation of high-ROUGE episodes: a policy that knows nothing plays nothing worth learning from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from memsum.policy import Batch, Policy
from memsum.policy.layers import Dropout
from memsum.rouge import score_many
from memsum.training.batches import Visit, draw_times, fill_targets
from memsum.training.config import TrainingConfig
from memsum.training.data import Document, wordings
from memsum.training.objective import encoded_loss
from memsum.training.objectives.sampling import Played, draw_noise, play_at_random

_VARIANTS, _F1 = (0, 1, 3), 2  # ROUGE-1, ROUGE-2, ROUGE-Lsum


def loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[Document],
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
        return encoded_loss(policy, encoded, fill_targets(documents, visits).to(batch.mask.device))


def rewards(documents: Sequence[Document], played: Sequence[Played]) -> NDArray[np.float64]:
    """The mean of ROUGE-1, 2 and Lsum F1 of each episode, as validation computes it; as many episodes a document."""
    each = len(played) // len(documents)
    said = [wording for wording in wordings(documents) for _ in range(each)]
    extracts = [[w.text[i] for i in sorted(e.choices.tolist())] for w, e in zip(said, played, strict=True)]
    scores = score_many(extracts, [wording.summary for wording in said])
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
