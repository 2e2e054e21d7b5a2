"""Whether the best sentences answer a question: evidence about the question as a whole, and a probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
UNLIKELY = 0.02  # probability of an answer to such a question
# Of 0.3 to 2: the others refuse fewer unanswerable questions, or fewer about other documents, with kinds left out.
_ABOUT = 0.5


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
        "coverage": float(matches.coverage[evidence.rows[first]]),
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


def probability(question: Question, evidence: AnswerFeatures, scores: F64, weights: Mapping[str, Any]) -> float:
    """Return the probability that the quotes answer the question.

    The document must be about it, as it is not about questions that were asked of others; and it must answer it, as it
    does not answer all that one could ask about its topic.
    """
    if not evidence.matches.known and evidence.matches.odd >= _ODD:
        return UNLIKELY
    values = summarize_evidence(question, evidence, scores)
    answers, about = (
        float(sigmoid(np.float64(own["constant"] + sum(own[name] * value for name, value in values.items()))))
        for own in (weights["answered"], weights["about"])
    )
    return float(answers * about**_ABOUT)
