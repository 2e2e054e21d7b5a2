"""The networks that are compared: the paper's, what it is without each of its parts, and the baselines that learn."""

from __future__ import annotations

from dataclasses import dataclass

from memsum.training.config import SystemName


@dataclass(frozen=True)
class Variant:
    """A network by the name that the paper's tables give it; a block that is None is as the config says."""

    name: str
    system: SystemName = "memsum"
    local: str | None = None
    context: str | None = None
    history: str | None = None
    stopping: str | None = None
    repeats: bool = True  # whether it is trained with the repeats loss, which the paper does not have

    @property
    def blocks(self) -> dict[str, str | None]:
        """The blocks it chooses, by the fields of `PolicyConfig`."""
        return {"local": self.local, "context": self.context, "history": self.history, "stopping": self.stopping}


FULL = Variant("MemSum")
WITHOUT_REPEATS_LOSS = Variant("MemSum w/o repeats loss", repeats=False)
WITHOUT_LSE = Variant("MemSum w/o LSE", local="mean")
WITHOUT_GCE = Variant("MemSum w/o GCE", context="none")
WITHOUT_EHE = Variant("MemSum w/o EHE", history="none")
GRU_EHE = Variant("MemSum with GRU-EHE", history="gru")
WITHOUT_AUTO_STOP = Variant("MemSum w/o auto-stop", stopping="fixed")
STOP_SENTENCE = Variant("MemSum with “STOP”", stopping="stop-sentence")
NEUSUM = Variant("NeuSum", system="neusum")
SUMMARUNNER = Variant("SummaRuNNer", system="summarunner")
