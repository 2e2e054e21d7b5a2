"""Building a corpus from papers: documents per second, and whether memory stays flat.

python benchmarks/corpus.py [PAPERS.jsonl[.zst]] [--documents 1000] [--workers 1]

Memory is that of the process that reads and writes: after 100 documents, at the end, and at its highest.
Without a file, papers of about 200 sentences are made up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from memsum.batch.run import LocalEngine, Run
from memsum.jsonl import open_output
from memsum_train.corpus.build import Conversion, build_corpus

SETTLED = 100
VOCABULARY = (
    "the of and in to a with for was were is that by on as at from which not be are this we cells patients group "
    "effect model protein increased study observed samples between rate treatment response analysis significantly "
    "control during levels higher after (Fig. 2) i.e. 0.05 95% [12,13] (Smith et al., 2019) vs. E. coli 37 °C"
)


class Watch:
    """JobResult documents, and remembers the memory in use when the start is over."""

    def __init__(self) -> None:
        self.done = 0
        self.settled = 0

    def __call__(self, count: int) -> None:
        self.done += count
        if self.done == SETTLED:
            self.settled = resident()


def resident() -> int:
    """Bytes of memory in use by this process now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def invent(count: int) -> Iterator[dict[str, object]]:
    """Papers of the size and punctuation of real ones."""
    rng = random.Random(7)
    words = VOCABULARY.split()

    def paragraph() -> str:
        return " ".join(" ".join(rng.choices(words, k=rng.randint(12, 40))).capitalize() + "." for _ in range(8))

    for number in range(count):
        sections = [
            {"title": title, "heading": title, "paragraphs": [paragraph() for _ in range(5)]}
            for title in ("Introduction", "Methods", "Results", "Discussion", "Conclusion")
        ]
        yield {"id": str(number), "title": f"Paper {number}", "abstract": [paragraph()], "sections": sections}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="?")
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        papers = arguments.papers
        if papers is None:
            papers = f"{folder}/papers.jsonl.zst"
            with open_output(papers) as stream:
                for record in invent(arguments.documents):
                    stream.write(json.dumps(record).encode() + b"\n")
        watch = Watch()
        start = time.perf_counter()
        run = Run(LocalEngine(arguments.workers), limit=arguments.documents, advance=watch)
        counts = build_corpus([papers], f"{folder}/corpus.jsonl.zst", Conversion(), run)
        elapsed = time.perf_counter() - start
        size = Path(f"{folder}/corpus.jsonl.zst").stat().st_size
    growth = resident() - watch.settled
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"documents        {counts.kept:,} kept, {counts.failed:,} rejected, {size / 1e6:.1f} MB written")
    print(
        f"throughput       {counts.kept / elapsed:.1f} documents/s with {arguments.workers} worker(s), {elapsed:.1f} s"
    )
    print(f"memory           {peak / 1e6:.0f} MB at its highest")
    print(f"growth           {growth / 1e6:+.1f} MB from document {SETTLED} to the end")


if __name__ == "__main__":
    main()
