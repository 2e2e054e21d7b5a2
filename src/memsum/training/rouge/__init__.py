"""ROUGE: fast scores, signatures, and the compiled search that high-ROUGE episodes need."""

from memsum.training.rouge.scores import MEASURES, VARIANTS, Signature, aggregate, score_many

__all__ = ["MEASURES", "VARIANTS", "Signature", "aggregate", "score_many"]
