"""Settings of a whole training, from corpora to the finished model: one TOML file with a table for each phase."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from memsum.errors import TrainingError
from memsum.settings import check_values, make_settings, refuse_unknown, setting, types_of
from memsum_train.learning.config import TargetSettings, TrainingConfig
from memsum_train.paper.episodes import EpisodeSearch

DEFAULT = "default"
SETTINGS_FILE = "train.toml"
# Tables of trainings of the network, in their order; a file has those that it wants.
STAGES = ("training", "ngram_gain", "self_play")
_TABLES = ("corpus", "episodes", "text", "vectors", "network", *STAGES, "tuning", "targets")
_RECIPES = files("memsum_train") / "recipes"
_PAPER = files("memsum_train") / "paper"  # the recipes of its data sets, paper:pubmed and so on


@dataclass(frozen=True)
class CorpusSettings:
    """What is learned from, and what is left out of it."""

    train: tuple[str, ...] = setting((), "Corpora to learn from: files, folders, patterns.")
    valid: tuple[str, ...] = setting((), "Corpora to validate on.")
    keys: str = setting("", "Documents with keys: points that a reader must know.")
    documents: str = setting("", "The folder of the documents that the keys name.")
    reject_copies: bool = setting(True, "Leave out documents that begin with their own summary.")
    min_sentences: int = setting(2, "Leave out documents with fewer sentences.", ge=1)
    keep_all: bool = setting(False, "Leave out only what has no sentence, no summary, or no episode.")
    validation: int = setting(
        320, "Documents of the validation corpora that choose weights and threshold; 0: all, which judge too.", ge=0
    )
    test: int = setting(400, "Other documents of the validation corpora that the card reports.")


@dataclass(frozen=True)
class TextRecipe:
    """How documents become numbers."""

    max_tokens: int = setting(150, "L_sen: words of a sentence that are read.", ge=1)
    max_sentences: int = setting(0, "L_doc: sentences of a document that are read; 0: all.", ge=0)


@dataclass(frozen=True)
class VectorSettings:
    """Word vectors: given, or learned by skip-gram."""

    path: str = setting("", "Vectors to use instead of learning them: a folder of ours, or a text file.")
    unknown: Literal["token", "drop"] = setting("token", "What a word becomes that a text file does not have.")
    dimension: int = setting(200, "Numbers per word.")
    max_words: int = setting(60_000, "Maximum number of whole words.")
    min_count: int = setting(8, "Rarer words are split into pieces.")
    epochs: int = setting(2, "Passes over the documents; more where there are fewer.")
    documents: int = setting(6_000, "Documents to learn from; small kinds are over-represented.")


@dataclass(frozen=True)
class TuningSettings:
    """How the network is used: the threshold is chosen by ROUGE; penalties, which ROUGE does not see, are given."""

    precision: Literal["int8", "fp32"] = setting("int8", "Of the graphs that the model runs.")
    maxima: tuple[int, ...] = setting((3, 5, 7, 10, 15, 22), "Maximum numbers of sentences to try.")
    needs_context: float = setting(0.0, "Penalty for sentences that need the one before them.")
    low_value: float = setting(0.0, "Penalty for labels, fragments and boilerplate.")


@dataclass(frozen=True)
class Stage:
    """One training of the network, or several with other seeds, whose weights are averaged."""

    name: str
    config: TrainingConfig
    runs: int = setting(1, ge=1)

    def seeds(self) -> Iterator[tuple[str, TrainingConfig]]:
        """Yield the name and the settings of each run."""
        if self.runs == 1:
            yield self.name, self.config
            return
        for number in range(self.runs):
            yield f"{self.name}-{number + 1}", replace(self.config, seed=self.config.seed + number)


@dataclass(frozen=True)
class Recipe:
    """All settings of `memsum train`."""

    corpus: CorpusSettings
    episodes: EpisodeSearch
    text: TextRecipe
    vectors: VectorSettings
    network: Mapping[str, Any]  # the chosen fields of `PolicyConfig`
    stages: tuple[Stage, ...]
    tuning: TuningSettings
    targets: TargetSettings
    keep_repeats: bool = False  # encode exact repeats of a sentence every time (for redundancy studies)
    seed: int = 0
    init: str = ""  # a model to start from

    @property
    def is_counted(self) -> bool:
        return self.network.get("history") == "counted"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables, as the file has them."""
        tables: dict[str, Any] = {name: getattr(self, name) for name in _TOP}
        for name in ("corpus", "episodes", "text", "vectors"):
            tables[name] = asdict(getattr(self, name))
        tables["network"] = dict(self.network)
        for stage in self.stages:
            tables[stage.name] = {**stage.config.to_dict(), **({"runs": stage.runs} if stage.runs > 1 else {})}
        return {**tables, "tuning": asdict(self.tuning), "targets": asdict(self.targets)}

    def to_toml(self) -> str:
        """Write all settings, with a line on each."""
        tables = self.to_dict()
        lines = [f"{name} = {json.dumps(tables.pop(name))}" for name in _TOP]
        for name, table in tables.items():
            kind: Any = TrainingConfig if name in STAGES else types_of(Recipe)[name]
            own = fields(kind) if name not in ("network", "episodes") else ()
            helps = {"runs": "Trainings with other seeds whose weights are averaged."} if name in STAGES else {}
            helps |= {declared.name: declared.metadata["help"] for declared in own}
            lines += ["", f"[{name}]"]
            for key, value in table.items():
                lines += [f"# {helps[key]}"] if key in helps else []
                lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
        return "\n".join(lines) + "\n"


_TOP = ("keep_repeats", "seed", "init")


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with memsum."""
    return [
        prefix + Path(file.name).stem
        for folder, prefix in ((_RECIPES, ""), (_PAPER, "paper:"))
        for file in sorted(folder.iterdir(), key=lambda file: Path(file.name).stem)
        if file.name.endswith(".toml")
    ]


def read_recipe(name: str | None = None, path: Path | None = None, changes: Mapping[str, Any] | None = None) -> Recipe:
    """Read a recipe by name, a file, or a file on top of a recipe.

    `changes` are settings by whole names, such as ngram_gain.epochs; those that are None are left out. A file that
    names no recipe has all settings: what it lacks is as declared here.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8")) if path else {}
    except ValueError as error:  # no TOML, or not UTF-8
        raise TrainingError(f"{path} cannot be read: {error}.") from None
    base = name or content.pop("recipe", None) or (None if path else DEFAULT)
    if base is not None:
        if base not in recipe_names():
            raise TrainingError(f"There is no recipe {base!r}.", f"Choose one of {', '.join(recipe_names())}.")
        folder = _PAPER if base.startswith("paper:") else _RECIPES
        text = (folder / f"{base.removeprefix('paper:')}.toml").read_text(encoding="utf-8")
        content = _merged(tomllib.loads(text), content)
    for whole, value in (changes or {}).items():
        table, dot, key = whole.partition(".")
        if value is not None:
            content = _merged(content, {table: {key: value}} if dot else {table: value})
    return _make(content)


def parse_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Read changes such as `ngram_gain.epochs=2`; what is no number, list or truth value is a string."""
    parsed = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip():
            raise TrainingError(f"{change!r} is not a setting with a value.", "For example: --set ngram_gain.epochs=2")
        try:
            parsed[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            parsed[name.strip()] = text.strip()
    return parsed


def _make(content: dict[str, Any]) -> Recipe:
    refuse_unknown(content, (*_TOP, *_TABLES), "a training", TrainingError)
    top = {name: value for name, value in content.items() if name in _TOP}
    check_values(Recipe, top, TrainingError)
    tables = {name: content.get(name, {}) for name in _TABLES}
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise TrainingError(f"{name!r} is not a setting of a training, but a table of settings.")
    usual = "ngram_gain" if tables["network"].get("history") == "counted" else "episodes"
    stages = []
    for name in [name for name in STAGES if name in content] or ["training"]:
        values = {"seed": top.get("seed", 0), "objective": usual if name == "training" else name, **tables[name]}
        runs = {"runs": values.pop("runs")} if "runs" in values else {}
        check_values(Stage, runs, TrainingError)
        stages.append(Stage(name, make_settings(TrainingConfig, values, "a training", TrainingError), **runs))
    return Recipe(
        network=dict(tables["network"]),
        stages=tuple(stages),
        **{
            name: make_settings(types_of(Recipe)[name], tables[name], "a training", TrainingError)
            for name in ("corpus", "episodes", "text", "vectors", "tuning", "targets")
        },
        **top,
    )


def _merged(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of both; where both have one, the other's."""
    merged = dict(base)
    for name, value in other.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = {**merged[name], **value} if both else value
    return merged
