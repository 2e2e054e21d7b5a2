"""The variant "STOP": a learned sentence at the end of every document, which ends the episode when it is chosen."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.training.policy.batch import Batch, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.network import StepScores, StopSentenceScores, with_stop_sentence
from memsum.training.policy.paper.context import Frame
from memsum.training.policy.paper.network import Encoded, PaperNetwork


class StopSentenceNetwork(PaperNetwork):
    """Reads, remembers and scores the stop sentence like any other; states and scores are of the other sentences."""

    def __init__(self, config: PolicyConfig, words: Tensor, weights: Tensor, frame: Frame | None = None) -> None:
        super().__init__(config, words, weights, frame)
        self.stop_sentence = nn.Parameter(torch.randn(config.dimension))

    def encode(self, batch: Batch) -> Encoded:
        local = F.pad(self.embed_sentences(batch), (0, 0, 0, 1))
        here = F.one_hot(batch.lengths, local.shape[1]).bool()
        local = local + here[..., None] * self.stop_sentence.to(local.dtype)
        return Encoded(local, self.context(local, batch.lengths + 1), batch.mask)

    def remember(self, encoded: Encoded, state: State) -> Tensor:
        return super().remember(encoded, _with_stop(encoded, state))

    def score(self, encoded: Encoded, history: Tensor, state: State) -> StepScores:
        logits = super().score(encoded, history, _with_stop(encoded, state)).logits
        return StopSentenceScores(logits[:, :-1], logits, encoded.mask.sum(dim=1))


def _with_stop(encoded: Encoded, state: State) -> State:
    return replace(state, remaining=with_stop_sentence(state.remaining, encoded.mask.sum(dim=1)))
