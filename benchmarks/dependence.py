"""How well `needs_context` agrees with a reader, and what a price for dependent quotes costs and gains.

    python benchmarks/dependence.py labels FOLDER [--errors]
    python benchmarks/dependence.py prices FOLDER [--model default] [--limit 60] [--prices 0 0.5 1 2]

FOLDER holds corpora as `memsum corpus build` makes them, NAME.jsonl. `dependence.jsonl` beside this file names
sentences by corpus, document and index and holds no text. A reader met each sentence alone and asked: is something
missing that stood before it (what is pointed at, the other side of a contrast, what it is an example of)? `prices`
plays the model as it ships with several prices, and prints ROUGE-1 / 2 / Lsum F1 and the share of quotes that
depend on a sentence that is not quoted with them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum.features.source_text import SourceText
from memsum.languages.needs_context import NEEDED, needs_context
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.select import Selection
from memsum_train.corpus import Example
from memsum_train.evaluation.data import load_data
from memsum_train.report.statistics import paired_bootstrap
from memsum_train.rouge import score_many
from quotable import digest, read_documents

LABELS = Path(__file__).with_suffix(".jsonl")
ROWS, F1 = (0, 1, 3), 2  # ROUGE-1, ROUGE-2, ROUGE-Lsum
ROUNDS = 5

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    labels = commands.add_parser("labels")
    labels.add_argument("folder", type=Path)
    labels.add_argument("--errors", action="store_true", help="print the errors of the part that was tuned on")
    prices = commands.add_parser("prices")
    prices.add_argument("folder", type=Path)
    prices.add_argument("--model", default="default")
    prices.add_argument("--limit", type=int, default=60, help="documents per corpus")
    prices.add_argument("--prices", type=float, nargs="+", default=[0.0, 0.5, 1.0, 2.0])
    arguments = parser.parse_args()
    if arguments.command == "labels":
        compare_labels(arguments.folder, errors=arguments.errors)
    else:
        compare_prices(arguments.folder, arguments.model, arguments.limit, arguments.prices)


def compare_labels(folder: Path, *, errors: bool) -> None:
    labels = [json.loads(line) for line in LABELS.read_text().splitlines()]
    documents = read_documents(folder, labels)
    for part in ("tuning", "reported"):
        judged = []
        for label in labels:
            sentences = documents.get((label["corpus"], label["id"]), [])
            if label["part"] == part and digest(sentences, label["index"]) == label["digest"]:
                judged.append((bool(label["dependent"]), sentences[label["index"]]))
        truth = np.array([dependent for dependent, _ in judged])
        called = needs_context([sentence for _, sentence in judged]) >= NEEDED
        hits = int((truth & called).sum())
        print(
            f"{part}: {len(judged)} sentences, {truth.sum()} dependent, precision {hits / called.sum():.2f}, "
            f"recall {hits / truth.sum():.2f}"
        )
        if errors and part == "tuning":
            for (dependent, sentence), said in zip(judged, called, strict=True):
                if dependent != said:
                    print(f"  {'missed' if dependent else 'wrong'} | {sentence[:200]}")
    sentences = [sentence for document in documents.values() for sentence in document]
    seconds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        needs_context(sentences)
        seconds.append(time.process_time() - began)
    print(f"{1e6 * float(np.median(seconds)) / len(sentences):.1f} µs per sentence")


def compare_prices(folder: Path, model: str, limit: int, prices: list[float]) -> None:
    runtime = Runtime.load(find_model(model).folder, threads=1)
    print(f"| corpus | documents | {' | '.join(f'price {price:g}' for price in prices)} |")
    print(f"|---|---|{'---|' * len(prices)}")
    scores, counts = [], np.zeros((len(prices), 2), np.int64)
    for path in sorted(folder.glob("*-valid.jsonl")):
        own, quotes = play(runtime, load_data(path, limit).examples, prices)
        scores.append(own)
        counts += quotes
        print(row(path.stem.removesuffix("-valid"), own, quotes), flush=True)
    pooled = np.concatenate(scores, axis=1)
    print(row("all", pooled, counts))
    for price, changed in zip(prices[1:], pooled[1:], strict=True):
        difference = paired_bootstrap(changed.mean(axis=1), pooled[0].mean(axis=1))
        print(f"price {price:g}: mean of the three ROUGE scores {difference}")


def row(name: str, scores: Floats, counts: Ints) -> str:
    cells = [
        f"{' / '.join(f'{score:.2f}' for score in own.mean(axis=0))}, {100 * dependent / quotes:.1f} %"
        for own, (dependent, quotes) in zip(scores, counts, strict=True)
    ]
    return f"| {name} | {scores.shape[1]} | {' | '.join(cells)} |"


def play(runtime: Runtime, examples: Sequence[Example], prices: list[float]) -> tuple[Floats, Ints]:
    """ROUGE (prices, documents, 3), and how many quotes depend on what is not quoted, of how many (prices, 2)."""
    config, stop = runtime.config, runtime.config.stop
    extracts: list[list[list[str]]] = [[] for _ in prices]
    counts = np.zeros((len(prices), 2), np.int64)
    for example in examples:
        title = example.extra.get("title")
        title = title if isinstance(title, str) else None
        encoding = Selection(runtime, SourceText.of_sentences(example.text, example.sections, title))
        for place, price in enumerate(prices):
            runtime.config = replace(config, penalties=replace(config.penalties, needs_context=price))
            episode = encoding.episode()
            count = episode.length(stop.threshold, stop.max_sentences)
            chosen = sorted(episode.choices[:count])
            said = [example.text[i] for i in chosen]
            needs = needs_context(said) >= NEEDED
            alone = [need and index - 1 not in chosen for need, index in zip(needs, chosen, strict=True)]
            counts[place] += sum(alone), len(said)
            extracts[place].append(said)
    runtime.config = config
    summaries = [example.summary for example in examples]
    return np.stack([100 * score_many(said, summaries)[:, ROWS, F1] for said in extracts]), counts


if __name__ == "__main__":
    main()
