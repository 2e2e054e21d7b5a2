"""What can be measured: a model, a baseline, or a file of predictions, all behind one protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memsum.errors import MemsumError
from memsum.model import StopSettings, find_model
from memsum.training.corpus.records import Example
from memsum.training.evaluation.data import Data, Prediction, fingerprint, read_predictions

if TYPE_CHECKING:
    from memsum.training.evaluation.playing import Model


class System(Protocol):
    """Something that summarises documents; as a string, it says exactly what it is."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Give one prediction per document, in the documents' order."""


@dataclass(frozen=True)
class PredictionsFile:
    """Anyone's predictions for the documents of one corpus, abstractive ones too."""

    name: str
    sha256: str
    predictions: Sequence[Prediction]

    @classmethod
    def open(cls, name: str, path: Path, data: Data) -> PredictionsFile:
        """Read a file; whatever is wrong with it is said before any other system has spent time."""
        predictions = read_predictions(path, data.examples, limited=data.limited)
        return cls(name, fingerprint(prediction.sentences for prediction in predictions), predictions)

    def __str__(self) -> str:
        return f"predictions:{self.sha256}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Give what was read."""
        yield from self.predictions


@dataclass(frozen=True)
class StopOptions:
    """How long a model's summaries are, where that is not left to the model's own settings."""

    threshold: float | None = None
    max_sentences: int | None = None
    sentences: int | None = None

    def __post_init__(self) -> None:
        if self.sentences is not None and (self.threshold is not None or self.max_sentences is not None):
            raise MemsumError(
                "An exact number of sentences leaves nothing to stop for.",
                "Give either --sentences, or --stop-threshold and --max-sentences.",
            )

    def settings(self, own: StopSettings) -> StopSettings:
        """The model's own settings with these in their place; an exact number is a threshold never reached."""
        if self.sentences is not None:
            return replace(own, threshold=math.inf, max_sentences=self.sentences)
        return replace(
            own,
            threshold=own.threshold if self.threshold is None else self.threshold,
            max_sentences=own.max_sentences if self.max_sentences is None else self.max_sentences,
        )


class ModelSystem:
    """A model folder, played as users run it, or in PyTorch where it has no graphs."""

    def __init__(
        self, name: str, model: Model, length: StopOptions | None = None, *, block_trigrams: bool = False
    ) -> None:
        self.name = name
        self.model = model
        self.stop = (length or StopOptions()).settings(model.config.stop)
        self.block_trigrams = block_trigrams

    def __str__(self) -> str:
        most = self.stop.max_sentences
        by = "length" if self.stop.by == "length" else "stop"
        stop = f"{by}:{self.stop.threshold:g}|max:{most}" if self.stop.threshold <= 1 else f"sentences:{most}"
        stop += f"|brevity:{self.stop.brevity:g}" if self.stop.brevity else ""
        return f"model:{self.model.sha256}|{stop}{'|block:trigrams' if self.block_trigrams else ''}"

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """Play each document's episode up to where it stops; summaries are in document order."""
        from memsum.training.evaluation.playing import play_documents

        threshold, most = self.stop.threshold, self.stop.max_sentences
        episodes = play_documents(self.model, examples, most, block_trigrams=self.block_trigrams)
        for example, extraction in zip(examples, episodes, strict=True):
            count = extraction.length(threshold, most)
            yield Prediction.extract(example.text, sorted(extraction.choices[:count]))


def open_models(
    values: Sequence[str], device: str, length: StopOptions | None = None, *, block_trigrams: bool = False
) -> list[System]:
    """Open models, each given as `MODEL` or `NAME=MODEL`: a folder, `default`, or a repository of the Hub."""
    if not values:
        return []
    from memsum.training.evaluation.playing import open_model

    named = [(name, find_model(model)) for name, model in map(_split_name, values)]
    return [
        ModelSystem(name or source.name, open_model(source.folder, device), length, block_trigrams=block_trigrams)
        for name, source in named
    ]


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
