"""Systems by name: the paper's, and the baselines that learn, each a choice of blocks and of an objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memsum.errors import TrainingError
from memsum.policy import PolicyConfig
from memsum.training.config import ObjectiveName

SystemName = Literal["memsum", "neusum", "summarunner"]


@dataclass(frozen=True)
class Preset:
    """What makes a system the one it is; all else can be chosen."""

    objective: ObjectiveName  # unless another is chosen
    blocks: Mapping[str, str]  # fields of `PolicyConfig`, and what they must be


PRESETS: dict[SystemName, Preset] = {
    "memsum": Preset("episodes", {}),
    "neusum": Preset("gains", {"history": "gru", "stopping": "fixed"}),
    "summarunner": Preset("labels", {"history": "none", "stopping": "fixed", "extractor": "summarunner"}),
}


def choose_blocks(system: SystemName, chosen: Mapping[str, str | None]) -> dict[str, str]:
    """The system's blocks and those that the user chose (None: did not), or a sentence on where they disagree."""
    fixed = PRESETS[system].blocks
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
                f"The model to go on from has the {name} {own}, not {value}.",
                "Its blocks stay as they are: leave them out of the command, or train anew from --vectors.",
            )
