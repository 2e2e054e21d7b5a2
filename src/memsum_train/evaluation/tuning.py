"""The search for p_thres and N_max on a validation set, how it is shown, and what it writes into the model's config."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from memsum._version import __version__
from memsum.features.expected_length import LENGTH_FILE, LengthModel
from memsum.model import ModelConfig
from memsum.model.verify import update_manifest
from memsum_train.evaluation.data import Data
from memsum_train.evaluation.playing import Model, play_documents
from memsum_train.evaluation.stopping import THRESHOLDS, PrefixScores, StopPoint, best_point
from memsum_train.report.figures import drawing, series, write_figure
from memsum_train.report.statistics import TOO_FEW, Comparison, paired_bootstrap
from memsum_train.report.table import Number, Row, Table

PLOT_FILE = "stopping.png"


@dataclass(frozen=True)
class Tuning:
    """All ways to stop that were tried, the best of them, and the model's own before."""

    data: str
    points: tuple[StopPoint, ...]
    best: StopPoint
    before: StopPoint
    gain: Comparison  # of the best over what was before, in the mean score
    length: LengthModel | None = None  # what p_stop comes from, if not from the network

    @property
    def signature(self) -> str:
        return f"{self.data}|mean of rouge1, rouge2, rougeLsum f1|memsum:{__version__}"


def tune(
    model: Model,
    data: Data,
    maxima: Sequence[int],
    *,
    length: LengthModel | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> Tuning:
    """Play each document once, up to the largest maximum, and look up all ways to stop.

    A length model replaces what the model stops by.
    """
    own, extractions = model.config.stop, []
    for extraction in play_documents(model, data.examples, max(*maxima, own.max_sentences)):
        extractions.append(extraction)
        advance(1)
    scores = PrefixScores(extractions, data.examples)
    before = scores.point(own.threshold, own.max_sentences)
    means_before, _ = scores.at(own.threshold, own.max_sentences)
    if length:
        ends = [length.stop(model.encoder.encode(example.text), model.encoder) for example in data.examples]
        pairs = zip(extractions, ends, strict=True)
        scores.extractions = [replace(played, stops=end.episode(played.choices)) for played, end in pairs]
    length = length or model.length
    # Only where there is a stop probability there is a threshold to choose.
    thresholds = THRESHOLDS if length or model.policy.config.stopping == "policy" else (own.threshold,)
    points = scores.grid(thresholds, maxima)
    best = best_point(points)
    means, _ = scores.at(best.threshold, best.maximum)
    gain = paired_bootstrap(means.mean(axis=1), means_before.mean(axis=1))
    return Tuning(data.signature, tuple(points), best, before, gain, length)


def tuning_table(tuning: Tuning) -> Table:
    """Return one row per maximum; the chosen one is marked."""
    rows: list[Row] = []
    for maximum, points in groupby(tuning.points, lambda point: point.maximum):
        point = best_point(list(points))
        scores = (Number(100 * score) for score in (point.rouge1, point.rouge2, point.rouge_lsum, point.mean))
        chosen = "best" if point == tuning.best else ""
        rows.append((str(maximum), f"{point.threshold:g}", *scores, Number(point.sentences, digits=1), chosen))
    head = ("N_max", "p_thres", "R-1", "R-2", "R-Lsum", "mean", "sentences", "")
    return Table("tuning", "", head, tuple(rows))


def verdict(tuning: Tuning) -> str:
    """State the choice, and how much better it is than before, in two sentences."""
    best, before, gain = tuning.best, tuning.before, tuning.gain
    chance = f"{100 * gain.low:.1f} to {100 * gain.high:.1f}, p = {gain.p_value:.3f}"
    return (
        f"Best: p_thres {best.threshold:g}, N_max {best.maximum}, mean ROUGE {100 * best.mean:.2f}. "
        f"Before: p_thres {before.threshold:g}, N_max {before.maximum}, {100 * before.mean:.2f}; "
        f"the difference is {100 * gain.difference:+.2f} ({TOO_FEW if math.isnan(gain.p_value) else chance})."
    )


def plot_tuning(tuning: Tuning, path: Path) -> None:
    """Draw the scores over p_thres at the best N_max."""
    best = tuning.best
    with drawing(note=tuning.signature) as (figure, [axes]):
        points = [point for point in tuning.points if point.maximum == best.maximum]
        thresholds = [point.threshold for point in points]
        for i, (title, name) in enumerate((("R-1", "rouge1"), ("R-2", "rouge2"), ("R-Lsum", "rouge_lsum"))):
            axes.plot(thresholds, [100 * getattr(point, name) for point in points], label=title, **series(i))
        axes.axvline(best.threshold, color="black", linewidth=0.8, linestyle=":")
        axes.set(xlabel="p_thres", ylabel="ROUGE F1", title=f"N_max = {best.maximum}")
        axes.legend()
    write_figure(figure, path)


def keep(tuning: Tuning, config: ModelConfig, folder: Path) -> None:
    """Write the best way to stop into a model's folder, and where it comes from."""
    best = tuning.best
    by: Literal["policy", "length"] = "length" if tuning.length else "policy"
    training = {**config.training, "tuning": {**asdict(best), "signature": tuning.signature}}
    stop = replace(config.stop, threshold=best.threshold, max_sentences=best.maximum, by=by)
    if tuning.length:
        tuning.length.save(folder)
        update_manifest(folder, LENGTH_FILE)
    replace(config, stop=stop, training=training).save(folder)
