"""One protocol for all networks: encode a document once, then score what remains at every step of its episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.training.policy.batch import Batch, SentenceBucket, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.paper.context import CONTEXT, Frame
from memsum.training.policy.paper.history import gather_sentences
from memsum.training.policy.paper.local import LOCAL

E = TypeVar("E")


@dataclass(frozen=True)
class StepScores:
    """Scores of one step, of a network that does not stop by itself."""

    logits: Tensor  # (B, N) of the scores u = sigmoid(logits)

    def log_choice(self, remaining: Tensor) -> Tensor:
        """Return log(u_i / Σ u_j) over what remains (B, N); −inf elsewhere."""
        return _log_choice(self.logits, remaining)

    def log_action(self, remaining: Tensor, action: Tensor, stops: Tensor) -> Tensor:
        """Return log π (B,) of extracting the sentences `action` (B,), or of stopping where `stops` (B,).

        Where nothing remains, stopping is certain: its log is 0, and not −inf − (−inf).
        """
        over = ~remaining.any(dim=1)
        chosen = self.log_choice(remaining | over[:, None]).gather(1, action[:, None])[:, 0]
        return self._with_stop(chosen.masked_fill(stops, 0), stops).masked_fill(over, 0)

    def _with_stop(self, log_choice: Tensor, stops: Tensor) -> Tensor:
        return log_choice

    def p_stop(self, best: Tensor) -> Tensor:
        """Return the probability of stopping (B,), where `best` (B,) is the largest logit of what remains."""
        return torch.zeros_like(best)


@dataclass(frozen=True)
class StopScores(StepScores):
    """Scores of a network that stops by a probability.

    Equation 4: a sentence is extracted with (1 − p_stop) · u_a / Σ u_j, over what remains. Of the stop, only p_stop has
    a gradient.
    """

    stop: Tensor  # (B,) logits of stopping

    def _with_stop(self, log_choice: Tensor, stops: Tensor) -> Tensor:
        stop = self.stop.float()
        return torch.where(stops, F.logsigmoid(stop), F.logsigmoid(-stop) + log_choice)

    def p_stop(self, best: Tensor) -> Tensor:
        return self.stop.float().sigmoid()


@dataclass(frozen=True)
class StopSentenceScores(StepScores):
    """Scores of a network that stops by choosing a stop sentence, which can always be chosen."""

    candidates: Tensor  # (B, N + 1) the logits again, the stop sentence's behind the last sentence of each document
    index: Tensor  # (B,) of the stop sentence

    def log_action(self, remaining: Tensor, action: Tensor, stops: Tensor) -> Tensor:
        log_choice = _log_choice(self.candidates, with_stop_sentence(remaining, self.index))
        return log_choice.gather(1, torch.where(stops, self.index, action)[:, None])[:, 0]

    def p_stop(self, best: Tensor) -> Tensor:
        return (self.candidates.gather(1, self.index[:, None])[:, 0] > best).float()


def with_stop_sentence(remaining: Tensor, index: Tensor) -> Tensor:
    """Add the stop sentence to what remains: (B, N) → (B, N + 1)."""
    return F.pad(remaining, (0, 1)).scatter(1, index[:, None], True)


def _log_choice(logits: Tensor, remaining: Tensor) -> Tensor:
    log_u = F.logsigmoid(logits.float()).masked_fill(~remaining, -torch.inf)
    return log_u - log_u.logsumexp(dim=1, keepdim=True)


class Network(nn.Module, Generic[E]):
    """Base of all networks: frozen word vectors, a local and a context encoder; `E` is what `encode` computes."""

    words: Tensor
    weights: Tensor

    def __init__(self, config: PolicyConfig, words: Tensor, weights: Tensor, frame: Frame | None = None) -> None:
        """Take words (V, word_dimension), with a zero row for padding, and their weights (V,) in averages.

        With a frame, the context encoder reads every document in it.
        """
        super().__init__()
        self.config = config
        self.register_buffer("words", words, persistent=False)
        self.register_buffer("weights", weights, persistent=False)
        self.local = LOCAL[config.local](config)
        self.frame = frame
        self.context = CONTEXT[config.context](config)

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
        if self.frame is None:
            return local, self.context(local, batch.lengths)
        frames = self.frame(local, self.embed(self.frame.words, [self.frame.blank]), batch)
        context = self.context(frames, torch.full_like(batch.lengths, self.frame.size))
        return local, gather_sentences(context, batch.positions)


Policy: TypeAlias = Network[Any]  # where any network will do
