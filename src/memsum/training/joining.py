"""Joining: a document also teaches with its sentences divided as a careless splitter would have.

Published corpora and PDFs hold "sentences" that are two or three, or that end in the middle of the next. A policy that
has seen only well-divided text takes such pieces for important, because they are long and say much.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memsum.text.encoding import EncodedText
from memsum.training.data import Document, Wording

_MOST = 0.4  # share of a document's boundaries that are lost, at most
_MOVED = 0.3  # for each of them, boundaries that move
_MOVE = 12  # words that a boundary moves by, at most
_REST = 3  # words that a sentence keeps, at least, if the boundary before it moves
_LONGEST = 150  # words that are joined, at most


def join(document: Document, rng: np.random.Generator) -> Document:
    """Lose some boundaries between sentences and move others; a sentence of an episode is where most of it went."""
    text = document.text
    number, lengths = len(text), text.lengths
    share = rng.uniform(0, _MOST)
    lost = rng.random(number) < share
    moves = rng.integers(1, _MOVE + 1, number)
    moves *= (rng.random(number) < _MOVED * share) & (lengths >= moves + _REST)
    moves[:1] = 0
    if document.wording is not None:
        moves[:] = 0  # whose words are where is known of whole sentences only
    starts = _without(lost, text.starts + moves, len(text.ids))
    units = np.searchsorted(starts, text.starts + lengths // 2, side="right") - 1
    episodes = [np.array(list(dict.fromkeys(units[episode].tolist())), np.int64) for episode in document.episodes]
    first = np.searchsorted(text.starts, starts, side="right") - 1  # the sentence that each begins in
    joined = EncodedText.unread(text.ids, starts, _join_marks(text.marks, first), text.title)
    return replace(document, text=joined, episodes=episodes, wording=_join_wording(document.wording, first))


def _join_marks(marks: NDArray[np.float32] | None, first: NDArray[np.int64]) -> NDArray[np.float32] | None:
    """A joined sentence stands where its first part does, begins as it does, and has what any part has."""
    if marks is None:
        return None
    joined = marks[first]
    joined[:, 2] = np.maximum.reduceat(marks[:, 2], first)
    return joined


def _join_wording(wording: Wording | None, first: NDArray[np.int64]) -> Wording | None:
    if wording is None:
        return None
    bounds = [*first.tolist(), len(wording.text)]
    return Wording(tuple(" ".join(wording.text[low:high]) for low, high in pairwise(bounds)), wording.summary)


def _without(lost: NDArray[np.bool_], starts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """The starts that are left, and those without which a sentence would be too long."""
    kept: list[int] = []
    ends = np.append(starts[1:], total)
    for start, end, is_lost in zip(starts.tolist(), ends.tolist(), lost.tolist(), strict=True):
        if not (kept and is_lost and end - kept[-1] <= _LONGEST):
            kept.append(start)
    return np.array(kept, np.int64)
