"""Table 6 and Figure 4: does a policy that knows what it has extracted avoid extracting it again?

By the paper's protocol, networks learn and are tested on documents with every sentence twice; of copies, episodes take
either at random. Beside the paper's systems stand the full network with an empty history at every step (if it avoids
copies too, then not by memory), and one with the repeats loss, which the paper does not have.

Figure 4 follows the scores of sentences over the first steps when every sentence is doubled: the score of the copy of a
sentence that was just extracted should fall, and more than those of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.evaluation import Prediction
from memsum_train.experiments.config import FULL, REPEATS_LOSS, WITHOUT_AUTO_STOP, WITHOUT_EHE, Corpus, Variant
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.experiments.scores import REPEATS, Claim, Scores, conclude, difference_table, score_table, signatures
from memsum_train.report.figures import drawing
from memsum_train.report.statistics import TOO_FEW, estimate_mean, paired_bootstrap
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from memsum_train.evaluation.playing import Model

Floats = NDArray[np.float64]

BLOCKED = f"{WITHOUT_EHE.name} + 3-gram blocking"
ZEROED = f"{FULL.name}, history zeroed"
STEPS = 4  # of the case study
SHOWN = 25  # sentences of the document that is drawn, before they are doubled; as in the paper
_MEASURES = {  # fields of `CopyScores`, and their digits
    "fall": ("fall of the copy", 3),
    "others": ("fall of the others", 3),
    "rank": ("rank after, %", 1),
    "repeats": (f"repeats in {STEPS} steps, %", 1),
}
_TAKEN, _GONE = "#D55E00", "#bdbdbd"


def run(context: Context) -> ExperimentReport:
    """Train and test on documents with every sentence twice, as the paper does; add the case study."""
    name = context.main.name
    doubled = context.derive(context.main, "redundant", repeat_sentences)
    data = doubled.data("test")
    context.train((FULL, WITHOUT_AUTO_STOP, WITHOUT_EHE, REPEATS_LOSS), doubled)

    def scores(variant: Variant, name: str, *, block: bool = False, forget: bool = False) -> Scores:
        options = SummaryOptions(block_trigrams=block)
        runs = []
        for seed in context.config.seeds:
            system = context.system(variant, doubled, seed, name=name, options=options, forget=forget)
            runs.append(context.summarize(system, data))
        return Scores.of(name, runs, lambda run: count_copies(run.predictions))

    full, fixed, no_ehe, ours = (
        scores(variant, variant.name) for variant in (FULL, WITHOUT_AUTO_STOP, WITHOUT_EHE, REPEATS_LOSS)
    )
    zeroed, blocked = scores(FULL, ZEROED, forget=True), scores(WITHOUT_EHE, BLOCKED, block=True)
    others = [fixed, no_ehe, blocked, zeroed, ours]
    table, figure, findings, models = _case_study(context, doubled)
    claims = (  # with the paper's differences
        Claim(no_ehe, full, 41.0, REPEATS),
        Claim(no_ehe, full, -6.22),
        Claim(blocked, no_ehe, -41.0, REPEATS),
        Claim(blocked, no_ehe, 3.83),
        Claim(blocked, full, -2.38),
        Claim(fixed, full, -0.59),
        Claim(zeroed, full, None, REPEATS),
        Claim(ours, full, None, REPEATS),
        Claim(ours, full),
    )
    return ExperimentReport(
        title="Redundancy",
        question="Does knowing what was extracted keep the policy from extracting it again? (Table 6, Figure 4)",
        tables=(
            score_table("redundancy", f"Every sentence of {name} twice", [full, *others], repeats=True),
            difference_table("redundancy-differences", "Compared with the full network", full, others),
            table,
        ),
        figures=(figure,),
        conclusions=(
            f"{full.name}: {full.measures[REPEATS].mean():.1f} % of the sentences repeat another (paper: 0 %).",
            *map(conclude, claims),
            *findings,
        ),
        signatures=(*signatures(data.signature, [full, *others]), *models),
    )


def count_copies(predictions: Sequence[Prediction]) -> Floats:
    """Return the share of each summary's sentences of which the other copy is in it too, counted once per pair.

    In doubled documents, sentences 2n and 2n + 1 are copies, whether exact or not.
    """
    indices = [prediction.indices or () for prediction in predictions]
    return np.array([1 - len({i // 2 for i in taken}) / len(taken) if taken else 0.0 for taken in indices])


@dataclass(frozen=True)
class Case:
    """The first steps on one doubled document; sentences 2n and 2n + 1 are copies."""

    scores: Floats  # (steps, sentences), NaN for what was extracted before
    choices: tuple[int, ...]  # what was extracted at each step


@dataclass(frozen=True)
class CopyScores:
    """Of copies of extracted sentences, from one step to the next: means over the steps of one document."""

    fall: float  # of the copy's score, from 0 to 1
    others: float  # the fall of the mean score of all others that remain
    rank: float  # the share of those others that then score lower than the copy
    repeats: float  # the share of the extracted sentences that repeat an earlier one


def watch(model: Model, text: Sequence[str], steps: int = STEPS) -> Case:
    """Let a policy extract, and record the scores of all sentences at each step."""
    from memsum_train.evaluation.playing import Observed
    from memsum_train.policy.batch import collate
    from memsum_train.policy.greedy import play

    batch = collate([model.encoder.encode(text)]).to(model.device)
    observed = Observed(model.policy)
    [extraction] = play(observed.policy, batch, steps)
    scores = [one[0].sigmoid().double().cpu().numpy() for one in observed.logits[: len(extraction.choices)]]
    return Case(np.array(scores), extraction.choices)


def measure_copies(case: Case) -> CopyScores | None:
    """Follow the copy of each extracted sentence one step on; None if there was none to follow."""
    followed = []
    for step, choice in enumerate(case.choices[:-1]):
        now, then = case.scores[step], case.scores[step + 1]
        copy = choice ^ 1
        others = np.isfinite(then)
        others[copy] = False
        if np.isfinite(then[copy]) and others.any():
            falls = now - then
            followed.append((falls[copy], falls[others].mean(), np.mean(then[others] < then[copy])))
    if not followed:
        return None
    fall, rest, rank = map(float, np.mean(followed, axis=0))
    return CopyScores(fall, rest, rank, 1 - len({choice // 2 for choice in case.choices}) / len(case.choices))


def _case_study(context: Context, doubled: Corpus) -> tuple[Table, Picture, list[str], list[str]]:
    """Watch policies with and without history, and with the repeats loss, on doubled documents.

    Returns a table, a figure, conclusions and signatures.
    """
    data = doubled.data("test")
    models = {variant.name: context.system(variant, doubled).model for variant in (FULL, WITHOUT_EHE, REPEATS_LOSS)}
    rows: list[Row] = []
    conclusions = []
    for name, model in models.items():
        context.say(f"watching {name}")
        watched = (measure_copies(watch(model, example.text)) for example in data.examples)
        followed = [copies for copies in watched if copies is not None]
        columns = ((_column(followed, measure), digits) for measure, (_, digits) in _MEASURES.items())
        rows.append((name, *(Number.estimate(estimate_mean(column), digits=digits) for column, digits in columns)))
        conclusions.append(_conclude(name, followed))
    case = repeat_sentences(shortened(context.main.data("test").examples))
    picture = Picture(
        "case-study",
        f"Scores of the {len(case.text)} sentences of a document in which each is doubled, at steps 0 to {STEPS - 1}. "
        "An orange frame is around the sentence that is taken, gray are those taken before, and a dot marks the copy "
        "of one that was.",
        draw_cases({name: watch(model, case.text) for name, model in models.items()}, data.signature),
    )
    note = (
        f"From the step at which its sentence is extracted to the next, means over steps 0 to {STEPS - 1} and over "
        f"{len(data)} documents, with 95 % intervals over documents. The rank is the share of the other sentences that "
        "then score lower."
    )
    head = ("system", *(title for title, _ in _MEASURES.values()))
    table = Table("case-study", "The copy of a sentence that was extracted", head, tuple(rows), (note,))
    lines = [data.signature, *(f"{name} model:{model.sha256}" for name, model in models.items())]
    return table, picture, conclusions, lines


def _column(copies: Sequence[CopyScores], measure: str) -> Floats:
    return np.array([getattr(one, measure) for one in copies]) * (100 if measure in ("rank", "repeats") else 1)


def shortened(examples: Iterable[Example]) -> Example:
    """Return the document whose number of sentences is nearest to that of the figure, cut if it is longer."""
    nearest = min(examples, key=lambda example: abs(len(example.text) - SHOWN))
    return replace(nearest, text=nearest.text[:SHOWN], sections=None, indices=None, scores=None)


def draw_cases(cases: dict[str, Case], note: str) -> Figure:
    """Draw a strip per step for each policy, one below the other, in the same colors."""
    with drawing(len(cases), height=1.75 * len(cases) + 0.5, note=note) as (figure, axes):
        top = max(float(np.nanmax(case.scores)) for case in cases.values())
        for one, (name, case) in zip(axes, cases.items(), strict=True):
            image = _draw(one, case, top)
            one.set_title(name, loc="left")
        axes[-1].set_xlabel("sentence")
        figure.colorbar(image, ax=axes, label="score", shrink=0.8, pad=0.02)
    return figure


def _draw(axes: Axes, case: Case, top: float) -> ScalarMappable:
    from matplotlib.colors import PowerNorm
    from matplotlib.patches import Rectangle

    steps, sentences = case.scores.shape
    axes.grid(visible=False)
    axes.set_facecolor(_GONE)
    shown = np.ma.masked_invalid(case.scores)
    # By the root of the score: where one sentence is far ahead, differences between the others are still seen.
    norm = PowerNorm(0.5, vmin=0, vmax=top)
    mesh = axes.pcolormesh(shown, cmap="Blues", norm=norm, edgecolors="white", linewidth=0.3, antialiased=True)
    for step, choice in enumerate(case.choices):
        axes.add_patch(Rectangle((choice, step), 1, 1, fill=False, edgecolor=_TAKEN, linewidth=1.8, zorder=3))
        followed = [later for later in range(step + 1, steps) if np.isfinite(case.scores[later, choice ^ 1])]
        columns = [(choice ^ 1) + 0.5] * len(followed)
        axes.plot(columns, np.array(followed) + 0.5, "o", color="black", mec="white", mew=0.7, ms=4)
    ticks = range(0, sentences, max(1, round(sentences / 10)))
    axes.set_xticks([tick + 0.5 for tick in ticks], list(map(str, ticks)))
    axes.set_yticks([step + 0.5 for step in range(steps)], [f"step {step}" for step in range(steps)])
    axes.set(xlim=(0, sentences), ylim=(steps, 0))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    return mesh


def _conclude(name: str, copies: Sequence[CopyScores]) -> str:
    """State whether the copy falls more than the others, and whether so far that it is avoided."""
    fall = paired_bootstrap(_column(copies, "fall"), _column(copies, "others"))
    rank = estimate_mean(_column(copies, "rank"))
    falls = f"{name}: the score of the copy falls by {fall.difference:.3f} more than those of the others"
    if math.isnan(fall.low):
        return f"{falls}: no verdict ({TOO_FEW})."
    numbers = f"95 % interval {fall.low:.3f} to {fall.high:.3f}"
    said = f"{falls} ({numbers}), and is then higher than {rank.low:.0f} to {rank.high:.0f} % of them"
    if fall.low > 0 and rank.high < 50:
        return f"{said}: the copy is avoided, as in the paper."
    return f"{said}: {'the copy is not avoided' if fall.low <= 0 or rank.low >= 50 else 'whether enough is open'}."
