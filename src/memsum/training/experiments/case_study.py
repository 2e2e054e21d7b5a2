"""Figure 4: how the scores of sentences change over the first steps when every sentence of a document is doubled.

What history is worth can be seen from the twin of a sentence that was just extracted: its score should fall, and more
than that of the others. Policies that were trained with the paper's loss alone, and without history, are the controls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum.training.corpus.records import Example
from memsum.training.corpus.variants import repeat_sentences
from memsum.training.experiments.config import FULL, WITHOUT_EHE, WITHOUT_REPEATS_LOSS
from memsum.training.experiments.context import Context
from memsum.training.experiments.reports import ExperimentReport, Picture
from memsum.training.report.figures import drawing
from memsum.training.report.statistics import bootstrap_interval, estimate_mean, paired_bootstrap
from memsum.training.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from memsum.training.evaluation.playing import Model

Floats = NDArray[np.float64]

STEPS = 4
SHOWN = 25  # sentences of the document that is drawn, before they are doubled; as in the paper
_TAKEN, _GONE = "#D55E00", "#bdbdbd"


@dataclass(frozen=True)
class Case:
    """The first steps on one doubled document; sentences 2n and 2n + 1 are twins."""

    scores: Floats  # (steps, sentences), NaN for what was extracted before
    choices: tuple[int, ...]  # what was extracted at each step


@dataclass(frozen=True)
class Twin:
    """What happens to twins, on the average over the steps of one document; scores and ranks go from 0 to 1."""

    before: float  # the twin's score at the step at which the sentence is extracted
    after: float  # and at the next
    others_before: float  # the mean score of all others that remain
    others_after: float
    rank_before: float  # the share of those others that score lower
    rank_after: float
    repeats: float  # the share of the extracted sentences that repeat an earlier one

    @property
    def fall(self) -> float:
        """How much more the twin's score falls than the others'."""
        return (self.before - self.after) - (self.others_before - self.others_after)


def watch(model: Model, text: Sequence[str], steps: int = STEPS) -> Case:
    """Let a policy extract, and note what it thinks of all sentences at each step; repeats are shown to it as well."""
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


def measure_twins(case: Case) -> Twin | None:
    """Follow the twin of each extracted sentence one step on; None if there was none to follow."""
    followed = []
    for step, choice in enumerate(case.choices[:-1]):
        now, then = case.scores[step], case.scores[step + 1]
        twin = choice ^ 1
        others = np.isfinite(then)
        others[twin] = False
        if np.isfinite(then[twin]) and others.any():
            lower = (np.mean(scores[others] < scores[twin]) for scores in (now, then))
            followed.append([now[twin], then[twin], now[others].mean(), then[others].mean(), *lower])
    if not followed:
        return None
    pairs = [choice // 2 for choice in case.choices]
    before, after, others_before, others_after, rank_before, rank_after = map(float, np.mean(followed, axis=0))
    repeats = 1 - len(set(pairs)) / len(pairs)
    return Twin(before, after, others_before, others_after, rank_before, rank_after, repeats)


def run(context: Context) -> ExperimentReport:
    """Watch policies with and without history, and with the paper's loss alone, on doubled documents."""
    doubled = context.derive(context.main, "redundant", repeat_sentences)
    variants = (FULL, WITHOUT_REPEATS_LOSS, WITHOUT_EHE)
    models = {variant.name: context.system(variant).model for variant in variants}
    data = doubled.data("test")
    twins = {}
    for name, model in models.items():
        context.say(f"watching {name}")
        watched = (measure_twins(watch(model, example.text)) for example in data.examples)
        twins[name] = [twin for twin in watched if twin is not None]
    case = repeat_sentences(shortened(context.main.data("test").examples))
    cases = {name: watch(model, case.text) for name, model in models.items()}
    signatures = (str(data), *(f"{name} model:{model.sha256}" for name, model in models.items()))
    return ExperimentReport(
        title="Scores of doubled sentences",
        question="Does the policy avoid a sentence that says the same as one it has taken? (Figure 4)",
        tables=(_table(twins),),
        figures=(
            Picture(
                "case-study",
                f"Scores of the {len(case.text)} sentences of a document in which each is doubled, at steps 0 to "
                f"{STEPS - 1}. An orange frame is around the sentence that is taken, grey are those taken before, and "
                "a dot marks the twin of one that was.",
                draw_cases(cases, signatures[0]),
            ),
        ),
        conclusions=tuple(_conclude(name, values) for name, values in twins.items()),
        signatures=signatures,
    )


def shortened(examples: Iterable[Example]) -> Example:
    """The document whose number of sentences is nearest to that of the figure, cut if it is longer."""
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


def _table(twins: dict[str, list[Twin]]) -> Table:
    def mean(values: Sequence[Twin], name: str, scale: float = 1, digits: int = 3) -> Number:
        numbers = np.array([getattr(twin, name) for twin in values]) * scale
        return Number.estimate(estimate_mean(numbers), digits=digits)

    rows: list[Row] = []
    for name, values in twins.items():
        scores = (mean(values, one) for one in ("before", "after", "others_before", "others_after", "fall"))
        shares = (mean(values, one, 100, 1) for one in ("rank_before", "rank_after", "repeats"))
        rows.append((name, *scores, *shares))
    documents = len(next(iter(twins.values())))
    return Table(
        name="case-study",
        title="What happens to the twin of a sentence that was extracted",
        head=(
            "system",
            "twin before",
            "twin after",
            "others before",
            "others after",
            "fall against others",
            "rank before, %",
            "rank after, %",
            f"repeats in {STEPS} steps, %",
        ),
        rows=tuple(rows),
        notes=(
            f"Scores at the step at which its twin is extracted and at the next, means over steps 0 to {STEPS - 1} and "
            f"over {documents} documents, with 95 % intervals over documents. The rank is the share of the other "
            "sentences that score lower.",
        ),
    )


def _conclude(name: str, twins: Sequence[Twin]) -> str:
    """Whether the twin falls more than the others, and whether so far that it is avoided."""
    fall = paired_bootstrap(
        [twin.before - twin.after for twin in twins], [twin.others_before - twin.others_after for twin in twins]
    )
    rank = bootstrap_interval([twin.rank_after for twin in twins])
    numbers = f"by {fall.difference:.3f} more, 95 % interval {fall.interval.low:.3f} to {fall.interval.high:.3f}"
    ahead = f"it still scores higher than {100 * rank.low:.0f} to {100 * rank.high:.0f} % of them"
    if fall.interval.low <= 0:
        return f"{name}: the score of the twin does not fall more than those of the others ({numbers}), and {ahead}."
    if rank.low >= 0.5:
        return f"{name}: the score of the twin falls more than those of the others ({numbers}), but {ahead}."
    if rank.high < 0.5:
        below = f"{100 * rank.low:.0f} to {100 * rank.high:.0f} %"
        return (
            f"{name}: the score of the twin falls more than those of the others ({numbers}), to where it is higher "
            f"than only {below} of them: the twin is avoided, as in the paper."
        )
    return f"{name}: the score of the twin falls more than those of the others ({numbers}); whether enough is open."
