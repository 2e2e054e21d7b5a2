"""Settings of a whole training, from corpora to the finished model: one TOML file with a table for each phase."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from memsum.errors import TrainingError
from memsum.model import SelectionPenalties
from memsum.training.corpus.oracle import Search
from memsum.training.learning.config import SYSTEMS, SystemName, TrainingConfig, choose_blocks, fits

DEFAULT = "default"
SETTINGS_FILE = "train.toml"
# Tables of trainings of the network, in their order; a file has those that it wants.
STAGES = ("training", "hits", "rehearsal")
_TABLES = ("corpus", "episodes", "vectors", "network", *STAGES, "tuning", "reader")
_TOP = ("recipe", "system", "keep_repeats", "seed", "init")

T = TypeVar("T")


def _setting(default: Any, help_: str) -> Any:
    return field(default=default, metadata={"help": help_})


@dataclass(frozen=True)
class CorpusSettings:
    """What is learned from, and what is left out of it."""

    train: tuple[str, ...] = _setting((), "Corpora to learn from: files, folders, patterns.")
    valid: tuple[str, ...] = _setting((), "Corpora to validate on.")
    keys: str = _setting("", "Everyday documents with keys: points that a reader must know.")
    documents: str = _setting("", "The folder of the documents that the keys name.")
    chapters: str = _setting("", "Chapters with summaries, from which lengths of long documents are learned.")
    reject_copies: bool = _setting(True, "Leave out documents that begin with their own summary.")
    min_sentences: int = _setting(2, "Leave out documents with fewer sentences.")
    watched: int = _setting(320, "Documents of the validation corpora that choose weights and threshold.")
    judged: int = _setting(400, "Other documents of the validation corpora that the card reports.")


@dataclass(frozen=True)
class VectorSettings:
    """Word vectors: given, or learned by skip-gram."""

    path: str = _setting("", "Vectors to use instead of learning them: a folder of ours, or a text file.")
    dimension: int = _setting(200, "Numbers per word.")
    max_words: int = _setting(60_000, "Maximum number of whole words.")
    min_count: int = _setting(8, "Rarer words are split into pieces.")
    epochs: int = _setting(2, "Passes over the documents; more where there are fewer.")
    documents: int = _setting(6_000, "Documents to learn from; small kinds are over-represented.")


@dataclass(frozen=True)
class TuningSettings:
    """How the network is used: the threshold is chosen by ROUGE; penalties, which ROUGE does not see, are given."""

    maxima: tuple[int, ...] = _setting((3, 5, 7, 10, 15, 22), "Maximum numbers of sentences to try.")
    brevity: tuple[float, ...] = _setting((0.0,), "Penalties for long sentences to try.")
    fullness: float = _setting(0.0, "Reward of long sentences among the first quotes.")
    short: float = _setting(0.0, "Penalty for short sentences.")
    needs_context: float = _setting(0.0, "Penalty for sentences that need the one before them.")
    low_value: float = _setting(0.0, "Penalty for labels, fragments and boilerplate.")

    @property
    def penalties(self) -> SelectionPenalties:
        return SelectionPenalties(self.brevity[0], self.fullness, self.short, self.needs_context, self.low_value)


@dataclass(frozen=True)
class ReaderFit:
    """How the value for readers of everyday documents is learned, where there are keys."""

    styles: int = _setting(300, "Documents of each other kind that show how it is written.")
    kinds: Mapping[str, str] = field(default_factory=dict, metadata={"help": "Sources that count as another kind."})


@dataclass(frozen=True)
class Stage:
    """One training of the network, or several with other seeds, whose weights are averaged."""

    name: str
    config: TrainingConfig
    runs: int = 1

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
    episodes: Search
    vectors: VectorSettings
    network: Mapping[str, Any]  # the chosen fields of `PolicyConfig`
    stages: tuple[Stage, ...]
    tuning: TuningSettings
    reader: ReaderFit
    system: SystemName = "memsum"
    keep_repeats: bool = False  # encode exact repeats of a sentence every time (for redundancy studies)
    seed: int = 0
    init: str = ""  # a model to start from

    @property
    def is_counted(self) -> bool:
        return self.network.get("history") == "counted"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables, as the file has them."""
        stages = {
            stage.name: {**stage.config.to_dict(), **({"runs": stage.runs} if stage.runs > 1 else {})}
            for stage in self.stages
        }
        return {
            "system": self.system,
            "keep_repeats": self.keep_repeats,
            "seed": self.seed,
            "init": self.init,
            "corpus": asdict(self.corpus),
            "episodes": asdict(self.episodes),
            "vectors": asdict(self.vectors),
            "network": dict(self.network),
            **stages,
            "tuning": asdict(self.tuning),
            "reader": asdict(self.reader),
        }

    def to_toml(self) -> str:
        """Write all settings, with a line on each."""
        tables = self.to_dict()
        lines = [f"{name} = {_toml(tables.pop(name))}" for name in _TOP if name in tables]
        for name, table in tables.items():
            helps = _helps(name)
            lines += ["", f"[{name}]"]
            for key, value in table.items():
                lines += [f"# {helps[key]}"] if key in helps else []
                lines.append(f"{key} = {_toml(value)}")
        return "\n".join(lines) + "\n"


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with memsum."""
    return sorted(Path(file.name).stem for file in _recipes().iterdir() if file.name.endswith(".toml"))


def read_recipe(
    name: str | None = None,
    path: Path | None = None,
    changes: Mapping[str, Any] | None = None,
    given: Mapping[str, Mapping[str, Any]] | None = None,
) -> Recipe:
    """Read a recipe by name, a file, or a file on top of a recipe; `changes` are by whole names, such as hits.epochs.

    Settings in `given` (by table; those that are None are not) override all of them. A file that names no recipe has
    all settings: what it lacks is as declared here.
    """
    content = _read_toml(path) if path else {}
    base = name or content.pop("recipe", None) or (None if path else DEFAULT)
    if base is not None:
        content = _merged(_packaged(str(base)), content)
    for whole, value in (changes or {}).items():
        table, dot, key = whole.partition(".")
        content = _merged(content, {table: {key: value}} if dot else {table: value})
    for table, values in (given or {}).items():
        chosen = {key: value for key, value in values.items() if value is not None}
        content = _merged(content, {table: chosen} if table else chosen)
    return _make(content, str(path or "The recipe"))


def parse_changes(changes: Sequence[str]) -> dict[str, Any]:
    """Read changes such as `hits.epochs=2`; what is no number, list or truth value is a string."""
    parsed = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip():
            raise TrainingError(f"{change!r} is not a setting with a value.", "For example: --set hits.epochs=2")
        try:
            parsed[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            parsed[name.strip()] = text.strip()
    return parsed


def given_settings(
    *,
    train: Sequence[str],
    valid: Sequence[str],
    keys: str | None = None,
    documents: str | None = None,
    chapters: str | None = None,
    vectors: str | None = None,
    init: str | None = None,
    seed: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the settings that have a flag, by table."""
    corpus = {"train": list(train) or None, "valid": list(valid) or None}
    return {
        "corpus": {**corpus, "keys": keys, "documents": documents, "chapters": chapters},
        "vectors": {"path": vectors},
        "": {"init": init, "seed": seed},
    }


def _make(content: dict[str, Any], where: str) -> Recipe:
    tables = {name: content.get(name, {}) for name in _TABLES}
    unknown = [name for name in content if name not in (*_TABLES, *_TOP)]
    unknown += [name for name, table in tables.items() if not isinstance(table, Mapping)]
    if unknown:
        raise TrainingError(
            f"{where}: {unknown[0]!r} is not a setting of a training.",
            f"A file has {', '.join(_TOP)}, and the tables {', '.join(_TABLES)}.",
        )
    system, seed = content.get("system", "memsum"), content.get("seed", 0)
    keep_repeats, init = content.get("keep_repeats", False), content.get("init", "")
    checks = {"system": system in SYSTEMS, "seed": fits(seed, int), "init": fits(init, str)}
    checks["keep_repeats"] = isinstance(keep_repeats, bool)
    for name, right in checks.items():
        if not right:
            raise TrainingError(f"The setting {name} cannot be {content[name]!r}.")
    blocks = choose_blocks(system, tables["network"])
    usual = "hits" if blocks.get("history") == "counted" else SYSTEMS[system].objective
    stages = []
    for name in STAGES:
        if name in content:
            values = dict(tables[name])
            runs = values.pop("runs", 1)
            objective = {"objective": usual if name == "training" else name}
            stages.append(Stage(name, TrainingConfig.from_dict({"seed": seed, **objective, **values}), int(runs)))
    if not stages:
        stages = [Stage("training", TrainingConfig.from_dict({"seed": seed, "objective": usual}))]
    return Recipe(
        _section(CorpusSettings, tables["corpus"]),
        _section(Search, tables["episodes"]),
        _section(VectorSettings, tables["vectors"]),
        blocks,
        tuple(stages),
        _section(TuningSettings, tables["tuning"]),
        _section(ReaderFit, tables["reader"]),
        system,
        keep_repeats,
        seed,
        init,
    )


def _section(kind: type[T], values: Mapping[str, Any]) -> T:
    """Make a table's settings of its values, which must be of their types."""
    hints = get_type_hints(kind)
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in hints:
            raise TrainingError(f"{name!r} is not a setting of a training.", f"Choose from {', '.join(hints)}.")
        hint = hints[name]
        if get_origin(hint) is tuple:
            right = isinstance(value, (list, tuple)) and all(fits(one, get_args(hint)[0]) for one in value)
            value = tuple(value) if right else value
        elif hint is bool:
            right = isinstance(value, bool)
        else:
            right = isinstance(value, Mapping) if get_origin(hint) else fits(value, hint)
        if not right:
            raise TrainingError(f"The setting {name} cannot be {value!r}.")
        chosen[name] = value
    return kind(**chosen)


def _merged(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of both; where both have one, the other's."""
    merged = dict(base)
    for name, value in other.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = {**merged[name], **value} if both else value
    return merged


def _recipes() -> Any:
    return files("memsum.training") / "recipes"


def _packaged(name: str) -> dict[str, Any]:
    if name not in recipe_names():
        raise TrainingError(f"There is no recipe {name!r}.", f"Choose one of {', '.join(recipe_names())}.")
    return tomllib.loads((_recipes() / f"{name}.toml").read_text(encoding="utf-8"))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no TOML, or not UTF-8
        raise TrainingError(f"{path} cannot be read: {error}.") from None


def _helps(table: str) -> dict[str, str]:
    kinds: dict[str, type] = {
        "corpus": CorpusSettings,
        "vectors": VectorSettings,
        "tuning": TuningSettings,
        "reader": ReaderFit,
        **dict.fromkeys(STAGES, TrainingConfig),
    }
    own: Any = kinds.get(table)
    helps = {f.name: f.metadata["help"] for f in fields(own)} if own else {}
    return helps | ({"runs": "Trainings with other seeds whose weights are averaged."} if table in STAGES else {})


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    # Strings, numbers, booleans and lists are the same in both.
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
