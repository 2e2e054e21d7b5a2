"""Which blocks a policy is made of, and how large they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memsum.errors import ModelError
from memsum.settings import check_settings, make_settings, setting

Local = Literal["lstm", "mean", "pooled"]
Context = Literal["lstm", "none"]
History = Literal["attention", "gru", "counted", "none"]
Stopping = Literal["policy", "fixed", "stop-sentence"]


@dataclass(frozen=True)
class PolicyConfig:
    """The variants of the network; the defaults of the sizes are the paper's."""

    local: Local = "pooled"
    context: Context = "lstm"
    history: History = "attention"
    stopping: Stopping = "policy"
    columns: bool = False  # with a counted history: whether the columns have a part in the states
    word_dimension: int = setting(200, ge=1)
    dimension: int = setting(200, ge=1)
    heads: int = setting(8, ge=1)
    local_layers: int = setting(2, ge=1)
    context_layers: int = setting(2, ge=1)
    history_layers: int = setting(3, ge=1)
    feed_forward: int = setting(1024, ge=1)
    dropout: float = setting(0.1, ge=0, lt=1)

    def __post_init__(self) -> None:
        check_settings(self, ModelError)
        if self.dimension % self.heads:
            raise ModelError(f"The dimension {self.dimension} cannot be split into {self.heads} heads.")
        if self.history == "counted" and self.stopping != "policy":
            raise ModelError("A policy whose history is counted stops by itself.")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PolicyConfig:
        """Make it of what a model folder or a recipe holds."""
        known = {name: value for name, value in values.items() if name != "extractor"}  # which version 0.3 wrote
        return make_settings(cls, known, "a network", ModelError)
