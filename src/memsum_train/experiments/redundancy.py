"""Table 6 and Figure 4: does a policy that knows what it has extracted avoid extracting it again?

By the paper's protocol, networks learn and are tested on documents with every sentence twice; of copies, episodes take
either at random. Beside the paper's systems stand the full network with an empty history at every step (if it avoids
copies too, then not by memory), and one with the repeats loss, which the paper does not have.

Figure 4 follows the scores of sentences over the first steps when every sentence is doubled: the score of the copy of a
sentence that was just extracted should fall, and more than those of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from memsum_train.corpus.records import Example
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.experiments.comparisons import compare
from memsum_train.experiments.config import PAPER, VARIANTS
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport
from memsum_train.report.figures import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from memsum_train.evaluation.playing import Model

STEPS = 4  # of the figure
SHOWN = 25  # sentences of the document that is drawn, before they are doubled; as in the paper
_TAKEN, _GONE = "#D55E00", "#bdbdbd"


@dataclass(frozen=True)
class Case:
    """The first steps on one doubled document; sentences 2n and 2n + 1 are copies."""

    scores: NDArray[np.float64]  # (steps, sentences), NaN for what was extracted before
    choices: tuple[int, ...]  # what was extracted at each step


def run(context: Context) -> ExperimentReport:
    """Train and test on documents with every sentence twice, as the paper does, and draw the first steps on one."""
    plan = PAPER["redundancy"]
    doubled = context.derive(context.main, "redundant", repeat_sentences)
    data = doubled.data("test")
    systems = context.scores([VARIANTS[name] for name in plan["systems"]], doubled, data)
    report = compare("redundancy", doubled, systems)
    repeated = f"{100 * systems[0].values['repeats'].mean():.1f}"
    report.conclusions.insert(0, f"{systems[0].name}: {repeated} % of the sentences repeat another (paper: 0 %).")
    case = repeat_sentences(shortened(context.main.data("test").examples))
    models = {name: context.model(VARIANTS[name], doubled) for name in plan["watched"]}
    caption = (
        f"Scores of the {len(case.text)} sentences of a document in which each is doubled, at steps 0 to {STEPS - 1}. "
        "An orange frame is around the sentence that is taken, gray are those taken before, and a dot marks the copy "
        "of one that was."
    )
    figure = draw_cases({name: watch(model, case.text) for name, model in models.items()}, data.signature)
    report.figures["case-study"] = (caption, figure)
    return report


def watch(model: Model, text: Sequence[str], steps: int = STEPS) -> Case:
    """Let a policy extract, and record the scores of all sentences at each step."""
    from memsum_train.evaluation.playing import Watched
    from memsum_train.paper.model import extract
    from memsum_train.policy import Policy
    from memsum_train.policy.batch import collate

    watched = Watched(model.policy)
    [extraction] = extract(cast(Policy, watched), collate([model.encoder.encode(text)]).to(model.device), steps)
    scores = [one[0].sigmoid().double().cpu().numpy() for one in watched.logits[: len(extraction.choices)]]
    return Case(np.array(scores), extraction.choices)


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
