"""Run a model's episodes on many documents: by the runtime that users run if it has graphs, otherwise by PyTorch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from memsum.errors import needs_extra
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model import ModelConfig
from memsum.model.constraints import TrigramBlock
from memsum.model.runtime import Runtime
from memsum.training.corpus.records import Example

with needs_extra("train", "Evaluating a model"):
    import torch

from memsum.training.policy import Batch, Policy, State, StepScores
from memsum.training.policy.batch import collate, micro_batches
from memsum.training.policy.device import choose_device
from memsum.training.policy.folder import POLICY_FILE, load_policy
from memsum.training.policy.greedy import Extraction, place_in_document, play

_WINDOW = 64  # documents that are sorted by length together
_PART_SENTENCES = 6_000


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


def with_repeats(model: Model) -> Model:
    """Return the model that is shown every sentence, also those repeated to the letter, which models else see once."""
    settings = replace(model.encoder.settings, collapse_repeats=False)
    encoder = TextEncoder(model.encoder.vectors, settings, model.encoder.salience, model.encoder.length)
    return replace(model, encoder=encoder, runtime=None, sha256=f"{model.sha256}|repeats:seen")


def play_documents(
    model: Model,
    examples: Sequence[Example],
    maximum: int,
    *,
    blocking: bool = False,
    brevity: float | None = None,
) -> Iterator[Extraction]:
    """Extract up to `maximum` sentences of each document, in its own positions and in the order of extraction.

    Brevity is the model's own unless it is given.
    """
    brevity = model.config.penalties.brevity if brevity is None else brevity
    if model.runtime is not None:
        for example in examples:
            yield _play_graphs(model.runtime, example, maximum, blocking, brevity)
        return
    for low in range(0, len(examples), _WINDOW):
        window = examples[low : low + _WINDOW]
        texts = [model.encoder.encode(example.text, example.sections, example.title) for example in window]
        sentences = np.array([len(text) for text in texts])
        played: dict[int, Extraction] = {}
        for part in micro_batches(range(len(texts)), sentences, _PART_SENTENCES):
            batch = collate([texts[i] for i in part]).to(model.device)
            if blocking:
                kept = [[window[i].text[index] for index in texts[i].indices] for i in part]
                extractions = _play_blocked(model.policy, batch, maximum, brevity, kept)
            else:
                extractions = play(model.policy, batch, maximum, brevity)
            for i, extraction in zip(part, extractions, strict=True):
                played[i] = place_in_document(extraction, texts[i], model.encoder, model.length)
        yield from (played[i] for i in range(len(window)))


def _play_graphs(runtime: Runtime, example: Example, maximum: int, blocking: bool, brevity: float) -> Extraction:
    episode = runtime.begin(
        example.text,
        headings=example.sections,
        title=example.title,
        blocking=blocking,
        brevity=brevity,
    )
    episode.extend(maximum)
    return Extraction(tuple(episode.choices), tuple(episode.scores), tuple(episode.stops))


def stop_by_length(
    extractions: Sequence[Extraction], examples: Sequence[Example], encoder: TextEncoder, length: LengthModel
) -> list[Extraction]:
    """Return the episodes with another p_stop: by the length of human summaries."""
    stops = (length.stop(encoder.encode(example.text), encoder) for example in examples)
    return [
        replace(extraction, stops=stop.episode(extraction.choices))
        for extraction, stop in zip(extractions, stops, strict=True)
    ]


def _play_blocked(
    policy: Policy, batch: Batch, maximum: int, brevity: float, documents: Sequence[Sequence[str]]
) -> list[Extraction]:
    """Play with blocking; an episode ends where all that remains is blocked, which `play` scores 0."""
    # `play` asks a policy for nothing but `encode` and `step`.
    blocking = cast(Policy, _Blocking(policy, [TrigramBlock(sentences) for sentences in documents]))
    extractions = []
    for extraction in play(blocking, batch, maximum, brevity):
        count = next((time for time, score in enumerate(extraction.scores) if score == 0), len(extraction.scores))
        extractions.append(
            Extraction(extraction.choices[:count], extraction.scores[:count], extraction.stops[: count + 1])
        )
    return extractions


class _Blocking:
    """A policy that gives no score to a sentence that shares a trigram with an extracted one.

    All other scores, and that of stopping, are as if nothing were blocked: a blocked sentence remains in the document
    and is seen, it only cannot be chosen.
    """

    def __init__(self, policy: Policy, documents: Sequence[TrigramBlock]) -> None:
        self._policy = policy
        self._documents = documents

    def encode(self, batch: Batch) -> Any:
        return self._policy.encode(batch)

    def step(self, encoded: Any, state: State) -> StepScores:
        scores = self._policy.step(encoded, state)
        blocked = torch.zeros(scores.logits.shape, dtype=torch.bool)
        for row, document in enumerate(self._documents):
            if state.taken.shape[1] and state.taken[row, -1]:  # steps come one by one: only the last is new
                document.extract(int(state.extracted[row, -1]))
            blocked[row, : len(document.blocked)] = torch.from_numpy(document.blocked)
        return replace(scores, logits=scores.logits.masked_fill(blocked.to(scores.logits.device), -torch.inf))
