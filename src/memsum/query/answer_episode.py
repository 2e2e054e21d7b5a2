"""Answers: the sentences most relevant to a question, best first, none twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memsum.arrays import F32, F64
from memsum.model.constraints import Quotas, TrigramBlock, constrain
from memsum.model.episode import Episode, Scores, State, remaining_rows
from memsum.query.passages import Passages
from memsum.query.question import split_words
from memsum.query.relevance import Relevance

_ALIKE = 0.8  # share of all words of two sentences that both have, from which they say the same


def begin_answer(
    relevance: Relevance,
    passages: Passages,
    *,
    running: int | None = None,
    blocking: bool = False,
    quotas: Quotas | None = None,
) -> Episode:
    """Begin an episode that extracts sentences by their relevance; if given, only the first `running` numbers."""
    wanted = np.isfinite(relevance.scores)
    if running is not None:
        wanted &= relevance.numbers < running
    rows = np.flatnonzero(wanted)
    texts = [passages.texts[row] for row in rows.tolist()]
    numbers, shares = relevance.numbers[rows], relevance.shares[rows]
    trigrams = TrigramBlock(texts) if blocking else None
    constraint = constrain(quotas, numbers, shares, trigrams)
    scorer = _AnswerScorer(relevance.scores[rows].astype(np.float64), shares, texts)
    return Episode(scorer, numbers, passages.total, constraint)


class _AnswerScorer:
    """Rates sentences by their relevance; one that says the same as an extracted one comes last."""

    def __init__(self, scores: F64, shares: F32, texts: Sequence[str]) -> None:
        self._scores = scores
        self._shares = shares
        self._words = [frozenset(split_words(text)) for text in texts]
        self._sizes = np.array([len(words) for words in self._words], np.int64)
        self._repeats: dict[int, list[int]] = {}  # of each row that was extracted, those that say the same

    def score(self, state: State) -> Scores:
        """Rate what remains."""
        left = np.zeros(len(self._scores), bool)
        left[remaining_rows(len(self._scores), state)] = True
        for row in state:
            left[self._repeats_of(row)] = False
        return Scores(np.flatnonzero(left), self._scores[left], 0.0, given=self._shares[left])

    def reasons(self, state: State) -> dict[str, F32]:
        """Return nothing: what an answer is made of is its relevance."""
        return {}

    def _repeats_of(self, row: int) -> list[int]:
        if row not in self._repeats:
            own, size = self._words[row], self._sizes[row]
            near = np.flatnonzero(np.minimum(self._sizes, size) > _ALIKE * np.maximum(self._sizes, size)).tolist()
            words = ((other, self._words[other]) for other in near)
            self._repeats[row] = [other for other, its in words if len(own & its) > _ALIKE * len(own | its)]
        return self._repeats[row]
