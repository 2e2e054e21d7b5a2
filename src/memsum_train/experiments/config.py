"""The settings of a run: corpora, numbers of documents, seeds, the network, its variants and its training."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from memsum.errors import MemsumError
from memsum.settings import check_settings, make_settings, refuse_unknown, setting, types_of
from memsum_train.evaluation import Data, load_data
from memsum_train.learning.config import ObjectiveName, TrainingConfig
from memsum_train.policy.config import PolicyConfig
from memsum_train.recipe.settings import read_recipe

ScaleName = Literal["toy", "small", "full"]
Split = Literal["train", "valid", "test"]
_NAME = re.compile(r"\w[\w-]{0,60}")  # part of file names


class ExperimentError(MemsumError):
    """An experiment that cannot be run as it was asked for."""


@dataclass(frozen=True)
class Corpus:
    """The files of one corpus, as given or as prepared for a run: cut to size, with episodes to learn from."""

    name: str
    train: Path
    valid: Path
    test: Path

    def data(self, split: Split) -> Data:
        return replace(load_data(getattr(self, split)), name=f"{self.name}-{split}")

    @cached_property
    def sha256(self) -> str:
        """Return the digest of what models are made from: train and valid."""
        files = (hashlib.sha256(path.read_bytes()).digest() for path in (self.train, self.valid))
        return digest(b"".join(files))


def digest(content: str | bytes) -> str:
    """Return a name of a content that is short enough for files and folders."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


@dataclass(frozen=True)
class Documents:
    """How many documents are used, from the beginning of each file; None: all."""

    train: int | None = setting(None, ge=1)
    valid: int | None = setting(None, ge=1)
    test: int | None = setting(None, ge=1)

    def __post_init__(self) -> None:
        check_settings(self, ExperimentError)


@dataclass(frozen=True)
class Scale:
    """A size of experiments: the settings that a config leaves open."""

    documents: Documents
    seeds: tuple[int, ...]
    network: PolicyConfig
    training: TrainingConfig


def _paper(recipe: str) -> Scale:
    """Return the paper's own settings of a data set."""
    settings = read_recipe(recipe)
    network = PolicyConfig.from_dict(dict(settings.network))
    return Scale(Documents(), (0, 1, 2), network, settings.stages[0].config)


# Documents as they are, and the paper's loss; rates and batches are those that learn most of few documents.
_AS_THEY_ARE: dict[str, Any] = {"objective": "episodes", "block_dropout": 0.0, "part_sentences": 500}
_ONE_LAYER: dict[str, Any] = {"local_layers": 1, "context_layers": 1, "history_layers": 1}
SCALES: dict[ScaleName, Scale] = {
    # Shows that everything runs; its numbers mean nothing.
    "toy": Scale(
        Documents(12, 6, 6),
        (0,),
        PolicyConfig(local="lstm", word_dimension=32, dimension=16, heads=2, feed_forward=32, **_ONE_LAYER),
        TrainingConfig(epochs=2, batch=4, validate_every=4, max_sentences=4, **_AS_THEY_ARE),
    ),
    "small": Scale(
        Documents(600, 100, 150),
        (0, 1, 2),
        PolicyConfig(local="lstm", dimension=64, heads=4, feed_forward=256),
        TrainingConfig(epochs=5, batch=4, max_sentences=7, validate_every=375, **_AS_THEY_ARE),
    ),
    # The paper's network and settings, on everything there is.
    "full": _paper("paper:pubmed"),
}


@dataclass(frozen=True)
class Variant:
    """A network by the name that the paper's tables give it; a setting that it does not name is as the config says."""

    name: str
    network: Mapping[str, str] = field(default_factory=dict)
    objective: ObjectiveName = "episodes"


FULL = Variant("MemSum")
REPEATS_LOSS = Variant("MemSum + repeats loss", objective="repeats")  # which the paper does not have
WITHOUT_LSE = Variant("MemSum w/o LSE", {"local": "mean"})
WITHOUT_GCE = Variant("MemSum w/o GCE", {"context": "none"})
WITHOUT_EHE = Variant("MemSum w/o EHE", {"history": "none"})
GRU_EHE = Variant("MemSum with GRU-EHE", {"history": "gru"})
WITHOUT_AUTO_STOP = Variant("MemSum w/o auto-stop", {"stopping": "fixed"})
STOP_SENTENCE = Variant("MemSum with “STOP”", {"stopping": "stop-sentence"})
NEUSUM = Variant("NeuSum", {"history": "gru", "stopping": "fixed"}, "gains")
ABLATION = (FULL, WITHOUT_LSE, WITHOUT_GCE, WITHOUT_EHE, GRU_EHE, WITHOUT_AUTO_STOP, STOP_SENTENCE)
COMPARED = (FULL, NEUSUM)


@dataclass(frozen=True)
class Config:
    """A run: the first corpus is that of experiments that need only one."""

    scale: ScaleName
    corpora: tuple[Corpus, ...]
    documents: Documents
    seeds: tuple[int, ...]
    network: PolicyConfig
    training: TrainingConfig
    vectors: Path | None = None  # None: learned from the documents to train on
    predictions: Mapping[str, Path] = field(default_factory=dict)  # of other systems, for the first corpus' test

    def __post_init__(self) -> None:
        if not self.corpora:
            raise ExperimentError("The experiments have no corpus.", "Give --train, --valid and --test, or a --config.")
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise ExperimentError("The seeds must be different whole numbers, at least one, none less than 0.")
        names = [corpus.name for corpus in self.corpora]
        if len(set(names)) < len(names):
            raise ExperimentError("Two corpora have the same name.")
        for name in names:
            if not _NAME.fullmatch(name):
                raise ExperimentError(f"{name!r} is not a valid name of a corpus.", "Use letters, digits and hyphens.")
        files = [getattr(corpus, split) for corpus in self.corpora for split in get_args(Split)]
        for path in (*files, *self.predictions.values(), self.vectors):
            if path is not None and not path.exists():
                raise ExperimentError(f"There is no {path}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings for JSON; paths as they were given."""
        return {
            "scale": self.scale,
            "corpora": {c.name: {s: str(getattr(c, s)) for s in get_args(Split)} for c in self.corpora},
            "documents": asdict(self.documents),
            "seeds": list(self.seeds),
            "network": self.network.to_dict(),
            "training": self.training.to_dict(),
            "vectors": str(self.vectors) if self.vectors else None,
            "predictions": {name: str(path) for name, path in self.predictions.items()},
        }


def at_scale(scale: ScaleName, corpora: tuple[Corpus, ...], vectors: Path | None = None) -> Config:
    """Return the settings of a size."""
    preset = SCALES[scale]
    return Config(scale, corpora, preset.documents, preset.seeds, preset.network, preset.training, vectors)


def read_config(path: Path, scale: ScaleName | None = None) -> Config:
    """Read a TOML or JSON file; relative paths in it are relative to its folder, and `scale` overrides its own."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:  # what both parsers raise, and a file that is not UTF-8
        raise ExperimentError(f"{path} cannot be read: {error}.") from None
    if not isinstance(content, dict):
        raise ExperimentError(f"{path} holds no settings.")
    refuse_unknown(content, types_of(Config), str(path), ExperimentError)
    tables = {name: content.get(name, {}) for name in ("corpora", "documents", "network", "training", "predictions")}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ExperimentError(f"{path}: {name} must be a table.")
    chosen = scale or content.get("scale", "small")
    if chosen not in SCALES:
        raise ExperimentError(f"{path}: {chosen!r} is not a scale.", f"Choose one of {', '.join(SCALES)}.")
    preset, here = SCALES[chosen], path.parent
    corpora = []
    for name, files in tables["corpora"].items():
        if not isinstance(files, dict) or files.keys() != set(get_args(Split)):
            raise ExperimentError(f"{path}: the corpus {name} needs {', '.join(get_args(Split))}, and nothing else.")
        corpora.append(Corpus(name, **{split: here / str(file) for split, file in files.items()}))
    vectors, seeds = content.get("vectors"), content.get("seeds", list(preset.seeds))
    if not (isinstance(seeds, list) and all(type(seed) is int for seed in seeds)):
        raise ExperimentError(f"{path}: seeds must be a list of whole numbers, such as [0, 1].")
    return Config(
        scale=chosen,
        corpora=tuple(corpora),
        documents=make_settings(Documents, tables["documents"], "documents", ExperimentError, preset.documents),
        seeds=tuple(seeds),
        network=make_settings(PolicyConfig, tables["network"], "network", ExperimentError, preset.network),
        training=make_settings(TrainingConfig, tables["training"], "a training", ExperimentError, preset.training),
        vectors=here / str(vectors) if vectors else None,
        predictions={name: here / str(file) for name, file in tables["predictions"].items()},
    )
