"""Learn the weights of `memsum.query` from questions with known answers.

    python benchmarks/questions_fit.py KEYS.jsonl... [--also PAPERS.jsonl.zst] [--output WEIGHTS.json]

Four small problems, solved by L-BFGS. "relevance": a score whose softmax over a document's candidates is high for
those that answer. "answered" and "about": the probabilities that the best quotes answer, from questions of which the
keys say that the document has no answer, and that the document is about the question, from questions about other
documents. "quote": the probability that one quote answers. Scores for the last three, and all that is printed, come
from weights that were learned without the kinds of documents like the own one: `GROUPS`. The threshold is the one below
which the share `REFUSED` of the questions with an answer falls.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.query.answerability import probability, summarize_evidence
from memsum.query.embedder import Embedder
from memsum.query.index import quote_evidence, quote_probabilities, relevance_scores
from memsum.query.passages import Passages
from memsum.query.question import Question
from memsum.query.relevance import POSSIBLE
from memsum.query.sentence_index import COLUMNS, AnswerFeatures, SentenceIndex
from question_sets import Case, read_cases

GROUPS = [
    set(kinds.split())
    for kinds in (
        "blog article newsletter opinion thread essay explainer",
        "guide readme howto health local slides office practical techdoc",
        "news announcement call release security letter incident brief",
        "policy manual contract governance standard legal-guide",
        "minutes lesson textbook chapter decision proposal history",
    )
]  # and all others
RIDGE, RIDGE_OF_PIECES = 3e-3, 5e-3  # of 1e-3 to 1e-2 each, with kinds left out
MATCHING = 10.0  # so that its weight is learned as fast as those of columns in standard deviations
REFUSED = 0.05
ELSEWHERE = 3  # questions about other documents per document
EXCERPT = 5, 25  # sentences of excerpts, one per document: mails and notes are as short
KINDS = ("asked", "unanswerable", "elsewhere")
# Weight of questions about excerpts, and of those in other files.
SHORT, ALSO = 0.3, 0.3

Floats = NDArray[np.float64]


@dataclass
class Sample:
    """A question about a document of a group of kinds; those of other files (−1) are never left out."""

    group: int
    question: Question
    evidence: AnswerFeatures
    relevant: NDArray[np.bool_]  # (R,) of the candidates
    kind: str  # "asked", "unanswerable" or "elsewhere"
    is_short: bool
    scores: Floats | None = None  # by weights learned without the group

    @property
    def apart(self) -> Floats:
        if self.scores is None:
            raise ValueError("not yet scored")
        return self.scores


def group_of(kind: str) -> int:
    return next((number for number, kinds in enumerate(GROUPS) if kind in kinds), len(GROUPS))


def gather(cases: Sequence[Case], embedder: Embedder, *, has_keys: bool) -> Iterable[Sample]:
    """Ask all questions; where the keys tell what has no answer, also of excerpts and of other documents."""
    generator = np.random.default_rng(0)
    for case in cases:
        others = [cases[number] for number in generator.permutation(len(cases))[: ELSEWHERE + 1].tolist()]
        strangers = [
            other.asked[int(generator.integers(len(other.asked)))].text
            for other in others
            if other is not case and other.asked
        ][:ELSEWHERE]
        size = int(generator.integers(*EXCERPT))
        start = int(generator.integers(max(len(case.passages) - size, 0) + 1))
        excerpt = Passages(case.passages.members[start : start + size], 0)
        for begin, passages in ((0, case.passages), (start, excerpt)) if has_keys else ((0, case.passages),):
            index = SentenceIndex(passages, embedder)
            group, is_short = (group_of(case.source) if has_keys else -1), len(passages) < EXCERPT[1]
            asked = [
                (one.text, one.relevant[begin : begin + len(passages)])
                for one in case.asked
                if one.relevant is not None
            ]
            texts = [(text, relevant, "asked") for text, relevant in asked if relevant.any()]
            if has_keys:
                nothing = np.zeros(len(passages), bool)
                texts += [(text, nothing, "unanswerable") for text in case.unanswerable]
                texts += [(text, nothing, "elsewhere") for text in strangers]
            for text, relevant, kind in texts:
                question = Question.of(text)
                if question.words:
                    evidence = index.gather(question)
                    yield Sample(group, question, evidence, relevant[evidence.rows], kind, is_short)


def minimize(loss: Callable[[], Tensor], parameters: Sequence[Tensor]) -> None:
    optimizer = torch.optim.LBFGS(parameters, max_iter=150, history_size=20, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)


def fit_relevance(samples: Iterable[Sample]) -> dict[str, Any]:
    """Learn the weights of columns, and how much each piece of a question matters."""
    kept = [one for one in samples if one.kind == "asked" and one.relevant.any() and not one.is_short]
    values = np.concatenate([one.evidence.values for one in kept])
    scale = values.std(axis=0) + 1e-6
    rows = torch.tensor((values - values.mean(axis=0)) / scale, dtype=torch.float32)
    wanted = torch.tensor(np.concatenate([one.relevant for one in kept]))
    group = torch.tensor(np.repeat(np.arange(len(kept)), [len(one.relevant) for one in kept]))
    share = torch.tensor([ALSO if one.group < 0 else 1.0 for one in kept])
    longest = max(len(one.evidence.pieces) for one in kept)
    pieces = torch.zeros(len(kept), longest, kept[0].evidence.pieces.shape[1])
    likeness = torch.zeros(len(rows), longest)
    for number, one in enumerate(kept):
        pieces[number, : len(one.evidence.pieces)] = torch.from_numpy(one.evidence.pieces)
        likeness[group == number, : len(one.evidence.pieces)] = torch.from_numpy(one.evidence.likeness)
    is_piece = torch.arange(longest) < torch.tensor([[len(one.evidence.pieces)] for one in kept])
    linear, count = torch.zeros(len(COLUMNS), requires_grad=True), len(kept)
    matters, matching = torch.zeros(pieces.shape[2], requires_grad=True), torch.ones(1, requires_grad=True)

    def total(logits: Tensor) -> Tensor:
        best = torch.full((count,), -1e9).scatter_reduce(0, group, logits, "amax")
        return best + torch.log(torch.zeros(count).index_add(0, group, torch.exp(logits - best[group])))

    def loss() -> Tensor:
        shares = torch.softmax(torch.where(is_piece, pieces @ matters, -1e4), dim=1)
        logits = rows @ linear + MATCHING * matching * (likeness * shares[group]).sum(dim=1)
        errors = total(logits) - total(torch.where(wanted, logits, -1e4))
        smooth = RIDGE * (linear**2).sum() + RIDGE_OF_PIECES * (matters**2).sum()
        return (share * errors).sum() / share.sum() + smooth

    minimize(loss, [linear, matters, matching])
    return {
        **dict(zip(COLUMNS, rounded(linear.detach().numpy() / scale), strict=True)),
        "matching": round(MATCHING * float(matching.detach()), 4),
        "matters": rounded(matters.detach().numpy()),
    }


def fit_logistic(values: Floats, wanted: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return a weight for each column, and a constant."""
    mean, scale = values.mean(axis=0), values.std(axis=0) + 1e-6
    rows = torch.tensor((values - mean) / scale, dtype=torch.float32)
    target, share = torch.tensor(wanted, dtype=torch.float32), torch.tensor(weights / weights.sum())
    linear, constant = torch.zeros(values.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)

    def loss() -> Tensor:
        logits = rows @ linear + constant
        errors = torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        return (share * errors).sum() + RIDGE * (linear**2).sum()

    minimize(loss, [linear, constant])
    learned = linear.detach().numpy().astype(np.float64) / scale
    return np.append(learned, float(constant.detach()) - learned @ mean)


def fit_answered(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Learn to tell questions with an answer from those without one, and from those about other documents."""
    learned = {}
    for name, other in (("answered", "unanswerable"), ("about", "elsewhere")):
        own = [one for one in samples if one.kind in ("asked", other)]
        rows = [summarize_evidence(one.question, one.evidence, one.apart) for one in own]
        is_asked = np.array([one.kind == "asked" for one in own])
        weights = np.where([one.is_short for one in own], SHORT, 1.0)
        weights /= np.where(is_asked, is_asked.sum(), (~is_asked).sum())
        values = fit_logistic(np.array([list(row.values()) for row in rows]), is_asked, weights)
        learned[name] = dict(zip((*rows[0], "constant"), rounded(values), strict=True))
    return learned


def fit_quote(samples: Sequence[Sample], found: Floats) -> list[float]:
    """Learn the probability that a quote answers, from that of the question and from all scores."""
    values, wanted = [], []
    for sample, share in zip(samples, found.tolist(), strict=True):
        best = np.argsort(-sample.apart)[:8]
        values.append(quote_evidence(sample.apart, share)[best])
        wanted.append(sample.relevant[best])
    joined = np.concatenate(values)
    return rounded(fit_logistic(joined, np.concatenate(wanted), np.ones(len(joined))))


def rounded(values: Floats) -> list[float]:
    return [round(float(value), 4) for value in values]


def fit(samples: Sequence[Sample]) -> dict[str, Any]:
    """Learn everything, and print how good it is on groups of kinds that it was not learned from."""
    keyed = [one for one in samples if one.group >= 0]
    groups = sorted({one.group for one in keyed})
    for group in groups:
        weights = fit_relevance([one for one in samples if one.group != group])
        for one in keyed:
            if one.group == group:
                one.scores = relevance_scores(one.evidence, weights)
    found = np.zeros(len(keyed))
    own_group = np.array([one.group for one in keyed])
    for group in groups:
        weights = fit_answered([one for one in keyed if one.group != group])
        for number in np.flatnonzero(own_group == group).tolist():
            one = keyed[number]
            found[number] = probability(one.question, one.evidence, one.apart, weights)
    kinds, is_short = np.array([one.kind for one in keyed]), np.array([one.is_short for one in keyed])
    natural = np.isin(kinds, ("asked", "unanswerable")) & ~is_short
    threshold = float(np.quantile(found[natural & (kinds == "asked")], REFUSED))
    quotes = np.zeros((0, 2))
    for group in groups:
        others, members = (np.flatnonzero(natural & part).tolist() for part in (own_group != group, own_group == group))
        quote = fit_quote([keyed[number] for number in others], found[others])
        for number in members:
            if found[number] >= threshold:
                first = int(keyed[number].apart.argmax())
                share = quote_probabilities(keyed[number].apart, float(found[number]), quote)[first]
                quotes = np.append(quotes, [[share, keyed[number].relevant[first]]], axis=0)
    report(keyed, found, threshold, quotes)
    everything = np.flatnonzero(natural).tolist()
    return {
        "relevance": fit_relevance(samples),
        **fit_answered(keyed),
        "found": round(threshold, 4),
        "quote": fit_quote([keyed[number] for number in everything], found[everything]),
    }


def report(samples: Sequence[Sample], found: Floats, threshold: float, quotes: Floats) -> None:
    whole = [one for one in samples if one.kind == "asked" and not one.is_short]
    hits = [one.relevant[np.argsort(-one.apart, kind="stable")] for one in whole]
    shares = [np.mean([own[:count].any() for own in hits]) for count in (1, 3)]
    print(f"{len(whole)} questions, kinds left out: answer first {shares[0]:.3f}, among three {shares[1]:.3f}")
    for kind in KINDS:
        for short in (False, True):
            own = np.array([one.kind == kind and one.is_short == short for one in samples])
            where = "excerpts and short documents" if short else "documents"
            print(f"refused of {kind}, {where}: {(found[own] < threshold).mean():.3f} of {own.sum()}")
    for least in (POSSIBLE, *np.arange(0.5, 0.8, 0.05).round(2)):
        part = quotes[quotes[:, 0] >= least]
        print(f"first quotes of probability {least} or more: {part[:, 1].mean():.3f} of {len(part)} answer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", type=Path, nargs="+")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="questions without kinds")
    parser.add_argument("--output", type=Path, default=Path("src/memsum/query/minilm/weights.json"))
    options = parser.parse_args()
    embedder = Embedder(options.output.parent)
    samples: list[Sample] = []
    for paths, has_keys in ((options.keys, True), (options.also, False)):
        cases = [case for path in paths for case in read_cases(path) if len(case.passages)]
        samples += gather(cases, embedder, has_keys=has_keys)
    options.output.write_text(json.dumps(fit(samples), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
