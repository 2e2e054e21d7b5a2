"""Appendix H: summaries side by side with the reference; phrases that they share with it are marked.

A phrase is a run of three words and more, not all of them function words, that a sentence of the other side has too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.languages.stop_words import FUNCTION_WORDS
from memsum.summary.html import render_page
from memsum_train.corpus.records import Example
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.measuring import MEASURES, Scores
from memsum_train.experiments.comparisons import ROUGE, sign, tabulate
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport

QUANTILES = {"a good one": 0.9, "a middling one": 0.5, "a poor one": 0.1}  # of ROUGE-1, best first
_WORD = re.compile(r"[^\W_]+")


def run(context: Context) -> ExperimentReport:
    """Show a good, a middling and a poor summary, chosen by the scores and not by hand."""
    corpus, data = context.main, context.main.data("test")
    context.train([FULL], corpus)
    own = context.summarize(context.system(FULL, corpus), data)
    count = max(1, round(float(own.values["sentences"].mean())))
    oracle, lexrank = (context.summarize(parse_baseline(name), data) for name in ("oracle", f"lexrank-{count}"))
    systems = [replace(oracle, name="ORACLE"), own, lexrank]
    signatures = sign(data.signature, systems)
    chosen = choose(own.values["rouge1"][0])
    page = render_page(
        Path(__file__).parent / "templates",
        "examples.html",
        ["examples.css"],
        introduction=f"The documents were not chosen by hand: of {len(data):,}, they are those at the quantiles "
        f"{', '.join(f'{share:g}' for share in QUANTILES.values())} of {FULL.name}'s ROUGE-1.",
        examples=[show(label, data.examples[index], index, systems) for label, index in chosen.items()],
        signatures=signatures,
        version=__version__,
    )
    return ExperimentReport(
        tables=[tabulate("examples", "The systems that are shown", systems)],
        pages={"examples.html": page},
        signatures=signatures,
    )


def choose(scores: NDArray[np.float64]) -> dict[str, int]:
    """Return the documents at certain quantiles of the scores, by their labels."""
    order = np.argsort(scores, kind="stable").tolist()
    return {label: order[round(share * (len(order) - 1))] for label, share in QUANTILES.items()}


def show(label: str, example: Example, index: int, systems: Sequence[Scores]) -> dict[str, Any]:
    """Return what the page shows of one document: the reference first, then each system."""
    said = [sentence for one in systems for sentence in one.predictions[index].sentences]
    columns = [("Reference", "", [("", mark(sentence, said)) for sentence in example.summary])]
    for one in systems:
        prediction = one.predictions[index]
        scores = (f"{MEASURES[measure].title} {100 * one.values[measure][0, index]:.1f}" for measure in ROUGE)
        numbers = [f"[{position + 1}]" for position in prediction.indices or ()]
        marked = [mark(sentence, example.summary) for sentence in prediction.sentences]
        columns.append((one.name, " · ".join(scores), list(zip(numbers, marked, strict=True))))
    title = str(example.extra.get("title") or example.id or f"Document {index + 1}")
    return {"label": label, "title": title, "sentences": len(example.text), "columns": columns}


def mark(sentence: str, others: Iterable[str]) -> list[tuple[str, bool]]:
    """Cut a sentence where phrases that other sentences have too begin and end; tell which pieces are shared."""
    known = {three for other in others for three, _, _ in _threes(other)}
    shared = [False] * len(sentence)
    for three, start, end in _threes(sentence):
        if three in known and not FUNCTION_WORDS.issuperset(three):
            shared[start:end] = [True] * (end - start)
    pieces = groupby(zip(sentence, shared, strict=True), lambda pair: pair[1])
    return [("".join(character for character, _ in piece), is_shared) for is_shared, piece in pieces]


def _threes(sentence: str) -> list[tuple[tuple[str, ...], int, int]]:
    """Return each run of three words, where it begins and where it ends."""
    words = list(_WORD.finditer(sentence))
    runs = zip(words, words[1:], words[2:], strict=False)
    return [(tuple(word.group().lower() for word in run), run[0].start(), run[2].end()) for run in runs]
