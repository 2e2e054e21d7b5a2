"""Summaries on Ray against the bare library: documents per second and core, and what a million papers cost.

    python benchmarks/cluster.py [--model MODEL] [--documents 1500] [--workers 1 2]

The library summarises in a loop in this process, one thread, anew before each run on Ray. Ray runs on this machine,
with a cluster of its own. Its speed is that of the eight tenths of the documents in the middle: starting takes as long
for a million documents as for a few hundred, and is told apart, and at the end workers wait for the last one. The CPU
time is that of all processes, Ray's own among them, and hardly depends on what else the machine does; shares of the
clock need a machine with nothing else to do. The papers are those of `batch.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

from batch import SIZES, make_texts
from memsum import Summarizer
from memsum.batch.ray_engine import RayEngine
from memsum.batch.run import Run
from memsum.batch.summaries import BatchSettings, find_documents, run_batch

AIM = 0.85
LIBRARY_SECONDS = 15.0
PAUSE = 0.05  # seconds without a result: what comes next is of another block
EDGE = 0.1  # of the documents, at either end


@dataclass(frozen=True)
class Speed:
    """Documents, the seconds they took, the CPU seconds of all processes, and the seconds before the first of them."""

    documents: int
    seconds: float
    cpu: float
    start: float = 0.0

    @property
    def rate(self) -> float:
        return self.documents / self.seconds

    @property
    def each(self) -> float:
        """CPU seconds per document."""
        return self.cpu / self.documents

    def __str__(self) -> str:
        return f"{self.rate:6.1f} docs/s, {1000 * self.each:5.1f} ms of CPU each"


@dataclass(frozen=True)
class Arrival:
    """The moment when results come after a pause, the CPU seconds until then, and the documents that came before."""

    moment: float
    cpu: float
    before: int


def cpu_seconds() -> float:
    """Of this process and of all that it has started and that still live."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            fields = path.read_text().rsplit(")", 1)[1].split()
            number = int(path.parent.name)
            parents[number], ticks[number] = int(fields[1]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while new := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= new
    return sum(ticks[number] for number in ours) / os.sysconf("SC_CLK_TCK")


def library_speed(model: str, texts: list[str]) -> Speed:
    """`Summarizer.summarize` in a loop."""
    summarizer = Summarizer.load(model, threads=1)
    summarizer.summarize(texts[0])
    began, cpu, done = time.perf_counter(), cpu_seconds(), 0
    while time.perf_counter() - began < LIBRARY_SECONDS:
        summarizer.summarize(texts[done % len(texts)])
        done += 1
    return Speed(done, time.perf_counter() - began, cpu_seconds() - cpu)


def ray_speed(model: str, documents: Path, workers: int) -> Speed:
    """The batch on Ray, with all workers at work."""
    arrivals: list[Arrival] = []
    done, latest = 0, 0.0

    def advance(count: int) -> None:
        nonlocal done, latest
        now = time.perf_counter()
        if count and now - latest > PAUSE:
            arrivals.append(Arrival(now, cpu_seconds(), done))
        done, latest = done + count, time.perf_counter()

    output = documents.with_name(f"out-{workers}.jsonl")
    began = time.perf_counter()
    run = Run(RayEngine(workers=workers), advance=advance)
    run_batch(find_documents(str(documents)), str(output), BatchSettings(model), run)
    after = [arrival.before for arrival in arrivals[1:]] + [done]
    inner = [i for i, count in enumerate(after) if EDGE * done <= count <= (1 - EDGE) * done]
    first, last = arrivals[inner[0]], arrivals[inner[-1]]
    return Speed(
        after[inner[-1]] - after[inner[0]],
        last.moment - first.moment,
        last.cpu - first.cpu,
        arrivals[0].moment - began,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    texts = make_texts(arguments.model, SIZES)
    with tempfile.TemporaryDirectory() as scratch:
        documents = Path(scratch) / "papers.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for number in range(arguments.documents):
                file.write(json.dumps({"id": number, "text": texts[number % len(texts)]}) + "\n")
        for workers in arguments.workers:
            library = library_speed(arguments.model, texts)
            found = ray_speed(arguments.model, documents, workers)
            rate = found.rate / workers
            hours = 1e6 / rate / 3600
            print(f"library, 1 core   {library}")
            print(f"ray, {workers} worker(s)  {found}; {found.start:.1f} s to the first")
            print(f"  {rate:.1f} docs/s a core, {hours:.1f} core-hours a million papers, of the library: ", end="")
            print(f"clock {rate / library.rate:.0%} (aim {AIM:.0%}), CPU {library.each / found.each:.0%}", flush=True)


if __name__ == "__main__":
    main()
