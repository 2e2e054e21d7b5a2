"""The paper's network: local, context, history and extractor, as the config composes them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from memsum.training.policy.batch import Batch, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.network import Network, StepScores
from memsum.training.policy.paper.context import Frame
from memsum.training.policy.paper.extractor import Extractor
from memsum.training.policy.paper.history import HISTORY, NoHistory


@dataclass(frozen=True)
class Encoded:
    """Local and context embeddings (B, N, d), and where there are sentences (B, N)."""

    local: Tensor
    context: Tensor
    mask: Tensor

    def repeat(self, times: int) -> Encoded:
        return Encoded(*(x.repeat_interleave(times, dim=0) for x in (self.local, self.context, self.mask)))


class PaperNetwork(Network[Encoded]):
    """Figure 2 of the paper."""

    def __init__(self, config: PolicyConfig, words: Tensor, weights: Tensor, frame: Frame | None = None) -> None:
        super().__init__(config, words, weights, frame)
        self.history = HISTORY[config.history](config)
        self.extractor = Extractor(config)
        self.marker: nn.Linear | None = None  # in training only, see `add_marker`

    def encode(self, batch: Batch) -> Encoded:
        return Encoded(*self.read(batch), batch.mask)

    def step(self, encoded: Encoded, state: State) -> StepScores:
        return self.score(encoded, self.remember(encoded, state), state)

    def remember(self, encoded: Encoded, state: State) -> Tensor:
        """Return the history embeddings of what remains (B, N, d): EHE, line 6 of Algorithm 1."""
        history: Tensor = self.history(encoded.local, state)
        return history

    def score(self, encoded: Encoded, history: Tensor, state: State) -> StepScores:
        """Score what remains, and stopping: the extractor, lines 7 to 11."""
        scores: StepScores = self.extractor(encoded.local, encoded.context, history, state.remaining)
        return scores

    def disable_history(self) -> None:
        self.history = NoHistory(self.config)

    def add_marker(self) -> None:
        """Add a layer that tells from an attention history which sentences repeat an extracted one; never saved."""
        if self.config.history == "attention":  # the other histories are the same for all sentences
            self.marker = nn.Linear(self.config.dimension, 1)

    def marks(self, history: Tensor) -> Tensor | None:
        """Return logits (B, N) of repeating something extracted, if there is a marker."""
        return self.marker(history).squeeze(-1) if self.marker is not None else None
