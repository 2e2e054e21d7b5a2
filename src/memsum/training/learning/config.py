"""The settings of a training, and the systems by name.

Defaults are what learned fastest per second on two cores; the paper's are in the comments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from memsum.errors import TrainingError

if TYPE_CHECKING:
    from memsum.training.policy import PolicyConfig

ObjectiveName = Literal["episodes", "gains", "labels", "hits", "rehearsal"]
SystemName = Literal["memsum", "neusum", "summarunner"]


@dataclass(frozen=True)
class TrainingConfig:
    """How a policy is trained."""

    objective: ObjectiveName = "episodes"
    epochs: float = 8
    batch: int = 16  # documents per update, over all processes; paper: 128
    states: int = 2  # states of an episode per document and update, 0: all T + 1 of them (the paper)
    samples: int = 2  # episodes per document that rehearsal plays and compares
    learning_rate: float = 1e-3  # paper: 1e-4 at batch 128
    warmup: int = 100  # updates
    final_rate: float = 0.05  # share of the learning rate that the cosine ends at; paper: constant
    betas: tuple[float, float] = (0.9, 0.99)  # paper: 0.9, 0.999
    weight_decay: float = 1e-6
    clip: float = 1.0
    thinning: float = 0.5  # share of documents that are seen shorter than they are; paper: none
    joining: float = 0.0  # share that are seen with sentences joined and divided elsewhere; paper: none
    furniture: float = 0.0  # share that are seen with made-up captions, bylines and the like; paper: none
    hiding: float = 0.0  # share in which a group of signals is not known, each group by itself; paper: none
    temperature: float = 1.0  # 1: documents of a source are seen as often as they are; 0: all sources as often
    twins: float = 0.0  # share that are seen with copies of sentences, exact and edited; paper: none
    repeats: float = 1.0  # weight of the loss where a sentence repeats an extracted one; paper: none
    average: float = 0.999  # decay of the moving average of the weights
    max_sentences: int = 22  # extracted in validation and rehearsal
    validate_every: int = 500  # updates
    patience: int = 8  # validations without a better one before it stops
    precision: Literal["fp32", "bf16"] = "fp32"
    part_sentences: int = 3_000  # sentences that are in memory at once, padding included
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "learning_rate", "max_sentences", "validate_every", "patience"):
            if not 0 < getattr(self, name) < math.inf:
                raise TrainingError(f"The setting {name} must be greater than 0.")
        for name in ("states", "seed", "repeats"):
            if not 0 <= getattr(self, name) < math.inf:
                raise TrainingError(f"The setting {name} must not be less than 0.")
        if self.objective not in get_args(ObjectiveName):
            raise TrainingError(
                f"{self.objective!r} is not an objective.", f"Choose one of {', '.join(get_args(ObjectiveName))}."
            )
        if self.samples < 2:
            raise TrainingError("The setting samples must be at least 2: an episode is compared with others.")
        if not 0 <= self.average < 1:
            raise TrainingError("The setting average must be at least 0 and less than 1.")

    def to_dict(self) -> dict[str, Any]:
        """As it is written to `training.json` and checkpoints."""
        return {**asdict(self), "betas": list(self.betas)}


@dataclass(frozen=True)
class System:
    """What makes a system the one it is; all else can be chosen."""

    objective: ObjectiveName  # unless another is chosen
    blocks: Mapping[str, str]  # fields of `PolicyConfig`, and what they must be


SYSTEMS: dict[SystemName, System] = {
    "memsum": System("episodes", {}),
    "neusum": System("gains", {"history": "gru", "stopping": "fixed"}),
    "summarunner": System("labels", {"history": "none", "stopping": "fixed", "extractor": "summarunner"}),
}


def choose_blocks(system: SystemName, chosen: Mapping[str, str | None]) -> dict[str, str]:
    """The system's blocks and those that the user chose (None: did not), or a sentence on where they disagree."""
    fixed = SYSTEMS[system].blocks
    given = {name: value for name, value in chosen.items() if value is not None}
    for name, value in given.items():
        if fixed.get(name, value) != value:
            raise TrainingError(
                f"--system {system} means --{name} {fixed[name]}, and --{name} {value} was given too.",
                "Give one of the two.",
            )
    return {**given, **fixed}


def require_blocks(network: PolicyConfig, blocks: Mapping[str, str]) -> None:
    """Refuse to go on from a network that has other blocks than asked for: trained ones cannot be exchanged."""
    for name, value in blocks.items():
        own = getattr(network, name)
        if own != value:
            raise TrainingError(
                f"The model to continue from has the {name} {own}, not {value}.",
                "Its blocks stay as they are: leave them out of the command, or train from scratch with --vectors.",
            )
