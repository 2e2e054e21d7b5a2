"""The search for p_thres and N_max on a validation set, how it is shown, and what it writes into the model's config."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

import numpy as np

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.features.expected_length import LENGTH_FILE, LengthModel
from memsum.model import ModelConfig, resolve_model
from memsum.model.verify import update_manifest
from memsum_train.evaluation.data import Data
from memsum_train.evaluation.playing import Model, play_documents, stop_by_length
from memsum_train.evaluation.stopping import THRESHOLDS, PrefixScores, StopPoint, best_point
from memsum_train.report.figures import drawing, series, write_figure
from memsum_train.report.statistics import TOO_FEW, Comparison, Estimate, estimate_mean, paired_bootstrap
from memsum_train.report.table import Number, Row, Table

MAXIMA = "3-25"
PLOT_FILE = "stopping.png"
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True)
class Tuning:
    """All ways to stop that were tried with the best brevity, the best of them, and the model's own before."""

    data: str
    brevity: float
    by_brevity: dict[float, StopPoint]  # the best way to stop with each brevity that was tried
    points: tuple[StopPoint, ...]
    best: StopPoint
    score: Estimate  # of the best, the mean over documents
    before: StopPoint
    gain: Comparison  # of the best over what was before, in the mean score
    length: LengthModel | None = None  # what p_stop comes from, if not from the network

    @property
    def signature(self) -> str:
        return f"{self.data}|mean of rouge1, rouge2, rougeLsum f1|memsum:{__version__}"

    def best_by_maximum(self) -> list[StopPoint]:
        return [best_point(list(points)) for _, points in groupby(self.points, lambda point: point.maximum)]


def tune(
    model: Model,
    data: Data,
    maxima: Sequence[int],
    *,
    length: LengthModel | None = None,
    brevities: Sequence[float] = (),
    advance: Callable[[int], None] = lambda done: None,
) -> Tuning:
    """Play each document once with each brevity, up to the largest maximum, and look up all ways to stop.

    A length model replaces what the model stops by. Without brevities, the model's own is the only one.
    """
    own, own_brevity = model.config.stop, model.config.penalties.brevity
    brevities = sorted(set(brevities)) or [own_brevity]
    scores = {}
    for brevity in {own_brevity, *brevities}:
        extractions = []
        for extraction in play_documents(model, data.examples, max(*maxima, own.max_sentences), brevity=brevity):
            extractions.append(extraction)
            advance(1)
        scores[brevity] = PrefixScores(extractions, data.examples)
    means_before, _ = scores[own_brevity].at(own.threshold, own.max_sentences)
    before = scores[own_brevity].point(own.threshold, own.max_sentences)
    if length:
        for played in scores.values():
            played.extractions = stop_by_length(played.extractions, data.examples, model.encoder, length)
    length = length or model.length
    # Only where there is a stop probability there is a threshold to choose.
    thresholds = THRESHOLDS if length or model.policy.config.stopping == "policy" else (own.threshold,)
    points = {brevity: scores[brevity].grid(thresholds, maxima) for brevity in brevities}
    by_brevity = {brevity: best_point(tried) for brevity, tried in points.items()}
    best = best_point(list(by_brevity.values()))
    chosen = next(brevity for brevity, point in by_brevity.items() if point is best)
    means, _ = scores[chosen].at(best.threshold, best.maximum)
    return Tuning(
        data=data.signature,
        brevity=chosen,
        by_brevity=by_brevity,
        points=tuple(points[chosen]),
        best=best,
        score=estimate_mean(means.mean(axis=1)),
        before=before,
        gain=paired_bootstrap(means.mean(axis=1), means_before.mean(axis=1)),
        length=length,
    )


def tuning_tables(tuning: Tuning) -> list[Table]:
    """Return one row per maximum, and one per brevity if several were tried; the chosen ones are marked."""
    tables = [_table("N_max", {str(point.maximum): point for point in tuning.best_by_maximum()}, tuning.best)]
    if len(tuning.by_brevity) > 1:
        rows = {f"{brevity:g}": point for brevity, point in tuning.by_brevity.items()}
        tables.insert(0, _table("brevity", rows, tuning.best))
    return tables


def _table(first: str, points: Mapping[str, StopPoint], best: StopPoint) -> Table:
    rows: list[Row] = []
    for name, point in points.items():
        scores = (Number(100 * score) for score in (point.rouge1, point.rouge2, point.rouge_lsum, point.mean))
        chosen = "best" if point == best else ""
        rows.append((name, f"{point.threshold:g}", *scores, Number(point.sentences, digits=1), chosen))
    head = (first, "p_thres", "R-1", "R-2", "R-Lsum", "mean", "sentences", "")
    bold = next((i for i, row in enumerate(rows) if row[-1]), None)
    return Table("tuning", "", head, tuple(rows), bold=bold)


def verdict(tuning: Tuning) -> str:
    """State the choice, and how much better it is than before, in two sentences."""
    best, before, gain = tuning.best, tuning.before, tuning.gain
    known = not math.isnan(gain.p_value)
    brevity = f"brevity {tuning.brevity:g}, " if tuning.brevity else ""
    return (
        f"Best: {brevity}p_thres {best.threshold:g}, N_max {best.maximum}, mean ROUGE {100 * best.mean:.2f} "
        f"({'95 % ' + (Number.estimate(tuning.score, 100).interval() or '') if known else TOO_FEW}). "
        f"Before: p_thres {before.threshold:g}, N_max {before.maximum}, {100 * before.mean:.2f}; "
        f"the difference is {100 * gain.difference:+.2f}"
        + (f" ({100 * gain.low:.1f} to {100 * gain.high:.1f}, p = {gain.p_value:.3f})." if known else ".")
    )


def plot_tuning(tuning: Tuning, path: Path) -> None:
    """Draw the scores over p_thres at the best N_max, and the mean over both."""
    best = tuning.best
    with drawing(1, 2, note=tuning.signature) as (figure, (left, right)):
        here = [point for point in tuning.points if point.maximum == best.maximum]
        thresholds = [point.threshold for point in here]
        for i, (title, name) in enumerate((("R-1", "rouge1"), ("R-2", "rouge2"), ("R-Lsum", "rouge_lsum"))):
            left.plot(thresholds, [100 * getattr(point, name) for point in here], label=title, **series(i))
        left.axvline(best.threshold, color="black", linewidth=0.8, linestyle=":")
        left.set(xlabel="p_thres", ylabel="ROUGE F1", title=f"N_max = {best.maximum}")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3)

        maxima = sorted({point.maximum for point in tuning.points})
        means = np.array([100 * point.mean for point in tuning.points]).reshape(len(maxima), -1)
        right.grid(visible=False)
        image = right.imshow(means.T, aspect="auto", origin="lower", cmap="viridis")
        right.plot(maxima.index(best.maximum), thresholds.index(best.threshold), "r*", markersize=12)
        columns, rows = range(0, len(maxima), max(1, len(maxima) // 6)), range(0, len(thresholds), 3)
        right.set_xticks(list(columns), [str(maxima[i]) for i in columns])
        right.set_yticks(list(rows), [f"{thresholds[i]:g}" for i in rows])
        right.set(xlabel="N_max", ylabel="p_thres", title="Mean of the three")
        figure.colorbar(image, ax=right)
    write_figure(figure, path)


def keep(tuning: Tuning, config: ModelConfig, folder: Path, **penalties: float | None) -> None:
    """Write the best way to stop into a model's folder, and where it comes from, with the given penalties."""
    training = {**config.training, "tuning": {**asdict(tuning.best), "signature": tuning.signature}}
    by: Literal["policy", "length"] = "length" if tuning.length else "policy"
    best = tuning.best
    stop = replace(config.stop, threshold=best.threshold, max_sentences=best.maximum, by=by)
    given = {name: value for name, value in penalties.items() if value is not None}
    chosen = replace(config.penalties, brevity=tuning.brevity, **given)
    if tuning.length:
        tuning.length.save(folder)
        update_manifest(folder, LENGTH_FILE)
    replace(config, stop=stop, training=training, penalties=chosen).save(folder)


def parse_brevities(text: str | None) -> list[float]:
    """Read brevities such as `0,0.3,0.6`; without any, the model's own is used."""
    try:
        brevities = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        brevities = [-1.0]
    if not all(0 <= brevity <= 10 for brevity in brevities):
        raise MemsumError(f"{text!r} does not say which brevities to try.", "For example: 0,0.3,0.6")
    return brevities


def require_own(model: str) -> Path:
    """Return the folder of a model that may be changed: one given as a folder, not one of the package or the Hub."""
    folder = resolve_model(model)
    if folder != Path(model):
        raise MemsumError(f"{model} is not a folder to write into.", "Tune a copy of it, or use --dry-run.")
    return folder


def parse_maxima(text: str) -> list[int]:
    """Read numbers of sentences such as `3-25` or `5,7,10-12`."""
    maxima: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= low <= high:
            raise MemsumError(
                f"{text!r} does not say which numbers of sentences to try.", "For example: 3-25, or 5,7,10"
            )
        maxima.update(range(low, high + 1))
    return sorted(maxima)
