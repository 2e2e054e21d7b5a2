"""Table 5 and Figure 4: does a policy that knows what it has extracted avoid extracting it again?

The networks are those of the other experiments. They learn from documents some of which are shown with copies of their
sentences (`training.duplicates`; the paper doubles all), and of copies episodes take either at random. They are tested
on exact copies, on near ones (one or two words left out), and on the documents as they are. The control is the full
network with an empty history at every step: if it avoids copies too, then not by memory.

Figure 4 follows the scores of sentences over the first steps when every sentence is doubled: the score of the copy of a
sentence that was just extracted should fall, and more than those of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum.options import SummaryOptions
from memsum.training.corpus.records import Example
from memsum.training.corpus.variants import repeat_sentences
from memsum.training.evaluation import Data, Prediction
from memsum.training.experiments.config import FULL, WITHOUT_EHE, WITHOUT_REPEATS_LOSS, Variant
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport, Picture
from memsum.training.experiments.scores import (
    REPEATS,
    Claim,
    Scores,
    conclude,
    difference_table,
    score_table,
    signatures,
)
from memsum.training.report.figures import drawing
from memsum.training.report.statistics import estimate_mean, paired_bootstrap
from memsum.training.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from memsum.training.evaluation.playing import Model

Floats = NDArray[np.float64]

BLOCKED = f"{WITHOUT_EHE.name} + 3-gram blocking"
ZEROED = f"{FULL.name}, history zeroed"
STEPS = 4  # of the case study
SHOWN = 25  # sentences of the document that is drawn, before they are doubled; as in the paper
_TAKEN, _GONE = "#D55E00", "#bdbdbd"


@dataclass(frozen=True)
class Compared:
    """The systems on one kind of documents."""

    data: Data
    full: Scores
    zeroed: Scores
    paper: Scores  # trained with the paper's loss alone
    no_ehe: Scores
    blocked: Scores

    @property
    def systems(self) -> list[Scores]:
        return [self.full, self.zeroed, self.paper, self.no_ehe, self.blocked]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Return what the paper finds on documents with every sentence twice."""
        return (
            Claim(self.no_ehe, self.full, "better", REPEATS),
            Claim(self.no_ehe, self.full, "worse"),
            Claim(self.blocked, self.no_ehe, "worse", REPEATS),
            Claim(self.blocked, self.no_ehe, "better"),
            Claim(self.blocked, self.full, "worse"),
            Claim(self.zeroed, self.full, None, REPEATS),
            Claim(self.paper, self.full, None, REPEATS),
            Claim(self.paper, self.full),
        )


def run(context: Context) -> ExperimentReport:
    """Compare networks with and without memory on three kinds of documents; add the case study."""
    name = context.main.name
    context.train((FULL, WITHOUT_REPEATS_LOSS, WITHOUT_EHE), context.main)
    copies = (("redundant", repeat_sentences), ("near", partial(repeat_sentences, near=True)))
    exact, near = (_compare(context, context.derive(context.main, *how).data("test")) for how in copies)
    once = _compare(context, context.main.data("test"), doubled=False)
    table, figure, findings, models = _case_study(context)
    return ExperimentReport(
        title="Redundancy",
        question="Does knowing what was extracted keep the policy from extracting it again? (Table 5, Figure 4)",
        tables=(
            score_table("redundancy", f"Every sentence of {name} twice", exact.systems, repeats=True),
            difference_table("redundancy-differences", "Compared with the full network", exact.full, exact.systems[1:]),
            score_table("near", f"Every sentence of {name} and a near copy of it", near.systems, repeats=True),
            score_table("once", f"The same networks on {name} as they are", once.systems),
            table,
        ),
        figures=(figure,),
        conclusions=(
            _duplicates(exact.full, "exact copies", "the paper: 0 %"),
            _duplicates(near.full, "near copies", "the paper does not say"),
            *map(conclude, exact.claims),
            "On documents as they are: " + conclude(Claim(once.paper, once.full)),
            *findings,
        ),
        signatures=(
            *signatures(exact.data.signature, exact.systems),
            near.data.signature,
            once.data.signature,
            *models,
        ),
    )


def _compare(context: Context, data: Data, *, doubled: bool = True) -> Compared:
    def scores(variant: Variant, name: str, *, block: bool = False, forget: bool = False) -> Scores:
        options = SummaryOptions(block_trigrams=block)
        systems = (
            context.system(variant, seed=seed, name=name, options=options, see_repeats=doubled, forget=forget)
            for seed in context.seeds
        )
        runs = [context.summarize(system, data) for system in systems]
        return Scores.of(name, runs, lambda run: count_copies(run.predictions)) if doubled else Scores.of(name, runs)

    return Compared(
        data,
        full=scores(FULL, FULL.name),
        zeroed=scores(FULL, ZEROED, forget=True),
        paper=scores(WITHOUT_REPEATS_LOSS, WITHOUT_REPEATS_LOSS.name),
        no_ehe=scores(WITHOUT_EHE, WITHOUT_EHE.name),
        blocked=scores(WITHOUT_EHE, BLOCKED, block=True),
    )


def count_copies(predictions: Sequence[Prediction]) -> Floats:
    """Return the share of each summary's sentences of which the other copy is in it too, counted once per pair.

    In doubled documents, sentences 2n and 2n + 1 are copies, whether exact or not.
    """
    indices = [prediction.indices or () for prediction in predictions]
    return np.array([1 - len({i // 2 for i in taken}) / len(taken) if taken else 0.0 for taken in indices])


def _duplicates(full: Scores, copies: str, paper: str) -> str:
    share = full.estimate(REPEATS)
    found = "extracts hardly any sentence twice" if share.high <= 2 else "does extract sentences twice"
    return (
        f"With {copies}, {full.name} {found}: {share.mean:.1f} % of its sentences repeat another, 95 % interval "
        f"{share.low:.1f} to {share.high:.1f} ({paper})."
    )


@dataclass(frozen=True)
class Case:
    """The first steps on one doubled document; sentences 2n and 2n + 1 are copies."""

    scores: Floats  # (steps, sentences), NaN for what was extracted before
    choices: tuple[int, ...]  # what was extracted at each step


@dataclass(frozen=True)
class CopyScores:
    """Scores of copies of extracted sentences, means over the steps of one document; all go from 0 to 1."""

    before: float  # the copy's score at the step at which the sentence is extracted
    after: float  # and at the next
    others_before: float  # the mean score of all others that remain
    others_after: float
    rank_before: float  # the share of those others that score lower
    rank_after: float
    repeats: float  # the share of the extracted sentences that repeat an earlier one

    @property
    def fall(self) -> float:
        """Return how much more the copy's score falls than the others'."""
        return (self.before - self.after) - (self.others_before - self.others_after)


def watch(model: Model, text: Sequence[str], steps: int = STEPS) -> Case:
    """Let a policy extract, and record the scores of all sentences at each step; repeats are shown to it as well."""
    import torch

    from memsum.training.evaluation.playing import with_repeats
    from memsum.training.policy import State
    from memsum.training.policy.batch import collate

    encoded_text = with_repeats(model).encoder.encode(text)
    scores, choices = [], []
    with torch.inference_mode():
        encoded = model.policy.encode(collate([encoded_text]).to(model.device))
        state = State.start(encoded.mask)
        for _ in range(min(steps, len(encoded_text))):
            logits = model.policy.step(encoded, state).logits.float().masked_fill(~state.remaining, torch.nan)
            choice = logits.nan_to_num(-torch.inf).argmax(dim=1)
            state = state.extract(choice, torch.ones_like(choice, dtype=torch.bool))
            scores.append(logits[0].sigmoid().double().cpu().numpy())
            choices.append(int(choice))
    return Case(np.array(scores), tuple(choices))


def measure_copies(case: Case) -> CopyScores | None:
    """Follow the copy of each extracted sentence one step on; None if there was none to follow."""
    followed = []
    for step, choice in enumerate(case.choices[:-1]):
        now, then = case.scores[step], case.scores[step + 1]
        copy = choice ^ 1
        others = np.isfinite(then)
        others[copy] = False
        if np.isfinite(then[copy]) and others.any():
            lower = (np.mean(scores[others] < scores[copy]) for scores in (now, then))
            followed.append([now[copy], then[copy], now[others].mean(), then[others].mean(), *lower])
    if not followed:
        return None
    pairs = [choice // 2 for choice in case.choices]
    before, after, others_before, others_after, rank_before, rank_after = map(float, np.mean(followed, axis=0))
    repeats = 1 - len(set(pairs)) / len(pairs)
    return CopyScores(before, after, others_before, others_after, rank_before, rank_after, repeats)


def _case_study(context: Context) -> tuple[Table, Picture, list[str], list[str]]:
    """Watch policies with and without history, and with the paper's loss alone, on doubled documents.

    Returns a table, a figure, conclusions and signatures.
    """
    data = context.derive(context.main, "redundant", repeat_sentences).data("test")
    models = {variant.name: context.system(variant).model for variant in (FULL, WITHOUT_REPEATS_LOSS, WITHOUT_EHE)}
    followed = {}
    for name, model in models.items():
        context.say(f"watching {name}")
        watched = (measure_copies(watch(model, example.text)) for example in data.examples)
        followed[name] = [copies for copies in watched if copies is not None]
    case = repeat_sentences(shortened(context.main.data("test").examples))
    cases = {name: watch(model, case.text) for name, model in models.items()}
    picture = Picture(
        "case-study",
        f"Scores of the {len(case.text)} sentences of a document in which each is doubled, at steps 0 to {STEPS - 1}. "
        "An orange frame is around the sentence that is taken, grey are those taken before, and a dot marks the copy "
        "of one that was.",
        draw_cases(cases, data.signature),
    )
    conclusions = [_conclude(name, values) for name, values in followed.items()]
    lines = [data.signature, *(f"{name} model:{model.sha256}" for name, model in models.items())]
    return _table(followed), picture, conclusions, lines


def shortened(examples: Iterable[Example]) -> Example:
    """Return the document whose number of sentences is nearest to that of the figure, cut if it is longer."""
    nearest = min(examples, key=lambda example: abs(len(example.text) - SHOWN))
    return replace(nearest, text=nearest.text[:SHOWN], sections=None, indices=None, scores=None)


def draw_cases(cases: dict[str, Case], note: str) -> Figure:
    """Draw a strip per step for each policy, one below the other, in the same colours."""
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
        axes.plot(
            [(choice ^ 1) + 0.5] * len(followed),
            np.array(followed) + 0.5,
            "o",
            color="black",
            mec="white",
            mew=0.7,
            ms=4,
        )
    ticks = range(0, sentences, max(1, round(sentences / 10)))
    axes.set_xticks([tick + 0.5 for tick in ticks], list(map(str, ticks)))
    axes.set_yticks([step + 0.5 for step in range(steps)], [f"step {step}" for step in range(steps)])
    axes.set(xlim=(0, sentences), ylim=(steps, 0))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    return mesh


def _table(followed: dict[str, list[CopyScores]]) -> Table:
    def mean(values: Sequence[CopyScores], name: str, scale: float = 1, digits: int = 3) -> Number:
        numbers = np.array([getattr(copy, name) for copy in values]) * scale
        return Number.estimate(estimate_mean(numbers), digits=digits)

    rows: list[Row] = []
    for name, values in followed.items():
        scores = (mean(values, one) for one in ("before", "after", "others_before", "others_after", "fall"))
        shares = (mean(values, one, 100, 1) for one in ("rank_before", "rank_after", "repeats"))
        rows.append((name, *scores, *shares))
    documents = len(next(iter(followed.values())))
    return Table(
        name="case-study",
        title="What happens to the copy of a sentence that was extracted",
        head=(
            "system",
            "copy before",
            "copy after",
            "others before",
            "others after",
            "fall against others",
            "rank before, %",
            "rank after, %",
            f"repeats in {STEPS} steps, %",
        ),
        rows=tuple(rows),
        notes=(
            f"Scores at the step at which its sentence is extracted and at the next, means over steps 0 to {STEPS - 1} "
            f"and over {documents} documents, with 95 % intervals over documents. The rank is the share of the other "
            "sentences that score lower.",
        ),
    )


def _conclude(name: str, copies: Sequence[CopyScores]) -> str:
    """State whether the copy falls more than the others, and whether so far that it is avoided."""
    fall = paired_bootstrap(
        [copy.before - copy.after for copy in copies], [copy.others_before - copy.others_after for copy in copies]
    )
    rank = estimate_mean([copy.rank_after for copy in copies])
    numbers = f"by {fall.difference:.3f} more, 95 % interval {fall.low:.3f} to {fall.high:.3f}"
    ahead = f"it still scores higher than {100 * rank.low:.0f} to {100 * rank.high:.0f} % of them"
    if fall.low <= 0:
        return f"{name}: the score of the copy does not fall more than those of the others ({numbers}), and {ahead}."
    if rank.low >= 0.5:
        return f"{name}: the score of the copy falls more than those of the others ({numbers}), but {ahead}."
    if rank.high < 0.5:
        below = f"{100 * rank.low:.0f} to {100 * rank.high:.0f} %"
        return (
            f"{name}: the score of the copy falls more than those of the others ({numbers}), to where it is higher "
            f"than only {below} of them: the copy is avoided, as in the paper."
        )
    return f"{name}: the score of the copy falls more than those of the others ({numbers}); whether enough is open."
