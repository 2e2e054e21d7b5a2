"""The policy: encode a document once, then score its remaining sentences at every step of the episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.signals import Signals
from memsum.training.policy.batch import Batch, SentenceBucket, State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.context import CONTEXT, Frame
from memsum.training.policy.counted import CountedExtractor, pad
from memsum.training.policy.extractor import EXTRACTOR
from memsum.training.policy.history import HISTORY, gather_sentences
from memsum.training.policy.local import LOCAL
from memsum.training.policy.refiner import Odds, refined_signals


@dataclass(frozen=True)
class Encoded:
    """What is computed once per document: local and global embeddings (B, N, d), and where there are sentences."""

    local: Tensor
    context: Tensor
    mask: Tensor
    stop_place: Tensor | None = None  # (B,) position of the stop sentence, if the policy stops by one
    # Where the history is counted: hidden states (B, N, h), words of the sentences (B, N), and each document's signals.
    states: Tensor | None = None
    lengths: Tensor | None = None
    signals: Sequence[Signals] = ()
    odds: Sequence[Odds] = ()  # that the signals' salience follows from, with gradients

    def repeat(self, times: int) -> Encoded:
        """Each document several times in a row, for several states of its episode."""

        def again(x: Tensor) -> Tensor:
            return x.repeat_interleave(times, dim=0)

        signals = [one for one in self.signals for _ in range(times)]
        return self._map(again, signals)

    def rows(self, which: Tensor) -> Encoded:
        """Some of the documents: those where `which` (B,) is true."""
        signals = [one for one, is_in in zip(self.signals, which.tolist(), strict=False) if is_in]
        return self._map(lambda x: x[which], signals)

    def _map(self, change: Callable[[Tensor], Tensor], signals: Sequence[Signals]) -> Encoded:
        place, states, lengths = (
            None if x is None else change(x) for x in (self.stop_place, self.states, self.lengths)
        )
        return Encoded(change(self.local), change(self.context), change(self.mask), place, states, lengths, signals)


@dataclass(frozen=True)
class StepScores:
    """What the policy thinks at one step."""

    logits: Tensor  # (B, N) of the scores u = sigmoid(logits)
    stop: Tensor | None  # (B,) logits of stopping, if the policy stops by a probability
    marks: Tensor | None = None  # (B, N) logits of repeating something extracted, while the policy learns to tell

    def log_choice(self, remaining: Tensor) -> Tensor:
        """log(u_i / Σ u_j) over what remains (B, N); −inf elsewhere."""
        log_u = F.logsigmoid(self.logits.float()).masked_fill(~remaining, -torch.inf)
        return log_u - log_u.logsumexp(dim=1, keepdim=True)


class Policy(nn.Module):
    """Local, context, history and extractor, as the config composes them. Word vectors are frozen."""

    words: Tensor
    weights: Tensor

    def __init__(self, config: PolicyConfig, words: Tensor, weights: Tensor, frame: Frame | None = None) -> None:
        """Words (V, word_dimension) with a zero row for padding; weights (V,) of words in averages, 0 for padding.

        With a frame, the context encoder reads every document in it.
        """
        super().__init__()
        self.config = config
        self.register_buffer("words", words, persistent=False)
        self.register_buffer("weights", weights, persistent=False)
        self.local = LOCAL[config.local](config)
        self.frame = frame
        self.context = CONTEXT[config.context](config)
        self.history = HISTORY[config.history](config)
        self.extractor = EXTRACTOR["counted" if config.history == "counted" else config.extractor](config)
        self.stop_sentence = nn.Parameter(torch.randn(config.dimension)) if config.stopping == "stop-sentence" else None
        self.marker: nn.Linear | None = None  # in training only, see `add_marker`

    def encode(self, batch: Batch) -> Encoded:
        """Local embeddings bucket by bucket, put into their documents; then the context."""
        rows = self.embed(batch.words, batch.buckets)
        documents, longest = batch.mask.shape
        local = rows.index_select(0, batch.places).view(documents, longest, -1)
        local = local * batch.mask[..., None]
        mask, place = batch.mask, None
        if self.stop_sentence is not None:
            local, mask, place = _append(local, mask, self.stop_sentence)
        if self.frame is None:
            encoded = Encoded(local, self.context(local, mask.sum(dim=1)), mask, place)
            return _read(self.extractor, encoded, batch) if isinstance(self.extractor, CountedExtractor) else encoded
        frames = self.frame(local, self.embed(self.frame.words, [self.frame.blank]), batch)
        context = self.context(frames, mask.new_full((documents,), self.frame.size, dtype=torch.long))
        return Encoded(local, gather_sentences(context, batch.positions), mask, place)

    def embed(self, words: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Local embeddings (S, d) of the buckets' sentences, which are made of the words (U,)."""
        rows: Tensor = self.local(F.embedding(words, self.words), self.weights[words], buckets)
        return rows

    def step(self, encoded: Encoded, state: State) -> StepScores:
        """Scores of the remaining sentences after the state's extractions."""
        history = self.history(encoded.local, state)
        logits, stop = self.extractor.score_step(encoded, history, state)
        marks = self.marker(history).squeeze(-1) if self.marker is not None else None
        return StepScores(logits, stop, marks)

    def add_marker(self) -> None:
        """Let the history say which sentences repeat an extracted one; it is trained with this, and saved without."""
        self.marker = nn.Linear(self.config.dimension, 1)


def _read(extractor: CountedExtractor, encoded: Encoded, batch: Batch) -> Encoded:
    """What a counting extractor reads once."""
    if batch.signals is None:
        raise ValueError("A policy whose history is counted needs texts with signals.")
    features, lengths = batch.gather("features"), batch.gather("lengths")
    signals = pad([one.values for one in batch.signals], batch.mask.shape[1]).to(features.device)
    states = extractor.read(encoded.local, encoded.context, features, signals)
    odds = extractor.refiner(states, batch.signals)
    refined = refined_signals(batch.signals, odds)
    return replace(encoded, states=states, lengths=lengths.float(), signals=refined, odds=odds)


def _append(local: Tensor, mask: Tensor, sentence: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Put one learned sentence after the last one of each document."""
    place = mask.sum(dim=1)
    local = F.pad(local, (0, 0, 0, 1))
    mask = F.pad(mask, (0, 1))
    here = F.one_hot(place, mask.shape[1]).bool()
    return local + here[..., None] * sentence.to(local.dtype), mask | here, place
