"""What is timed: one summary in ONNX Runtime or in PyTorch, stage by stage, on one core.

Time is the processor's: on an idle machine it is the time one waits, and on a busy one it is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Protocol

from memsum.model import StopSettings
from memsum.model.runtime import Runtime

if TYPE_CHECKING:
    from memsum.training.evaluation.playing import Model

STAGES = ("text", "encoding", "steps")


@dataclass(frozen=True)
class Timing:
    """Milliseconds of one summary: words to numbers, sentences and document through the network, the episode."""

    sentences: int
    extracted: int
    text: float
    encoding: float
    steps: float

    @property
    def total(self) -> float:
        """From sentences to summary."""
        return self.text + self.encoding + self.steps


class Engine(Protocol):
    """Something that summarises, and can be timed."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        """Extract so many sentences, and look once more whether to stop, as an episode does."""


@dataclass(frozen=True)
class OnnxEngine:
    """What `memsum summarize` runs."""

    runtime: Runtime
    name: str = "ONNX Runtime"

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        """Time a summary; the text is encoded twice, because only so it can be told from the rest."""
        began = process_time()
        self.runtime.encoder.encode(sentences)
        read = process_time()
        episode = self.runtime.begin(sentences)
        encoded = process_time()
        episode.extend(count)
        episode.stop(len(episode.choices))
        ended = process_time()
        text = read - began
        encoding = max(0.0, encoded - read - text)
        return Timing(len(sentences), len(episode.choices), 1e3 * text, 1e3 * encoding, 1e3 * (ended - encoded))


@dataclass(frozen=True)
class TorchEngine:
    """What trainings and evaluations run."""

    model: Model
    name: str = "PyTorch"

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        """Time a summary, one document per batch."""
        import torch

        from memsum.training.policy import State
        from memsum.training.policy.batch import collate

        policy = self.model.policy
        with torch.inference_mode():
            began = process_time()
            text = self.model.encoder.encode(sentences)
            read = process_time()
            encoded = policy.encode(collate([text]))
            state = State.start(encoded.mask)
            ready = process_time()
            extracted = min(count, len(text))
            for _ in range(extracted):
                logits = policy.step(encoded, state).logits.masked_fill(~state.remaining, -torch.inf)
                state = state.extract(logits.argmax(dim=1), torch.ones(1, dtype=torch.bool))
            policy.step(encoded, state)
            ended = process_time()
        times = (1e3 * (read - began), 1e3 * (ready - read), 1e3 * (ended - ready))
        return Timing(len(sentences), extracted, *times)


def export_engine(model: Model, folder: Path) -> OnnxEngine:
    """The same policy in ONNX Runtime; its graphs are written into a folder."""
    from memsum.training.policy.export import export_policy
    from memsum.training.policy.folder import save_policy

    # How it stops does not matter: it is told how many sentences to extract.
    save_policy(folder, model.policy, replace(model.config, stop=StopSettings()), model.encoder)
    export_policy(model.policy, folder)
    return OnnxEngine(Runtime.load(folder, threads=1))


@contextmanager
def one_core() -> Iterator[None]:
    """Keep PyTorch to one thread for a while, as the runtime is."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
