"""Greedy episodes: extract up to a maximum, and keep the probability of stopping at every step.

The order of extraction does not depend on where one stops, so one pass serves every threshold and every length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.features.penalties import length_penalty
from memsum.training.policy.batch import Batch, State
from memsum.training.policy.network import Policy


@dataclass(frozen=True)
class Extraction:
    """One document's episode."""

    choices: tuple[int, ...]  # positions, in order of extraction
    scores: tuple[float, ...]  # of each choice when it was made
    stops: tuple[float, ...]  # probability of stopping before each choice, and after the last

    def length(self, threshold: float, maximum: int, minimum: int = 1) -> int:
        """Return the number of sentences that are extracted if the episode stops at p_stop ≥ threshold."""
        for time in range(minimum, min(len(self.choices), maximum)):
            if self.stops[time] >= threshold:
                return time
        return min(len(self.choices), maximum)


@torch.inference_mode()
def play(policy: Policy, batch: Batch, maximum: int, brevity: float = 0.0) -> list[Extraction]:
    """Extract up to `maximum` sentences of each document; ties go to the earlier sentence."""
    encoded = policy.encode(batch)
    penalty = _penalties(batch, brevity) if brevity else 0.0
    state = State.start(batch.mask)
    steps: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for time in range(min(maximum, int(batch.lengths.max())) + 1):
        scores = policy.step(encoded, state)
        best, choice = (scores.logits.float() - penalty).masked_fill(~state.remaining, -torch.inf).max(dim=1)
        stop = scores.p_stop(best).masked_fill(~state.remaining.any(dim=1), 1)  # with nothing left, one has stopped
        active = time < batch.lengths
        steps.append((choice, best.sigmoid(), stop, active))
        state = state.extract(choice, active)
    columns = [torch.stack(column, dim=1).tolist() for column in zip(*steps, strict=True)]
    extractions = []
    for choices, scores, stops, active in zip(*columns, strict=True):
        count = min(sum(active), maximum)
        extractions.append(Extraction(tuple(choices[:count]), tuple(scores[:count]), tuple(stops[: count + 1])))
    return extractions


def _penalties(batch: Batch, brevity: float) -> Tensor:
    """Return the penalty (B, N) for each sentence's words; nothing for padding."""
    words = batch.gather("lengths")
    return torch.from_numpy(length_penalty(words.cpu().numpy(), brevity)).to(words.device) * batch.mask


def place_in_document(
    extraction: Extraction, text: EncodedText, encoder: TextEncoder, length: LengthModel | None
) -> Extraction:
    """Translate an episode to the document's own indices; with a length model, p_stop is by length."""
    choices = tuple(int(text.indices[choice]) for choice in extraction.choices)
    stops = length.stop(text, encoder).episode(choices) if length else extraction.stops
    return replace(extraction, choices=choices, stops=stops)
