"""SummaRuNNer, a baseline: all sentences are scored once, in one pass over the document."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from memsum_train.paper.model import Encoded
from memsum_train.policy.batch import Batch, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.layers import Dropout
from memsum_train.policy.network import Network, StepScores


class SummaRuNNer(Network[Encoded]):
    """The paper's encoders with SummaRuNNer's extractor; no extraction changes its scores, and it does not stop."""

    def __init__(self, config: PolicyConfig, *inputs: Any) -> None:
        super().__init__(config, *inputs)
        self.extractor = SummaRuNNerExtractor(config)

    def encode(self, batch: Batch) -> Encoded:
        return Encoded(*self.read(batch), batch.mask)

    def step(self, encoded: Encoded, state: State) -> StepScores:
        return StepScores(self.extractor(encoded.local, encoded.context, encoded.mask))


class SummaRuNNerExtractor(nn.Module):
    """One pass over the sentences, each judged by its content, salience and novelty (Nallapati et al., 2017).

    Scores do not depend on what was extracted, only on what the sentences before probably say. The original also embeds
    a sentence's position; here the context encoder and the features know it.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.scale = d**-0.5
        self.hidden = nn.Linear(2 * d, d)
        self.document = nn.Linear(d, d)
        self.content = nn.Linear(d, 1)
        self.salience = nn.Linear(d, d, bias=False)
        self.novelty = nn.Linear(d, d, bias=False)
        self.dropout = Dropout(config.dropout)

    def forward(self, local: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        """Return logits of membership (B, N) from two embeddings (B, N, d) of the sentences (B, N)."""
        hidden = torch.tanh(self.hidden(self.dropout(torch.cat([local, context], dim=-1))))
        mean = (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        document = torch.tanh(self.document(mean))[:, None]  # (B, 1, d)
        alone = self.content(hidden).squeeze(-1) + self.scale * (self.salience(hidden) * document).sum(dim=-1)
        return _less_repeated(alone.float(), self.scale * self.novelty(hidden).float(), hidden.float())


def _less_repeated(alone: Tensor, queries: Tensor, hidden: Tensor) -> Tensor:
    """Take off each sentence's score (B, N) what its query (B, N, d) finds in the summary so far.

    The summary so far is the sum of the sentences before, each weighted by the probability that it is a member.
    """
    summary = hidden.new_zeros(hidden.shape[0], hidden.shape[2])
    logits = []
    for score, query, sentence in zip(alone.unbind(1), queries.unbind(1), hidden.unbind(1), strict=True):
        logit = score - (query * torch.tanh(summary)).sum(dim=-1)
        summary = summary + logit.sigmoid()[:, None] * sentence
        logits.append(logit)
    return torch.stack(logits, dim=1)
