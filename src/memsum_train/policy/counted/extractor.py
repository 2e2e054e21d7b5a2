"""The extractor of the count-based network.

At every step, the counted novelty of the sentences gates and shifts their hidden states, which costs a hundredth of
attending to all sentences again. The stop reads what the summary has said, what a summary of such a document has, and
what the best remaining sentence would bring.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.encoding import FEATURES, SIGNALS
from memsum.features.novelty import NOVELTY, PAIRS_SAID, STOP
from memsum.model.rules import AGAIN, REPEATED
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.counted.columns import ColumnLayers
from memsum_train.policy.counted.salience import ContextualSalience
from memsum_train.policy.layers import Dropout

WIDTH = 320
HIDDEN = 160
GATE = 64
# Of what a sentence newly shares with the summary, a unigram counts as much as this many bigrams: it is a hit of
# ROUGE-1 and nearly one of ROUGE-L.
UNIGRAM = 1.9
USUAL = 18  # words of a sentence that cost nothing
LEAST = 14  # words that hits are divided by, at least: a short sentence is no bargain
AHEAD = 4  # numbers about what the best remaining sentence would bring


@dataclass(frozen=True)
class Judgment:
    """Outputs of the extractor for sentences (…)."""

    logits: Tensor  # of extracting each
    hits: Tensor  # (…, 2) logits of the share of its words, and of its pairs of words, that would be new hits
    gain: Tensor  # a second score, learned from gains per word; the stop reads it


class CountedExtractor(nn.Module):
    """Scores every sentence by its state and its novelty, and stopping."""

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
        self.terms = nn.Parameter(torch.tensor([3.0, 0.3]))  # weight of the expected hits, penalty for words
        self.salience = ContextualSalience(HIDDEN, config.word_dimension)
        self.columns = ColumnLayers(HIDDEN) if config.columns else None
        self.stop = CountedStop() if config.stopping == "policy" else None
        self.dropout = Dropout(config.dropout)

    def read(self, local: Tensor, context: Tensor, features: Tensor, signals: Tensor) -> Tensor:
        """Return the states (B, N, HIDDEN) of the sentences, which no extraction changes."""
        x = torch.cat([self.norm(self.dropout(torch.cat([local, context], dim=-1))), features, signals], dim=-1)
        states: Tensor = self.hidden2(self.dropout(F.relu(self.norm1(self.hidden1(x)))))
        return states

    def forward(self, states: Tensor, novelty: Tensor, lengths: Tensor) -> Judgment:
        """Judge sentences by their states (…, HIDDEN), novelty (…, NOVELTY) and lengths (…) in words.

        States may have one number more, which is added to the score.
        """
        fixed, states = states[..., HIDDEN:].sum(dim=-1), states[..., :HIDDEN]
        z = F.relu(self.novelty(novelty))
        x = F.relu(self.norm2(states * (1 + self.gate(z)) + self.shift(z)))
        score, gain, words, pairs = self.out(torch.cat([F.relu(self.hidden3(self.dropout(x))), z], dim=-1)).unbind(-1)
        hits = torch.stack([words, pairs], dim=-1)
        value, penalty = self.terms
        logits = score + fixed + value * (expected_value(hits) + (lengths.clamp(1, LEAST) / LEAST).log())
        logits = logits - penalty * (lengths.clamp(min=USUAL) / USUAL).log()
        logits = logits - AGAIN * F.relu(novelty[..., PAIRS_SAID] - REPEATED)
        return Judgment(logits, hits, gain)


class CountedStop(nn.Module):
    """The stop probability; before training, the probability that a human summary is no longer."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(STOP + AHEAD, 32)
        self.out = nn.Linear(32, 1)
        # A logistic curve of this slope is nearly the normal distribution; half past the middle was best for lengths.
        self.length = nn.Parameter(torch.tensor([1.7, -0.8]))
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (…) from how far the summary is and what could come next, (…, STOP + AHEAD)."""
        slope, shift = self.length
        out: Tensor = slope * x[..., 0] + shift + self.out(F.relu(self.hidden(x))).squeeze(-1)
        return out


def look_ahead(progress: Tensor, judgment: Judgment, lengths: Tensor, remaining: Tensor) -> Tensor:
    """Add what the best remaining sentence (B, N) would bring to the progress (B, STOP): (B, STOP + AHEAD)."""
    logits = judgment.logits.masked_fill(~remaining, -torch.inf)
    best = logits.argmax(dim=1, keepdim=True)
    value = expected_value(judgment.hits).gather(1, best)
    words = lengths.gather(1, best).clamp(min=1).log() / 3
    top = logits.gather(1, best).clamp(-20, 20) / 5
    return torch.cat([progress, value, judgment.gain.gather(1, best) / 3, words, top], dim=1)


def expected_value(hits: Tensor) -> Tensor:
    """Return the logarithm of the hits expected per word of a sentence, from the logits of its hits (…, 2)."""
    share = hits.sigmoid()
    return (UNIGRAM * share[..., 0] + share[..., 1] + 1e-3).log()
