"""Greedy episodes of any network: the paper's extraction, with a penalty for long sentences."""

from __future__ import annotations

from dataclasses import replace

import torch

from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.model.constraints import length_penalty
from memsum_train.paper.model import Extraction, extract
from memsum_train.policy.batch import Batch
from memsum_train.policy.network import Policy


def play(policy: Policy, batch: Batch, maximum: int, brevity: float = 0.0) -> list[Extraction]:
    """Extract up to `maximum` sentences of each document, with a penalty for long ones."""
    if not brevity:
        return extract(policy, batch, maximum)
    words = batch.gather("lengths")
    penalty = torch.from_numpy(length_penalty(words.cpu().numpy(), brevity)).to(words.device) * batch.mask
    return extract(policy, batch, maximum, penalty)


def place_in_document(
    extraction: Extraction, text: EncodedText, encoder: TextEncoder, length: LengthModel | None
) -> Extraction:
    """Translate an episode to the document's own indices; with a length model, p_stop is by length."""
    choices = tuple(int(text.indices[choice]) for choice in extraction.choices)
    stops = length.stop(text, encoder).episode(choices) if length else extraction.stops
    return replace(extraction, choices=choices, stops=stops)
