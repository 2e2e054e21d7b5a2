"""Summaries on Ray against the bare library: documents a second and core, and what a million papers cost.

    python benchmarks/cluster.py [--model MODEL] [--documents 600] [--workers 1 2]

The library summarises in a loop in this process, one thread. Ray runs on this machine, with a cluster of its own; its
speed is that between the first and the last result, because starting takes as long for a million documents as for a
few hundred, and is told apart. The CPU time is that of all processes, Ray's own among them, and does not depend on what
else the machine does. Without a model, the default is taken, or one is made up; the papers are made up: 90 sentences,
about 3,200 tokens.
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

from memsum import Summarizer
from memsum.batch import BatchSettings, Options, find_input, run_batch
from memsum.cluster import RayEngine
from memsum.errors import ModelError
from memsum.models import find_model
from memsum.models.registry import DEFAULT
from runtime import SENTENCES, make_models, make_text, make_words

AIM = 0.85
LIBRARY_SECONDS = 15.0


@dataclass(frozen=True)
class Speed:
    """Documents, the seconds they took, the CPU seconds of all processes, and the seconds before the first of them."""

    documents: int
    seconds: float
    cpu: float
    start: float = 0.0

    def __str__(self) -> str:
        return f"{self.documents / self.seconds:6.1f} docs/s, {1000 * self.cpu / self.documents:5.1f} ms of CPU each"


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
    began, cpu, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < LIBRARY_SECONDS:
        summarizer.summarize(texts[done % len(texts)])
        done += 1
    return Speed(done, time.perf_counter() - began, time.process_time() - cpu)


def ray_speed(model: str, documents: Path, workers: int) -> Speed:
    """The batch on Ray, from the first result on."""
    moments: list[float] = []
    cpu: list[float] = []

    def advance(count: int) -> None:
        if not count:
            return
        moments.append(time.perf_counter())
        if len(moments) == 1:
            cpu.append(cpu_seconds())
        if len(moments) == number:
            cpu.append(cpu_seconds())

    source = find_input(str(documents))
    number = source.count() or 0
    output = documents.with_name(f"out-{workers}.jsonl")
    began = time.perf_counter()
    run_batch(source, str(output), BatchSettings(model), Options(advance=advance), RayEngine(source, workers=workers))
    # The results of a block come at once: those of the first block were made before the time began.
    first = next(i for i in range(1, number) if moments[i] - moments[i - 1] > 0.1)
    return Speed(number - first, moments[-1] - moments[0], cpu[1] - cpu[0], moments[0] - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--documents", type=int, default=600)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    words = make_words()
    texts = [make_text(words, SENTENCES, seed) for seed in range(40)]
    with tempfile.TemporaryDirectory() as scratch:
        model = arguments.model or DEFAULT
        try:
            find_model(model)
        except ModelError:
            if arguments.model:
                raise
            make_models(Path(scratch), words)
            model = str(Path(scratch) / "pooled-int8")
        documents = Path(scratch) / "papers.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            for number in range(arguments.documents):
                file.write(json.dumps({"id": number, "text": texts[number % len(texts)]}) + "\n")
        library = library_speed(model, texts)
        alone = library.documents / library.seconds
        print(f"library, 1 core  {library}, {1e6 / alone / 3600:5.1f} core-hours a million papers", flush=True)
        for workers in arguments.workers:
            found = ray_speed(model, documents, workers)
            each = found.documents / found.seconds / workers
            print(
                f"ray, {workers} worker(s) {found}, {1e6 / each / 3600:5.1f} core-hours a million papers; {each:.1f} "
                f"docs/s a core: {each / alone:.0%} of the library (aim {AIM:.0%}); {found.start:.1f} s to the first",
                flush=True,
            )


if __name__ == "__main__":
    main()
