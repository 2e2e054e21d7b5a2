"""Where the time of a document goes, how it grows with the document, and what a million of them cost.

Used by `benchmarks/batch.py capacity`. Times are seconds of CPU on one core.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from machine import generate_text
from memsum.batch import summaries
from memsum.batch.summaries import BatchSettings, Worker
from memsum.document import read_document
from memsum.document.load import read_isolated
from memsum.jsonl import Line
from memsum.model.episode import Episode
from memsum.options import SummaryOptions
from memsum.select import Selection

LENGTHS = (10, 30, 60, 90, 150, 300, 500)
STAGES = ("reading the text", "encoding words", "networks", "steps", "the rest")
PAPER, REPORT = 90, 300
SUMMARY = 8  # sentences
ROUNDS = 7
SCALES = (1_000_000, 100_000_000)
FLEET = 64
PDFS = Path(__file__).parents[1] / "tests" / "data" / "documents"


class Stopwatch:
    """Adds up the seconds that are spent in some functions; what one of them spends in another counts for that one."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(STAGES, 0.0)
        self._inner = [0.0]

    def watch(self, owner: Any, name: str, stage: str) -> None:
        function: Callable[..., Any] = getattr(owner, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            began = time.process_time()
            self._inner.append(0.0)
            try:
                return function(*arguments, **options)
            finally:
                seconds = time.process_time() - began
                self.spent[stage] += seconds - self._inner.pop()
                self._inner[-1] += seconds

        setattr(owner, name, watched)


def measure(worker: Worker) -> dict[int, dict[str, float]]:
    """Seconds of each stage by the number of sentences: the median of the rounds."""
    runtime = worker.load().runtime
    texts = [generate_text(runtime.encoder.vectors.vocabulary, length) for length in LENGTHS]
    watch = Stopwatch()
    watch.watch(summaries, "read_document", "reading the text")
    watch.watch(runtime.encoder, "read", "encoding words")
    watch.watch(Selection, "episode", "networks")
    watch.watch(Episode, "extend", "steps")
    rounds: dict[int, list[dict[str, float]]] = defaultdict(list)
    for number in range(ROUNDS + 1):
        for text in texts:
            line = Line(1, json.dumps({"text": text}).encode())
            watch.spent = dict.fromkeys(STAGES, 0.0)
            began = time.process_time()
            outcome = worker(line)
            watch.spent["the rest"] = time.process_time() - began - sum(watch.spent.values())
            assert all(watch.spent.values()), "a function that is watched is not in use any more"
            if number:  # the first round is a warm-up
                rounds[json.loads(outcome.line)["document"]["sentences"]].append(watch.spent)
    return {
        length: {stage: float(np.median([run[stage] for run in runs])) for stage in STAGES}
        for length, runs in rounds.items()
    }


def fit(measured: dict[int, float]) -> tuple[float, float, float]:
    """a and b of seconds = a + b·sentences, errors taken relative to the time; and how much is explained."""
    lengths, seconds = np.array(list(measured)), np.array(list(measured.values()))
    b, a = np.polyfit(lengths, seconds, 1, w=1 / np.maximum(seconds, 1e-9))
    unexplained = ((seconds - a - b * lengths) ** 2).sum() / ((seconds - seconds.mean()) ** 2).sum()
    return float(a), float(b), float(1 - unexplained)


def report_pdf() -> None:
    print("\nPDF files of this repository, ms of CPU; isolated: in a process of its own, ms of the clock")
    for path in sorted(PDFS.glob("*.pdf")):
        content = path.read_bytes()
        document = read_document(content, isolated=False)
        times = []
        for _ in range(ROUNDS):
            began = time.process_time()
            read_document(content, isolated=False)
            times.append(time.process_time() - began)
        read_isolated(content)
        began = time.perf_counter()
        read_isolated(content)
        isolated = time.perf_counter() - began
        parsing, sentences = float(np.median(times)), len(document.sentences)
        pages = max(sentence.page or 1 for sentence in document.sentences)
        print(f"  {path.name:16} {pages} pages, {sentences} sentences: {1000 * parsing:.1f} ms, ", end="")
        print(f"{1000 * parsing / sentences:.2f} ms per sentence; isolated {1000 * isolated:.1f} ms")


def peak_memory() -> float:
    """MB of this process at most."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def report_capacity(model: str, folder: Path) -> None:
    worker = Worker(BatchSettings(model, SummaryOptions(sentences=SUMMARY)))
    measured = measure(worker)
    vocabulary = worker.load().runtime.encoder.vectors.vocabulary
    print(
        f"\nms of CPU per summary of {SUMMARY} sentences, one core, by the number of sentences of the document "
        f"(medians of {ROUNDS}), and ms = a + b·sentences"
    )
    print(f"  {'stage':20}" + "".join(f"{length:>8}" for length in measured) + f"{'a':>9}{'b':>9}{'R²':>7}{'share':>8}")
    paper = min(measured, key=lambda length: abs(length - PAPER))
    total = {length: sum(stages.values()) for length, stages in measured.items()}
    for stage in (*STAGES, "all"):
        times = total if stage == "all" else {length: stages[stage] for length, stages in measured.items()}
        a, b, explained = fit(times)
        row = "".join(f"{1000 * value:8.2f}" for value in times.values())
        print(f"  {stage:20}{row}{1000 * a:9.3f}{1000 * b:9.4f}{explained:7.3f}{times[paper] / total[paper]:8.1%}")
    print(f"  (share: of a document of {paper} sentences)")
    report_pdf()
    a, b, _ = fit(total)
    print("\nMany documents, by that line; input as plain JSON lines; the journal goes when the output is there")
    print("  sentences      documents  docs/s per core   core-hours      input     output   output+journal")
    for length in (PAPER, REPORT):
        text = generate_text(vocabulary, length)
        given = json.dumps({"id": "PMC0000000", "text": text}) + "\n"
        written = worker(Line(1, given.encode())).line + "\n"
        seconds = a + b * length
        for scale in SCALES:
            sizes = [scale * len(each.encode()) / 1e9 for each in (given, written)]
            print(f"  {length:9} {scale:14,} {1 / seconds:14.1f} {scale * seconds / 3600:12,.0f}", end="")
            print(f" {sizes[0]:7,.0f} GB {sizes[1]:7,.1f} GB {2 * sizes[1]:13,.1f} GB")
    memory = peak_memory()
    print(f"  a worker: {memory:.0f} MB at most in this run, {FLEET} of them {FLEET * memory / 1000:.1f} GB")
