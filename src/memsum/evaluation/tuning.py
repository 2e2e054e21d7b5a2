"""The search of p_thres and N_max on a validation set, and what it writes into the model's config."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.evaluation.data import Data
from memsum.evaluation.playing import Model, play_documents, stop_by_length
from memsum.evaluation.stopping import THRESHOLDS, PrefixScores, StopPoint, best_point
from memsum.models import ModelConfig, StopSettings, resolve_model
from memsum.models.verify import update_manifest
from memsum.rouge import Comparison, Interval, bootstrap_interval, paired_bootstrap
from memsum.text.length import LENGTH_FILE, LengthModel

MAXIMA = "3-25"
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True)
class Tuning:
    """All ways to stop that were tried, the best of them, and what the model did before."""

    data: str
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
    advance: Callable[[int], None] = lambda done: None,
) -> Tuning:
    """Play each document once, as long as the largest maximum wants, and look all ways to stop up.

    A length model takes the place of what the model stops by.
    """
    own = model.config.stop
    extractions = []
    for extraction in play_documents(model, data.examples, max(*maxima, own.max_sentences)):
        extractions.append(extraction)
        advance(1)
    scores = PrefixScores(extractions, data.examples)
    means_before, _ = scores.at(own.threshold, own.max_sentences)
    before = scores.point(own.threshold, own.max_sentences)
    if length:
        scores.extractions = stop_by_length(extractions, data.examples, model.encoder, length)
    length = length or model.length
    # Only where there is a stop probability there is a threshold to choose.
    thresholds = THRESHOLDS if length or model.policy.config.stopping == "policy" else (own.threshold,)
    points = scores.grid(thresholds, maxima)
    best = best_point(points)
    means, _ = scores.at(best.threshold, best.maximum)
    return Tuning(
        data=str(data),
        points=tuple(points),
        best=best,
        interval=bootstrap_interval(means.mean(axis=1)),
        before=before,
        gain=paired_bootstrap(means.mean(axis=1), means_before.mean(axis=1)),
        length=length,
    )


def keep(tuning: Tuning, config: ModelConfig, folder: Path) -> None:
    """Write the best way to stop into a model's folder, and where it comes from."""
    training = {**config.training, "tuning": {**asdict(tuning.best), "signature": tuning.signature}}
    stop = StopSettings(tuning.best.threshold, tuning.best.maximum, "length" if tuning.length else "policy")
    if tuning.length:
        tuning.length.save(folder)
        update_manifest(folder, LENGTH_FILE)
    replace(config, stop=stop, training=training).save(folder)


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
