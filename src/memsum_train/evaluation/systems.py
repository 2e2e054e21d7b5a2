"""Systems that can be measured: a model, a baseline, or a file of predictions, all behind one protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memsum.errors import MemsumError
from memsum.model import StopSettings, find_model
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Data, Prediction, fingerprint, read_predictions

if TYPE_CHECKING:
    from memsum_train.evaluation.playing import Model


class System(Protocol):
    """Something that summarizes documents."""

    @property
    def name(self) -> str:
        """Return its name in tables."""

    @property
    def signature(self) -> str:
        """Return what it is: equal signatures give equal summaries of equal documents."""

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Yield one prediction per document, in the documents' order."""


@dataclass(frozen=True)
class PredictionsFile:
    """Anyone's predictions for the documents of one corpus, abstractive ones too."""

    name: str
    sha256: str
    predictions: Sequence[Prediction]

    @classmethod
    def open(cls, name: str, path: Path, data: Data) -> PredictionsFile:
        """Read a file, so that errors in it are reported before any other system has spent time."""
        predictions = read_predictions(path, data.examples, limited=data.limited)
        return cls(name, fingerprint(prediction.sentences for prediction in predictions), predictions)

    @property
    def signature(self) -> str:
        return f"predictions:{self.sha256}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        yield from self.predictions


def stop_settings(options: SummaryOptions, own: StopSettings) -> StopSettings:
    """Return a model's own settings overridden by options; an exact number is a threshold never reached."""
    if options.sentences is not None:
        return replace(own, threshold=math.inf, max_sentences=options.sentences)
    return replace(
        own,
        threshold=own.threshold if options.stop_threshold is None else options.stop_threshold,
        max_sentences=options.max_sentences or own.max_sentences,
    )


class ModelSystem:
    """A model folder, played as users run it, or in PyTorch where it has no graphs."""

    def __init__(self, name: str, model: Model, options: SummaryOptions = SummaryOptions()) -> None:  # noqa: B008
        """Make a system of a model; of the options, those of the length that the model decides, and blocking count."""
        self.name = name
        self.model = model
        self.stop = stop_settings(options, model.config.stop)
        self.blocking = options.block_trigrams

    @property
    def signature(self) -> str:
        most = self.stop.max_sentences
        by = "length" if self.stop.by == "length" else "stop"
        stop = f"{by}:{self.stop.threshold:g}|max:{most}" if self.stop.threshold <= 1 else f"sentences:{most}"
        brevity = self.model.config.penalties.brevity
        stop += f"|brevity:{brevity:g}" if brevity else ""
        return f"model:{self.model.sha256}|{stop}{'|block:trigrams' if self.blocking else ''}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Play each document's episode up to where it stops; summaries are in document order."""
        from memsum_train.evaluation.playing import play_documents

        threshold, most = self.stop.threshold, self.stop.max_sentences
        episodes = play_documents(self.model, examples, most, blocking=self.blocking)
        for example, extraction in zip(examples, episodes, strict=True):
            count = extraction.length(threshold, most)
            yield Prediction.extract(example.text, sorted(extraction.choices[:count]))


def open_models(
    values: Sequence[str],
    device: str,
    options: SummaryOptions = SummaryOptions(),  # noqa: B008
) -> list[System]:
    """Open models, each given as `MODEL` or `NAME=MODEL`: a folder, `default`, or a repository of the Hub."""
    if not values:
        return []
    from memsum_train.evaluation.playing import open_model

    named = [(name, find_model(model)) for name, model in map(_split_name, values)]
    return [ModelSystem(name or source.name, open_model(source.folder, device), options) for name, source in named]


def open_predictions(values: Sequence[str], data: Data) -> list[System]:
    """Read predictions files, each given as `FILE` or `NAME=FILE`."""
    named = [(name, Path(path)) for name, path in map(_split_name, values)]
    return [PredictionsFile.open(name or path.name.split(".")[0], path, data) for name, path in named]


def check_systems(systems: Sequence[System]) -> None:
    """Refuse to compare nothing, or systems that a table could not tell apart."""
    if not systems:
        raise MemsumError("There is no system to evaluate.", "Give at least one --model, --baseline or --predictions.")
    names = [system.name for system in systems]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MemsumError(f"Two systems are called {twice}.", "Name models and files: NAME=PATH.")


def _split_name(value: str) -> tuple[str | None, str]:
    name, sign, rest = value.partition("=")
    if sign and name and rest and not Path(value).exists():
        return name, rest
    return None, value
