"""Keys of everyday documents: the points that a reader must know, and the sentences that convey them.

One JSON object per line: `file` (in a folder of documents), `points` (the most important first, each with `any_of`: the
sentences of which one is enough), and `poor` (low-value sentences). Sentences are given as text, so that
another way to split or read a document still counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from memsum.arrays import Bools
from memsum.errors import CorpusError
from memsum.files import is_object
from memsum.jsonl import read_lines

_WORD = re.compile(r"\w+")
_SHARED = 0.8  # of the shorter sentence's words
_FEWEST = 6  # words that may be shared out of order


class Wording:
    """The words of a sentence, as sentences are compared."""

    def __init__(self, text: str) -> None:
        words = _WORD.findall(text.lower())
        self.count = len(words)
        self.joined = " ".join(words)
        self.words = frozenset(words)

    def matches(self, other: Wording) -> bool:
        """Return whether one contains the other, or they share most words of the shorter one."""
        short, long = (self, other) if self.count <= other.count else (other, self)
        if not short.count:
            return False
        if short.joined in long.joined:
            return True
        return short.count >= _FEWEST and len(short.words & long.words) >= _SHARED * len(short.words)


@dataclass(frozen=True)
class Key:
    """What a reader must know of one document."""

    name: str
    kind: str
    file: str
    points: tuple[tuple[str, ...], ...]  # of each, the most important first, the sentences that convey it
    poor: tuple[str, ...]

    def conveyed(self, sentences: Sequence[str]) -> Bools:
        """Return (N, P): which sentences convey which points."""
        wordings = [Wording(sentence) for sentence in sentences]
        columns = [_any_matches(wordings, any_of) for any_of in self.points]
        return np.array(columns, bool).reshape(len(columns), len(wordings)).T

    def low_value(self, sentences: Sequence[str]) -> Bools:
        """Return (N,): which sentences are of low value."""
        return np.array(_any_matches([Wording(sentence) for sentence in sentences], self.poor), bool)


def holds_keys(path: Path) -> bool:
    """Return whether a file holds keys, not documents with summaries, by its first line."""
    first = next(read_lines(path), None)
    return first is not None and first.fault is None and is_object(first.raw) and "points" in first.parse()


def read_keys(path: Path) -> Iterator[Key]:
    """Read the keys of a file."""
    for line in read_lines(path):
        record = cast("dict[str, Any]", line.parse())
        try:
            points = tuple(tuple(map(str, point["any_of"])) for point in record["points"])
            yield Key(record["name"], record["kind"], record["file"], points, tuple(map(str, record["poor"])))
        except (ValueError, LookupError, TypeError):
            raise CorpusError(
                f"Line {line.number} of {path} is not a document's key.",
                'A key is {"name", "kind", "file", "points": [{"any_of": [sentences]}], "poor": [sentences]}.',
            ) from None


def _any_matches(wordings: Sequence[Wording], texts: Sequence[str]) -> list[bool]:
    wanted = [Wording(text) for text in texts]
    return [any(wording.matches(other) for other in wanted) for wording in wordings]
