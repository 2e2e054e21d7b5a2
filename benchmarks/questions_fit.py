"""Learn the weights of `memsum.query.relevance` from questions with answers: `python benchmarks/questions.py … --fit`.

Three small convex problems, solved by Newton's method. WEIGHTS: the sentences of an answer's passage, those more that
share words with the answer, should have the largest sums (softmax over the document). SURE: the probability that a
sentence lies in the passage, with questions about documents of other kinds, which have none. ANSWER: how much shorter
than summaries answers are, the mean. First each half of the documents says how good what the other taught is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum import Summarizer
from memsum.english.stop_words import STOP_WORDS
from memsum.features.source_text import SourceText
from memsum.query.question import Question, stem
from memsum.query.relevance import WEIGHTS, Index, evidence, find_topic, relevance_features
from memsum.summary import count_words
from memsum.text import tokenize

if TYPE_CHECKING:
    from questions import Case

Floats = NDArray[np.float64]

IN_PASSAGE = 0.1  # share of the target that all sentences of the passage have alike
RIDGE = 1.0
FIXED = "heading"  # no document to learn from has one


@dataclass(frozen=True)
class Sample:
    """A question about a document, as numbers."""

    document: int
    values: Floats  # (N, WEIGHTS and the policy's logit)
    known: Floats  # (N, 4)
    target: Floats | None  # (N,) adds up to 1; None for a question about another document
    relevant: NDArray[np.bool_] | None  # (N,)


def fit(cases: Sequence[Case], summarizer: Summarizer) -> None:
    """Learn, and print what was learned."""
    names = [*WEIGHTS, "policy"]
    learned = [place for place, name in enumerate(names) if name != FIXED]
    samples, shorter = gather(cases, summarizer)
    own = [sample for sample in samples if sample.target is not None]
    halves = [[sample for sample in own if sample.document % 2 == half] for half in (0, 1)]
    shares = [share(halves[1 - half], fit_weights(halves[half], learned), learned) for half in (0, 1)]
    print(f"share of ten quotes that are relevant, learned from the other half of the documents: {np.mean(shares):.3f}")
    weights = fit_weights(own, learned)
    print("WEIGHTS", {names[place]: round(float(weight), 3) for place, weight in zip(learned, weights, strict=True)})
    print("SURE", fit_odds(samples).round(3).tolist())
    for source, values in shorter.items():
        print(f"ANSWER of {source}: {np.mean(values):.2f}")


def gather(cases: Sequence[Case], summarizer: Summarizer) -> tuple[list[Sample], dict[str, list[float]]]:
    """The questions of all documents; and how much shorter than summaries their answers are."""
    samples: list[Sample] = []
    shorter: dict[str, list[float]] = {}
    for number, case in enumerate(cases):
        document = case.document
        encoding = summarizer.runtime.encode(SourceText.of_documents([document]))
        index = encoding.index
        policy = encoding.episode(by_number=True)
        policy.extend(1)
        scores = policy.step_scores()[0][index.numbers]
        logits = np.log(scores) - np.log1p(-scores)
        forms = [_forms(case.sentences[place]) for place in index.numbers]
        lengths = np.array([count_words(case.sentences[place]) for place in index.numbers])
        for asked in case.asked:
            values, known = numbers(asked.query, index, logits)
            answers = [_forms(" ".join(answer)) for answer in asked.answers]
            shared = np.array([np.mean([len(own & answer) for answer in answers]) for own in forms])
            gains = shared**2 / (lengths + 3)
            relevant = asked.relevant[index.numbers] if asked.relevant is not None else np.ones(len(index), bool)
            even = relevant / max(relevant.sum(), 1)
            gains = gains * relevant / max(float((gains * relevant).sum()), 1e-9)
            target = IN_PASSAGE * even + (1 - IN_PASSAGE) * gains if asked.relevant is not None else gains
            samples.append(Sample(number, values, known, target, None if asked.relevant is None else relevant))
            words = np.mean([np.log(count_words(" ".join(answer))) for answer in asked.answers])
            if encoding.text.signals is not None:
                shorter.setdefault(asked.source, []).append(float(words - encoding.text.signals.expected))
        other = cases[(number + len(cases) // 2) % len(cases)]
        for asked in other.asked:
            if case.asked and asked.source != case.asked[0].source:
                values, known = numbers(asked.query, index, logits)
                samples.append(Sample(number, values, known, None, np.zeros(len(index), bool)))
    return samples, shorter


def numbers(query: str, index: Index, logits: NDArray[np.float32]) -> tuple[Floats, Floats]:
    topic = find_topic(Question.of(query), index)
    values = relevance_features(topic, index)
    sums = np.einsum("nf,f->n", values, np.array(list(WEIGHTS.values())))
    return np.concatenate([values, logits[:, None]], axis=1), np.asarray(evidence(sums, topic))


def fit_weights(samples: Sequence[Sample], columns: Sequence[int], rounds: int = 10) -> Floats:
    values = [sample.values[:, columns] for sample in samples]
    wanted = [sample.target @ x for sample, x in zip(samples, values, strict=True) if sample.target is not None]
    weights = np.zeros(len(columns))

    def loss(weights: Floats) -> float:
        total = 0.5 * RIDGE * float(weights @ weights)
        for x, want in zip(values, wanted, strict=True):
            sums = x @ weights
            total += float(np.log(np.exp(sums - sums.max()).sum()) + sums.max() - want @ weights)
        return total

    best = loss(weights)
    for _ in range(rounds):
        slope, curve = -RIDGE * weights, RIDGE * np.eye(len(columns))
        for x, want in zip(values, wanted, strict=True):
            sums = x @ weights
            chances = np.exp(sums - sums.max())
            chances /= chances.sum()
            mean = chances @ x
            slope += want - mean
            curve += (x * chances[:, None]).T @ x - np.outer(mean, mean)
        step = np.linalg.solve(curve, slope)
        while (now := loss(weights + step)) > best and np.abs(step).max() > 1e-6:
            step = step / 2
        weights = weights + step
        if best - now < 1e-2:
            break
        best = now
    return weights


def fit_odds(samples: Sequence[Sample], rounds: int = 20) -> Floats:
    """A logistic regression in which every question weighs the same, one about another document half of that."""
    chosen = [sample for sample in samples if sample.relevant is not None]
    x = np.concatenate([sample.known for sample in chosen])
    y = np.concatenate([sample.relevant for sample in chosen if sample.relevant is not None])
    sizes = [
        np.full(len(sample.known), (1.0 if sample.target is not None else 0.5) / len(sample.known)) for sample in chosen
    ]
    share = np.concatenate(sizes)
    odds = np.zeros(x.shape[1])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-x @ odds))
        curve = (x * (share * chance * (1 - chance))[:, None]).T @ x
        odds = odds + np.linalg.solve(curve + 1e-6 * np.eye(len(odds)), x.T @ (share * (y - chance)))
    return odds


def share(samples: Sequence[Sample], weights: Floats, columns: Sequence[int]) -> float:
    """Of the ten sentences with the largest sums, how many are relevant."""
    found = []
    for sample in samples:
        if sample.relevant is not None:
            best = np.argsort(-(sample.values[:, columns] @ weights), kind="stable")[:10]
            found.append(sample.relevant[best].mean())
    return float(np.mean(found))


def _forms(text: str) -> set[str]:
    """The stems of a text's words that are not too frequent to tell."""
    return {stem(word) for word in tokenize(text) if word[0].isalnum() and word not in STOP_WORDS}
