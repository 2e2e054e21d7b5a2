"""Which blocks a policy is made of, and how large they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from memsum.errors import ModelError

Local = Literal["lstm", "mean", "pooled"]
Context = Literal["lstm", "none"]
History = Literal["attention", "gru", "counted", "none"]
Stopping = Literal["policy", "fixed", "stop-sentence"]
ExtractorName = Literal["memsum", "summarunner"]


@dataclass(frozen=True)
class PolicyConfig:
    """The variants of the network; the defaults of the sizes are the paper's."""

    local: Local = "pooled"
    context: Context = "lstm"
    history: History = "attention"
    stopping: Stopping = "policy"
    extractor: ExtractorName = "memsum"
    word_dimension: int = 200
    dimension: int = 200
    heads: int = 8
    local_layers: int = 2
    context_layers: int = 2
    history_layers: int = 3
    feed_forward: int = 1024
    dropout: float = 0.1

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in fields(self):
            choices = get_args(hints[field.name])
            value = getattr(self, field.name)
            if choices and value not in choices:
                raise ModelError(f"{value!r} is not a valid {field.name}.", f"Choose one of {', '.join(choices)}.")
            if hints[field.name] is int and not (type(value) is int and value > 0):
                raise ModelError(f"The setting {field.name} must be a whole number greater than 0, not {value!r}.")
        if not (isinstance(self.dropout, (int, float)) and 0 <= self.dropout < 1):
            raise ModelError(f"The dropout must be at least 0 and less than 1, not {self.dropout!r}.")
        if self.dimension % self.heads:
            raise ModelError(f"The dimension {self.dimension} cannot be split into {self.heads} heads.")
        if self.extractor == "summarunner" and (self.history, self.stopping) != ("none", "fixed"):
            raise ModelError(
                "The extractor summarunner scores a document once: it has no history and cannot stop.",
                "Use it with the history none and the stopping fixed.",
            )
        if self.history == "counted" and self.stopping == "stop-sentence":
            raise ModelError("A policy whose history is counted stops by itself or not at all, not by a stop sentence.")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PolicyConfig:
        """Make it of what a model folder holds; a key of a later version is refused, not ignored."""
        unknown = values.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise ModelError(
                f"The model's config has settings this version does not know: {', '.join(sorted(unknown))}.",
                "It was made by a newer memsum; upgrade.",
            )
        return cls(**values)
