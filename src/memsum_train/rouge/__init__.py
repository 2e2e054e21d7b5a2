"""ROUGE: fast scores, signatures, and the compiled search that high-ROUGE episodes need."""

from memsum_train.rouge.scores import F1, VARIANTS, rouge_signature, score_many

__all__ = ["F1", "VARIANTS", "rouge_signature", "score_many"]
