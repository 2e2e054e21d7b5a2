"""Appendix H: summaries side by side with the reference; phrases that they share with it are marked.

A phrase is a run of three words and more, not all of them function words, that a sentence of the other side has too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.languages.stop_words import FUNCTION_WORDS
from memsum.summary.html import render_page
from memsum_train.corpus.records import Example
from memsum_train.evaluation import SystemRun, parse_baseline
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Page
from memsum_train.experiments.scores import ROUGE, Scores, score_table
from memsum_train.rouge import F1, VARIANTS

QUANTILES = {"a good one": 0.9, "a middling one": 0.5, "a poor one": 0.1}  # of ROUGE-1, best first
_TEMPLATES = Path(__file__).parent / "templates"
_WORD = re.compile(r"[^\W_]+")
Piece = tuple[str, bool]  # of a sentence, and whether it is shared


def run(context: Context) -> ExperimentReport:
    """Show a good, a middling and a poor summary, chosen by the scores and not by hand."""
    data = context.main.data("test")
    own = context.summarize(context.system(FULL), data)
    count = max(1, round(float(own.sentences.mean())))
    oracle, lexrank = (context.summarize(parse_baseline(name), data) for name in ("oracle", f"lexrank-{count}"))
    runs = [oracle, own, lexrank]
    signatures = (data.signature, *(f"{one.name} {one.signature}" for one in runs))
    chosen = choose(own.rouge[:, VARIANTS.index("rouge1"), F1])
    examples = [compare(label, data.examples[index], index, runs) for label, index in chosen.items()]
    page = render_page(
        _TEMPLATES,
        "examples.html",
        ["examples.css"],
        introduction=f"The documents were not chosen by hand: of {len(data):,}, they are those at the quantiles "
        f"{', '.join(f'{share:g}' for share in QUANTILES.values())} of {FULL.name}'s ROUGE-1.",
        examples=examples,
        signatures=signatures,
        version=__version__,
    )
    caption = "Summaries side by side; phrases shared with the reference are marked."
    return ExperimentReport(
        title="Examples of summaries",
        question="What do summaries look like beside the reference? (Appendix H)",
        tables=(score_table("examples", "The systems that are shown", [Scores.of(one.name, [one]) for one in runs]),),
        pages=(Page("examples.html", caption, page),),
        signatures=signatures,
    )


def choose(scores: NDArray[np.float64]) -> dict[str, int]:
    """Return the documents at certain quantiles of the scores, by their labels; no document twice."""
    order = np.argsort(scores, kind="stable")
    chosen: dict[int, str] = {}
    for name, share in QUANTILES.items():
        chosen.setdefault(int(order[round(share * (len(order) - 1))]), name)
    return {name: index for index, name in chosen.items()}


def compare(label: str, example: Example, index: int, runs: Sequence[SystemRun]) -> dict[str, Any]:
    """Return what the page shows of one document: the reference first, then each system."""
    predictions = [one.predictions[index] for one in runs]
    said = [sentence for prediction in predictions for sentence in prediction.sentences]
    columns = [("Reference", "", [("", mark(sentence, said)) for sentence in example.summary])]
    for one, prediction in zip(runs, predictions, strict=True):
        rouge = 100 * one.rouge[index, :, F1]
        scores = (f"{title} {rouge[VARIANTS.index(variant)]:.1f}" for title, variant in ROUGE.items())
        numbers = [f"[{position + 1}]" for position in prediction.indices or ()] or [""] * len(prediction.sentences)
        marked = [mark(sentence, example.summary) for sentence in prediction.sentences]
        columns.append((one.name, " · ".join(scores), list(zip(numbers, marked, strict=True))))
    title = str(example.extra.get("title") or example.id or f"Document {index + 1}")
    return {"label": label, "title": title, "sentences": len(example.text), "columns": columns}


def mark(sentence: str, others: Iterable[str]) -> list[Piece]:
    """Cut a sentence where phrases that other sentences have too begin and end."""
    known = {three for other in others for three in _threes(_words(other))}
    shared = [False] * len(_words(sentence))
    for start, three in enumerate(_threes(_words(sentence))):
        if three in known and not FUNCTION_WORDS.issuperset(three):
            shared[start : start + 3] = [True] * 3
    pieces: list[Piece] = []
    end, before = 0, False
    for word, is_shared in zip(_WORD.finditer(sentence), shared, strict=True):
        # What stands between two words of a phrase belongs to it.
        for text, inside in ((sentence[end : word.start()], before and is_shared), (word.group(), is_shared)):
            pieces.append((pieces.pop()[0] + text if pieces and pieces[-1][1] == inside else text, inside))
        end, before = word.end(), is_shared
    return [piece for piece in (*pieces, (sentence[end:], False)) if piece[0]]


def _words(sentence: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(sentence)]


def _threes(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(words, words[1:], words[2:], strict=False))
