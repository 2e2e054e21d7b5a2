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
            document = join_sentences(document, rng)
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


def join_sentences(document: EncodedDocument, rng: np.random.Generator) -> EncodedDocument:
    """Lose some boundaries between sentences; none is lost without which a sentence would be too long."""
    text, marks, raw = document.text, document.text.marks, document.raw
    number = len(text)
    share = rng.uniform(0, _LOST_BOUNDARIES)
    ends = text.starts + text.lengths
    first: list[int] = []  # the sentence that each begins with
    for index, is_lost in enumerate((rng.random(number) < share).tolist()):
        if not (first and is_lost and ends[index] - text.starts[first[-1]] <= _LONGEST):
            first.append(index)
    units = np.searchsorted(first, np.arange(number), side="right") - 1
    episodes = [np.array(list(dict.fromkeys(units[episode].tolist())), np.int64) for episode in document.episodes]
    if marks is not None:  # position and beginning of the first part, and what any part has
        anywhere = np.maximum.reduceat(marks[:, 2], first)
        marks = marks[first]
        marks[:, 2] = anywhere
    if raw is not None:
        raw = replace(raw, text=tuple(" ".join(raw.text[low:high]) for low, high in pairwise([*first, number])))
    joined = EncodedText.from_ids(text.ids, text.starts[first], marks, text.title)
    return replace(document, text=joined, episodes=episodes, raw=raw)


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
