"""Hiding: a document also teaches without its title, its headings, or the places of its sentences.

Documents of others often lack one of them; a policy that could rely on all of them would be lost there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memsum.text.signals import GROUPS, without_group
from memsum.training.data import Document

_PLACE = np.array([0.5, 0.5, 0, 0], np.float32)  # of a sentence of which nobody knows where it stands


def hide(document: Document, rng: np.random.Generator, share: float) -> Document:
    """Hide each group of signals, and the places of the sentences, with a probability."""
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
        features[:, : len(_PLACE)] = _PLACE
    return replace(document, text=replace(text, features=features, signals=replace(text.signals, values=values)))
