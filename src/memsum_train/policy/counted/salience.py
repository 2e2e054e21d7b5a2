"""Contextual salience: which words matter, once every sentence was read in its context.

How often and where a document says a word tells a part of it. The sentences that have the word tell more: every
sentence casts votes for its words, each word takes the mean and the largest of its votes, and a small network corrects
its log-odds of being in a human summary; pairs of words likewise. The novelty of a sentence is then counted with these
odds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.encoding import Signals
from memsum.features.salience import PAIR_COUNTS, PAIR_FEATURES, VOTES, WORD_FEATURES

MEANINGS = 24  # numbers learned from a word's vector
HIDDEN = 64
SHARED = 16  # of what is known of a word, for the pairs that have it

Odds = tuple[Tensor, Tensor]  # log-odds of the words (U,) and of the pairs (Q,) of a document


class ContextualSalience(nn.Module):
    """Corrects the salience of words and pairs of words; before training, by nothing."""

    def __init__(self, states: int, word_dimension: int) -> None:
        super().__init__()
        self.vote = nn.Linear(states, VOTES)
        self.meaning = nn.Linear(word_dimension, MEANINGS)
        self.word = nn.Linear(1 + WORD_FEATURES + 2 * VOTES + MEANINGS, HIDDEN)
        self.word_out = nn.Linear(HIDDEN, 1)
        self.shared = nn.Linear(HIDDEN, SHARED)
        self.pair = nn.Linear(1 + PAIR_FEATURES + 2 * VOTES + 2 * SHARED, HIDDEN)
        self.pair_out = nn.Linear(HIDDEN, 1)
        for layer in (self.word_out, self.pair_out):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def votes(self, states: Tensor) -> Tensor:
        """Return what sentences say of their words: (…, states) → (…, VOTES)."""
        return F.relu(self.vote(F.relu(states)))

    def forward(self, states: Tensor, signals: Sequence[Signals]) -> list[Odds]:
        """Return the log-odds of every document's words and pairs, from the states (B, N, …) of its sentences."""
        votes = self.votes(states)
        documents, longest = votes.shape[:2]
        flat, device = votes.reshape(documents * longest, -1), votes.device
        all_counts = [one.counts for one in signals]
        evidence = [one.evidence for one in signals if one.evidence is not None]
        if len(evidence) < documents:
            raise ValueError("The salience of these signals was refined already.")
        words, pairs = ([len(getattr(one, name)) for one in evidence] for name in ("words", "pairs"))
        sentences = np.arange(documents) * longest

        odds = _join([one.words for one in evidence], device)
        seen = _pool(flat, *_flatten([counts.once for counts in all_counts], sentences, words))
        features = _join([one.word_features for one in evidence], device)
        meanings = F.relu(self.meaning(_join([one.vectors for one in evidence], device)))
        hidden = F.relu(self.word(torch.cat([odds[:, None], features, seen, meanings], dim=1)))
        odds = odds + self.word_out(hidden).squeeze(1)

        of_pairs = [counts.pairs for counts in all_counts]
        firsts = np.cumsum([0, *words[:-1]])
        first, second = (
            torch.from_numpy(
                np.concatenate([getattr(p, name) + low for p, low in zip(of_pairs, firsts, strict=True)])
            ).to(device)
            for name in ("first", "second")
        )
        shared = F.relu(self.shared(hidden))
        pair_odds = _join([one.pairs for one in evidence], device)
        parts = [
            pair_odds[:, None],
            odds[first][:, None],
            odds[second][:, None],
            _join([one.pair_features[:, -PAIR_COUNTS:] for one in evidence], device),
            _pool(flat, *_flatten([p.once for p in of_pairs], sentences, pairs)),
            shared[first],
            shared[second],
        ]
        pair_odds = pair_odds + self.pair_out(F.relu(self.pair(torch.cat(parts, dim=1)))).squeeze(1)
        return list(zip(odds.split(words), pair_odds.split(pairs), strict=True))


def refined_signals(signals: Sequence[Signals], odds: Sequence[Odds]) -> list[Signals]:
    """Return the documents' signals with their contextual salience."""
    return [
        one.with_salience(*(of.detach().float().cpu().numpy() for of in both))
        for one, both in zip(signals, odds, strict=True)
    ]


def _join(arrays: Sequence[NDArray[np.float32]], device: torch.device) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays)).to(device)


def _flatten(
    once: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], sentences: NDArray[np.int64], sizes: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Number sentences and rows of several documents one after the other; also return the number of rows."""
    lows = np.cumsum([0, *sizes])
    sentence = np.concatenate([where + low for (where, _), low in zip(once, sentences, strict=True)])
    row = np.concatenate([of + low for (_, of), low in zip(once, lows, strict=False)])
    return sentence, row, int(lows[-1])


def _pool(votes: Tensor, sentence: NDArray[np.int64], row: NDArray[np.int64], size: int) -> Tensor:
    """Do what `gather_votes` of `memsum.features.salience` does, with gradients; no vote is below zero."""
    index = torch.from_numpy(row).to(votes.device)
    seen = votes.index_select(0, torch.from_numpy(sentence).to(votes.device))
    blank = votes.new_zeros(size, votes.shape[1])
    counts = torch.from_numpy(np.bincount(row, minlength=size).clip(min=1)).to(votes.device)
    mean = blank.index_add(0, index, seen) / counts[:, None]
    most = blank.scatter_reduce(0, index[:, None].expand_as(seen), seen, "amax")
    return torch.cat([mean, most], dim=1)
