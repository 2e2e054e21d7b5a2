"""Whether the best sentences answer a question: evidence about the question as a whole, and a probability."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from memsum.arrays import F64, sigmoid
from memsum.query.question import Question
from memsum.query.sentence_index import AnswerFeatures

_KINDS = ("number", "date", "duration", "who", "where", "why", "how")
_FORMS = ("how many", "how much", "how long", "which", "what", "will", "yes or no")
_FAR = 4  # quotes with which the first is compared
_CLOSE = 0.4  # cosine of a sentence about what the question is about
_COMMON = 4.0  # −log of the share of all text that a word has that is hardly missed
_ODD = 0.5  # share of words that are no English ones, from which a question is taken for one in another language
# Cosine below which no sentence is about what a question asks in other words; share of the question that the document
# has words for, and likeness of its rarest word to any of the document, below which it is on another topic.
_UNLIKE, _UNKNOWN = 0.35, 0.5
UNLIKELY = 0.02  # probability of an answer there


def is_elsewhere(evidence: AnswerFeatures) -> bool:
    """Tell whether a question is in another language than the document, or on another topic."""
    matches = evidence.matches
    if not matches.known and matches.odd >= _ODD:
        return True
    likest = max(evidence.column("cosine").max(), evidence.column("context cosine").max())
    return max(matches.known, matches.rarest_known) < _UNKNOWN and bool(likest < _UNLIKE)


def summarize_evidence(question: Question, evidence: AnswerFeatures, scores: F64) -> dict[str, float]:
    """Return what is known of a question and its candidates' scores, (R,)."""
    order = np.argsort(-scores, kind="stable")
    first, best = order[0], float(scores.max())
    cosines, in_context = evidence.column("cosine"), evidence.column("context cosine")
    matches, gives = evidence.matches, evidence.gives
    return {
        "score": best,
        "margin": best - float(scores[order[min(_FAR, len(order) - 1)]]),
        "spread": float(np.log(np.exp(scores - best).sum())),
        "best cosine": float(cosines.max()),
        "best in context": float(in_context.max()),
        "first in context": float(in_context[first]),
        "coverage": float(evidence.column("coverage")[first]),
        "close": float(np.log1p((cosines > _CLOSE).sum())),
        "nearest": matches.nearest,
        "topic": matches.topic,
        "known": matches.known,
        "rarest missing": max(matches.missing, default=_COMMON) - _COMMON,
        "rarest known": matches.rarest_known,
        "names": float(len(question.names)),
        "names missing": matches.names_missing,
        "question words": float(len(question.words)),
        "typed": float(bool(question.expects - {"how"})),
        "typed score": float(scores[gives].max() if gives.any() else scores.min()) - best,
        "money": float(question.asks_for_money),
        **{kind: float(kind in question.expects) for kind in _KINDS},
        **{form: float(form in question.forms) for form in _FORMS},
    }


def probability(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the probability that the quotes answer the question."""
    return float(
        sigmoid(np.float64(weights["constant"] + sum(weights[name] * value for name, value in values.items())))
    )
