"""How a search of where to stop is shown: a table of the best threshold for each maximum, and a figure of all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from memsum.errors import MissingExtraError
from memsum.evaluation.stopping import StopPoint
from memsum.evaluation.tuning import Tuning

PLOT_FILE = "stopping.png"
_COLOURS = ("#3b6ea5", "#c8553d", "#588b5c")


def tuning_tables(tuning: Tuning) -> list[Table]:
    """One row a maximum, and one a brevity if several were tried; the chosen ones are marked."""
    tables = [_table("N_max", {str(point.maximum): point for point in tuning.best_by_maximum()}, tuning.best)]
    if len(tuning.by_brevity) > 1:
        rows = {f"{brevity:g}": point for brevity, point in tuning.by_brevity.items()}
        tables.insert(0, _table("brevity", rows, tuning.best))
    return tables


def _table(first: str, rows: Mapping[str, StopPoint], best: StopPoint) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for title in (first, "p_thres", "R-1", "R-2", "R-Lsum", "mean", "sentences", ""):
        table.add_column(title, justify="right", no_wrap=True)
    for name, point in rows.items():
        chosen = point == best
        table.add_row(name, *_cells(point), "best" if chosen else "", style="bold" if chosen else None)
    return table


def verdict(tuning: Tuning) -> str:
    """What was chosen, and how much better it is than what was before, in two sentences."""
    best, before, gain = tuning.best, tuning.before, tuning.gain
    brevity = f"brevity {tuning.brevity:g}, " if tuning.brevity else ""
    return (
        f"Best: {brevity}p_thres {best.threshold:g}, N_max {best.maximum}, mean ROUGE {100 * best.mean:.2f} "
        f"(95 % {100 * tuning.interval.low:.1f} to {100 * tuning.interval.high:.1f}). "
        f"Before: p_thres {before.threshold:g}, N_max {before.maximum}, {100 * before.mean:.2f}; "
        f"the difference is {100 * gain.difference:+.2f} "
        f"({100 * gain.interval.low:.1f} to {100 * gain.interval.high:.1f}, p = {gain.p_value:.3f})."
    )


def plot_tuning(tuning: Tuning, path: Path) -> None:
    """Draw the scores over p_thres at the best N_max, and the mean over both."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("Plotting", "plots") from None
    best = tuning.best
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)

    here = [point for point in tuning.points if point.maximum == best.maximum]
    thresholds = [point.threshold for point in here]
    curves = {
        "ROUGE-1": [100 * point.rouge1 for point in here],
        "ROUGE-2": [100 * point.rouge2 for point in here],
        "ROUGE-Lsum": [100 * point.rouge_lsum for point in here],
    }
    for (title, values), colour in zip(curves.items(), _COLOURS, strict=True):
        left.plot(thresholds, values, marker="o", markersize=3, color=colour, label=title)
    left.axvline(best.threshold, color="black", linewidth=0.8, linestyle=":")
    left.set(xlabel="p_thres", ylabel="F1", title=f"N_max = {best.maximum}")
    left.legend()
    left.grid(alpha=0.3)
    left.spines[["top", "right"]].set_visible(False)

    maxima = sorted({point.maximum for point in tuning.points})
    means = np.array([100 * point.mean for point in tuning.points]).reshape(len(maxima), -1)
    image = right.imshow(means.T, aspect="auto", origin="lower", cmap="viridis")
    right.plot(maxima.index(best.maximum), thresholds.index(best.threshold), "r*", markersize=12)
    ticks = range(0, len(maxima), max(1, len(maxima) // 8))
    right.set_xticks(list(ticks), [str(maxima[i]) for i in ticks])
    right.set_yticks(range(len(thresholds)), [f"{threshold:g}" for threshold in thresholds])
    right.set(xlabel="N_max", ylabel="p_thres", title="Mean of ROUGE-1, 2 and Lsum F1")
    figure.colorbar(image, ax=right)
    figure.text(0.01, -0.04, tuning.signature, fontsize=7, color="gray")
    figure.savefig(path, dpi=120, bbox_inches="tight")


def _cells(point: StopPoint) -> tuple[str, ...]:
    scores = (point.rouge1, point.rouge2, point.rouge_lsum, point.mean)
    return (f"{point.threshold:g}", *(f"{100 * score:.2f}" for score in scores), f"{point.sentences:.1f}")
