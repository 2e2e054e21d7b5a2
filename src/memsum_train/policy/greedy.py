"""What greedy episodes of any network need beside the paper's extraction: batches of texts, and places in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import LengthModel
from memsum_train.paper.model import Extraction
from memsum_train.policy.batch import Batch, collate, micro_batches

_PART_SENTENCES = 6_000  # in memory at once


def parts(
    texts: Sequence[EncodedText], which: Iterable[int], device: torch.device
) -> Iterator[tuple[list[int], Batch]]:
    """Yield batches of some texts of about one length, with their numbers."""
    sentences = np.array([len(text) for text in texts])
    for part in micro_batches(list(which), sentences, _PART_SENTENCES):
        yield part, collate([texts[i] for i in part]).to(device)


def place_in_document(
    extraction: Extraction, text: EncodedText, encoder: TextEncoder, length: LengthModel | None
) -> Extraction:
    """Translate an episode to the document's own indices; with a length model, p_stop is by length."""
    choices = tuple(int(text.indices[choice]) for choice in extraction.choices)
    stops = length.stop(text, encoder).episode(choices) if length else extraction.stops
    return replace(extraction, choices=choices, stops=stops)
