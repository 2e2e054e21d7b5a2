"""The redundant variant of a corpus: each sentence is followed by its copy, to test what history is good for.

Copies are exact, or near: with one or two words left out, as an abstract and a conclusion say the same. Episodes take
either of the two at random. If they always took the first, a policy could learn never to take a second one, and would
seem to remember what it took.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

from memsum.corpus.jobs import Counts, Result, Run, map_corpus
from memsum.corpus.records import Example

_SHORTEST = 4  # words that a sentence must have to lose one


def make_redundant(source: str, output: str, run: Run, *, near: bool = False) -> Counts:
    """Write the redundant variant of a corpus file."""
    return map_corpus(partial(_repeat, near), source, output, {"job": "redundant", "near": near}, run)


def repeat_sentences(example: Example, *, near: bool = False) -> Example:
    """Let a copy follow each sentence; episodes select the same text as before, of the one or of the other."""
    random = Random("\n".join(example.text))  # the same document always gives the same
    indices = example.indices
    return replace(
        example,
        text=tuple(said for sentence in example.text for said in (sentence, _shorten(sentence, random, near))),
        sections=tuple(section for section in example.sections for _ in range(2)) if example.sections else None,
        indices=tuple(tuple(2 * i + random.randrange(2) for i in e) for e in indices) if indices is not None else None,
    )


def _repeat(near: bool, example: Example) -> Result:
    return Result(repeat_sentences(example, near=near))


def _shorten(sentence: str, random: Random, near: bool) -> str:
    words = sentence.split()
    if not near or len(words) < _SHORTEST:
        return sentence
    for _ in range(random.randint(1, 2)):
        del words[random.randrange(len(words))]
    return " ".join(words)
