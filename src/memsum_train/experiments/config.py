"""The settings of a run: corpora, numbers of documents, seeds, the network, its variants and its training."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from memsum.errors import MemsumError
from memsum.settings import make_settings, setting
from memsum_train.evaluation.data import Data, load_data
from memsum_train.learning.config import ObjectiveName, TrainingConfig
from memsum_train.policy.config import PolicyConfig
from memsum_train.recipe.settings import read_recipe

ScaleName = Literal["toy", "small", "full"]
Split = Literal["train", "valid", "test"]
PAPER: dict[str, Any] = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))
_NAME = re.compile(r"\w[\w-]{0,60}")  # part of file names


@dataclass(frozen=True)
class Variant:
    """A system by the name that the paper's tables give it; a setting that it does not name is as the config says."""

    name: str
    network: Mapping[str, str] = field(default_factory=dict)
    objective: ObjectiveName = "episodes"
    block: bool = False  # no sentence that shares a trigram with an extracted one
    forget: bool = False  # an empty history at every step: the difference is what the history is worth
    threshold: float | None = None  # p_thres; None: where validation found best


VARIANTS = {name: Variant(name, **settings) for name, settings in PAPER["variants"].items()}
FULL = VARIANTS["MemSum"]


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


@dataclass(frozen=True)
class ConfigFile:
    """What a config may set; paths are relative to its folder, and what it leaves open is as the scale says."""

    scale: ScaleName = "small"
    corpora: dict[str, Any] = field(default_factory=dict)  # files by name; experiments that need only one use the first
    documents: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = setting((), ge=0)
    network: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    vectors: str | None = None  # None: learned from the documents to train on
    predictions: dict[str, Any] = field(default_factory=dict)  # of other systems, for the first corpus' test


@dataclass(frozen=True)
class Config:
    """A run."""

    scale: ScaleName
    corpora: tuple[Corpus, ...]
    documents: Documents
    seeds: tuple[int, ...]
    network: PolicyConfig
    training: TrainingConfig
    vectors: Path | None = None
    predictions: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def make(cls, content: Mapping[str, Any], folder: Path, of: str = "experiments") -> Config:
        """Make a config of what a file in a folder holds; `of` names it in errors."""
        file = make_settings(ConfigFile, content, of)
        preset = PAPER["scales"].get(file.scale, {"documents": {}, "seeds": [0, 1, 2]})
        network, training = PolicyConfig(), TrainingConfig()
        if file.scale == "full":
            recipe = read_recipe("paper:pubmed")
            network, training = PolicyConfig.from_dict(dict(recipe.network)), recipe.stages[0].config
        settings = {name: preset.get(name, {}) | getattr(file, name) for name in ("documents", "network", "training")}
        corpora = []
        for name, files in file.corpora.items():
            if not isinstance(files, dict) or files.keys() != set(get_args(Split)):
                raise MemsumError(f"{of}: the corpus {name} needs {', '.join(get_args(Split))}, and nothing else.")
            if not _NAME.fullmatch(name):
                raise MemsumError(f"{name!r} is not a valid name of a corpus.", "Use letters, digits and hyphens.")
            corpora.append(Corpus(name, **{split: folder / str(path) for split, path in files.items()}))
        if not corpora:
            raise MemsumError("The experiments have no corpus.", "Give --train, --valid and --test, or a --config.")
        seeds = file.seeds or tuple(preset["seeds"])
        if len(set(seeds)) < len(seeds):
            raise MemsumError("The seeds must be different.")
        vectors = folder / file.vectors if file.vectors else None
        predictions = {name: folder / str(path) for name, path in file.predictions.items()}
        if taken := predictions.keys() & {name for claim in PAPER["comparison"]["claims"] for name in claim[:2]}:
            raise MemsumError(f"Predictions cannot be called {taken.pop()}, which is compared anyway.")
        given = [getattr(corpus, split) for corpus in corpora for split in get_args(Split)]
        for path in (*given, *predictions.values(), vectors):
            if path is not None and not path.exists():
                raise MemsumError(f"There is no {path}.")
        return cls(
            scale=file.scale,
            corpora=tuple(corpora),
            documents=make_settings(Documents, settings["documents"], "documents"),
            seeds=seeds,
            network=make_settings(PolicyConfig, settings["network"], "network", base=network),
            training=make_settings(TrainingConfig, settings["training"], "a training", base=training),
            vectors=vectors,
            predictions=predictions,
        )


def read_config(path: Path, scale: ScaleName | None = None) -> Config:
    """Read a TOML file; `scale` overrides its own."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # what the parser raises, and a file that is not UTF-8
        raise MemsumError(f"{path} cannot be read: {error}.") from None
    return Config.make(content | ({"scale": scale} if scale else {}), path.parent, str(path))
