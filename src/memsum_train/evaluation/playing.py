"""Run a model's episodes on many documents: by the runtime that users run if it has graphs, otherwise by PyTorch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
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

from memsum_train.paper.model import Extraction
from memsum_train.policy import Batch, Policy, State, StepScores
from memsum_train.policy.device import choose_device
from memsum_train.policy.folder import POLICY_FILE, load_policy
from memsum_train.policy.greedy import parts, place_in_document, play

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


def with_repeats(model: Model) -> Model:
    """Return the model that is shown every sentence, also those repeated to the letter, which models else see once."""
    settings = replace(model.encoder.settings, collapse_repeats=False)
    encoder = TextEncoder(model.encoder.vectors, settings, model.encoder.salience, model.encoder.length)
    return replace(model, encoder=encoder, runtime=None, sha256=f"{model.sha256}|repeats:seen")


def play_documents(
    model: Model, examples: Sequence[Example], maximum: int, *, blocking: bool = False, brevity: float | None = None
) -> Iterator[Extraction]:
    """Extract up to `maximum` sentences of each document, in its own positions and in the order of extraction.

    Brevity is the model's own unless it is given.
    """
    brevity = model.config.penalties.brevity if brevity is None else brevity
    if model.runtime is not None:
        for example in examples:
            options: Any = {"headings": example.sections, "title": example.title, "brevity": brevity}
            episode = begin(model.runtime, example.text, blocking=blocking, **options)
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
                policy = Blocking(policy, [TrigramBlock(sentences) for sentences in kept]).policy
            extractions = play(policy, batch, maximum, brevity)
            if blocking:  # an episode ends where all that remains is blocked, which `play` scores 0
                counts = [(*one.scores, 0).index(0) for one in extractions]
                extractions = [
                    Extraction(one.choices[:count], one.scores[:count], one.stops[: count + 1])
                    for one, count in zip(extractions, counts, strict=True)
                ]
            for i, extraction in zip(part, extractions, strict=True):
                played[i] = place_in_document(extraction, texts[i], model.encoder, model.length)
        yield from (played[i] for i in range(len(window)))


def stop_by_length(
    extractions: Sequence[Extraction], examples: Sequence[Example], encoder: TextEncoder, length: LengthModel
) -> list[Extraction]:
    """Return the episodes with another p_stop: by the length of human summaries."""
    stops = (length.stop(encoder.encode(example.text), encoder) for example in examples)
    return [
        replace(extraction, stops=stop.episode(extraction.choices))
        for extraction, stop in zip(extractions, stops, strict=True)
    ]


class Observed:
    """What `play` asks of a policy, and what it is told: when the document was encoded, the scores of each step."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.encoded = 0.0  # seconds, of the processor
        self.logits: list[torch.Tensor] = []  # of each step, NaN for what was extracted before

    @property
    def policy(self) -> Policy:
        return cast(Policy, self)

    def encode(self, batch: Batch) -> Any:
        encoded = self._policy.encode(batch)
        self.encoded = process_time()
        return encoded

    def step(self, encoded: Any, state: State) -> StepScores:
        scores = self._policy.step(encoded, state)
        self.logits.append(scores.logits.float().masked_fill(~state.remaining, torch.nan))
        return scores


class Blocking(Observed):
    """The same with no score for a sentence that shares a trigram with an extracted one.

    All other scores, and that of stopping, are as if nothing were blocked: a blocked sentence remains in the document
    and is seen, it only cannot be chosen.
    """

    def __init__(self, policy: Policy, documents: Sequence[TrigramBlock]) -> None:
        super().__init__(policy)
        self._documents = documents

    def step(self, encoded: Any, state: State) -> StepScores:
        scores = self._policy.step(encoded, state)
        blocked = torch.zeros(scores.logits.shape, dtype=torch.bool)
        for row, document in enumerate(self._documents):
            if state.taken.shape[1] and state.taken[row, -1]:  # steps come one by one: only the last is new
                document.extract(int(state.extracted[row, -1]))
            blocked[row, : len(document.blocked)] = torch.from_numpy(document.blocked)
        return replace(scores, logits=scores.logits.masked_fill(blocked.to(scores.logits.device), -torch.inf))
