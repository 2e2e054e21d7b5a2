"""Documents that begin with their own summary, as papers do whose abstract was left in the text.

They teach that the first sentences are the best ones, which is wrong of every document that has no abstract.
"""

from __future__ import annotations

from collections.abc import Sequence

from memsum.corpus.extractiveness import words_of

_BEGINNING = 20  # sentences
_RUN = 4  # words that are compared together
_SHORTEST = 8  # words; headings and stubs say nothing
_COPIED = 0.7  # share of a sentence's runs that stand in the summary
_FEWEST = 2  # copied sentences: one may be a phrase the authors like


def begins_with_summary(text: Sequence[str], summary: Sequence[str]) -> bool:
    """Tell whether sentences of the summary stand, nearly to the letter, at the beginning of the text."""
    known = {run for sentence in summary for run in _runs(sentence)}
    copied = 0
    for sentence in text[:_BEGINNING]:
        runs = _runs(sentence)
        copied += len(runs) > _SHORTEST - _RUN and sum(run in known for run in runs) > _COPIED * len(runs)
    return copied >= _FEWEST


def _runs(sentence: str) -> list[tuple[str, ...]]:
    words = words_of([sentence])
    return list(zip(*(words[shift:] for shift in range(_RUN)), strict=False))
