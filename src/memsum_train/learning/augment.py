"""Changes of the documents that a network learns from, so that it serves documents unlike those of its corpus.

- block dropout: a long document without blocks of sentences. Collections differ in length and in which sections they
  kept.
- split noise: sentences divided as by a careless splitter. In published corpora and PDFs, a "sentence" may be two or
  three, or end in the middle of the next; it scores high because it is long and says much.
- layout noise: captions, bylines and the like between the sentences (`memsum.training.learning.layout_noise`).
- duplicates: sentences said twice. A network must learn not to repeat itself, and ordinary documents say little twice.
- feature dropout: no title, no headings, no positions. Documents of others often lack one of them.

Episodes follow the change, so their rewards stay.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.signals import GROUPS, without_group
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedDocument, Reference
from memsum.training.learning.layout_noise import add_layout_noise

# Block dropout.
SHORTEST = 30  # sentences
_SPARSE = 10  # sentences for each one of the episode: in a real document, few sentences are worth quoting
_BLOCK = 8  # neighbouring sentences that go or stay together
# Split noise.
_LOST_BOUNDARIES = 0.4  # share of a document's boundaries that are lost, at most
_MOVED = 0.3  # for each of them, boundaries that move
_MOVE = 12  # words that a boundary moves by, at most
_REST = 3  # words that a sentence keeps, at least, if the boundary before it moves or words are left out
_LONGEST = 150  # words that are joined, at most
# Duplicates.
_WHOLE = 0.5  # share of the documents of which every sentence is copied
_COPIED = 0.5  # of the others: share of all sentences that are copied, at most
_WORTHY = (0.3, 1.0)  # the same of those of the episode, from and to
_EDITED = 0.5  # share of the copies that are edited
_EACH = 0.6  # chance of each of the three edits
_LOST_WORDS = (0.05, 0.35)  # share of the words that are left out, from and to
_SEPARATORS = (",", ";")
_SPELLED = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
# Feature dropout.
_ANYWHERE = np.array([0.5, 0.5, 0, 0], np.float32)  # position features of a sentence whose position is unknown

Ids = NDArray[np.int32]


class Augmentation:
    """Changes documents, each by the shares of the settings."""

    def __init__(self, config: TrainingConfig, encoder: TextEncoder) -> None:
        self._config = config
        self._encoder = encoder
        self._duplicates = Duplicates(encoder) if config.duplicates else None

    def __call__(self, document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
        config, text = self._config, document.text
        if rng.random() < config.block_dropout:
            document = drop_blocks(document, rng)
        # What is not asked for draws nothing: a training takes the same path as before there was such a change.
        if config.split_noise and rng.random() < config.split_noise:
            document = split_elsewhere(document, rng)
        if config.layout_noise and rng.random() < config.layout_noise:
            document = add_layout_noise(document, rng, self._encoder)
        if self._duplicates is not None and rng.random() < config.duplicates:
            document = self._duplicates.add(document, rng)
        if document.text is text and not self._encoder.settings.signals:
            return document  # its features are known
        document = replace(document, text=self._encoder.compose(document.text))
        return drop_features(document, rng, config.feature_dropout) if config.feature_dropout else document


def drop_blocks(document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
    """Draw an episode and a length, and leave out blocks of other sentences until the length is reached."""
    number = len(document.text)
    which = int(rng.integers(len(document.episodes)))
    episode = document.episodes[which]
    shortest = max(SHORTEST, _SPARSE * len(episode))
    if number <= shortest:
        return document
    target = int(math.exp(rng.uniform(math.log(shortest), math.log(number))))
    keep = np.zeros(number, bool)
    keep[episode] = True
    shift = int(rng.integers(_BLOCK))
    blocks = (np.arange(number) + shift) // _BLOCK
    for block in rng.permutation(blocks[-1] + 1):
        if keep.sum() >= target:
            break
        keep[blocks == block] = True
    return _keep(document, which, keep)


def _keep(document: EncodedDocument, which: int, keep: NDArray[np.bool_]) -> EncodedDocument:
    text = document.text
    lengths = text.lengths[keep]
    ids = text.ids[np.repeat(keep, text.lengths)]
    starts = np.cumsum(lengths) - lengths
    marks = text.marks[keep] if text.marks is not None else None
    kept = EncodedText.unread(ids, starts, marks, text.title)
    episode = (np.cumsum(keep) - 1)[document.episodes[which]]
    rewards = document.rewards[which : which + 1]
    raw = document.raw and replace(document.raw, text=tuple(compress(document.raw.text, keep)))
    return EncodedDocument(kept, [episode], rewards, raw)


def split_elsewhere(document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
    """Lose some boundaries between sentences and move others; a sentence of an episode is where most of it went."""
    text = document.text
    number, lengths = len(text), text.lengths
    share = rng.uniform(0, _LOST_BOUNDARIES)
    lost = rng.random(number) < share
    moves = rng.integers(1, _MOVE + 1, number)
    moves *= (rng.random(number) < _MOVED * share) & (lengths >= moves + _REST)
    moves[:1] = 0
    if document.raw is not None:
        moves[:] = 0  # whose words are where is known of whole sentences only
    starts = _without(lost, text.starts + moves, len(text.ids))
    units = np.searchsorted(starts, text.starts + lengths // 2, side="right") - 1
    episodes = [np.array(list(dict.fromkeys(units[episode].tolist())), np.int64) for episode in document.episodes]
    first = np.searchsorted(text.starts, starts, side="right") - 1  # the sentence that each begins in
    joined = EncodedText.unread(text.ids, starts, _join_marks(text.marks, first), text.title)
    return replace(document, text=joined, episodes=episodes, raw=_join_raw(document.raw, first))


def _join_marks(marks: NDArray[np.float32] | None, first: NDArray[np.int64]) -> NDArray[np.float32] | None:
    """Give a joined sentence the position and beginning of its first part, and what any part has."""
    if marks is None:
        return None
    joined = marks[first]
    joined[:, 2] = np.maximum.reduceat(marks[:, 2], first)
    return joined


def _join_raw(raw: Reference | None, first: NDArray[np.int64]) -> Reference | None:
    if raw is None:
        return None
    bounds = [*first.tolist(), len(raw.text)]
    return replace(raw, text=tuple(" ".join(raw.text[low:high]) for low, high in pairwise(bounds)))


def _without(lost: NDArray[np.bool_], starts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return the starts that are left, and those without which a sentence would be too long."""
    kept: list[int] = []
    ends = np.append(starts[1:], total)
    for start, end, is_lost in zip(starts.tolist(), ends.tolist(), lost.tolist(), strict=True):
        if not (kept and is_lost and end - kept[-1] <= _LONGEST):
            kept.append(start)
    return np.array(kept, np.int64)


class Duplicates:
    """Copies sentences, knowing the vocabulary.

    Half of the documents get a copy of every sentence, which teaches fastest, the others copies above all of sentences
    worth extracting; right behind the originals or anywhere else. Half of the copies are edited: words left out,
    clauses in another order, numbers written otherwise. The episode takes one of the two at random, so that only the
    history tells which one is left.

    Documents are word ids here. A clause is what stands between two commas or semicolons. A number written otherwise is
    another id of the vocabulary: `3` and `three`, and of larger numbers, whose digits the tokenizer does not keep,
    another shape: `#.#` and `#.##`, `#,###` and `####`.
    """

    def __init__(self, encoder: TextEncoder) -> None:
        vocabulary = encoder.vectors.vocabulary
        self._separators = [vocabulary[mark] for mark in _SEPARATORS if mark in vocabulary]
        self._otherwise = np.arange(len(vocabulary), dtype=np.int32)
        for number, word in enumerate(vocabulary.words):
            other = write_otherwise(word)
            if other is not None and other in vocabulary:
                self._otherwise[number] = vocabulary[other]

    def add(self, document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
        """Draw an episode and copy sentences; `alike` knows which are copies of which."""
        which = int(rng.integers(len(document.episodes)))
        episode, number = document.episodes[which], len(document.text)
        if rng.random() < _WHOLE:
            chances = np.ones(number)
        else:
            chances = np.full(number, rng.uniform(0, _COPIED))
            chances[episode] = rng.uniform(*_WORTHY)
        copied = np.flatnonzero(rng.random(number) < chances)
        beside = rng.random() < 0.5
        offsets = copied + 0.5 if beside else rng.uniform(-0.5, number - 0.5, len(copied))
        order = np.argsort(np.append(np.arange(number), offsets), kind="stable")
        words = [document.text.sentence(i) for i in range(number)]
        words += [self.edit(words[i], rng) if rng.random() < _EDITED else words[i] for i in copied]
        alike = np.append(document.meanings, document.meanings[copied])[order]
        lengths = np.array([len(words[i]) for i in order], np.int64)
        ids, starts = np.concatenate([words[i] for i in order]), np.cumsum(lengths) - lengths
        marks = document.text.marks
        if marks is not None:
            marks = np.concatenate([marks, marks[copied]])[order]
        text = EncodedText.unread(ids, starts, marks, document.text.title)
        moved = np.argsort(order, kind="stable")[episode]  # to the copies they come when states are drawn
        return EncodedDocument(text, [moved], document.rewards[which : which + 1], alike=alike)

    def edit(self, words: Ids, rng: np.random.Generator) -> Ids:
        """Say a sentence a little otherwise; if there is no clause and no number to change, without some words."""
        shortens, moves, rewrites = rng.random(3) < _EACH
        edited = words
        if rewrites:
            edited = self._otherwise[edited]
        if moves:
            edited = self._move_clause(edited, rng)
        if shortens or np.array_equal(edited, words):
            lost = max(1, int(rng.uniform(*_LOST_WORDS) * len(edited)))
            kept = np.sort(rng.permutation(len(edited))[lost:])
            edited = edited[kept] if len(kept) >= _REST else edited
        return edited

    def _move_clause(self, words: Ids, rng: np.random.Generator) -> Ids:
        """Put what stands before one of the commas behind the rest, but before the last word, the full stop."""
        body, end = words[:-1], words[-1:]
        commas = np.flatnonzero(np.isin(body[1:-1], self._separators)) + 1
        if not len(commas):
            return words
        comma = int(rng.choice(commas))
        return np.concatenate([body[comma + 1 :], body[comma : comma + 1], body[:comma], end])


def write_otherwise(word: str) -> str | None:
    """Return another way to write a number, as the tokenizer leaves it; None for what is no number."""
    if word in _SPELLED:
        return str(_SPELLED.index(word))
    if word.isdecimal() and int(word) < len(_SPELLED):
        return _SPELLED[int(word)]
    if re.fullmatch(r"#+\.#+", word):
        return word + "#" if word.endswith(".#") else word[:-1]
    if re.fullmatch(r"#{1,3}(,###)+", word):
        return word.replace(",", "")
    if re.fullmatch(r"#{4,}", word):
        return f"{int(word.replace('#', '1')):,}".replace("1", "#")
    return None


def drop_features(document: EncodedDocument, rng: np.random.Generator, share: float) -> EncodedDocument:
    """Leave out each group of signals, and the positions of the sentences, with a probability."""
    text = document.text
    if text.signals is None:
        return document
    values = text.signals.values
    for group in GROUPS:
        if rng.random() < share:
            values = without_group(values, group)
    features = text.features
    if rng.random() < share:
        features = features.copy()
        features[:, : len(_ANYWHERE)] = _ANYWHERE
    return replace(document, text=replace(text, features=features, signals=replace(text.signals, values=values)))
