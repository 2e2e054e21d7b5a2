"""Speed of ROUGE scoring against the `rouge-score` package: same pairs, same values, one core.

python benchmarks/rouge.py [CORPUS.jsonl[.zst]] [--pairs 400]
"""

from __future__ import annotations

import argparse
import io
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import zstandard
from rouge_score.rouge_scorer import RougeScorer

from memsum_train.report.statistics import estimate_mean
from memsum_train.rouge import F1, VARIANTS, rouge_signature, score_many
from memsum_train.rouge.tokens import porter

Pair = tuple[list[str], list[str]]  # sentences of a document, sentences of its summary
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def documents(corpus: Path | None, limit: int) -> list[Pair]:
    """Documents with summaries from a corpus of `text`/`summary` or `sections`/`abstract`, or made up."""
    source = _read(corpus) if corpus else _invent(random.Random(1))
    return [pair for pair, _ in zip(source, range(limit), strict=False)]


def _read(corpus: Path) -> Iterator[Pair]:
    with corpus.open("rb") as file:
        # Shared corpora are compressed with a long window.
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file)
        for line in io.TextIOWrapper(reader if corpus.suffix == ".zst" else file, encoding="utf-8"):
            record = json.loads(line)
            if "sections" in record:
                paragraphs = [p for section in record["sections"] for p in section["paragraphs"]]
                yield _split(paragraphs), _split(record["abstract"])
            else:
                # A line break inside a sentence would be a border between sentences for `rouge-score`.
                yield [" ".join(s.split()) for s in record["text"]], [" ".join(s.split()) for s in record["summary"]]


def _split(paragraphs: list[str]) -> list[str]:
    return [" ".join(s.split()) for paragraph in paragraphs for s in SENTENCE_END.split(paragraph) if s.strip()]


def _invent(rng: random.Random) -> Iterator[Pair]:
    """Texts of the size of a research paper, with word frequencies by Zipf and summaries that quote and rephrase."""
    syllables = ["ar", "be", "cu", "di", "fen", "go", "hal", "in", "jo", "kra", "lu", "mer", "no", "pi", "tes"]
    endings = ["", "", "", "s", "ed", "ing", "ation", "ly"]
    stems = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(4_000)]
    weights = [1 / rank for rank in range(1, len(stems) + 1)]
    while True:
        words = [stem + rng.choice(endings) for stem in rng.choices(stems, weights, k=90 * 27)]
        text = [" ".join(words[27 * k : 27 * k + rng.randint(8, 27)]) + " ." for k in range(90)]
        quoted = [rng.choice(text).split() for _ in range(8)]
        yield text, [" ".join(word for word in sentence if rng.random() < 0.7) + " ." for sentence in quoted]


def seconds(run: Callable[[], object], repeats: int = 1) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Speed of ROUGE scoring against the rouge-score package.")
    parser.add_argument("corpus", type=Path, nargs="?", help="JSON lines, also .zst (default: made-up text)")
    parser.add_argument("--pairs", type=int, default=400)
    options = parser.parse_args(arguments)

    rng = random.Random(2)
    pairs: list[Pair] = []
    for text, summary in documents(options.corpus, options.pairs // 2):
        pairs.append((text[:7], summary))
        pairs.append((rng.sample(text, min(7, len(text))), summary))
    predictions, references = [p for p, _ in pairs], [r for _, r in pairs]
    score_many(predictions[:1], references[:1])  # compile, or load what was compiled

    theirs = np.empty((len(pairs), 4, 3))
    scorer = RougeScorer(list(VARIANTS), use_stemmer=True)

    def run_theirs() -> None:
        for row, (prediction, reference) in zip(theirs, pairs, strict=True):
            scores = scorer.score("\n".join(reference), "\n".join(prediction))
            row[:] = [scores[variant] for variant in VARIANTS]

    slow = seconds(run_theirs)
    porter.cache_clear()
    cold = seconds(lambda: score_many(predictions, references))
    warm = seconds(lambda: score_many(predictions, references), repeats=5)
    ours = score_many(predictions, references)
    difference = float(np.abs(ours - theirs).max())
    assert difference < 1e-9, f"scores differ by {difference}"

    print(f"ROUGE-1, 2, L, Lsum of {len(pairs)} pairs, one core; largest difference of a value {difference:.1g}")
    print(f"{'':24}{'ms a pair':>12}{'pairs a second':>16}{'ratio':>8}")
    rows = [("rouge-score", slow), ("memsum, no stem known", cold), ("memsum, stems known", warm)]
    for name, total in rows:
        print(f"{name:24}{1000 * total / len(pairs):12.3f}{len(pairs) / total:16.0f}{slow / total:8.1f}")
    for variant, score in zip(VARIANTS, map(estimate_mean, ours[:, :, F1].T), strict=True):
        print(
            f"{100 * score.mean:.2f} (95 % {100 * score.low:.2f} to {100 * score.high:.2f}) {rouge_signature(variant)}"
        )


if __name__ == "__main__":
    main()
