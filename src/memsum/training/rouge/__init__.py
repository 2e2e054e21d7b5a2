"""ROUGE: fast scores, signatures, and the compiled search that high-ROUGE episodes need."""

from memsum.training.rouge.scores import MEASURES, VARIANTS, CorpusScore, Signature, score_many, summarise

__all__ = ["MEASURES", "VARIANTS", "CorpusScore", "Signature", "score_many", "summarise"]
