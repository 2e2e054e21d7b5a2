"""What a policy can be trained for: the objectives by name, and what each asks of the corpus and of the network."""

from __future__ import annotations

from dataclasses import dataclass

from memsum.errors import TrainingError
from memsum.training.learning.algorithm import Loss
from memsum.training.learning.config import ObjectiveName, TrainingConfig
from memsum.training.learning.objectives.hits import hits_loss
from memsum.training.learning.objectives.imitation import gains_loss, imitation_loss, labels_loss
from memsum.training.learning.objectives.rehearsal import rehearsal_loss
from memsum.training.policy import PolicyConfig


@dataclass(frozen=True)
class Objective:
    """A loss, and for what it is made."""

    loss: Loss
    needs_raw_text: bool = False  # of the documents and their summaries
    teaches_stopping: bool = True
    knows_history: bool = True
    joins_raw_text: bool = False  # where it needs raw text: also of joined sentences
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
        if self.needs_raw_text and ((config.joining and not self.joins_raw_text) or config.twins):
            what = "copy" if config.twins else "join"
            raise TrainingError(f"The objective {name} scores sentences as they are: it cannot {what} them.")


OBJECTIVES: dict[ObjectiveName, Objective] = {
    "episodes": Objective(imitation_loss),
    "gains": Objective(gains_loss, needs_raw_text=True, teaches_stopping=False),
    "hits": Objective(hits_loss, needs_raw_text=True, joins_raw_text=True, counts=True),
    "rehearsal": Objective(rehearsal_loss, needs_raw_text=True, joins_raw_text=True, counts=True),
    "labels": Objective(labels_loss, teaches_stopping=False, knows_history=False),
}
