"""The two objectives of a policy whose history is counted: `hits`, supervised, and then `rehearsal`, on-policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memsum.errors import TrainingError
from memsum.features.novelty import PAIRS_SAID, stop_inputs
from memsum.features.salience import summary_targets
from memsum.features.signals import Signals
from memsum.training.corpus.oracle import index_reference
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedDocument
from memsum.training.policy import Batch, Encoded, Policy
from memsum.training.policy.counted import UNIGRAM, CountedExtractor, look_ahead
from memsum.training.rouge.search import NGrams, hits_along, new_hits

# Hits.
_HITS, _GAIN, _EPISODE = 4.0, 0.5, 0.5  # weights of the three losses
_WORDS, _PAIRS = 2.0, 6.0  # weights of the cross-entropies of salience
_SHARPNESS = 10.0  # of the softmax of gains per word
_LEAST_WORDS = 8  # that a gain is divided by: scraps of a few words are no bargain
_USUAL_WORDS, _MOST_WORDS = 20, 40  # a sentence counts by its words, up to a point
_OFF_EPISODE = 0.5  # share of the states that are not of an episode
_NOISE = 1.5  # by which states near the policy's own differ from them
# Rehearsal.
_CANDIDATES = 60  # sentences that are drawn from: what scores lower at first is noise
_TEMPERATURE = 0.5
_LONGEST = 1.8  # times the expected words
_STATES = 4  # of an episode whose choices are reinforced
_SPREAD = 0.02  # typical difference of two episodes' scores
_CHOICES, _STOPS, _ANCHOR = 0.1, 15.0, 0.3  # weights of the three losses
_LSUM = 0.92  # ROUGE-Lsum is about so much of ROUGE-1
# What a reader minds and ROUGE does not: each scrap of a few words, and each sentence of which much was said before.
_SCRAP, _SCRAP_WORDS = 0.004, 8
_AGAIN, _AGAIN_SHARE = 0.008, 0.4


@dataclass(frozen=True)
class _State:
    """A state, what each sentence would bring in it, and which sentences its episode would still take."""

    document: int
    extracted: NDArray[np.int64]
    hits: NDArray[np.int32]  # (N, 2)
    upcoming: NDArray[np.int64]


def hits_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """Learn from every sentence of a state, not only the one that an episode takes next; the sum over the documents.

    A state of an episode is drawn, half of the time from a high-ROUGE episode and otherwise near those the policy
    itself gets into. The reference then tells of every remaining sentence how many of its words and pairs of words
    would be new hits. The policy learns these shares (a cross-entropy per word), to prefer sentences by their gain per
    word (a softmax of it), and to go on with the episode.
    """
    return _encoded_hits_loss(policy, policy.encode(batch), documents, generators, config.states or 2)


def _encoded_hits_loss(
    policy: Policy,
    encoded: Encoded,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    states_each: int,
) -> Tensor:
    """The same of documents that are encoded already."""
    extractor = counting(policy)
    first = _first_logits(extractor, encoded)
    states = [
        _draw(number, document, ngrams, signals, first[number], rng)
        for number, (document, signals, rng) in enumerate(zip(documents, encoded.signals, generators, strict=True))
        if (ngrams := reference_ngrams(document)) is not None
        for _ in range(states_each)
    ]
    if not states or encoded.states is None or encoded.lengths is None:
        return encoded.local.sum() * 0
    longest = encoded.mask.shape[1]
    device = encoded.states.device
    sizes = [len(state.hits) for state in states]
    flat = np.concatenate(
        [state.document * longest + np.arange(size) for state, size in zip(states, sizes, strict=True)]
    )
    segment = torch.from_numpy(np.repeat(np.arange(len(states)), sizes)).to(device)
    rows = torch.from_numpy(flat).to(device)
    novelty = np.concatenate(
        [encoded.signals[s.document].novelty().after(s.extracted.tolist()).features() for s in states]
    )
    words = encoded.lengths.reshape(-1)[rows]
    judgement = extractor(
        encoded.states.reshape(longest * len(encoded.mask), -1).index_select(0, rows),
        torch.from_numpy(novelty).to(device),
        words,
    )
    remaining = np.ones(len(flat), bool)
    upcoming = np.zeros(len(flat), np.float32)
    begin = 0
    for state, size in zip(states, sizes, strict=True):
        remaining[begin + state.extracted] = False
        upcoming[begin + state.upcoming] = 1 / max(1, len(state.upcoming))
        begin += size
    left = torch.from_numpy(remaining).to(device)
    hits = torch.from_numpy(np.concatenate([state.hits for state in states]).astype(np.float32)).to(device)

    shares = (hits / words[:, None].clamp(min=1)).clamp(max=1)
    weight = (words.clamp(max=_MOST_WORDS) / _USUAL_WORDS) * left
    known = F.binary_cross_entropy_with_logits(judgement.hits, shares, reduction="none").mean(dim=1)
    known = (known * weight).sum() / weight.sum().clamp(min=1) * 2
    gains = (UNIGRAM * hits[:, 0] + hits[:, 1]) / words.clamp(min=_LEAST_WORDS)
    with torch.no_grad():
        wanted = _log_softmax(_SHARPNESS * gains, segment, left, len(states)).exp() * left
    preferred = -(wanted * _log_softmax(judgement.gain, segment, left, len(states))).sum() / len(states)
    aims = torch.from_numpy(upcoming).to(device)
    imitated = -(aims * _log_softmax(judgement.logits, segment, left, len(states))).sum() / aims.sum().clamp(min=1)
    total = _HITS * known + _GAIN * preferred + _EPISODE * imitated
    return total * len(documents) + _salience_loss(encoded, documents)


def _salience_loss(encoded: Encoded, documents: Sequence[EncodedDocument]) -> Tensor:
    """Which words and which pairs of words the summaries have, as the first look at the sentences tells; the sum."""
    total = encoded.local.new_zeros(())
    for document, signals, odds in zip(documents, encoded.signals, encoded.odds, strict=True):
        if document.summary is None:
            raise ValueError("The corpus was encoded without its summaries.")
        targets = summary_targets(signals.counts, np.unique(document.text.ids), document.summary)
        for of, said, weight in zip(odds, targets, (_WORDS, _PAIRS), strict=True):
            if len(said):
                wanted = torch.from_numpy(said).to(of.device)
                total = total + weight * F.binary_cross_entropy_with_logits(of, wanted)
    return total


def counting(policy: Policy) -> CountedExtractor:
    """The policy's extractor, which must be one that counts."""
    if not isinstance(policy.extractor, CountedExtractor):
        raise TrainingError("This objective teaches a policy whose history is counted.", "Use --history counted.")
    return policy.extractor


def reference_ngrams(document: EncodedDocument) -> NGrams | None:
    """What the document's sentences share with its summary."""
    if document.raw is None:
        raise ValueError("The corpus was encoded without its raw text.")
    return index_reference(document.raw.text, document.raw.summary)


@torch.no_grad()
def _first_logits(extractor: CountedExtractor, encoded: Encoded) -> NDArray[np.float32]:
    """The scores (B, N) before the first extraction, about as they would be without it."""
    if encoded.states is None or encoded.lengths is None:
        raise ValueError("The documents were encoded without signals.")
    longest = encoded.mask.shape[1]
    novelty = np.zeros((len(encoded.mask), longest, extractor.novelty.in_features), np.float32)
    for row, signals in enumerate(encoded.signals):
        features = signals.novelty().features()
        novelty[row, : len(features)] = features
    logits = extractor(encoded.states, torch.from_numpy(novelty).to(encoded.states.device), encoded.lengths).logits
    first: NDArray[np.float32] = logits.float().cpu().numpy()
    return first


def _draw(
    number: int,
    document: EncodedDocument,
    ngrams: NGrams,
    signals: Signals,
    first: NDArray[np.float32],
    rng: np.random.Generator,
) -> _State:
    sentences = len(document.text)
    nothing = np.empty(0, np.int64)
    if rng.random() >= _OFF_EPISODE and len(document.episodes):
        episode = rng.permutation(document.episodes[int(rng.integers(len(document.episodes)))])
        time = int(rng.integers(len(episode) + 1))
        return _State(number, episode[:time], new_hits(ngrams, episode[:time]), episode[time:])
    usual = math.exp(signals.expected) / max(15.0, float(document.text.lengths.mean()))
    count = min(int(rng.integers(max(2, int(1.5 * usual)) + 1)), sentences - 1)
    noisy = first[:sentences] + _NOISE * rng.gumbel(size=sentences)
    extracted = np.argsort(-noisy)[:count].astype(np.int64)
    return _State(number, extracted, new_hits(ngrams, extracted), nothing)


def _log_softmax(x: Tensor, segment: Tensor, allowed: Tensor, segments: int) -> Tensor:
    """Within each segment, over what is allowed; elsewhere the values mean nothing, and are finite."""
    x = x.float().masked_fill(~allowed, -1e4)
    largest = torch.full((segments,), -1e4, device=x.device).scatter_reduce(0, segment, x.detach(), "amax")
    x = x - largest[segment]
    totals = torch.zeros(segments, device=x.device).index_add(0, segment, x.exp())
    return x - totals.clamp(min=1e-30).log()[segment]


# --- rehearsal -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Episode:
    choices: list[int]  # among the candidates
    novelty: list[NDArray[np.float32]]  # (C, F) before each choice
    stops: Tensor  # (T, …) inputs of the stop after each choice
    scores: NDArray[np.float64]  # (T,) of what is extracted after each choice


def rehearsal_loss(
    policy: Policy,
    batch: Batch,
    documents: Sequence[EncodedDocument],
    generators: Sequence[np.random.Generator],
    config: TrainingConfig,
) -> Tensor:
    """The policy plays, the reference judges, and what did better than the rest is reinforced.

    Several episodes of each document are drawn from the policy, and go on for longer than a summary would. Their
    prefixes are judged one by one, so the stop learns without guessing: the expected score of an episode under the
    policy's own probabilities of stopping after each sentence is a sum that can be differentiated. The choices are
    reinforced by how much higher that expectation is than in the document's other episodes (REINFORCE with the
    leave-one-out baseline). The loss of `hits` is the anchor that keeps the policy from forgetting what it has learned
    with supervision.
    """
    extractor = counting(policy)
    encoded = policy.encode(batch)
    total = _ANCHOR * _encoded_hits_loss(policy, encoded, documents, generators, 1)
    was_training = extractor.training
    extractor.eval()  # what plays and what learns is the policy as it will be used
    for row, (document, rng) in enumerate(zip(documents, generators, strict=True)):
        ngrams = reference_ngrams(document)
        if ngrams is not None and len(document.text) > 1:
            total = total + _document_loss(extractor, encoded, row, ngrams, rng, config)
    extractor.train(was_training)
    return total


def _document_loss(
    extractor: CountedExtractor,
    encoded: Encoded,
    row: int,
    ngrams: NGrams,
    rng: np.random.Generator,
    config: TrainingConfig,
) -> Tensor:
    if encoded.states is None or encoded.lengths is None:
        raise ValueError("The documents were encoded without signals.")
    number = int(encoded.mask[row].sum())
    states, lengths = encoded.states[row, :number], encoded.lengths[row, :number]
    first = extractor(states.detach(), torch.from_numpy(encoded.signals[row].novelty().features()), lengths).logits
    candidates = first.topk(min(_CANDIDATES, number)).indices.sort().values
    states, lengths = states[candidates], lengths[candidates]
    places = candidates.numpy()
    # The last episode is the policy's own best one: it is there for the stop, as it will be used.
    episodes = [
        _play(extractor, encoded, row, states.detach(), lengths, places, ngrams, rng if draw else None, config)
        for draw in [True] * config.samples + [False]
    ]
    values, total = [], states.new_zeros(())
    for episode in episodes:
        survival, value = _expected_score(extractor, episode)
        total = total - _STOPS * value / len(episodes)
        values.append((float(value.detach()), survival))
    drawn = np.array([value for value, _ in values[:-1]])
    better = (drawn - (drawn.sum() - drawn) / (len(drawn) - 1)) / _SPREAD
    for episode, advantage, (_, survival) in zip(episodes, better.tolist(), values, strict=False):
        times = rng.choice(len(episode.choices), min(_STATES, len(episode.choices)), replace=False)
        weight = advantage * len(episode.choices) / len(times) / config.samples
        for_choices = _log_choices(extractor, states, lengths, episode, times)
        total = total - _CHOICES * weight * (for_choices * survival[times]).sum()
    return total


@torch.no_grad()
def _play(
    extractor: CountedExtractor,
    encoded: Encoded,
    row: int,
    states: Tensor,
    lengths: Tensor,
    places: NDArray[np.int64],
    ngrams: NGrams,
    rng: np.random.Generator | None,
    config: TrainingConfig,
) -> _Episode:
    """Extract candidates until there are more than enough words; at random if there is a generator."""
    signals = encoded.signals[row]
    memory = signals.novelty()
    remaining = torch.ones(1, len(places), dtype=torch.bool)
    choices: list[int] = []
    novelty: list[NDArray[np.float32]] = []
    stops: list[Tensor] = []
    most = min(config.max_sentences, len(places))
    enough = _LONGEST * math.exp(signals.expected)
    while True:
        features = memory.features()[places]
        judgement = extractor(states[None], torch.from_numpy(features)[None], lengths[None])
        if choices:
            progress = torch.from_numpy(stop_inputs(memory, signals.expected, signals.spread))[None]
            ahead = remaining if remaining.any() else torch.ones_like(remaining)
            stops.append(look_ahead(progress, judgement, lengths[None], ahead)[0])
        if len(choices) == most or memory.words >= enough:
            break
        logits = judgement.logits[0].numpy() / _TEMPERATURE
        if rng is not None:
            logits = logits + rng.gumbel(size=len(logits))
        choice = int(np.where(remaining[0].numpy(), logits, -np.inf).argmax())
        novelty.append(features)
        choices.append(choice)
        remaining[0, choice] = False
        memory.extract(int(places[choice]))
    along = hits_along(ngrams, places[choices])
    unigrams = 2 * along[:, 0] / (along[:, 2] + ngrams.totals[0])
    bigrams = 2 * along[:, 1] / np.maximum(along[:, 3] + ngrams.totals[1], 1)
    scraps = lengths[choices].numpy() < _SCRAP_WORDS
    again = np.array([seen[choice, PAIRS_SAID] > _AGAIN_SHARE for seen, choice in zip(novelty, choices, strict=True)])
    minded = np.cumsum(_SCRAP * scraps + _AGAIN * again)
    return _Episode(choices, novelty, torch.stack(stops), ((1 + _LSUM) * unigrams + bigrams) / 3 - minded)


def _expected_score(extractor: CountedExtractor, episode: _Episode) -> tuple[Tensor, Tensor]:
    """The probability that each choice is made at all (T,), and the expected score; at the end, one stops."""
    if extractor.stop is None:
        return torch.ones(len(episode.choices)), torch.tensor(float(episode.scores[-1]))
    stop = extractor.stop(episode.stops).sigmoid()
    stop = torch.cat([stop[:-1], torch.ones(1)])
    survival = torch.cat([torch.ones(1), (1 - stop[:-1]).cumprod(dim=0)])
    value = (survival * stop * torch.from_numpy(episode.scores).float()).sum()
    return survival.detach(), value


def _log_choices(
    extractor: CountedExtractor, states: Tensor, lengths: Tensor, episode: _Episode, times: NDArray[np.int64]
) -> Tensor:
    """log π of some of the choices, with gradients."""
    novelty = torch.from_numpy(np.stack([episode.novelty[time] for time in times]))
    logits = extractor(states.expand(len(times), *states.shape), novelty, lengths.expand(len(times), -1)).logits
    gone = torch.zeros(logits.shape, dtype=torch.bool)
    for row, time in enumerate(times):
        gone[row, episode.choices[:time]] = True
    log_choice = (logits / _TEMPERATURE).masked_fill(gone, -1e4).log_softmax(dim=1)
    chosen: Tensor = log_choice[torch.arange(len(times)), torch.tensor([episode.choices[time] for time in times])]
    return chosen
