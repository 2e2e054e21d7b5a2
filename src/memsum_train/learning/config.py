"""Settings of a training of the network: every default is here and nowhere else."""

# ruff: noqa: RUF009 (`_setting` returns a field)

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from memsum.errors import TrainingError

if TYPE_CHECKING:
    from memsum.training.policy import PolicyConfig

ObjectiveName = Literal["episodes", "gains", "labels", "hits", "rehearsal"]
SystemName = Literal["memsum", "neusum", "summarunner"]

# Names of version 0.2, which its files and checkpoints have.
RENAMED = {
    "thinning": "block_dropout",
    "joining": "split_noise",
    "furniture": "layout_noise",
    "hiding": "feature_dropout",
    "twins": "duplicates",
}


def _setting(default: Any, help_: str) -> Any:
    return field(default=default, metadata={"help": help_})


@dataclass(frozen=True)
class TrainingConfig:
    """How a network is trained; the defaults are what learned fastest per second on two cores."""

    objective: ObjectiveName = _setting(
        "episodes",
        "What is learned: episodes (the paper), gains (NeuSum), labels (SummaRuNNer); with the history counted: hits, "
        "then rehearsal.",
    )
    epochs: float = _setting(8, "Passes over the corpus, at most.")
    documents: int = _setting(0, "Documents to learn from in all passes, at most; 0: no limit.")
    batch: int = _setting(16, "Documents per update, over all processes. Paper: 128.")
    learning_rate: float = _setting(1e-3, "Peak learning rate. Paper: 1e-4 at batch 128.")
    seed: int = _setting(0, "Random seed of weights, order of documents, episodes and dropout.")
    states: int = _setting(2, "States of an episode per document and update; 0: all of them, as in the paper.")
    samples: int = _setting(2, "Episodes per document that rehearsal plays and compares.")
    warmup: int = _setting(100, "Updates until the peak learning rate, at most a tenth of all.")
    final_rate: float = _setting(0.05, "Share of the learning rate that the cosine ends at. Paper: constant.")
    betas: tuple[float, float] = _setting((0.9, 0.99), "Of AdamW. Paper: 0.9, 0.999.")
    weight_decay: float = _setting(1e-6, "Of AdamW.")
    clip: float = _setting(1.0, "Largest norm of the gradient.")
    average: float = _setting(0.999, "Decay of the moving average of the weights, which is validated and kept.")
    temperature: float = _setting(1.0, "1: every document is seen equally often; 0: every source is.")
    repeats: float = _setting(1.0, "Weight of the loss against repeating extracted sentences. Paper: 0.")
    block_dropout: float = _setting(0.5, "Share of documents seen shorter, without blocks of sentences. Paper: 0.")
    split_noise: float = _setting(0.0, "Share of documents seen with sentences joined, as by a careless splitter.")
    layout_noise: float = _setting(0.0, "Share of documents seen with made-up captions, bylines and mail headers.")
    feature_dropout: float = _setting(0.0, "Share of documents seen without one group of signals, for each group.")
    duplicates: float = _setting(0.0, "Share of documents seen with copied sentences, exact and edited.")
    max_sentences: int = _setting(22, "Maximum sentences to extract in validation and rehearsal.")
    validate_every: int = _setting(500, "Updates between validations.")
    patience: int = _setting(8, "Validations without improvement before stopping.")
    keep: Literal["best", "last"] = _setting(
        "best", "Weights that are kept: those of the best validation, or the last ones, which validation only reports."
    )
    precision: Literal["fp32", "bf16"] = _setting("fp32", "bf16 is faster on GPUs and on CPUs with AMX.")
    part_sentences: int = _setting(3_000, "Sentences that are in memory at once, padding included.")

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "learning_rate", "max_sentences", "validate_every", "patience"):
            if not 0 < getattr(self, name) < math.inf:
                raise TrainingError(f"The setting {name} must be greater than 0.")
        for name in ("states", "seed", "repeats", "documents"):
            if not 0 <= getattr(self, name) < math.inf:
                raise TrainingError(f"The setting {name} must not be less than 0.")
        for name, choices in (
            ("objective", get_args(ObjectiveName)),
            ("precision", ("fp32", "bf16")),
            ("keep", ("best", "last")),
        ):
            if getattr(self, name) not in choices:
                raise TrainingError(
                    f"{getattr(self, name)!r} is not a valid {name}.", f"Choose one of {', '.join(choices)}."
                )
        if self.samples < 2:
            raise TrainingError("The setting samples must be at least 2: an episode is compared with others.")
        if not 0 <= self.average < 1:
            raise TrainingError("The setting average must be at least 0 and less than 1.")

    def updates(self, documents: int) -> int:
        """Return how many updates a training on a corpus of so many documents has."""
        updates = self.epochs * math.ceil(documents / self.batch)
        return max(1, round(min(updates, self.documents / self.batch) if self.documents else updates))

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "betas": list(self.betas)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainingConfig:
        """Make it of settings by name, also by their former names."""
        values = {RENAMED.get(name, name): value for name, value in values.items()}
        types = get_type_hints(cls)
        for name, value in values.items():
            if name not in types:
                raise TrainingError(f"{name!r} is not a setting of a training.", f"Choose from {', '.join(types)}.")
            if not fits(value, types[name]):
                raise TrainingError(f"The setting {name} cannot be {value!r}.")
        if "betas" in values:
            values["betas"] = tuple(values["betas"])
        return cls(**values)


def fits(value: object, hint: Any) -> bool:
    """Tell if a value of a file can be a setting of a type."""
    usual: Any = (list, tuple) if get_origin(hint) is tuple else str
    accepted: Any = {float: (int, float), int: int}.get(hint, usual)
    return isinstance(value, accepted) and not isinstance(value, bool)


# --- systems ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class System:
    """What makes a system the one it is; all else can be chosen."""

    objective: ObjectiveName  # unless another is chosen
    network: Mapping[str, str]  # fields of `PolicyConfig`, and what they must be


SYSTEMS: dict[SystemName, System] = {
    "memsum": System("episodes", {}),
    "neusum": System("gains", {"history": "gru", "stopping": "fixed"}),
    "summarunner": System("labels", {"history": "none", "stopping": "fixed", "extractor": "summarunner"}),
}


def choose_blocks(system: SystemName, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the system's fields of `PolicyConfig` and those that were chosen (None: not), which must agree."""
    fixed = SYSTEMS[system].network
    given = {name: value for name, value in chosen.items() if value is not None}
    for name, value in given.items():
        if fixed.get(name, value) != value:
            raise TrainingError(
                f"The system {system} has the {name} {fixed[name]}, and {value} was chosen.", "Choose one of the two."
            )
    return {**given, **fixed}


def require_blocks(network: PolicyConfig, blocks: Mapping[str, Any]) -> None:
    """Refuse to go on from a network that has other blocks than asked for: trained ones cannot be exchanged."""
    for name, value in blocks.items():
        own = getattr(network, name, None)
        if own != value:
            raise TrainingError(
                f"The model to continue from has the {name} {own}, not {value}.",
                "Its network stays as it is: leave that setting out, or train from scratch with --vectors.",
            )
