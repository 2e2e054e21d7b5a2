"""Run a model's episodes on many documents: by the runtime that users run if it has graphs, otherwise by PyTorch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from memsum.errors import needs_extra
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig
from memsum.model.constraints import TrigramBlock
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus.records import Example

with needs_extra("train", "Evaluating a model"):
    import torch

from memsum_train.paper.model import Extraction, extract
from memsum_train.policy import Policy, State, StepScores
from memsum_train.policy.device import choose_device
from memsum_train.policy.folder import POLICY_FILE, load_policy
from memsum_train.policy.greedy import parts, place_in_document

_WINDOW = 64  # documents that are sorted by length together


@dataclass(frozen=True)
class Model:
    """A model folder, opened."""

    policy: Policy
    encoder: TextEncoder
    config: ModelConfig
    sha256: str
    device: torch.device
    length: LengthModel | None = None  # where it stops by length
    runtime: Runtime | None = None  # where it has graphs


def open_model(folder: Path, device: str = "auto") -> Model:
    """Read a model folder and put it on a device."""
    chosen = choose_device(device)
    policy, encoder, config = load_policy(folder)
    digest = hashlib.sha256((folder / POLICY_FILE).read_bytes()).hexdigest()[:12]
    runtime = Runtime.load(folder, threads=1) if (folder / "step.onnx").exists() else None
    length = config.open_length(folder, encoder)
    return Model(policy.to(chosen), encoder, config, digest, chosen, length, runtime)


def without_memory(model: Model) -> Model:
    """Return the model with an empty history at every step."""
    policy = deepcopy(model.policy)
    policy.disable_history()
    return replace(model, policy=policy, runtime=None, sha256=f"{model.sha256}|history:zeroed")


def play_documents(
    model: Model, examples: Sequence[Example], maximum: int, *, blocking: bool = False
) -> Iterator[Extraction]:
    """Extract up to `maximum` sentences of each document, in its own positions and in the order of extraction."""
    if model.runtime is not None:
        for example in examples:
            sections, title = example.sections, example.title
            episode = begin(model.runtime, example.text, headings=sections, title=title, blocking=blocking)
            episode.extend(maximum)
            yield Extraction(tuple(episode.choices), tuple(episode.scores), tuple(episode.stops))
        return
    for low in range(0, len(examples), _WINDOW):
        window = examples[low : low + _WINDOW]
        texts = [model.encoder.encode(example.text, example.sections, example.title) for example in window]
        played: dict[int, Extraction] = {}
        for part, batch in parts(texts, range(len(texts)), model.device):
            policy = model.policy
            if blocking:
                kept = ([window[i].text[index] for index in texts[i].indices] for i in part)
                policy = cast(Policy, Watched(policy, [TrigramBlock(sentences) for sentences in kept]))
            extractions = extract(policy, batch, maximum)
            if blocking:  # an episode ends where all that remains is blocked, which `play` scores 0
                counts = [(*one.scores, 0).index(0) for one in extractions]
                extractions = [
                    Extraction(one.choices[:count], one.scores[:count], one.stops[: count + 1])
                    for one, count in zip(extractions, counts, strict=True)
                ]
            for i, extraction in zip(part, extractions, strict=True):
                played[i] = place_in_document(extraction, texts[i], model.encoder, model.length)
        yield from (played[i] for i in range(len(window)))


class Watched:
    """What `play` asks of a policy: the scores of each step are recorded, and sentences can be blocked.

    Blocked is what shares a trigram with an extracted sentence. It remains in the document and is seen, so that all
    other scores, and that of stopping, are as if nothing were blocked; it only cannot be chosen.
    """

    def __init__(self, policy: Policy, blocks: Sequence[TrigramBlock] = ()) -> None:
        self._policy, self._blocks = policy, blocks
        self.encode = policy.encode
        self.logits: list[torch.Tensor] = []  # of each step, NaN for what was extracted before

    def step(self, encoded: Any, state: State) -> StepScores:
        scores = self._policy.step(encoded, state)
        self.logits.append(scores.logits.float().masked_fill(~state.remaining, torch.nan))
        blocked = torch.zeros(scores.logits.shape, dtype=torch.bool)
        for row, block in enumerate(self._blocks):
            if state.taken.shape[1] and state.taken[row, -1]:  # steps come one by one: only the last is new
                block.extract(int(state.extracted[row, -1]))
            blocked[row, : len(block.blocked)] = torch.from_numpy(block.blocked)
        return replace(scores, logits=scores.logits.masked_fill(blocked.to(scores.logits.device), -torch.inf))
