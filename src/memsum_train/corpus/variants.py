"""Variants of a corpus: only introductions, each sentence twice; and documents that begin with their own summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random

from memsum.batch.run import JobResult, Run
from memsum.errors import CorpusError
from memsum.languages.section_names import section_name
from memsum_train.corpus.convert import convert_corpus
from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import words_of

_BEGINNING = 20  # sentences in which copies are looked for
_RUN = 4  # words that are compared together
_SHORTEST_COPY = 8  # words; headings and stubs say nothing
_COPIED = 0.7  # share of a sentence's runs that stand in the summary
_FEWEST = 2  # copied sentences: one may be a phrase the authors like

_SHORTEST = 4  # words that a sentence must have to lose one


def keep_introduction(example: Example) -> Example:
    """Keep only the introduction, as in PubMed-trunc, or the background where no section is called introduction."""
    if example.sections is None:
        raise CorpusError("The document has no sections, so it has no introduction to keep.")
    # "1. Introduction", "I. INTRODUCTION", "1 Introduction and aims"
    openings = [section_name(section).partition(" ")[0] for section in example.sections]
    for name in ("introduction", "background"):
        chosen = [index for index, opening in enumerate(openings) if opening == name]
        if chosen:
            return replace(
                example,
                text=tuple(example.text[index] for index in chosen),
                sections=tuple(example.sections[index] for index in chosen),
                indices=None,
                scores=None,
            )
    raise CorpusError("The document has no section called introduction or background.")


def begins_with_summary(text: Sequence[str], summary: Sequence[str]) -> bool:
    """Tell whether sentences of the summary stand, nearly to the letter, at the beginning of the text.

    Papers do whose abstract was left in the text. They teach that the first sentences are the best ones, which is wrong
    of every document that has no abstract.
    """
    known = {run for sentence in summary for run in _runs(sentence)}
    copied = 0
    for sentence in text[:_BEGINNING]:
        runs = _runs(sentence)
        copied += len(runs) > _SHORTEST_COPY - _RUN and sum(run in known for run in runs) > _COPIED * len(runs)
    return copied >= _FEWEST


def make_redundant(source: str, output: str, run: Run, *, near: bool = False) -> JobResult:
    """Write the redundant variant of a corpus file."""
    return convert_corpus(partial(repeat_sentences, near=near), source, output, {"job": "redundant", "near": near}, run)


def repeat_sentences(example: Example, *, near: bool = False) -> Example:
    """Let a copy follow each sentence, to test what history is good for; `near` leaves one or two words out of it.

    Episodes take either of the two at random. If they always took the first, a policy could learn never to take a
    second one, and would seem to remember what it took.
    """
    random = Random("\n".join(example.text))  # the same document always gives the same
    indices = example.indices
    return replace(
        example,
        text=tuple(copy for sentence in example.text for copy in (sentence, _shorten(sentence, random, near))),
        sections=tuple(section for section in example.sections for _ in range(2)) if example.sections else None,
        indices=tuple(tuple(2 * i + random.randrange(2) for i in e) for e in indices) if indices is not None else None,
    )


def _runs(sentence: str) -> list[tuple[str, ...]]:
    words = words_of([sentence])
    return list(zip(*(words[shift:] for shift in range(_RUN)), strict=False))


def _shorten(sentence: str, random: Random, near: bool) -> str:
    words = sentence.split()
    if not near or len(words) < _SHORTEST:
        return sentence
    for _ in range(random.randint(1, 2)):
        del words[random.randrange(len(words))]
    return " ".join(words)
