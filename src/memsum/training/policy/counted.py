"""The extractor of a policy whose memory is counted: `history: counted`.

What does not change in an episode is computed once per document: from the embeddings, the features and the signals to a
hidden state of each sentence. At every step, the counted novelty of the sentences gates and shifts these states, which
costs a hundredth of attending to all sentences again; and the policy stops by what it has said, what a summary of such
a document has, and what the best remaining sentence would bring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.novelty import NOVELTY, PAIRS_SAID, STOP, stop_inputs
from memsum.features.sentence import FEATURES
from memsum.features.signals import SIGNALS
from memsum.training.policy.batch import State
from memsum.training.policy.config import PolicyConfig
from memsum.training.policy.layers import Dropout
from memsum.training.policy.refiner import Refiner

if TYPE_CHECKING:
    from memsum.training.policy.policy import Encoded

WIDTH = 320
HIDDEN = 160
GATE = 64
# Of what a sentence newly shares with the summary, a unigram counts as much as this many bigrams: it is a hit of
# ROUGE-1 and nearly one of ROUGE-L.
UNIGRAM = 1.9
USUAL = 18  # words of a sentence that cost nothing
LEAST = 14  # words that a sentence is taken to have when its hits are counted per word: scraps are no bargain
REPEATED = 0.3  # share of the pairs of words that may have been said without a price
# The price of saying all of them again. Not learned: ROUGE does not mind repeats, readers do. Between 6 and 10, mean
# ROUGE of 220 validation documents is the same (45.6); quotes of papers that repeat much fall from 11.0 to 7.3 %.
AGAIN = 10.0
AHEAD = 4  # numbers that say what the best remaining sentence would bring


@dataclass(frozen=True)
class Judgement:
    """What the extractor thinks of sentences (…): logits of extracting each, and of the share of its words and pairs of
    words that would be new hits; `gain` is a second opinion that only training asks for."""

    logits: Tensor
    hits: Tensor  # (…, 2) logits
    gain: Tensor


class CountedExtractor(nn.Module):
    """A score for every sentence from its state and its novelty, and whether to stop."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        d = config.dimension
        self.norm = nn.LayerNorm(2 * d)
        self.hidden1 = nn.Linear(2 * d + len(FEATURES) + SIGNALS, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH)
        self.hidden2 = nn.Linear(WIDTH, HIDDEN)
        self.novelty = nn.Linear(len(NOVELTY), GATE)
        self.shift = nn.Linear(GATE, HIDDEN)
        self.gate = nn.Linear(GATE, HIDDEN)
        self.norm2 = nn.LayerNorm(HIDDEN)
        self.hidden3 = nn.Linear(HIDDEN, GATE)
        self.out = nn.Linear(2 * GATE, 4)  # score, gain, hits of words and of pairs
        self.terms = nn.Parameter(torch.tensor([3.0, 0.3]))  # weight of the expected hits, price of words
        self.refiner = Refiner(HIDDEN, config.word_dimension)
        self.stop = CountedStop() if config.stopping == "policy" else None
        self.dropout = Dropout(config.dropout)
        self.remembers = True  # without, it scores as if nothing were extracted: the control that shows memory

    def read(self, local: Tensor, context: Tensor, features: Tensor, signals: Tensor) -> Tensor:
        """The states (B, N, HIDDEN) of the sentences, which no extraction changes."""
        x = torch.cat([self.norm(self.dropout(torch.cat([local, context], dim=-1))), features, signals], dim=-1)
        states: Tensor = self.hidden2(self.dropout(F.relu(self.norm1(self.hidden1(x)))))
        return states

    def forward(self, states: Tensor, novelty: Tensor, lengths: Tensor) -> Judgement:
        """states (…, HIDDEN), novelty (…, NOVELTY), lengths (…) in words → what it thinks of each sentence."""
        z = F.relu(self.novelty(novelty))
        x = F.relu(self.norm2(states * (1 + self.gate(z)) + self.shift(z)))
        score, gain, words, pairs = self.out(torch.cat([F.relu(self.hidden3(self.dropout(x))), z], dim=-1)).unbind(-1)
        hits = torch.stack([words, pairs], dim=-1)
        value, price = self.terms
        logits = score + value * (expected_value(hits) + (lengths.clamp(1, LEAST) / LEAST).log())
        logits = logits - price * (lengths.clamp(min=USUAL) / USUAL).log()
        logits = logits - AGAIN * F.relu(novelty[..., PAIRS_SAID] - REPEATED)
        return Judgement(logits, hits, gain)

    def score_step(self, encoded: Encoded, history: Tensor, state: State) -> tuple[Tensor, Tensor | None]:
        """Logits of the scores (B, N) and of stopping (B,), after the state's extractions."""
        if encoded.states is None or encoded.lengths is None:
            raise ValueError("The documents were encoded without signals.")
        counted = [
            s.novelty().after(_taken(state, row) if self.remembers else ()) for row, s in enumerate(encoded.signals)
        ]
        novelty = pad([memory.features() for memory in counted], encoded.mask.shape[1]).to(encoded.states.device)
        judgement = self(encoded.states, novelty, encoded.lengths)
        if self.stop is None:
            return judgement.logits, None
        progress = [stop_inputs(m, s.expected, s.spread) for m, s in zip(counted, encoded.signals, strict=True)]
        inputs = torch.from_numpy(np.stack(progress)).to(encoded.states.device)
        return judgement.logits, self.stop(look_ahead(inputs, judgement, encoded.lengths, state.remaining))


class CountedStop(nn.Module):
    """The stop probability. It begins as the probability that a human summary is no longer, and learns from there."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(STOP + AHEAD, 32)
        self.out = nn.Linear(32, 1)
        # A logistic curve of this slope is nearly the normal distribution; half past the middle was best for lengths.
        self.length = nn.Parameter(torch.tensor([1.7, -0.8]))
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> Tensor:
        """How far the summary is and what could come next, (…, STOP + AHEAD) → logits (…)."""
        slope, shift = self.length
        out: Tensor = slope * x[..., 0] + shift + self.out(F.relu(self.hidden(x))).squeeze(-1)
        return out


def look_ahead(progress: Tensor, judgement: Judgement, lengths: Tensor, remaining: Tensor) -> Tensor:
    """progress (B, STOP), and what the best of the remaining sentences (B, N) would bring: (B, STOP + AHEAD)."""
    logits = judgement.logits.masked_fill(~remaining, -torch.inf)
    best = logits.argmax(dim=1, keepdim=True)
    value = expected_value(judgement.hits).gather(1, best)
    words = lengths.gather(1, best).clamp(min=1).log() / 3
    top = logits.gather(1, best).clamp(-20, 20) / 5
    return torch.cat([progress, value, judgement.gain.gather(1, best) / 3, words, top], dim=1)


def expected_value(hits: Tensor) -> Tensor:
    """The logarithm of what a word of the sentence is expected to bring, from the logits of its hits (…, 2)."""
    share = hits.sigmoid()
    return (UNIGRAM * share[..., 0] + share[..., 1] + 1e-3).log()


def pad(rows: Sequence[NDArray[np.float32]], longest: int) -> Tensor:
    """Documents' arrays (N, F) as one tensor (B, longest, F)."""
    padded = np.zeros((len(rows), longest, rows[0].shape[1]), np.float32)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return torch.from_numpy(padded)


def _taken(state: State, row: int) -> list[int]:
    taken: list[int] = state.extracted[row][state.taken[row]].tolist()
    return taken
