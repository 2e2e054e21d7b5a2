"""The objectives by name, and what each asks of the corpus and of the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from torch import Tensor

from memsum.errors import TrainingError
from memsum.policy import Batch, Policy, PolicyConfig
from memsum.training.config import ObjectiveName, TrainingConfig
from memsum.training.data import Document
from memsum.training.objectives import episodes, gains, hits, labels, on_policy, rehearsal


class Loss(Protocol):
    """What is descended on."""

    def __call__(
        self,
        policy: Policy,
        batch: Batch,
        documents: Sequence[Document],
        generators: Sequence[np.random.Generator],
        config: TrainingConfig,
    ) -> Tensor:
        """Give the sum over the documents of the batch, each with its own generator for what is random."""


@dataclass(frozen=True)
class Objective:
    """A loss, and for what it is made."""

    loss: Loss
    needs_wording: bool = False  # of the documents and their summaries
    teaches_stopping: bool = True
    knows_history: bool = True
    joins_wording: bool = False  # where it needs the wording: of joined sentences, too
    counts: bool = False  # teaches a policy whose history is counted, and no other one

    def check(self, config: TrainingConfig, network: PolicyConfig) -> None:
        """Refuse a network with a part that would never learn, and sentences that would no longer be the document's."""
        name = config.objective
        if not self.teaches_stopping and network.stopping != "fixed":
            raise TrainingError(f"The objective {name} does not teach when to stop.", "Use it with --stopping fixed.")
        if not self.knows_history and network.history != "none":
            raise TrainingError(f"The objective {name} scores sentences once.", "Use it with --history none.")
        if self.counts != (network.history == "counted"):
            raise TrainingError(
                f"The objective {name} does not teach a policy with the history {network.history}.",
                "Use hits, then rehearsal, with --history counted; and the others with any other history.",
            )
        if self.needs_wording and ((config.joining and not self.joins_wording) or config.twins):
            what = "copy" if config.twins else "join"
            raise TrainingError(f"The objective {name} scores sentences as they are: it cannot {what} them.")


OBJECTIVES: dict[ObjectiveName, Objective] = {
    "episodes": Objective(episodes.loss),
    "on-policy": Objective(on_policy.loss, needs_wording=True),
    "gains": Objective(gains.loss, needs_wording=True, teaches_stopping=False),
    "hits": Objective(hits.loss, needs_wording=True, joins_wording=True, counts=True),
    "rehearsal": Objective(rehearsal.loss, needs_wording=True, joins_wording=True, counts=True),
    "labels": Objective(labels.loss, teaches_stopping=False, knows_history=False),
}
