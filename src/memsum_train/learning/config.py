"""Settings of a training of the network: every default is here and nowhere else."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memsum.errors import TrainingError
from memsum.settings import check_settings, setting

ObjectiveName = Literal["episodes", "repeats", "gains", "ngram_gain", "self_play"]


@dataclass(frozen=True)
class TrainingConfig:
    """How a network is trained; the defaults are what learned fastest per second on two cores."""

    objective: ObjectiveName = setting(
        "episodes",
        "What is learned: episodes (the paper), repeats (with a loss against repeats), gains (NeuSum); "
        "with the history counted: ngram_gain, then self_play.",
    )
    epochs: float = setting(8, "Passes over the corpus, at most.", gt=0)
    documents: int = setting(0, "Documents to learn from in all passes, at most; 0: no limit.", ge=0)
    batch: int = setting(16, "Documents per update, over all processes. Paper: 128.", ge=1)
    learning_rate: float = setting(1e-3, "Peak learning rate. Paper: 1e-4 at batch 128.", gt=0)
    seed: int = setting(0, "Random seed of weights, order of documents, episodes and dropout.", ge=0)
    states: int = setting(2, "States of an episode per document and update, except of episodes; 0: all.", ge=0)
    samples: int = setting(2, "Episodes per document that self_play plays and compares.", ge=2)
    schedule: Literal["cosine", "constant"] = setting("cosine", "Warm-up and cosine, or a fixed rate. Paper: fixed.")
    warmup: int = setting(100, "Updates until the peak learning rate, at most a tenth of all.", ge=0)
    final_rate: float = setting(0.05, "Share of the learning rate that the cosine ends at.", ge=0)
    optimizer: Literal["adamw", "adam"] = setting("adamw", "Paper: adam.")
    betas: tuple[float, float] = setting((0.9, 0.99), "Of the optimizer. Paper: 0.9, 0.999.", ge=0, lt=1)
    weight_decay: float = setting(1e-6, "Of the optimizer.", ge=0)
    clip: float = setting(1.0, "Largest norm of the gradient; 0: any, as in the paper.", ge=0)
    average: float = setting(0.999, "Decay of the moving average of the weights, which is kept.", ge=0, lt=1)
    temperature: float = setting(1.0, "1: every document is seen equally often; 0: every source is.")
    repeats: float = setting(1.0, "Weight of the loss against repeats, of the objective repeats.", ge=0)
    block_dropout: float = setting(0.5, "Share of documents seen shorter, without blocks of sentences. Paper: 0.")
    split_noise: float = setting(0.0, "Share of documents seen with sentences joined, as by a careless splitter.")
    layout_noise: float = setting(0.0, "Share of documents seen with made-up captions, bylines and mail headers.")
    feature_dropout: float = setting(0.0, "Share of documents seen without one group of signals, for each group.")
    max_sentences: int = setting(22, "Maximum sentences to extract in validation and self_play.", ge=1)
    threshold: float = setting(
        0.0, "p_thres: validation stops there, or at max_sentences; 0: at the best of many.", ge=0, le=1
    )
    validate_every: int = setting(500, "Updates between validations, of which there is one per pass at least.", ge=1)
    patience: int = setting(8, "Validations without improvement before stopping.", ge=1)
    keep: Literal["best", "last"] = setting(
        "best", "Weights that are kept: those of the best validation, or the last ones, which validation only reports."
    )
    precision: Literal["fp32", "bf16", "fp16"] = setting(
        "fp32", "On GPUs, bf16 is faster; fp16, with scaled losses, on those without bf16."
    )
    part_sentences: int = setting(3_000, "Sentences in memory at once, with padding, in all states.", ge=1)

    def __post_init__(self) -> None:
        check_settings(self, TrainingError)

    def updates(self, documents: int) -> int:
        """Return how many updates a training on a corpus of so many documents has."""
        updates = self.epochs * math.ceil(documents / self.batch)
        return max(1, round(min(updates, self.documents / self.batch) if self.documents else updates))

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "betas": list(self.betas)}


@dataclass(frozen=True)
class TargetSettings:
    """The last training: documents with keys beside documents of corpora, whose ratings are kept."""

    documents: int = setting(2_000, "Documents of the corpora.")
    temperature: float = setting(0.5, "A corpus of n documents is sampled about n ** temperature times.")
    rounds: int = setting(2, "Rounds, in each of which the learning rate rises and falls.", ge=1)
    passes: int = setting(16, "Passes over the documents with keys in a round.")
    batch: int = setting(12, "Documents with keys per update.", ge=1)
    corpora: int = setting(12, "Documents of corpora per update.", ge=0)
    corpora_weight: float = setting(1.0, "Weight of their loss.")
    states: int = setting(2, "States of each document per update.", ge=1)
    rate: float = setting(2e-3, "Learning rate of the columns' part, at its largest.")
    ngram_rate: float = setting(1e-2, "The same of the weights of words and pairs of words.")
    network_rate: float = setting(3e-4, "The same of the layers that the network has already learned.")
    decay: float = setting(0.05, "Weight decay of the columns' part.")
    average: float = setting(0.98, "Decay of the moving average of the weights.")
    unstructured: float = setting(0.3, "Share of the corpora's documents that are shown without their paragraphs.")
    foreign: float = setting(0.5, "Share of the corpora's documents that are shown without their words.")
    foreign_keys: float = setting(0.1, "The same of the documents with keys.")
    seed: int = setting(0, "Random seed of order, states and dropout.")
