"""Search the high-ROUGE episodes of a whole corpus file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec

from memsum.corpus.jobs import Counts, Result, Run, map_corpus
from memsum.corpus.records import Example
from memsum.errors import MissingExtraError


@dataclass(frozen=True)
class Search:
    """How episodes are searched: the paper's B, the longest one, the most of a document, the price of words."""

    branching: int = 2
    maximum: int = 7
    cap: int = 20
    price: float = 0.0


def add_episodes(source: str, output: str, search: Search, run: Run) -> Counts:
    """Write a corpus file with the episodes of each document; those without any are kept, and noted in the counts."""
    if not all(find_spec(module) for module in ("numba", "nltk")):
        raise MissingExtraError("Episode search", "train")
    return map_corpus(partial(with_episodes, search), source, output, {"job": "episodes", **asdict(search)}, run)


def with_episodes(search: Search, example: Example) -> Result:
    """Search the episodes of one document; what it had before is replaced."""
    from memsum.corpus.episodes import search_episodes

    episodes = search_episodes(example.text, example.summary, **asdict(search))
    found = replace(
        example,
        indices=tuple(tuple(int(index) for index in episode.indices) for episode in episodes),
        scores=tuple(float(episode.score) for episode in episodes),
    )
    return Result(found, noted=not episodes)
