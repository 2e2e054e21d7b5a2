"""`config.json` of a model folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.features.expected_length import LengthModel
from memsum.features.salience import SalienceModel
from memsum.files import read_json, write_atomically
from memsum.model.verify import refuse_devices, update_manifest
from memsum.text.vectors import WordVectors

CONFIG_FILE = "config.json"
FORMAT = 1
_LARGEST = 10**9  # of a setting

T = TypeVar("T")


@dataclass(frozen=True)
class StopSettings:
    """When a summary ends: at p_stop ≥ threshold, or at a number of sentences.

    p_stop comes from the network, or from the length of human summaries of such documents (`features.expected_length`).
    """

    threshold: float = 0.5
    max_sentences: int = 7
    by: Literal["policy", "length"] = "policy"


@dataclass(frozen=True)
class SelectionPenalties:
    """What is taken off the ratings of sentences, whatever the network thinks of them (`memsum.model.rules`)."""

    needs_context: float = 0.0  # for sentences that need the one before them (`memsum.languages.needs_context`)
    low_value: float = 0.0  # for labels, fragments, boilerplate and the like (`memsum.languages.low_value`)


# Penalties stood among the stop settings in configs of version 0.2; those of lengths are gone.
_MOVED = {"dependent_quotes": "needs_context", "poor_quotes": "low_value"}
_GONE = {"brevity", "fullness", "short", "short_quotes"}


@dataclass(frozen=True)
class ModelConfig:
    """What a model is made of, how it reads text, when it stops, what it avoids, and where it comes from."""

    policy: dict[str, Any]
    text: TextSettings = field(default_factory=TextSettings)
    stop: StopSettings = field(default_factory=StopSettings)
    training: dict[str, Any] = field(default_factory=dict)
    penalties: SelectionPenalties = field(default_factory=SelectionPenalties)

    def open_encoder(self, folder: Path) -> TextEncoder:
        """Open what reads text for this model: its words, and, where it reads signals, what it has learned of them."""
        encoder = TextEncoder(WordVectors.load(folder), self.text)
        if self.text.signals:
            encoder.salience = SalienceModel.load(folder, len(encoder.vectors.vocabulary))
            encoder.length = LengthModel.load(folder, encoder)
        return encoder

    def open_length(self, folder: Path, encoder: TextEncoder) -> LengthModel | None:
        """Open what knows how long summaries are, if the model stops by that."""
        return LengthModel.load(folder, encoder) if self.stop.by == "length" else None

    def save(self, folder: Path) -> None:
        content = {
            "format": FORMAT,
            "policy": self.policy,
            "text": self.text.to_dict(),
            "stop": asdict(self.stop),
            "penalties": asdict(self.penalties),
            "training": self.training,
        }
        write_atomically(folder / CONFIG_FILE, (json.dumps(content, indent=2) + "\n").encode())
        update_manifest(folder, CONFIG_FILE)

    @classmethod
    def load(cls, folder: Path) -> ModelConfig:
        """Read `config.json`, or refuse what is no model's."""
        path = folder / CONFIG_FILE
        refuse_devices(folder)
        try:
            content = read_json(path)
        except (FileNotFoundError, NotADirectoryError):
            raise ModelError(f"{folder} is not a model folder: it has no {CONFIG_FILE}.") from None
        except ValueError as error:
            raise ModelError(f"{path} is damaged: {error}.") from None
        version = content.get("format") if isinstance(content, dict) else None
        if type(version) is not int:
            raise ModelError(f"{path} is not a model's config: it has no format number.")
        if version > FORMAT:
            raise ModelError(
                f"{folder} has model format {version}; this memsum reads up to {FORMAT}.", "Upgrade memsum."
            )
        try:
            stop = {name: value for name, value in content["stop"].items() if name not in _GONE}
            moved = {name: stop.pop(old) for old, name in _MOVED.items() if old in stop}
            given = content.get("penalties", moved)
            penalties = {name: value for name, value in given.items() if name not in _GONE}
            policy = dict(content["policy"])
            for name, value in policy.items():  # words and numbers, nothing else
                if not (value is None or _fits(value, bool) or _fits(value, float) or isinstance(value, str)):
                    raise ModelError(f"The model's config has an impossible {name:.60}: {value!r:.60}.")
            return cls(
                policy=policy,
                text=_settings(TextSettings, content["text"]),
                stop=_settings(StopSettings, stop),
                training=dict(content.get("training", {})),
                penalties=_settings(SelectionPenalties, penalties),
            )
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise ModelError(f"{path} is incomplete: {error}.") from None


def _settings(kind: type[T], values: dict[str, Any]) -> T:
    hints = get_type_hints(kind)
    if not isinstance(values, dict):
        raise TypeError(f"{kind.__name__} is not an object")
    unknown = dict(values).keys() - hints.keys()
    if unknown:
        raise ModelError(
            f"The model's config has settings this version does not know: {', '.join(sorted(unknown)):.200}."
        )
    for name, value in values.items():
        if not _fits(value, hints[name]):
            raise ModelError(f"The model's config has an impossible {name}: {value!r:.60}.")
    return kind(**values)


def _fits(value: object, kind: object) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if either := get_args(kind):
        return any(_fits(value, one) for one in either)
    if kind is type(None):
        return value is None
    if kind is int:
        return type(value) is int and 0 < value <= _LARGEST
    if kind is float:
        return type(value) in (int, float) and -_LARGEST <= value <= _LARGEST  # type: ignore[operator]
    return kind is not bool or type(value) is bool
