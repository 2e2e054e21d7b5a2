"""Validation: play the episodes of held-out documents, and score them by source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from memsum.errors import TrainingError
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.features.expected_length import LengthModel
from memsum_train.corpus.records import Example, by_kind
from memsum_train.evaluation.stopping import THRESHOLDS, PrefixScores, StopPoint, best_point
from memsum_train.learning.distributed import World
from memsum_train.paper.model import Extraction, extract
from memsum_train.policy import Policy
from memsum_train.policy.greedy import parts, place_in_document

MAXIMA = (5, 7, 10, 15, 22)


@dataclass(frozen=True)
class Validation:
    """Scores of each source at its best stop, and of all documents at the stop that is best for all."""

    overall: StopPoint
    by_source: dict[str, StopPoint]

    @property
    def score(self) -> float:
        """Return what early stopping watches: the mean over sources, so that a large one does not drown the others."""
        return float(np.mean([point.mean for point in self.by_source.values()]))

    def to_dict(self) -> dict[str, Any]:
        sources = {source: asdict(point) for source, point in self.by_source.items()}
        return {"score": self.score, "overall": asdict(self.overall), "sources": sources}


class ValidationSet:
    """Held-out documents with human summaries, encoded once."""

    def __init__(
        self,
        examples: Iterable[Example],
        encoder: TextEncoder,
        length: LengthModel | None = None,
    ) -> None:
        """With a length model, episodes stop by it."""
        self.encoder = encoder
        self.length = length
        self.examples = [example for example in examples if example.text and example.summary]
        if not self.examples:
            raise TrainingError("The validation corpus has no document with a summary.")
        self.texts: list[EncodedText] = [
            encoder.encode(example.text, example.sections, example.title) for example in self.examples
        ]

    def __len__(self) -> int:
        return len(self.examples)

    def play(self, policy: Policy, maximum: int, world: World) -> list[Extraction]:
        """Play the documents' episodes, in the documents' own indices; dealt out to all processes."""
        mine = range(world.rank, len(self), world.size)
        played: dict[int, Extraction] = {}
        for part, batch in parts(self.texts, mine, world.device):
            for i, extraction in zip(part, extract(policy, batch, maximum), strict=True):
                played[i] = place_in_document(extraction, self.texts[i], self.encoder, self.length)
        return world.gather([played[i] for i in mine])

    def validate(self, policy: Policy, maximum: int, world: World, threshold: float = 0.0) -> Validation:
        """Play and score; without a threshold, every source has its own best stop, as lengths of summaries differ."""
        was_training = policy.training
        policy.eval()
        extractions = self.play(policy, maximum, world)
        policy.train(was_training)
        maxima = [maximum] if threshold else sorted({m for m in MAXIMA if m < maximum} | {maximum})
        thresholds = [threshold] if threshold else THRESHOLDS
        by_source: dict[str, StopPoint] = {}
        for kind, rows in sorted(by_kind(self.examples).items()):
            scores = PrefixScores([extractions[i] for i in rows], [self.examples[i] for i in rows])
            by_source[kind or "all"] = best_point(scores.grid(thresholds, maxima))
        overall = best_point(PrefixScores(extractions, self.examples).grid(thresholds, maxima))
        return Validation(overall, by_source)
