"""Thinning: a long document also teaches as a shorter one, with blocks of sentences left out.

Collections of papers differ in length and in which sections they kept; a policy that has seen documents of every length
depends less on those of its corpus. Sentences of the episode stay, so its reward stays.
"""

from __future__ import annotations

import math
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from memsum.text.encoding import EncodedText
from memsum.training.data import Document, Wording

SHORTEST = 30  # sentences
_SPARSE = 10  # sentences for each one of the episode: in a real document, few sentences are worth quoting
_BLOCK = 8  # neighbouring sentences that go or stay together


def thin(document: Document, rng: np.random.Generator) -> Document:
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


def _keep(document: Document, which: int, keep: NDArray[np.bool_]) -> Document:
    text = document.text
    lengths = text.lengths[keep]
    ids = text.ids[np.repeat(keep, text.lengths)]
    starts = np.cumsum(lengths) - lengths
    marks = text.marks[keep] if text.marks is not None else None
    kept = EncodedText.unread(ids, starts, marks, text.title)
    episode = (np.cumsum(keep) - 1)[document.episodes[which]]
    return Document(kept, [episode], document.rewards[which : which + 1], _keep_wording(document.wording, keep))


def _keep_wording(wording: Wording | None, keep: NDArray[np.bool_]) -> Wording | None:
    return wording and Wording(tuple(compress(wording.text, keep)), wording.summary)
