"""The search of p_thres and N_max on a validation set, and what it writes into the model's config."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.evaluation.data import Data
from memsum.evaluation.playing import Model, play_documents, stop_by_length
from memsum.evaluation.stopping import THRESHOLDS, PrefixScores, StopPoint, best_point
from memsum.models import ModelConfig, resolve_model
from memsum.models.verify import update_manifest
from memsum.rouge import Comparison, Interval, bootstrap_interval, paired_bootstrap
from memsum.text.length import LENGTH_FILE, LengthModel

MAXIMA = "3-25"
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True)
class Tuning:
    """All ways to stop that were tried with the best brevity, the best of them, and what the model did before."""

    data: str
    brevity: float
    by_brevity: dict[float, StopPoint]  # the best way to stop with each brevity that was tried
    points: tuple[StopPoint, ...]
    best: StopPoint
    interval: Interval  # of the best's mean score
    before: StopPoint
    gain: Comparison  # of the best over what was before, in the mean score
    length: LengthModel | None = None  # what p_stop comes from, if not from the network

    @property
    def signature(self) -> str:
        """Where the numbers come from."""
        return f"{self.data}|mean of rouge1, rouge2, rougeLsum f1|memsum:{__version__}"

    def best_by_maximum(self) -> list[StopPoint]:
        """The best threshold for each maximum."""
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
    """Play each document once with each brevity, as long as the largest maximum wants, and look all ways to stop up.

    A length model takes the place of what the model stops by. Without brevities, the model's own is the only one.
    """
    own = model.config.stop
    brevities = sorted(set(brevities)) or [own.brevity]
    scores = {}
    for brevity in {own.brevity, *brevities}:
        extractions = []
        for extraction in play_documents(model, data.examples, max(*maxima, own.max_sentences), brevity=brevity):
            extractions.append(extraction)
            advance(1)
        scores[brevity] = PrefixScores(extractions, data.examples)
    means_before, _ = scores[own.brevity].at(own.threshold, own.max_sentences)
    before = scores[own.brevity].point(own.threshold, own.max_sentences)
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
        data=str(data),
        brevity=chosen,
        by_brevity=by_brevity,
        points=tuple(points[chosen]),
        best=best,
        interval=bootstrap_interval(means.mean(axis=1)),
        before=before,
        gain=paired_bootstrap(means.mean(axis=1), means_before.mean(axis=1)),
        length=length,
    )


def keep(tuning: Tuning, config: ModelConfig, folder: Path, **prices: float | None) -> None:
    """Write the best way to stop into a model's folder, and where it comes from; and prices that were given with it."""
    training = {**config.training, "tuning": {**asdict(tuning.best), "signature": tuning.signature}}
    by: Literal["policy", "length"] = "length" if tuning.length else "policy"
    stop = replace(
        config.stop,
        threshold=tuning.best.threshold,
        max_sentences=tuning.best.maximum,
        by=by,
        brevity=tuning.brevity,
        **{name: value for name, value in prices.items() if value is not None},
    )
    if tuning.length:
        tuning.length.save(folder)
        update_manifest(folder, LENGTH_FILE)
    replace(config, stop=stop, training=training).save(folder)


def parse_brevities(text: str | None) -> list[float]:
    """Read prices of words such as `0,0.3,0.6`; nothing is the model's own."""
    try:
        brevities = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        brevities = [-1.0]
    if not all(0 <= brevity <= 10 for brevity in brevities):
        raise MemsumError(f"{text!r} does not say which brevities to try.", "For example: 0,0.3,0.6")
    return brevities


def require_own(model: str) -> Path:
    """The folder of a model that may be changed: one that was named as a folder, not one of the package or the Hub."""
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
