"""Votes as examples: of each document the summary that was preferred, to adapt a model to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from memsum_study.records import LOSS, WIN, Extract, Record, StudyError
from memsum_study.store import load_records
from memsum_train.corpus.records import Example

_CRITERION = "overall"


def read_votes(path: Path) -> list[Example]:
    """Read the preferred summaries of a study, or of a file of records."""
    examples = preferred_summaries(load_records(path))
    if not examples:
        raise StudyError(
            f"No summary is preferred in {path}.", "A vote for one of two summaries is needed; ties teach nothing."
        )
    return examples


def preferred_summaries(records: Iterable[Record]) -> list[Example]:
    """Return each document with the summary that won most votes over others; documents with a tie are left out."""
    votes: dict[tuple[str, ...], Counter[Extract]] = {}
    for record in records:
        first, second = record.extracts
        tally = votes.setdefault(record.text, Counter())
        margin = {WIN: 1, LOSS: -1}.get(record.ranks[_CRITERION], 0)
        tally[first] += margin
        tally[second] -= margin
    examples = []
    for text, tally in votes.items():
        best, margin = tally.most_common(1)[0]
        if margin > 0 and list(tally.values()).count(margin) == 1:
            examples.append(Example(text, best.sentences, extra={"source": "votes"}))
    return examples
