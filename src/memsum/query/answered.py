"""Whether the best sentences answer a question: evidence about the question as a whole, and a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memsum.arrays import F64, dot, sigmoid
from memsum.query.evidence import PROSE, Evidence
from memsum.query.question import Question

_KINDS = ("number", "date", "duration", "who", "where", "why", "how")
_FORMS = ("how many", "how much", "how long", "which", "what", "will", "yes or no")
_FIRST = ("cosine", "with previous", "static", "heading")
# What is known of a question and its best candidates, in this order.
ANSWERED = (
    *("score", "margin", "spread", "sentences", "best cosine", "cosine apart", "cosine 2", "cosine 3"),
    *(f"first {name}" for name in _FIRST),
    *("known", "rarest missing", "missing", "question words"),
    *(
        "alike known",
        "least known",
        "rarest known",
        "topic",
        "names missing",
        "names",
        "alike",
        "best alike",
        "best heading",
        "close",
    ),
    *("typed", "typed score", "typed cosine", "number cosine", "number coverage", "typed in three"),
    *("counts", "counted in five", "counted", "money", "amount in five"),
    *_KINDS,
    *_FORMS,
)
_FAR = 4  # quotes with which the first is compared
_CLOSE = 0.4  # cosine of a sentence about what the question is about
_ODD = 0.5  # share of words that are no English ones, from which a question is taken for one in another language
# Cosine below which no sentence is about what a question asks in other words: of the questions to learn from, 20 with
# an answer and 1,319 about other documents are below it.
_UNLIKE = 0.35
UNLIKELY = 0.02  # probability of an answer there
_BOUND = 4.0  # standard deviations


def is_elsewhere(evidence: Evidence) -> bool:
    """Tell whether none of a question's words is in the document, and it is in another language or on another topic."""
    matches = evidence.matches
    return not matches.known and (matches.odd >= _ODD or float(evidence.cosines.max()) < _UNLIKE)


def summarize_evidence(question: Question, evidence: Evidence, scores: F64) -> F64:
    """Return what is known of a question and its candidates' scores (R,): (ANSWERED,)."""
    order = np.argsort(-scores, kind="stable")
    first, best = order[0], float(scores.max())
    column = {name: evidence.values[:, position] for position, name in enumerate(PROSE)}
    cosines, coverage, gives = evidence.cosines, evidence.coverage, evidence.gives
    matches = evidence.matches
    three, five = order[:3], order[:5]
    typed = float(not gives.all() or bool(question.expects - {"how"}))
    is_number = float(bool(question.expects & {"number", "duration"}))
    none = not gives.any()
    typed_cosine = 0.0 if none else float(cosines[gives].max())
    typed_coverage = 0.0 if none else float(coverage[gives].max())
    typed_score = float(scores.min() if none else scores[gives].max())
    has_noun, money = float(question.noun is not None), float(question.asks_for_money)
    values = [
        best,
        best - float(scores[order[min(_FAR - 1, len(order) - 1)]]),
        float(np.log(np.exp(scores - best).sum())),
        float(np.log(len(scores))),
        float(cosines.max()),
        float((cosines.max() - cosines.mean()) / (cosines.std() + 1e-6)),
        *(float(cosines[order[rank]]) if len(order) > rank else 0.0 for rank in (1, 2)),
        *(float(column[name][first]) for name in _FIRST),
        matches.known,
        max(matches.missing, default=4.0) - 4.0,
        len(matches.missing) / max(len(question.words), 1),
        float(len(question.words)),
        matches.alike_known,
        matches.least_known,
        matches.rarest_known,
        matches.topic,
        matches.names_missing,
        float(len(question.names)),
        float(evidence.alike[three].max()),
        float(evidence.alike.max()),
        float(column["heading"].max()),
        float(np.log1p((cosines > _CLOSE).sum())),
        typed,
        typed_score - best,
        typed * typed_cosine,
        is_number * typed_cosine,
        is_number * typed_coverage,
        typed * float(gives[three].mean()),
        has_noun,
        has_noun * float(column["counted"][five].max()),
        has_noun * float(column["counted"].max()),
        money,
        money * float(column["amount"][five].max()),
        *(float(kind in question.expects) for kind in _KINDS),
        *(float(form in question.forms) for form in _FORMS),
    ]
    return np.array(values)


def probability(values: F64, weights: Mapping[str, Sequence[Any]]) -> float:
    """Return the probability that the quotes answer the question: a linear term and a hidden layer."""
    x = np.clip((values - np.array(weights["mean"])) / np.array(weights["scale"]), -_BOUND, _BOUND)
    hidden = np.tanh(dot(np.array(weights["hidden"]), x) + np.array(weights["bias"]))
    logit = dot(np.array([weights["linear"]]), x)[0] + hidden @ np.array(weights["output"]) + weights["constant"][0]
    return float(sigmoid(np.float64(logit)))
