"""Time and memory of long documents: 1,000, 10,000 and 100,000 sentences, each in a process of its own.

    python benchmarks/long.py [CORPUS] [--sentences 1000 10000 100000]

The text is that of a corpus, document after document, or generated from the model's own words. Seconds of CPU, one
thread; the text is read in this process, of which the last column is the highest memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from machine import generate_text
from memsum import Document, Summarizer, read_document
from memsum_train.corpus.records import read_sentences

SIZES = (1_000, 10_000, 100_000)
LENGTHS = {"7 quotes": {"sentences": 7}, "100 quotes": {"sentences": 100}, "own length": {}}


def text_of(summarizer: Summarizer, corpus: Path | None, sentences: int) -> str:
    if corpus is None:
        return generate_text(summarizer.runtime.encoder.vectors.vocabulary, sentences)
    parts = list(islice(read_sentences([corpus]), sentences))
    return "\n\n".join(" ".join(parts[low : low + 6]) for low in range(0, sentences, 6))


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = run()
    return time.process_time() - began, result


def measure(corpus: Path | None, sentences: int) -> list[float]:
    summarizer = Summarizer.load(threads=1)
    text = text_of(summarizer, corpus, sentences)
    summarizer.summarize(text[:5000], sentences=7)
    document: Document
    reading, document = seconds(lambda: read_document(text, format="plain", isolated=False))
    spent = [
        seconds(lambda options=options: summarizer.summarize(document, **options))[0] for options in LENGTHS.values()
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [len(document.sentences), len(text) / 1e6, reading, *spent, peak]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--sentences", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    if len(given.sentences) == 1:
        print(json.dumps(measure(given.corpus, given.sentences[0])))
        return
    print(f"| sentences | MB of text | reading, s | {', s | '.join(LENGTHS)}, s | memory, MB |")
    print("|---:|---:|---:|" + "---:|" * len(LENGTHS) + "---:|")
    for size in given.sentences:
        corpus = [given.corpus] if given.corpus else []
        command = [sys.executable, __file__, *corpus, "--sentences", str(size)]
        row = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        print(
            "| " + " | ".join(f"{value:,.0f}" if value >= 100 else f"{value:.2f}" for value in row) + " |", flush=True
        )


if __name__ == "__main__":
    main()
