"""The network of the default model: the paper's encoders with a count-based history.

- `PooledLocal`, the light local sentence encoder: single words, pooled, and features of the sentence.
- `ContextualSalience`: which words matter, once every sentence was read in its context. Every sentence casts votes for
  its words, each word takes the mean and the largest of its votes, and a small network corrects its log-odds of being
  in a human summary; pairs of words likewise. The novelty of a sentence is then counted with these odds.
- `ColumnLayers`: where sentences stand, how they are written, what kind of text it is (`memsum.features.columns`).
  One hidden layer adds the columns to the states, a linear one to the score; the means over the document scale both,
  so that what kind of text it is decides how much words and columns count. Before training nothing is added.
- `CountedExtractor`: at every step, the counted novelty of the sentences gates and shifts their hidden states, which
  costs a hundredth of attending to all sentences again. The stop reads what the summary has said, what a summary of
  such a document has, and what the best remaining sentence would bring.
- `CountedNetwork` is all of it: states of sentences are computed once per document, a step only counts what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from memsum.features.columns import BUCKETS, COLUMNS, INPUTS
from memsum.features.encoding import FEATURES, SIGNALS, Signals
from memsum.features.novelty import NOVELTY, PAIRS_SAID, STOP, Novelty, stop_inputs
from memsum.features.salience import PAIR_COUNTS, PAIR_FEATURES, VOTES, WORD_FEATURES
from memsum.model.rules import AGAIN, REPEATED
from memsum_train.paper.model import MultiHeadPooling, StopScores
from memsum_train.policy.batch import Batch, SentenceBucket, State
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.network import Network

WIDTH = 320
HIDDEN = 160
GATE = 64
# Of what a sentence newly shares with the summary, a unigram counts as much as this many bigrams: it is a hit of
# ROUGE-1 and nearly one of ROUGE-L.
UNIGRAM = 1.9
USUAL = 18  # words of a sentence that cost nothing
LEAST = 14  # words that hits are divided by, at least: a short sentence is no bargain
AHEAD = 4  # numbers about what the best remaining sentence would bring
# Of the columns.
FARTHEST = 4.0  # standard deviations from the mean
COLUMNS_HIDDEN = 64
_KIND = 24  # numbers that describe what kind of text a document is
_INPUT_DROPOUT, _DROPOUT = 0.5, 0.3
# Of salience.
MEANINGS = 24  # numbers learned from a word's vector
SALIENCE_HIDDEN = 64
SHARED = 16  # of what is known of a word, for the pairs that have it

Odds = tuple[Tensor, Tensor]  # log-odds of the words (U,) and of the pairs (Q,) of a document


class Dropout(nn.Module):
    """Zeroes a share of the values in training and scales the others; the share is rounded to a 256th.

    It draws one random byte per value: on a CPU a third of the time of PyTorch's, which draws a float for each.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.dropped = min(255, round(256 * share))  # of the 256 values of a byte

    def forward(self, x: Tensor) -> Tensor:
        """Return x as it is where the module is not in training."""
        if not self.training or not self.dropped:
            return x
        drawn = torch.empty(-(-x.numel() // 8), dtype=torch.int64, device=x.device).random_(-(2**63), None)
        keep = drawn.view(torch.uint8)[: x.numel()].view(x.shape) >= self.dropped
        return x * keep.to(x.dtype).mul_(256 / (256 - self.dropped))


class PooledLocal(nn.Module):
    """Ours, light: the frequency-weighted mean, multi-head pooling over single words, and the sentence's features.

    A word's hidden state does not depend on its sentence, so it is computed once for each distinct word.
    """

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width = 2 * config.dimension
        self.mean = nn.Linear(config.word_dimension, config.dimension)
        self.hidden = nn.Linear(config.word_dimension, width)
        self.pool = MultiHeadPooling(width, config.dimension, config.heads)
        self.features = nn.Sequential(nn.Linear(len(FEATURES), 64), nn.ReLU(), nn.Linear(64, config.dimension))
        self.norm = nn.LayerNorm(config.dimension)

    def forward(self, words: Tensor, weights: Tensor, buckets: Sequence[SentenceBucket]) -> Tensor:
        """Return embeddings (S, dimension) of all buckets' sentences."""
        rows = torch.cat([b.words[b.mask] for b in buckets])
        counts = torch.cat([b.mask.sum(dim=1) for b in buckets])
        starts = counts.cumsum(dim=0) - counts

        def sums(table: Tensor) -> Tensor:
            return F.embedding_bag(rows, table.float(), starts, mode="sum")  # (S, columns)

        features = torch.cat([b.features for b in buckets])
        weighted = sums(torch.cat([words * weights[:, None], weights[:, None]], dim=1))
        mean = weighted[:, :-1] / weighted[:, -1:].clamp(min=1e-6)
        local: Tensor = self.norm(self.mean(mean) + self._pool(words, sums) + self.features(features))
        return local

    def _pool(self, words: Tensor, sums: Callable[[Tensor], Tensor]) -> Tensor:
        """`MultiHeadPooling` as sums over the sentences' words of what is computed once per word.

        The softmax takes off the largest logit of all words instead of the sentence's own: the same, unless the two
        are further apart than any float of use.
        """
        heads = self.pool.heads
        hidden = F.relu(self.hidden(words))
        logits = self.pool.attention(hidden).float()
        weights = (logits - logits.amax(dim=0)).clamp(min=-60).exp()  # (U, heads)
        values = self.pool.value(hidden).view(len(words), heads, -1) * weights[:, :, None]
        summed = sums(torch.cat([values.flatten(1), weights], dim=1))
        values, totals = summed[:, :-heads], summed[:, -heads:]
        pooled: Tensor = self.pool.out((values.view(len(summed), heads, -1) / totals[:, :, None]).flatten(1))
        return pooled


class ContextualSalience(nn.Module):
    """Corrects the salience of words and pairs of words; before training, by nothing."""

    def __init__(self, states: int, word_dimension: int) -> None:
        super().__init__()
        self.vote = nn.Linear(states, VOTES)
        self.meaning = nn.Linear(word_dimension, MEANINGS)
        self.word = nn.Linear(1 + WORD_FEATURES + 2 * VOTES + MEANINGS, SALIENCE_HIDDEN)
        self.word_out = nn.Linear(SALIENCE_HIDDEN, 1)
        self.shared = nn.Linear(SALIENCE_HIDDEN, SHARED)
        self.pair = nn.Linear(1 + PAIR_FEATURES + 2 * VOTES + 2 * SHARED, SALIENCE_HIDDEN)
        self.pair_out = nn.Linear(SALIENCE_HIDDEN, 1)
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


class ColumnLayers(nn.Module):
    """Adds the columns to the network's states (…, H), and a score to them: (…, H + 1)."""

    center: Tensor
    scale: Tensor

    def __init__(self, states: int) -> None:
        super().__init__()
        self.register_buffer("center", torch.zeros(INPUTS))
        self.register_buffer("scale", torch.ones(INPUTS))
        self.hidden = nn.Linear(INPUTS, COLUMNS_HIDDEN)
        self.out = nn.Linear(COLUMNS_HIDDEN, states)
        self.direct = nn.Linear(INPUTS, 1, bias=False)
        self.ngrams = nn.Parameter(torch.zeros(BUCKETS))
        self.norm = nn.LayerNorm(states)
        self.document = nn.Linear(len(COLUMNS) + states, _KIND)
        self.scales = nn.Linear(_KIND, 2 * states + 1)  # of the network's states, of the columns' part, of the score
        for weight in (self.direct.weight, *self.out.parameters(), *self.scales.parameters()):
            nn.init.zeros_(weight)

    def forward(
        self, states: Tensor, columns: Tensor, known: Tensor, document: Tensor, ngrams: tuple[Tensor, ...]
    ) -> Tensor:
        """Return the states of sentences (S, H + 1); sentence i is of document `document[i]`.

        `known` (S, INPUTS) is 1 or 0.
        `ngrams` are their buckets, sentences and shares. Where words mean nothing to the network, its states are zero,
        and there are no n-grams.
        """
        x = ((columns - self.center) / self.scale).clamp(-FARTHEST, FARTHEST) * known
        number = int(document[-1]) + 1
        sizes = torch.bincount(document, minlength=number)[:, None]
        seen = torch.cat([x[:, : len(COLUMNS)], self.norm(states.detach())], dim=-1)
        means = torch.zeros(number, seen.shape[1], device=x.device).index_add(0, document, seen) / sizes
        scales = self.scales(torch.tanh(self.document(means)))[document]
        of_states, of_columns, of_score = scales.split([states.shape[1], states.shape[1], 1], dim=-1)
        x = F.dropout(x, _INPUT_DROPOUT, self.training)
        added = self.out(F.dropout(F.relu(self.hidden(x)), _DROPOUT, self.training))
        full = states * (1 + of_states) + added * (1 + of_columns)
        buckets, rows, shares = ngrams
        added = F.embedding(buckets, self.ngrams[:, None])[:, 0] * shares
        score = (self.direct(x) * (1 + of_score)).index_add(0, rows, added[:, None])
        return torch.cat([full, score], dim=-1)


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
        self.stop = CountedStop()
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


@dataclass(frozen=True)
class CountedEncoded:
    """Hidden states of sentences, and what their documents' histories count with."""

    states: Tensor  # (B, N, HIDDEN)
    lengths: Tensor  # (B, N) words of the sentences
    mask: Tensor  # (B, N) true where there is a sentence
    signals: Sequence[Signals]  # of each document, with its contextual salience
    odds: Sequence[Odds]  # that this salience follows from, with gradients


class CountedNetwork(Network[CountedEncoded]):
    """Local and context encoder, and an extractor that reads counts instead of an encoded history."""

    def __init__(self, config: PolicyConfig, *inputs: Any) -> None:
        super().__init__(config, *inputs)
        self.extractor = CountedExtractor(config)

    def encode(self, batch: Batch) -> CountedEncoded:
        local, context = self.read(batch)
        features, lengths = batch.gather("features"), batch.gather("lengths")
        signals = pad([document.values for document in batch.signals], batch.mask.shape[1]).to(features.device)
        states = self.extractor.read(local, context, features, signals)
        odds = self.extractor.salience(states, batch.signals)
        if self.extractor.columns is not None:
            states = self._with_columns(states, batch, self.extractor.columns)
        refined = [
            one.with_salience(*(of.detach().float().cpu().numpy() for of in both))
            for one, both in zip(batch.signals, odds, strict=True)
        ]
        return CountedEncoded(states, lengths.float(), batch.mask, refined, odds)

    def _with_columns(self, states: Tensor, batch: Batch, layers: ColumnLayers) -> Tensor:
        full = F.pad(states, (0, 1))  # where no columns are given, nothing but the words is known
        if batch.columns is not None:
            document = batch.mask.nonzero()[:, 0]
            known = torch.ones_like(batch.columns)
            added = layers(states[batch.mask], batch.columns, known, document, batch.ngrams)
            full = full.index_put((batch.mask,), added.to(full.dtype))
        return full

    def step(self, encoded: CountedEncoded, state: State) -> StopScores:
        histories = [
            document.novelty().after(extracted[taken].tolist())
            for document, extracted, taken in zip(encoded.signals, state.extracted, state.taken, strict=True)
        ]
        novelty = pad([history.features() for history in histories], encoded.mask.shape[1]).to(encoded.states.device)
        judgment = self.extractor(encoded.states, novelty, encoded.lengths)
        progress = torch.from_numpy(np.stack(list(map(progress_of, histories, encoded.signals))))
        inputs = look_ahead(progress.to(encoded.states.device), judgment, encoded.lengths, state.remaining)
        return StopScores(judgment.logits, self.extractor.stop(inputs))


def progress_of(history: Novelty, signals: Signals) -> NDArray[np.float32]:
    """Return how far a document's summary is, (STOP,)."""
    return stop_inputs(history, signals.expected, signals.spread)


def pad(rows: Sequence[NDArray[np.float32]], longest: int) -> Tensor:
    """Pad documents' arrays (N, F) to one tensor (B, longest, F)."""
    padded = np.zeros((len(rows), longest, rows[0].shape[1]), np.float32)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return torch.from_numpy(padded)
