"""Extractors: a score for every remaining sentence, and whether to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.training.policy.batch import State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.counted import CountedExtractor
from memsum.training.policy.layers import Dropout, MultiHeadPooling

if TYPE_CHECKING:
    from memsum.training.policy.policy import Encoded


class Extractor(nn.Module):
    """Two hidden layers shared by all sentences; a linear score, and a stop from the remaining ones together."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.norm_input = nn.LayerNorm(3 * d)
        self.hidden1 = nn.Linear(3 * d, 2 * d)
        self.norm1 = nn.LayerNorm(2 * d)
        self.hidden2 = nn.Linear(2 * d, d)
        self.norm2 = nn.LayerNorm(d)
        self.score = nn.Linear(d, 1)
        self.stop = Stop(config) if config.stopping == "policy" else None
        self.dropout = Dropout(config.dropout)

    def score_step(self, encoded: Encoded, history: Tensor, state: State) -> tuple[Tensor, Tensor | None]:
        """Logits of the scores (B, N) and of stopping (B,), from what remains and its history."""
        scores: tuple[Tensor, Tensor | None] = self(encoded.local, encoded.context, history, state.remaining)
        return scores

    def forward(
        self, local: Tensor, context: Tensor, history: Tensor, remaining: Tensor
    ) -> tuple[Tensor, Tensor | None]:
        """Three (B, N, d) → logits of the scores (B, N) and of stopping (B,)."""
        x = self.norm_input(self.dropout(torch.cat([local, context, history], dim=-1)))
        x = F.relu(self.norm1(self.dropout(self.hidden1(x))))
        x = F.relu(self.norm2(self.dropout(self.hidden2(x))))
        stop = self.stop(x, remaining) if self.stop is not None else None
        return self.score(x).squeeze(-1), stop


class Stop(nn.Module):
    """The stop probability, from the pooled hidden states of what remains."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.pool = MultiHeadPooling(config.dimension, config.dimension, config.heads)
        self.norm = nn.LayerNorm(config.dimension)
        self.out = nn.Linear(config.dimension, 1)
        self.dropout = Dropout(config.dropout)

    def forward(self, hidden: Tensor, remaining: Tensor) -> Tensor:
        """hidden (B, N, d), remaining (B, N) → logits (B,)."""
        pooled = self.dropout(self.pool(hidden, remaining))
        logits: Tensor = self.out(F.relu(self.norm(pooled))).squeeze(-1)
        return logits


class SummaRuNNer(nn.Module):
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

    def score_step(self, encoded: Encoded, history: Tensor, state: State) -> tuple[Tensor, Tensor | None]:
        """The same scores at every step, and no stop."""
        return self(encoded.local, encoded.context, encoded.mask), None

    def forward(self, local: Tensor, context: Tensor, mask: Tensor) -> Tensor:
        """Two (B, N, d), mask (B, N) → logits of membership (B, N)."""
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


EXTRACTOR: dict[str, type[Extractor | SummaRuNNer | CountedExtractor]] = {
    "memsum": Extractor,
    "summarunner": SummaRuNNer,
    "counted": CountedExtractor,
}
