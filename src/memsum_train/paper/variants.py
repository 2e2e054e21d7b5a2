"""The variants of section 5.2: each is the network of `model.py` with one part exchanged.

| in Table 5 | setting | here |
|---|---|---|
| w/o LSE | `local = "mean"` | `MeanLocal` |
| w/o GCE | `context = "none"` | `NoContext` |
| w/o EHE | `history = "none"` | `NoHistory` |
| with GRU-EHE | `history = "gru"` | `GRUHistory` |
| w/o auto-stop | `stopping = "fixed"` | an `Extractor` without `Stop` |
| with "STOP" | `stopping = "stop-sentence"` | `StopSentenceMemSum` |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum_train.paper.model import (
    Encoded,
    ExtractionHistoryEncoder,
    GlobalContextEncoder,
    LocalSentenceEncoder,
    MemSum,
    gather_sentences,
)
from memsum_train.policy.batch import Batch, SentenceBucket, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.network import StepScores, log_choice


class MeanLocal(nn.Module):
    """Without LSE: the mean of the word vectors."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        same = config.word_dimension == config.dimension
        self.out = nn.Identity() if same else nn.Linear(config.word_dimension, config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return embeddings (S, dimension) of all buckets' sentences."""
        means = []
        for bucket in buckets:
            shares = bucket.mask / bucket.mask.sum(dim=1, keepdim=True).clamp(min=1)  # (S, W)
            means.append((shares.to(words.dtype)[:, None, :] @ F.embedding(bucket.words, words)).squeeze(1))
        local: Tensor = self.out(torch.cat(means))
        return local


class NoContext(nn.Module):
    """Without GCE: nothing is known of the document."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()

    def forward(self, local: Tensor, lengths: Tensor) -> Tensor:
        return torch.zeros_like(local)


class GRUHistory(nn.Module):
    """GRU-EHE, as in NeuSum: the last state of a GRU over the extracted sentences, the same for all that remain."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.rnn = nn.GRU(config.dimension, config.dimension, batch_first=True)

    def forward(self, local: Tensor, state: State) -> Tensor:
        """local (B, N, d) → history (B, N, d), zero for a document with nothing extracted."""
        if not state.taken.shape[1]:
            return torch.zeros_like(local)
        states, _ = self.rnn(gather_sentences(local, state.extracted))  # (B, E, d); what is taken comes first
        counts = state.taken.sum(dim=1)
        last = gather_sentences(states, (counts - 1).clamp(min=0)[:, None])  # (B, 1, d)
        return (last * (counts > 0)[:, None, None]).expand_as(local)


class NoHistory(nn.Module):
    """Without EHE: one scoring, then sampling without replacement, as in BanditSum."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()

    def forward(self, local: Tensor, state: State) -> Tensor:
        return torch.zeros_like(local)


LOCAL = {"lstm": LocalSentenceEncoder, "mean": MeanLocal}
CONTEXT = {"lstm": GlobalContextEncoder, "none": NoContext}
HISTORY = {"attention": ExtractionHistoryEncoder, "gru": GRUHistory, "none": NoHistory}


# --- "STOP" ----------------------------------------------------------------------------------------------------------


class StopSentenceMemSum(MemSum):
    """A learned sentence ends every document, and ends the episode when it is extracted.

    It is read, remembered and scored like any other; states and scores are of the other sentences.
    """

    def __init__(self, config: PolicyConfig, *inputs: Any, **blocks: Any) -> None:
        super().__init__(config, *inputs, **blocks)
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


@dataclass(frozen=True)
class StopSentenceScores(StepScores):
    """Scores of a network that stops by choosing a stop sentence, which can always be chosen."""

    candidates: Tensor  # (B, N + 1) the logits again, the stop sentence's behind the last sentence of each document
    index: Tensor  # (B,) of the stop sentence

    def log_action(self, remaining: Tensor, action: Tensor, stops: Tensor) -> Tensor:
        logs = log_choice(self.candidates, _add_stop(remaining, self.index))
        return logs.gather(1, torch.where(stops, self.index, action)[:, None])[:, 0]

    def p_stop(self, best: Tensor) -> Tensor:
        return (self.candidates.gather(1, self.index[:, None])[:, 0] > best).float()


def _with_stop(encoded: Encoded, state: State) -> State:
    return replace(state, remaining=_add_stop(state.remaining, encoded.mask.sum(dim=1)))


def _add_stop(remaining: Tensor, index: Tensor) -> Tensor:
    """Add the stop sentence to what remains: (B, N) → (B, N + 1)."""
    return F.pad(remaining, (0, 1)).scatter(1, index[:, None], True)
