"""Layout noise: a document also teaches with what readers of files leave between its sentences.

Captions, bylines, mail headers, labels, page headers, contents lines and boilerplate are often taken for text, above
all in PDFs and web pages. They hold the document's own words, so a network that has never seen them quotes them. Here
they are made up, with words of the document, and count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from itertools import accumulate

import numpy as np

from memsum.features.encoding import EncodedText, TextEncoder
from memsum.training.learning.data import EncodedDocument, Reference

_MOST = 0.08  # made-up lines per sentence of the document, at most
_LONGEST_SPAN = 9  # words taken from the document

# One per line: {0} and {1} are words of the document, {n} is a number, {name} and {month} are what they say.
_TEMPLATES = resources.files(__package__).joinpath("layout_noise.txt").read_text("utf-8").splitlines()
_NAMES = "Ana Weber|J. Okafor|M. Lindqvist|Priya Nair|T. Moreau|Chen Li|R. Alvarez|S. Haddad|K. Novak|L. Brandt"
_MONTHS = "January|March|April|June|August|October|November"


def add_layout_noise(document: EncodedDocument, rng: np.random.Generator, encoder: TextEncoder) -> EncodedDocument:
    """Put made-up lines between the sentences; only where the raw text is known."""
    raw, text = document.raw, document.text
    if raw is None or not len(text):
        return document
    number = 1 + int(rng.integers(max(2, int(_MOST * len(text)))))
    made = [encoder.sentence_ids(_make(raw, rng)) for _ in range(number)]
    # At the edges as often as anywhere else: that is where bylines and greetings stand.
    edges = rng.choice([-0.5, 1.5, len(text) - 0.5], number)
    where = np.where(rng.random(number) < 0.3, edges, rng.integers(-1, len(text), number) + 0.5)
    order = np.argsort(np.append(np.arange(len(text)), where), kind="stable")
    sentences = [text.sentence(i) for i in range(len(text))] + made
    ids = np.concatenate([sentences[i] for i in order])
    starts = np.array([0, *accumulate(len(sentences[i]) for i in order)][:-1], np.int64)
    marks = text.marks
    if marks is not None:
        near = np.clip(where, 0, len(text) - 1).astype(np.int64)
        beside = marks[near]
        beside[:, 2:] = 0
        marks = np.concatenate([marks, beside])[order]
    moved = np.argsort(order, kind="stable")
    said = (*raw.text, *[""] * number)
    return replace(
        document,
        text=EncodedText.unread(ids.astype(np.int32), starts, marks, text.title),
        episodes=[moved[episode] for episode in document.episodes],
        raw=replace(raw, text=tuple(said[i] for i in order)),
    )


def _make(raw: Reference, rng: np.random.Generator) -> str:
    template = _TEMPLATES[int(rng.integers(len(_TEMPLATES)))]
    spans = [_span(raw, rng) for _ in range(2)]
    return _fill(
        template.format(*spans, n="{n}", name="{name}", month="{month}") if "{0}" in template else template, rng
    )


def _fill(text: str, rng: np.random.Generator) -> str:
    """Fill each placeholder by itself: two names are two people."""
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
    """Return a few neighbouring words of the document; no braces, which the templates use."""
    words = raw.text[int(rng.integers(len(raw.text)))].replace("{", "(").replace("}", ")").split()
    length = int(rng.integers(1, _LONGEST_SPAN + 1))
    begin = int(rng.integers(max(1, len(words) - length)))
    return " ".join(words[begin : begin + length]).rstrip(".,;:")
