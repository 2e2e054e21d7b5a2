"""Changes of the documents that a network learns from, so that it serves documents unlike those of its corpus.

`docs/method.md` says what each is for. Episodes follow the change, so their rewards stay. Layout noise is made up with
words of the document, which count for nothing; a network that has never seen such lines quotes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import resources
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32
from memsum.features.columns import Lexicon, Sentences, columns_of, ngrams_of
from memsum.features.encoding import GROUPS, EncodedText, TextEncoder
from memsum.features.source_text import Outline
from memsum.languages.low_value import low_value
from memsum.languages.needs_context import needs_context
from memsum.languages.section_names import section_signals
from memsum_train.learning.config import TrainingConfig
from memsum_train.learning.data import EncodedDocument, Reference, arrange

# Block dropout.
SHORTEST = 30  # sentences
_SPARSE = 10  # sentences for each one of the episode: in a real document, few sentences are worth quoting
_BLOCK = 8  # neighboring sentences that go or stay together
# Split noise.
_LOST_BOUNDARIES = 0.4  # share of a document's boundaries that are lost, at most
_MOVED = 0.3  # for each of them, boundaries that move
_MOVE = 12  # words that a boundary moves by, at most
_REST = 3  # words that a sentence keeps, at least, if the boundary before it moves
_LONGEST = 150  # words that are joined, at most
# Layout noise.
_MADE_UP = 0.08  # made-up lines per sentence of the document, at most
_LONGEST_SPAN = 9  # words taken from the document

# One per line: {0} and {1} are words of the document, {n} is a number, {name} and {month} are what they say.
_TEMPLATES = resources.files(__package__).joinpath("layout_noise.txt").read_text("utf-8").splitlines()
_NAMES = "Ana Weber|J. Okafor|M. Lindqvist|Priya Nair|T. Moreau|Chen Li|R. Alvarez|S. Haddad|K. Novak|L. Brandt"
_MONTHS = "January|March|April|June|August|October|November"
# Feature dropout.
_ANYWHERE = np.array([0.5, 0.5, 0, 0], np.float32)  # position features of a sentence whose position is unknown


class Augmentation:
    """Changes documents, each by the shares of the settings."""

    def __init__(self, config: TrainingConfig, encoder: TextEncoder, *, columns: bool = False) -> None:
        """`columns`: the network reads them, where the raw text is known."""
        self._config = config
        self._encoder = encoder
        self._lexicon = Lexicon(encoder.weights, encoder.vectors.vocabulary) if columns else None

    def __call__(self, document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
        config, text = self._config, document.text
        if rng.random() < config.block_dropout:
            document = drop_blocks(document, rng)
        # What is not asked for draws nothing: a training takes the same path as before there was such a change.
        if config.split_noise and rng.random() < config.split_noise:
            document = split_elsewhere(document, rng)
        if config.layout_noise and rng.random() < config.layout_noise:
            document = add_layout_noise(document, rng, self._encoder)
        if document.text is text and not self._encoder.settings.signals:
            return document  # its features are known
        document = replace(document, text=self._encoder.compose(document.text))
        if self._lexicon is not None and document.raw is not None:
            document = replace(document, text=with_columns(document.text, document.raw.text, self._lexicon))
        return drop_features(document, rng, config.feature_dropout) if config.feature_dropout else document


def with_columns(text: EncodedText, sentences: Sequence[str], lexicon: Lexicon) -> EncodedText:
    """Return a text with its columns; of its sections, nothing but where they begin is known here."""
    if text.marks is None or text.signals is None:
        return text
    outline = Outline.of_headings([f"{number:g}" for number in text.marks[:, 1]])
    rules = low_value(sentences), needs_context(sentences)
    lengths = text.lengths.astype(np.float32)
    columns = columns_of(Sentences(sentences, text, text.signals.values, outline, *rules, lengths), lexicon)
    return replace(text, columns=columns, ngrams=ngrams_of(text, outline, lexicon))


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
    raw = document.raw and replace(document.raw, text=tuple(compress(document.raw.text, keep)))
    moved = (np.cumsum(keep) - 1)[episode]
    return EncodedDocument(
        arrange(document.text, np.flatnonzero(keep)), [moved], document.rewards[which : which + 1], raw
    )


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
    marks, raw = text.marks, document.raw
    if marks is not None:  # position and beginning of the first part, and what any part has
        anywhere = np.maximum.reduceat(marks[:, 2], first)
        marks = marks[first]
        marks[:, 2] = anywhere
    if raw is not None:
        bounds = [*first.tolist(), number]
        raw = replace(raw, text=tuple(" ".join(raw.text[low:high]) for low, high in pairwise(bounds)))
    joined = EncodedText.from_ids(text.ids, starts, marks, text.title)
    return replace(document, text=joined, episodes=episodes, raw=raw)


def _without(lost: NDArray[np.bool_], starts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return the starts that are left, and those without which a sentence would be too long."""
    kept: list[int] = []
    ends = np.append(starts[1:], total)
    for start, end, is_lost in zip(starts.tolist(), ends.tolist(), lost.tolist(), strict=True):
        if not (kept and is_lost and end - kept[-1] <= _LONGEST):
            kept.append(start)
    return np.array(kept, np.int64)


def add_layout_noise(document: EncodedDocument, rng: np.random.Generator, encoder: TextEncoder) -> EncodedDocument:
    """Put made-up lines between the sentences; only where the raw text is known."""
    raw, text = document.raw, document.text
    if raw is None or not len(text):
        return document
    number = 1 + int(rng.integers(max(2, int(_MADE_UP * len(text)))))
    made = [encoder.sentence_ids(_make(raw, rng)) for _ in range(number)]
    # At the edges as often as anywhere else: that is where bylines and greetings stand.
    edges = rng.choice([-0.5, 1.5, len(text) - 0.5], number)
    where = np.where(rng.random(number) < 0.3, edges, rng.integers(-1, len(text), number) + 0.5)
    order = np.argsort(np.append(np.arange(len(text)), where), kind="stable")
    beside = None
    if text.marks is not None:
        beside = text.marks[np.clip(where, 0, len(text) - 1).astype(np.int64)]
        beside[:, 2:] = 0
    moved = np.argsort(order, kind="stable")
    said = (*raw.text, *[""] * number)
    return replace(
        document,
        text=arrange(text, order, made, beside),
        episodes=[moved[episode] for episode in document.episodes],
        raw=replace(raw, text=tuple(said[i] for i in order)),
    )


def _make(raw: Reference, rng: np.random.Generator) -> str:
    """Fill in a template, each placeholder by itself: two names are two people."""
    text = _TEMPLATES[int(rng.integers(len(_TEMPLATES)))]
    spans = [_span(raw, rng) for _ in range(2)]
    if "{0}" in text:
        text = text.format(*spans, n="{n}", name="{name}", month="{month}")
    makers: dict[str, Callable[[], str]] = {
        "{n}": lambda: str(int(rng.integers(1, 40))),
        "{name}": lambda: str(rng.choice(_NAMES.split("|"))),
        "{month}": lambda: str(rng.choice(_MONTHS.split("|"))),
    }
    for placeholder, make in makers.items():
        while placeholder in text:
            text = text.replace(placeholder, make(), 1)
    return text


def _span(raw: Reference, rng: np.random.Generator) -> str:
    """Return a few neighboring words of the document; no braces, which the templates use."""
    words = raw.text[int(rng.integers(len(raw.text)))].replace("{", "(").replace("}", ")").split()
    length = int(rng.integers(1, _LONGEST_SPAN + 1))
    begin = int(rng.integers(max(1, len(words) - length)))
    return " ".join(words[begin : begin + length]).rstrip(".,;:")


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


def without_group(values: F32, group: str) -> F32:
    """Return the signals of a document of which one group is not known."""
    values = values.copy()
    values[:, GROUPS[group]] = 0
    if group == "sections":
        values[:, GROUPS[group]] = section_signals(np.zeros((len(values), 2), np.float32))
    return values
