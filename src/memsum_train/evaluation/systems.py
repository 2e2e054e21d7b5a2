"""Systems that can be measured: a model, a baseline, or a file of anyone's predictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memsum.errors import MemsumError
from memsum.model import find_model
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Data, Prediction, fingerprint, read_predictions

if TYPE_CHECKING:
    from memsum_train.evaluation.playing import Model


@dataclass(frozen=True)
class System:
    """Something that summarizes documents."""

    name: str  # in tables
    signature: str  # equal signatures give equal summaries of equal documents
    predict: Callable[[Sequence[Example]], Iterable[Prediction]]  # one per document, in their order
    predictions: Sequence[Prediction] | None = None  # of a file, which was read for all documents of one corpus


def file_system(name: str, path: Path, data: Data) -> System:
    """Read anyone's predictions, so that errors in them are reported before any other system has spent time."""
    predictions = read_predictions(path, data.examples, limited=data.limited)
    sha256 = fingerprint(prediction.sentences for prediction in predictions)
    return System(name, f"predictions:{sha256}", lambda examples: predictions, predictions)


def model_system(name: str, model: Model, options: SummaryOptions | None = None) -> System:
    """Play a model as users run it; of the options, those of the length that the model decides, and blocking count."""
    from memsum_train.evaluation.playing import play_documents

    options, own = options or SummaryOptions(), model.config.stop
    threshold = own.threshold if options.stop_threshold is None else options.stop_threshold
    most = options.sentences or options.max_sentences or own.max_sentences
    stop = f"{'length' if own.by == 'length' else 'stop'}:{threshold:g}|max:{most}"
    if options.sentences is not None:  # an exact number is a threshold never reached
        threshold, stop = math.inf, f"sentences:{most}"

    def predict(examples: Sequence[Example]) -> Iterator[Prediction]:
        """Play each document's episode up to where it stops; summaries are in document order."""
        episodes = play_documents(model, examples, most, blocking=options.block_trigrams)
        for example, extraction in zip(examples, episodes, strict=True):
            count = extraction.length(threshold, most)
            yield Prediction.extract(example.text, sorted(extraction.choices[:count]))

    return System(name, f"model:{model.sha256}|{stop}{'|block:trigrams' if options.block_trigrams else ''}", predict)


def open_models(values: Sequence[str], device: str, options: SummaryOptions | None = None) -> list[System]:
    """Open models, each given as `MODEL` or `NAME=MODEL`: a folder, `default`, or a repository of the Hub."""
    if not values:
        return []
    from memsum_train.evaluation.playing import open_model

    named = [(name, find_model(model)) for name, model in map(_split_name, values)]
    return [model_system(name or source.name, open_model(source.folder, device), options) for name, source in named]


def open_predictions(values: Sequence[str], data: Data) -> list[System]:
    """Read predictions files, each given as `FILE` or `NAME=FILE`."""
    named = [(name, Path(path)) for name, path in map(_split_name, values)]
    return [file_system(name or path.name.split(".")[0], path, data) for name, path in named]


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
