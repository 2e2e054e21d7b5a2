"""Appendix H: summaries side by side with the reference, and the phrases that they share with it in color.

A phrase is a run of three words and more that also stands in a sentence of the reference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.languages.stop_words import FUNCTION_WORDS
from memsum.summary.html import render_page
from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import common_run
from memsum_train.evaluation import System, SystemRun, parse_baseline
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Page
from memsum_train.experiments.scores import Verdict, verdict
from memsum_train.report.statistics import TOO_FEW, estimate_mean, paired_bootstrap
from memsum_train.report.table import Number, Row, Table
from memsum_train.rouge import F1, VARIANTS

QUANTILES = {"a good one": 0.9, "a middling one": 0.5, "a poor one": 0.1}  # of ROUGE-1, best first
_SHOWN = ("rouge1", "rouge2", "rougeLsum")
_TITLES = ("R-1", "R-2", "R-Lsum")
_TEMPLATES = Path(__file__).parent / "templates"
_SHARE: dict[Verdict, str] = {
    "better": "share more phrases with the reference than",
    "worse": "share fewer phrases with the reference than",
    "undecided": "share more or fewer phrases with the reference, which cannot be said, than",
    "not distinguishable": "cannot be told, by phrases they share with the reference, from",
}
_COLORS = 12  # the classes c0, c1, … of the style sheet

SHORTEST = 3  # words
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Fragment:
    """A stretch of a sentence; `match` is the reference's sentence that has the same words, if there is one."""

    text: str
    match: int | None = None


@dataclass(frozen=True)
class Phrase:
    """Words `start` to `end` of a sentence that are also words of the reference's sentence `match`, from `there` on."""

    start: int
    end: int
    match: int
    there: int


class Reference:
    """The sentences of a reference, in which phrases of summaries are looked up."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        self._words = [_words(sentence) for sentence in sentences]
        self._starts: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for match, words in enumerate(self._words):
            for start in range(len(words) - SHORTEST + 1):
                self._starts[tuple(words[start : start + SHORTEST])].append((match, start))

    def phrases(self, sentence: str) -> list[Phrase]:
        """Return phrases that do not overlap, in their order; the longest are taken first, of equals the earlier."""
        words = _words(sentence)
        found = []
        for start in range(len(words) - SHORTEST + 1):
            for match, there in self._starts.get(tuple(words[start : start + SHORTEST]), ()):
                length = common_run(words, start, self._words[match], there)
                if not FUNCTION_WORDS.issuperset(words[start : start + length]):
                    found.append(Phrase(start, start + length, match, there))
        found.sort(key=lambda phrase: (phrase.start - phrase.end, phrase.start))
        free = [True] * len(words)
        taken = []
        for phrase in found:
            if all(free[phrase.start : phrase.end]):
                free[phrase.start : phrase.end] = [False] * (phrase.end - phrase.start)
                taken.append(phrase)
        return sorted(taken, key=lambda phrase: phrase.start)

    def color(self, sentence: str) -> list[Fragment]:
        """Cut a sentence of a summary where its phrases begin and end."""
        matches: list[int | None] = [None] * len(_words(sentence))
        for phrase in self.phrases(sentence):
            matches[phrase.start : phrase.end] = [phrase.match] * (phrase.end - phrase.start)
        return _cut(sentence, matches)

    def color_itself(self, summaries: Sequence[Sequence[str]]) -> list[list[Fragment]]:
        """Cut the reference's own sentences where phrases of any of the summaries begin and end."""
        shared = self._shared(summaries)
        own = ([match if is_shared else None for is_shared in words] for match, words in enumerate(shared))
        return [_cut(sentence, matches) for sentence, matches in zip(self.sentences, own, strict=True)]

    def coverage(self, summary: Sequence[str]) -> float:
        """Return the share of the reference's words that are in phrases of a summary."""
        words = [is_shared for sentence in self._shared([summary]) for is_shared in sentence]
        return sum(words) / len(words) if words else 0.0

    def _shared(self, summaries: Sequence[Sequence[str]]) -> list[list[bool]]:
        shared = [[False] * len(words) for words in self._words]
        for phrase in (phrase for summary in summaries for sentence in summary for phrase in self.phrases(sentence)):
            length = phrase.end - phrase.start
            shared[phrase.match][phrase.there : phrase.there + length] = [True] * length
        return shared


@dataclass(frozen=True)
class Line:
    """A sentence in pieces, with its number in the reference or in the document."""

    number: str
    pieces: Sequence[Fragment]


@dataclass(frozen=True)
class Column:
    """The reference, or a system's summary."""

    name: str
    facts: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class SideBySide:
    """One document: the reference first, then each system."""

    label: str  # which document it is among all
    title: str
    sentences: int
    columns: Sequence[Column]


def run(context: Context) -> ExperimentReport:
    """Show a good, a middling and a poor summary, chosen by the scores and not by hand."""
    data = context.main.data("test")
    full = context.system(FULL)
    own = context.summarize(full, data)
    count = max(1, round(float(own.sentences.mean())))
    others: list[System] = [parse_baseline("oracle"), parse_baseline(f"lexrank-{count}")]
    oracle, lexrank = (context.summarize(system, data) for system in others)
    runs = [oracle, own, lexrank]
    references = [Reference(example.summary) for example in data.examples]
    chosen = choose(own.rouge[:, VARIANTS.index("rouge1"), F1])
    comparisons = [
        compare(label, data.examples[index], references[index], index, runs) for label, index in chosen.items()
    ]
    signatures = (data.signature, *(f"{one.name} {one.signature}" for one in runs))
    rows: list[Row] = []
    for one in runs:
        rouge = (one.rouge[:, VARIANTS.index(variant), F1] for variant in _SHOWN)
        values = [*rouge, _coverage(references, one)]
        rows.append((one.name, *(Number.estimate(estimate_mean(value), 100) for value in values)))
    note = f"95 % intervals over {len(references)} documents; phrases have {SHORTEST} words and more."
    head = ("system", *_TITLES, "reference in shared phrases, %")
    table = Table("examples", "Wording that summaries share with the reference", head, tuple(rows), (note,))
    # Whether the policy's summaries share more phrases with the reference than those of a baseline as long.
    gain = paired_bootstrap(_coverage(references, own), _coverage(references, lexrank))
    shares = f"{_SHARE[verdict(gain)]} those of {lexrank.name}"
    shown = Number.difference(gain, 100)
    interval = f"{shown.shown()} points, {'95 % ' + interval if (interval := shown.interval()) else TOO_FEW}"
    return ExperimentReport(
        title="Examples of summaries",
        question="What do summaries look like beside the reference, and how much of its wording do they have? "
        "(Appendix H)",
        tables=(table,),
        pages=(
            Page(
                "examples.html",
                "Summaries side by side; phrases shared with the reference are colored.",
                render_examples(comparisons, len(data), signatures),
            ),
        ),
        conclusions=(f"{own.name}'s summaries {shares} ({interval} of the reference's words).",),
        signatures=signatures,
    )


def choose(scores: NDArray[np.float64]) -> dict[str, int]:
    """Return the documents at certain quantiles of the scores, by their labels; no document twice."""
    order = np.argsort(scores, kind="stable")
    chosen: dict[str, int] = {}
    for name, share in QUANTILES.items():
        index = int(order[round(share * (len(order) - 1))])
        if index not in chosen.values():
            chosen[name] = index
    return chosen


def compare(label: str, example: Example, reference: Reference, index: int, runs: Sequence[SystemRun]) -> SideBySide:
    """Color the summaries that systems give of one document, and what they share of the reference."""
    summaries = [one.predictions[index] for one in runs]
    own = reference.color_itself([prediction.sentences for prediction in summaries])
    numbered = [Line(str(number), pieces) for number, pieces in enumerate(own, start=1)]
    columns = [Column("Reference", _count(len(own)), numbered)]
    for one, prediction in zip(runs, summaries, strict=True):
        where = [f"[{position + 1}]" for position in prediction.indices or ()] or [""] * len(prediction.sentences)
        lines = [
            Line(number, reference.color(sentence))
            for number, sentence in zip(where, prediction.sentences, strict=True)
        ]
        scores = (one.rouge[index, VARIANTS.index(variant), F1] for variant in _SHOWN)
        shown = [f"{title} {100 * score:.1f}" for title, score in zip(_TITLES, scores, strict=True)]
        shared = f"{100 * reference.coverage(prediction.sentences):.0f} % of the reference shared"
        columns.append(Column(one.name, " · ".join([_count(len(lines)), *shown, shared]), lines))
    title = str(example.extra.get("title") or example.id or f"Document {index + 1}")
    return SideBySide(label, title, len(example.text), columns)


def render_examples(comparisons: Sequence[SideBySide], documents: int, signatures: Sequence[str]) -> str:
    """Write the page: it loads nothing, runs no script, and its content security policy allows neither."""
    return render_page(
        _TEMPLATES,
        "examples.html",
        ["examples.css"],
        introduction=f"The documents were not chosen by hand: of {documents:,}, they are those at the quantiles "
        f"{', '.join(f'{share:g}' for share in QUANTILES.values())} of {FULL.name}'s ROUGE-1.",
        shortest=SHORTEST,
        examples=comparisons,
        colors=_COLORS,
        signatures=signatures,
        version=__version__,
    )


def _coverage(references: Sequence[Reference], one: SystemRun) -> NDArray[np.float64]:
    pairs = zip(references, one.predictions, strict=True)
    return np.array([reference.coverage(prediction.sentences) for reference, prediction in pairs])


def _count(sentences: int) -> str:
    return f"{sentences} sentence{'' if sentences == 1 else 's'}"


def _words(sentence: str) -> list[str]:
    return [match.group().lower() for match in _WORD.finditer(sentence)]


def _cut(sentence: str, matches: Sequence[int | None]) -> list[Fragment]:
    """Join neighboring words of one match; what stands between words of a match belongs to it."""
    pieces: list[Fragment] = []

    def add(text: str, match: int | None) -> None:
        if pieces and pieces[-1].match == match:
            pieces[-1] = Fragment(pieces[-1].text + text, match)
        elif text:
            pieces.append(Fragment(text, match))

    end = 0
    for word, match in zip(_WORD.finditer(sentence), matches, strict=True):
        add(sentence[end : word.start()], match if pieces and pieces[-1].match == match else None)
        add(word.group(), match)
        end = word.end()
    add(sentence[end:], None)
    return pieces
