"""ROUGE: fast scores, confidence intervals, signatures, and the compiled search that high-ROUGE episodes need."""

from memsum.rouge.bootstrap import Comparison, Interval, bootstrap_interval, paired_bootstrap
from memsum.rouge.scores import MEASURES, VARIANTS, RougeScores, Score, score, score_many
from memsum.rouge.signature import CorpusScore, Signature, summarise

__all__ = [
    "MEASURES",
    "VARIANTS",
    "Comparison",
    "CorpusScore",
    "Interval",
    "RougeScores",
    "Score",
    "Signature",
    "bootstrap_interval",
    "paired_bootstrap",
    "score",
    "score_many",
    "summarise",
]
