"""One protocol for all networks: encode a document once, then score what remains at every step of its episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum_train.policy.batch import Batch, SentenceBucket, State
from memsum_train.policy.config import PolicyConfig

E = TypeVar("E")


@dataclass(frozen=True)
class StepScores:
    """Scores of one step, of a network that does not stop by itself."""

    logits: Tensor  # (B, N) of the scores u = sigmoid(logits)

    def log_action(self, remaining: Tensor, action: Tensor, stops: Tensor) -> Tensor:
        """Return log π (B,) of extracting the sentences `action` (B,), or of stopping where `stops` (B,).

        Where nothing remains, stopping is certain: its log is 0, and not −inf − (−inf).
        """
        over = ~remaining.any(dim=1)
        chosen = log_choice(self.logits, remaining | over[:, None]).gather(1, action[:, None])[:, 0]
        return chosen.masked_fill(stops | over, 0)

    def p_stop(self, best: Tensor) -> Tensor:
        """Return the probability of stopping (B,), where `best` (B,) is the largest logit of what remains."""
        return torch.zeros_like(best)


def log_choice(logits: Tensor, remaining: Tensor) -> Tensor:
    """Return log(u_i / Σ u_j) over what remains (B, N); −inf elsewhere."""
    log_u = F.logsigmoid(logits.float()).masked_fill(~remaining, -torch.inf)
    return log_u - log_u.logsumexp(dim=1, keepdim=True)


class Network(nn.Module, Generic[E]):
    """Base of all networks: frozen word vectors, a local and a context encoder; `E` is what `encode` computes."""

    words: Tensor
    weights: Tensor

    def __init__(
        self, config: PolicyConfig, words: Tensor, weights: Tensor, local: nn.Module, context: nn.Module
    ) -> None:
        """Take words (V, word_dimension), with a zero row for padding, and their weights (V,) in averages."""
        super().__init__()
        self.config = config
        self.register_buffer("words", words, persistent=False)
        self.register_buffer("weights", weights, persistent=False)
        self.local = local
        self.context = context

    def encode(self, batch: Batch) -> E:
        """Compute what no extraction changes, once per document."""
        raise NotImplementedError

    def step(self, encoded: E, state: State) -> StepScores:
        """Score the remaining sentences after the state's extractions."""
        raise NotImplementedError

    def disable_history(self) -> None:
        """Score every step as if nothing were extracted: the control of what the history contributes."""

    def embed(self, words: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return local embeddings (S, d) of the buckets' sentences, which are made of the words (U,)."""
        rows: Tensor = self.local(F.embedding(words, self.words), self.weights[words], buckets)
        return rows

    def embed_sentences(self, batch: Batch) -> Tensor:
        """Return local embeddings (B, N, d): bucket by bucket, put into their documents."""
        rows = self.embed(batch.words, batch.buckets).index_select(0, batch.rows)
        return rows.view(*batch.mask.shape, -1) * batch.mask[..., None]

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return local and context embeddings, (B, N, d) each."""
        local = self.embed_sentences(batch)
        return local, self.context(local, batch.lengths)


Policy: TypeAlias = Network[Any]  # where any network will do
