"""The objectives by name, and what each needs of the corpus and of the network."""

from __future__ import annotations

from dataclasses import dataclass

from memsum.errors import TrainingError
from memsum_train.learning.config import ObjectiveName, TrainingConfig
from memsum_train.learning.learner import Loss
from memsum_train.learning.objectives.counted import ngram_gain_loss, self_play_loss
from memsum_train.learning.objectives.imitation import gains_loss, repeats_loss
from memsum_train.policy import PolicyConfig


@dataclass(frozen=True)
class Objective:
    """How something is learned, and the networks and corpora it is made for."""

    loss: Loss | None  # None: Algorithm 1 itself
    needs_raw_text: bool = False  # of the documents and their summaries
    teaches_stopping: bool = True
    counts: bool = False  # teaches the count-based network, and no other one

    def check(self, config: TrainingConfig, network: PolicyConfig) -> None:
        """Refuse a network with a part that would never learn."""
        name = config.objective
        if not self.teaches_stopping and network.stopping != "fixed":
            raise TrainingError(f"The objective {name} does not teach when to stop.", "Use it with the stopping fixed.")
        if self.counts != (network.history == "counted"):
            raise TrainingError(
                f"The objective {name} does not teach a network with the history {network.history}.",
                "Use ngram_gain, then self_play, with the history counted; and the others with any other history.",
            )


OBJECTIVES: dict[ObjectiveName, Objective] = {
    "episodes": Objective(None),
    "repeats": Objective(repeats_loss),
    "gains": Objective(gains_loss, needs_raw_text=True, teaches_stopping=False),
    "ngram_gain": Objective(ngram_gain_loss, needs_raw_text=True, counts=True),
    "self_play": Objective(self_play_loss, needs_raw_text=True, counts=True),
}
