"""Learn the weights of `memsum.query` from questions with known answers.

    python benchmarks/questions_fit.py --prose PAPERS.jsonl.zst KEYS.jsonl --transcripts MEETINGS.jsonl.zst
        [--output src/memsum/query/minilm/weights.json]

Five small problems, solved by L-BFGS. "first", "prose" and "transcript": scores whose softmax over a document's
sentences is high for those that answer; "first" chooses the candidates that are encoded. "answered": the probability
that the best quotes answer, from questions of which the keys say that the document has no answer, about other
documents, and with the answer removed. "quote": the same for one quote. The threshold is the one below which the share
`REFUSED` of the answerable questions about whole documents falls. Scores for the last two come from weights that were
learned without the document.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from memsum.query.answered import ANSWERED, UNLIKELY, is_elsewhere, probability, summarize_evidence
from memsum.query.embedder import Embedder
from memsum.query.evidence import FIRST, PROSE, TRANSCRIPT, Evidence, Lexicon
from memsum.query.index import prose_scores, transcript_values
from memsum.query.passages import Passages
from memsum.query.question import Question
from question_sets import read_cases

FOLDS = 5
RIDGE = 1e-3
HIDDEN, SEEDS, HIDDEN_RIDGE = 8, 3, 3e-3
REFUSED = 0.05
SWAPPED = 4  # questions about other documents per document
EXCERPT = 5, 25  # sentences of excerpts, one per document: mails and notes are as short
# Weights of questions without an answer: by the keys, about other documents, with the answer removed.
WITHOUT = {"unanswerable": 0.6, "elsewhere": 0.45, "removed": 0.02}
SHORT = 0.3  # weight of a question about an excerpt or a short document, beside one about a whole one
WITHIN, MOST = 1.5, 5  # of an answer's scores, and its sentences
IN_TRANSCRIPT = 3.0, 10
# Which sentences of a passage are quoted: passages of a hundred turns do not teach it. They cost 0.04 of the share of
# ten quotes that lie in the passages (0.44), and small talk is no longer quoted.
IN_PASSAGE = {"prose": 0.5, "speaker": 1.0, "length": 0.3, "short": -1.0, "question": -0.3}

Floats = NDArray[np.float64]


@dataclass
class Sample:
    """A question about a document."""

    file: int
    document: int
    question: Question
    evidence: Evidence
    relevant: NDArray[np.bool_]  # (N,)
    kind: str  # "asked", "unanswerable", "elsewhere" or "removed"
    scores: Floats | None = None  # of the candidates, by weights learned without the document

    @property
    def target(self) -> NDArray[np.bool_]:
        return self.relevant[self.evidence.rows]


def gather(path: Path, file: int, embedder: Embedder, documents: int | None = None) -> list[Sample]:
    """Ask all questions of a file; where it has unanswerable ones, also of excerpts and of other documents."""
    cases = list(read_cases(path, documents))
    with_keys = any(case.unanswerable for case in cases)
    generator = np.random.default_rng(0)
    samples: list[Sample] = []

    def add(place: int, lexicon: Lexicon, text: str, relevant: NDArray[np.bool_] | None, kind: str) -> None:
        question = Question.of(text)
        relevant = np.zeros(len(lexicon.passages), bool) if relevant is None else relevant
        samples.append(Sample(file, place, question, lexicon.gather(question), relevant, kind))

    for number, case in enumerate(cases):
        asked = [one for one in case.asked if one.relevant is not None and one.relevant.any()]
        lexicon = Lexicon(case.passages, embedder)
        for one in asked:
            add(number, lexicon, one.text, one.relevant, "asked")
        if not with_keys:
            continue
        for text in case.unanswerable:
            add(number, lexicon, text, None, "unanswerable")
        strangers = []
        for other in generator.permutation(len(cases))[:SWAPPED].tolist():
            texts = [one.text for one in cases[other].asked]
            if other != number and texts:
                strangers.append(texts[int(generator.integers(len(texts)))])
                add(number, lexicon, strangers[-1], None, "elsewhere")
        size = int(generator.integers(*EXCERPT))
        start = int(generator.integers(max(len(case.passages) - size, 0) + 1))
        excerpt = Passages(case.passages.members[start : start + size], 0)
        lexicon = Lexicon(excerpt, embedder)
        for one in asked:
            inside = one.relevant[start : start + size]
            add(number, lexicon, one.text, inside, "asked" if inside.any() else "removed")
        for text in case.unanswerable:
            add(number, lexicon, text, None, "unanswerable")
        for text in strangers:
            add(number, lexicon, text, None, "elsewhere")
    return samples


def without_answer(sample: Sample) -> Sample:
    """Return a question as if the sentences that answer it were not in the document."""
    evidence, left = sample.evidence, ~sample.target
    kept = replace(
        evidence,
        rows=evidence.rows[left],
        values=evidence.values[left],
        cosines=evidence.cosines[left],
        coverage=evidence.coverage[left],
        alike=evidence.alike[left],
        gives=evidence.gives[left],
    )
    scores = None if sample.scores is None else sample.scores[left]
    return replace(sample, evidence=kept, relevant=np.zeros_like(sample.relevant), kind="removed", scores=scores)


def minimize(loss: Callable[[], Tensor], parameters: Sequence[Tensor], steps: int = 150) -> None:
    optimizer = torch.optim.LBFGS(parameters, max_iter=steps, history_size=20, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)


def fit_scores(
    values: Sequence[NDArray[Any]], targets: Sequence[NDArray[np.bool_]], weights: Floats, *, all_alike: bool
) -> Floats:
    """Learn a linear score; `all_alike`: every sentence of a passage is wanted, not any one that answers."""
    x = np.concatenate(values)
    scale = x.std(axis=0) + 1e-6
    rows = torch.tensor((x - x.mean(axis=0)) / scale, dtype=torch.float32)
    wanted = torch.tensor(np.concatenate(targets))
    group = torch.tensor(np.repeat(np.arange(len(values)), [len(one) for one in values]))
    share = torch.tensor(weights / weights.sum(), dtype=torch.float32)
    linear = torch.zeros(x.shape[1], requires_grad=True)
    number = len(values)

    def total(logits: Tensor) -> Tensor:
        best = torch.full((number,), -1e9).scatter_reduce(0, group, logits, "amax")
        return best + torch.log(torch.zeros(number).index_add(0, group, torch.exp(logits - best[group])))

    def loss() -> Tensor:
        logits = rows @ linear
        if all_alike:
            many = torch.zeros(number).index_add(0, group, wanted.float())
            right = torch.zeros(number).index_add(0, group, logits * wanted) / many
        else:
            right = total(torch.where(wanted, logits, -1e4))
        return (share * (total(logits) - right)).sum() + RIDGE * (linear**2).sum()

    minimize(loss, [linear])
    learned: Floats = linear.detach().numpy().astype(np.float64) / scale
    return learned


def fit_first(paths: Sequence[Path], embedder: Embedder) -> dict[str, float]:
    """Learn what chooses the candidates, from all sentences of the documents; all files count alike."""
    values, targets, weights = [], [], []
    for path in paths:
        before = len(values)
        for case in read_cases(path):
            lexicon = Lexicon(case.passages, embedder)
            for one in case.asked:
                if one.relevant is not None and one.relevant.any():
                    values.append(lexicon.match(Question.of(one.text)).values)
                    targets.append(one.relevant)
        weights += [1 / (len(values) - before)] * (len(values) - before)
    learned = fit_scores(values, targets, np.array(weights), all_alike=False)
    return dict(zip(FIRST, learned.round(4).tolist(), strict=True))


def fit_prose(samples: Sequence[Sample]) -> dict[str, float]:
    """Learn from all files alike, however many questions each has."""
    kept = [sample for sample in samples if sample.target.any()]
    files = np.array([sample.file for sample in kept])
    counts = np.bincount(files)
    weights = 1 / counts[files]
    learned = fit_scores([one.evidence.values for one in kept], [one.target for one in kept], weights, all_alike=False)
    return dict(zip(PROSE, learned.round(4).tolist(), strict=True))


def fit_transcript(samples: Sequence[Sample], prose: dict[str, float]) -> dict[str, float]:
    kept = [sample for sample in samples if sample.evidence.matches.transcript is not None]
    values = [transcript_values(one.evidence, prose_scores(one.evidence, prose)) for one in kept]
    learned = fit_scores(values, [one.relevant for one in kept], np.ones(len(kept)), all_alike=True)
    return dict(zip(TRANSCRIPT, learned.round(4).tolist(), strict=True)) | IN_PASSAGE


def score_apart(samples: Sequence[Sample]) -> None:
    """Score each document's candidates by weights that were learned without it."""
    fold = {key: place % FOLDS for place, key in enumerate(_shuffled({(s.file, s.document) for s in samples}))}
    for number in range(FOLDS):
        apart = fit_prose([one for one in samples if fold[one.file, one.document] != number])
        for sample in samples:
            if fold[sample.file, sample.document] == number:
                sample.scores = prose_scores(sample.evidence, apart)


def fit_answered(samples: Sequence[Sample]) -> tuple[dict[str, Any], Floats]:
    """Learn the probability that there is an answer; also returns each sample's log-odds, learned without it."""
    x = np.array([summarize_evidence(one.question, one.evidence, _scores(one)) for one in samples])
    kinds = np.array([one.kind for one in samples])
    wanted = kinds == "asked"
    weights = np.zeros(len(samples))
    for kind, weight in ({"asked": 1.0} | WITHOUT).items():
        weights[kinds == kind] = weight / max((kinds == kind).sum(), 1)
    weights[[len(one.relevant) < EXCERPT[1] for one in samples]] *= SHORT
    fold = {key: place % FOLDS for place, key in enumerate(_shuffled({(s.file, s.document) for s in samples}))}
    folds = np.array([fold[one.file, one.document] for one in samples])
    apart = np.zeros(len(samples))
    for number in range(FOLDS):
        rest = folds != number
        apart[~rest] = log_odds(fit_network(x[rest], wanted[rest], weights[rest]), x[~rest])
    return fit_network(x, wanted, weights), apart


def fit_network(x: Floats, wanted: NDArray[np.bool_], weights: Floats) -> dict[str, Any]:
    """Learn a linear term and small hidden layers, the mean of several seeds."""
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    rows = torch.tensor(np.clip((x - mean) / scale, -4, 4), dtype=torch.float32)
    target, share = (
        torch.tensor(wanted, dtype=torch.float32),
        torch.tensor(weights / weights.sum(), dtype=torch.float32),
    )
    parts: list[list[Tensor]] = []
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        width = x.shape[1]
        linear, constant = torch.zeros(width, requires_grad=True), torch.zeros(1, requires_grad=True)
        hidden = (torch.rand(HIDDEN, width) * 2 - 1).div(width**0.5).requires_grad_()
        bias = (torch.rand(HIDDEN) * 2 - 1).div(width**0.5).requires_grad_()
        output = (torch.rand(HIDDEN) * 2 - 1).div(HIDDEN**0.5).requires_grad_()

        def loss(
            linear: Tensor = linear, hidden: Tensor = hidden, bias: Tensor = bias, output: Tensor = output,
            constant: Tensor = constant,
        ) -> Tensor:  # fmt: skip
            logits = rows @ linear + torch.tanh(rows @ hidden.T + bias) @ output + constant
            errors = torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
            return (share * errors).sum() + HIDDEN_RIDGE * sum((one**2).sum() for one in (linear, hidden, output))

        minimize(loss, [linear, hidden, bias, output, constant], 400)
        parts.append([one.detach() for one in (linear, hidden, bias, output, constant)])
    linears, hiddens, biases, outputs, constants = zip(*parts, strict=True)
    return {
        "mean": _rounded(torch.tensor(mean)),
        "scale": _rounded(torch.tensor(scale)),
        "linear": _rounded(sum(linears) / SEEDS),
        "hidden": _rounded(torch.cat(hiddens)),
        "bias": _rounded(torch.cat(biases)),
        "output": _rounded(torch.cat(outputs) / SEEDS),
        "constant": _rounded(sum(constants) / SEEDS),
    }


def log_odds(weights: dict[str, Any], x: Floats) -> Floats:
    shares = np.array([probability(row, weights) for row in x])
    return np.asarray(np.log(shares / (1 - shares)))


def fit_quote(samples: Sequence[Sample], found: Floats) -> list[float]:
    """Learn the probability that a quote answers, from that of the question and its share of all scores."""
    x, y = [], []
    for sample, odds in zip(samples, found, strict=True):
        scores = _scores(sample)
        shares = np.exp(scores - scores.max())
        logs = np.log(np.maximum(shares / shares.sum(), 1e-9))
        for row in np.argsort(-scores)[:8]:
            x.append([odds, logs[row]])
            y.append(bool(sample.target[row]))
    rows, target = torch.tensor(np.array(x), dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    linear, constant = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
    minimize(
        lambda: torch.nn.functional.binary_cross_entropy_with_logits(rows @ linear + constant, target),
        [linear, constant],
    )
    return [round(one, 4) for one in (*linear.detach().tolist(), *constant.detach().tolist())]


def fit(prose: Sequence[Sample], transcripts: Sequence[Sample]) -> dict[str, Any]:
    """Learn everything, and print how good it is on documents it was not learned from."""
    score_apart(prose)
    for file in sorted({sample.file for sample in prose}):
        own = [sample for sample in prose if sample.file == file and sample.kind == "asked"]
        ranks = [_first_hit(sample) for sample in own]
        print(f"file {file}: {len(own)} questions", *(f"in {k}: {np.mean(np.array(ranks) < k):.3f}" for k in (1, 3)))
    keyed = [sample for sample in prose if sample.file == max(one.file for one in prose)]
    keyed += [without_answer(sample) for sample in keyed if sample.kind == "asked" and not sample.target.all()]
    answered, apart = fit_answered(keyed)
    kinds = np.array([sample.kind for sample in keyed])
    apart[[is_elsewhere(sample.evidence) for sample in keyed]] = np.log(UNLIKELY / (1 - UNLIKELY))
    are_whole = np.array([len(sample.relevant) >= EXCERPT[1] for sample in keyed])
    threshold = float(np.quantile(apart[are_whole & (kinds == "asked")], REFUSED))
    for kind in ("asked", *WITHOUT):
        own = kinds == kind
        refused = [f"{(apart[own & part] < threshold).mean():.3f}" for part in (are_whole, ~are_whole)]
        print(f"refused of {kind}: {refused[0]} of documents, {refused[1]} of excerpts and short ones")
    weights: dict[str, Any] = {"prose": fit_prose(prose)}
    weights["transcript"] = fit_transcript(transcripts, weights["prose"])
    weights["prose answer"], weights["transcript answer"] = [WITHIN, MOST], list(IN_TRANSCRIPT)
    weights["answered"] = answered
    weights["found"] = round(1 / (1 + np.exp(-threshold)), 4)
    natural = np.isin(kinds, ("asked", "unanswerable"))
    weights["quote"] = fit_quote([one for one, kept in zip(keyed, natural, strict=True) if kept], apart[natural])
    return weights


def _first_hit(sample: Sample) -> int:
    order = np.argsort(-_scores(sample), kind="stable")
    hits = np.flatnonzero(sample.target[order])
    return int(hits[0]) if len(hits) else 10**6


def _scores(sample: Sample) -> Floats:
    if sample.scores is None:
        raise ValueError("no scores yet")
    return sample.scores


def _shuffled(keys: set[tuple[int, int]]) -> list[tuple[int, int]]:
    ordered = sorted(keys)
    return [ordered[place] for place in np.random.default_rng(0).permutation(len(ordered))]


def _rounded(values: Tensor) -> Any:
    return np.round(values.numpy().astype(np.float64), 4).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prose", type=Path, nargs="+", required=True)
    parser.add_argument("--transcripts", type=Path, required=True)
    parser.add_argument("--meetings", type=int, default=60, help="transcripts to learn from")
    parser.add_argument("--output", type=Path, default=Path("src/memsum/query/minilm/weights.json"))
    options = parser.parse_args()
    embedder = Embedder(options.output.parent)
    embedder.weights["first"] = fit_first(options.prose, embedder)
    prose = [sample for number, path in enumerate(options.prose) for sample in gather(path, number, embedder)]
    transcripts = gather(options.transcripts, len(options.prose), embedder, options.meetings)
    weights = {"first": embedder.weights["first"]} | fit(prose, transcripts)
    assert len(weights["answered"]["mean"]) == len(ANSWERED)
    options.output.write_text(json.dumps(weights, indent=None, separators=(",", ": ")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
