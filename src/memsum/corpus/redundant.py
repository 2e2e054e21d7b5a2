"""The redundant variant of a corpus: each sentence is repeated right after itself, to test what history is good for."""

from __future__ import annotations

from dataclasses import replace

from memsum.corpus.jobs import Counts, Result, Run, map_corpus
from memsum.corpus.records import Example


def make_redundant(source: str, output: str, run: Run) -> Counts:
    """Write the redundant variant of a corpus file."""
    return map_corpus(_repeat, source, output, {"job": "redundant"}, run)


def repeat_sentences(example: Example) -> Example:
    """Repeat each sentence; episodes point to the first of the two, so they select the same text as before."""
    indices = example.indices
    return replace(
        example,
        text=_doubled(example.text),
        sections=_doubled(example.sections) if example.sections is not None else None,
        indices=tuple(tuple(2 * index for index in episode) for episode in indices) if indices is not None else None,
    )


def _repeat(example: Example) -> Result:
    return Result(repeat_sentences(example))


def _doubled(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value for value in values for _ in range(2))
