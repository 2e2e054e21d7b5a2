"""Playing an episode: extract greedily up to a maximum, and remember what the policy thought of stopping.

The order of extraction does not depend on where one stops, so one pass serves every threshold and every length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from memsum.features.brevity import prices
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.training.policy.batch import Batch, State
from memsum.training.policy.policy import Policy


@dataclass(frozen=True)
class Extraction:
    """One document's episode."""

    choices: tuple[int, ...]  # positions, in order of extraction
    scores: tuple[float, ...]  # of each choice when it was made
    stops: tuple[float, ...]  # probability of stopping before each choice, and after the last

    def length(self, threshold: float, maximum: int, minimum: int = 1) -> int:
        """How many sentences are extracted if the policy stops at p_stop ≥ threshold."""
        for time in range(minimum, min(len(self.choices), maximum)):
            if self.stops[time] >= threshold:
                return time
        return min(len(self.choices), maximum)


@torch.inference_mode()
def play(policy: Policy, batch: Batch, maximum: int, brevity: float = 0.0) -> list[Extraction]:
    """Extract up to `maximum` sentences of each document; ties go to the earlier sentence."""
    encoded = policy.encode(batch)
    price = _prices(batch, encoded.mask.shape[1], brevity) if brevity else 0.0
    state = State.start(encoded.mask)
    if encoded.stop_place is not None:
        # The stop sentence can be scored but not extracted: where it would win, the episode could have ended.
        state = State.start(encoded.mask.scatter(1, encoded.stop_place[:, None], False))
    steps: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    lengths = state.remaining.sum(dim=1)
    for time in range(min(maximum, int(lengths.max())) + 1):
        seen = state.remaining
        if encoded.stop_place is not None:
            seen = seen.scatter(1, encoded.stop_place[:, None], True)
        result = policy.step(encoded, State(seen, state.extracted, state.taken))
        logits = result.logits.float() - price
        best, choice = logits.masked_fill(~state.remaining, -torch.inf).max(dim=1)
        if encoded.stop_place is not None:
            stop = (logits.gather(1, encoded.stop_place[:, None])[:, 0] > best).float()
        elif result.stop is not None:
            stop = result.stop.float().sigmoid()
        else:
            stop = torch.zeros_like(best)
        stop = stop.masked_fill(~state.remaining.any(dim=1), 1)  # with nothing left, one has stopped
        steps.append((choice, best.sigmoid(), stop, time < lengths))
        state = state.extract(choice, time < lengths)
    columns = [torch.stack(column, dim=1).tolist() for column in zip(*steps, strict=True)]
    extractions = []
    for choices, scores, stops, active in zip(*columns, strict=True):
        count = min(sum(active), maximum)
        extractions.append(Extraction(tuple(choices[:count]), tuple(scores[:count]), tuple(stops[: count + 1])))
    return extractions


def _prices(batch: Batch, columns: int, brevity: float) -> Tensor:
    """The price (B, columns) of each sentence's words; nothing for padding, and for a stop sentence."""
    words = batch.gather("lengths")
    priced = torch.from_numpy(prices(words.cpu().numpy(), brevity)).to(words.device) * batch.mask
    return F.pad(priced, (0, columns - priced.shape[1]))


def place_in_document(
    extraction: Extraction, text: EncodedText, encoder: TextEncoder, length: LengthModel | None
) -> Extraction:
    """An episode in the document's own positions; p_stop by length, where that is known."""
    choices = tuple(int(text.places[choice]) for choice in extraction.choices)
    stops = length.stop(text, encoder).episode(choices) if length else extraction.stops
    return replace(extraction, choices=choices, stops=stops)
