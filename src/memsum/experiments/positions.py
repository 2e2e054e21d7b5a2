"""Figure 3: where the oracle, the policy, and the policy that is shown only a part of a document take sentences.

All positions are those of the document that is looked at, also where a system was shown less of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from memsum.corpus.extractiveness import words_of
from memsum.corpus.records import Example
from memsum.corpus.truncation import keep_introduction
from memsum.errors import CorpusError
from memsum.evaluation import Prediction, System, make_data, parse_baseline
from memsum.experiments.config import Split
from memsum.experiments.context import Context, Picture, Report
from memsum.experiments.placement import EARLY, Placement, Positions, Taken, draw_positions, measure_positions
from memsum.experiments.variants import FULL
from memsum.report.statistics import Estimate
from memsum.report.table import Number, Row, Table

WORDS = 512  # the input of BERT, on which the paper's MatchSum is built
CUT = f"{FULL.name}, first {WORDS} words"


@dataclass(frozen=True)
class Part:
    """What a system is shown of a document, and which of its sentences these are."""

    example: Example
    places: tuple[int, ...]

    def restore(self, prediction: Prediction) -> tuple[int, ...]:
        """Where the sentences of a prediction stand in the document."""
        return tuple(self.places[index] for index in prediction.indices or ())


@dataclass(frozen=True)
class View:
    """Documents to look at, and for each system what it is shown of them; the oracle comes first."""

    title: str
    documents: Sequence[Example]
    shown: Sequence[tuple[str, System, Sequence[Part]]]


def whole(example: Example) -> Part:
    """All of the document."""
    return _part(example, range(len(example.text)))


def beginning(example: Example) -> Part:
    """The sentences among its first words, at least one."""
    count = seen = 0
    for sentence in example.text:
        seen += len(words_of([sentence]))
        if count and seen > WORDS:
            break
        count += 1
    return _part(example, range(count))


def introduction(example: Example) -> Part | None:
    """Its introduction, if it has one."""
    kept = _introduction_only(example)
    if kept is None:
        return None
    titles = set(kept.sections or ())
    return _part(example, [place for place, title in enumerate(example.sections or ()) if title in titles])


def run(context: Context) -> Report:
    """Look at whole documents and, if the corpus has sections, at introductions alone, as the paper's figure does."""
    corpus, full = context.main, context.system(FULL)
    examples: Sequence[Example] = corpus.data("test").examples
    if all(any(map(introduction, corpus.data(split).examples)) for split in get_args(Split)):
        both = [(example, part) for example in examples if (part := introduction(example))]
        examples, parts = zip(*both, strict=True)  # all systems have the same documents
        short = context.system(FULL, context.derive(corpus, "introductions", _introduction_only))
        views = [
            _view("Whole documents", examples, full, (f"{FULL.name}, introductions", short, parts)),
            _view("Introductions", [part.example for part in parts], short),
        ]
    else:
        views = [_view("Whole documents", examples, full)]
    found = [measure_positions([_place(context, view, *shown) for shown in view.shown]) for view in views]
    signature = str(make_data(f"{corpus.name}-test", examples))
    return Report(
        title="Positions of extracted sentences",
        question="Does the policy take sentences from where the oracle does, and what does one lose who reads only the "
        "beginning? (Figure 3)",
        tables=(_table(views, found),),
        figures=(
            Picture(
                "positions",
                "Shares of the extracted sentences by position; bands are 95 % intervals over documents.",
                draw_positions(found[0], found[1] if len(found) > 1 else (), signature),
            ),
        ),
        conclusions=tuple(_conclude(view, positions) for view, positions in zip(views, found, strict=True)),
        signatures=(signature, *(f"{name} {system}" for name, system, _ in views[0].shown)),
    )


def _view(title: str, documents: Sequence[Example], system: System, *more: tuple[str, System, Sequence[Part]]) -> View:
    all_of_it = list(map(whole, documents))
    return View(
        title,
        documents,
        [
            ("oracle", parse_baseline("oracle"), all_of_it),
            (FULL.name, system, all_of_it),
            (CUT, system, list(map(beginning, documents))),
            *more,
        ],
    )


def _place(context: Context, view: View, name: str, system: System, parts: Sequence[Part]) -> Placement:
    summaries = context.summarise(system, make_data(view.title.lower(), [part.example for part in parts]))
    taken = (
        Taken(part.restore(prediction), len(document.text))
        for part, prediction, document in zip(parts, summaries.predictions, view.documents, strict=True)
    )
    return Placement(name, tuple(taken))


def _part(example: Example, places: Iterable[int]) -> Part:
    places = tuple(places)
    sections = example.sections
    shown = replace(
        example,
        text=tuple(example.text[place] for place in places),
        sections=None if sections is None else tuple(sections[place] for place in places),
        indices=None,
        scores=None,
    )
    return Part(shown, places)


def _introduction_only(example: Example) -> Example | None:
    try:
        return keep_introduction(example)
    except CorpusError:
        return None


def _table(views: Sequence[View], found: Sequence[Sequence[Positions]]) -> Table:
    rows: list[Row] = []
    for view, systems in zip(views, found, strict=True):
        for place, one in enumerate(systems):
            shares = map(_percent, (one.mean, one.first_tenth, one.early))
            rows.append((view.title, one.name, str(one.sentences), *shares, _percent(one.distance) if place else None))
    return Table(
        name="positions",
        title="Where systems take their sentences",
        head=(
            "documents",
            "system",
            "sentences",
            "mean position, %",
            "in the first tenth, %",
            f"in the first {EARLY} sentences, %",
            "distance from the oracle, %",
        ),
        rows=tuple(rows),
        notes=(
            f"{len(views[0].documents)} documents, 95 % intervals over these. The distance is the earth mover's, in "
            "per cent of the document: how far the sentences would have to be moved, on the average, to lie as the "
            "oracle's do; chance alone makes it greater than 0.",
        ),
    )


def _percent(estimate: Estimate) -> Number:
    return Number.estimate(estimate, 100, digits=1)


def _conclude(view: View, found: Sequence[Positions]) -> str:
    """Whether what sees everything lies nearer to the oracle than what sees the beginning."""
    by_name = {positions.name: positions for positions in found}
    full, cut = by_name[FULL.name], by_name[CUT]
    gain = full.nearer(cut)
    if gain.low > 0:
        verdict, agreement = "nearer to the oracle's than", "as in the paper"
    elif gain.high < 0:
        verdict, agreement = "farther from the oracle's than", "this contradicts the paper"
    else:
        verdict, agreement = "neither nearer to the oracle's nor farther from them than", "the paper finds nearer"
    return (
        f"{view.title}: the sentences of {full.name} lie {verdict} those of {cut.name} (distances of "
        f"{_shown(full.distance)} and {_shown(cut.distance)} of the document, difference {_shown(gain)}): {agreement}."
    )


def _shown(estimate: Estimate) -> str:
    return f"{100 * estimate.mean:.1f} % ({100 * estimate.low:.1f}–{100 * estimate.high:.1f})"
