"""`memsum batch`: what more processes gain, what the engine costs, memory, resuming; and what many documents cost.

    python benchmarks/batch.py [speed] [resume] [capacity] --model MODEL [--rounds 3] [--documents 200]
    python benchmarks/batch.py memory --model MODEL [--count 100000]
    python benchmarks/batch.py tiny --model MODEL [--count 20000]

Documents are made up of the model's own words: 60 to 120 sentences, 90 on average, 20 kB. Seconds of the clock need
a machine with nothing else to do; seconds of CPU are told beside them, and change less with what else is running.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from batch_stages import report_capacity
from machine import generate_text
from memsum.batch.inputs import Input, Row
from memsum.batch.journal import Outcome
from memsum.batch.run import Job, LocalEngine, Results, Run
from memsum.batch.summaries import BatchSettings, Worker, find_documents, run_batch
from memsum.files import json_line
from memsum.isolation import close_sandboxes
from memsum.model import find_model
from memsum.summarizer import Summarizer
from memsum.text.vectors import WordVectors

SIZES = range(60, 121)
SHORT = (2, 3, 4)


@dataclass(frozen=True)
class Seconds:
    """Of the clock, and of CPU in all processes."""

    clock: float
    cpu: float

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.clock - other.clock, self.cpu - other.cpu)


def make_texts(model: str, sizes: Iterable[int]) -> list[str]:
    vocabulary = WordVectors.load(find_model(model).folder).vocabulary
    return [generate_text(vocabulary, size) for size in sizes]


def write_lines(path: Path, texts: list[str], count: int) -> Path:
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    with path.open("w") as file:
        for number in range(count):
            file.write(lines[number * 37 % len(lines)])  # small and large ones mixed
    return path


def command(source: Path, workers: int, model: str, *options: str) -> list[str]:
    arguments = [str(source), f"{source}.out", "--model", model, "--workers", str(workers), "--restart", *options]
    return [sys.executable, "-m", "memsum", "batch", *arguments]


def time_command(arguments: list[str]) -> Seconds:
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(time.perf_counter() - began, cpu)


def loop(model: str, source: Path) -> None:
    """The bare library, from texts to what would be written, with the model loaded; prints the seconds it took."""
    summarizer = Summarizer.load(model, threads=1)
    texts = [json.loads(line)["text"] for line in source.read_text().splitlines()]
    for text in texts[: len(SIZES)]:
        json_line(summarizer.summarize(text).to_dict())
    close_sandboxes()
    began, cpu = time.perf_counter(), cpu_of_all()
    for text in texts:
        json_line(summarizer.summarize(text).to_dict())
    clock = time.perf_counter() - began
    close_sandboxes()  # in which the texts were read: the time of a process counts when it has ended
    print(json.dumps([clock, cpu_of_all() - cpu]))


def cpu_of_all() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def report_speed(model: str, folder: Path, rounds: int, documents: int) -> None:
    """Each figure is the difference between a long run and a short one: starting and ending cost nothing in it."""
    texts = make_texts(model, SIZES)
    short, long, longer = 64, 64 + documents, 64 + 2 * documents
    files = {count: write_lines(folder / f"{count}.jsonl", texts, count) for count in (short, long, longer)}
    library, one, two = [], [], []
    for _ in range(rounds):
        bare = [sys.executable, __file__, "--model", model, "--loop", str(files[long])]
        clock, cpu = json.loads(subprocess.run(bare, check=True, capture_output=True).stdout)
        library.append(Seconds(clock / long, cpu / long))
        for runs, workers, count in ((one, 1, long), (two, 2, longer)):
            spent = time_command(command(files[count], workers, model))
            spent -= time_command(command(files[short], workers, model))
            runs.append(Seconds(spent.clock / (count - short), spent.cpu / (count - short)))
    print(f"\nSpeed, 90 sentences, median of {rounds} rounds: docs/s by the clock, ms of CPU a document")
    rows = {"library, a loop": library, "batch, 1 worker": one, "batch, 2 workers": two}
    clocks = {name: median(run.clock for run in runs) for name, runs in rows.items()}
    cpus = {name: median(run.cpu for run in runs) for name, runs in rows.items()}
    for name in rows:
        print(f"  {name:18} {1 / clocks[name]:8.1f} docs/s {1000 * cpus[name]:8.2f} ms")
    first, second, third = rows
    print(f"  2 workers, times 1 worker: {clocks[second] / clocks[third]:.2f} (aim 1.85)")
    print(f"  1 worker, share of the library: clock {clocks[first] / clocks[second]:.3f} (aim 0.95), ", end="")
    print(f"CPU {cpus[first] / cpus[second]:.3f}; 2 workers, CPU a core {cpus[first] / cpus[third]:.3f}")
    print(f"  the process that reads and writes: {1000 * feeding(model, files[long]):.3f} ms of CPU a document")


def feeding(model: str, source: Path) -> float:
    """Seconds of CPU that the process spends on a document which shares it out to two workers."""
    marks: list[float] = []
    run = Run(LocalEngine(2), restart=True, advance=lambda done: marks.append(time.process_time()))
    run_batch(find_documents(str(source)), f"{source}.out", BatchSettings(model), run)
    warm = len(marks) // 8
    return (marks[-1] - marks[warm]) / (len(marks) - 1 - warm)


def tree(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in tree(int(child)))]


def resident(pid: int) -> float:
    """MB; 0 for a process that is gone."""
    try:
        return int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def report_memory(model: str, folder: Path, count: int) -> None:
    source = write_lines(folder / "short.jsonl", make_texts(model, SHORT), count)
    began = time.perf_counter()
    with subprocess.Popen(command(source, 2, model, "--sentences", "1"), stderr=subprocess.DEVNULL) as process:
        samples: list[list[float]] = []
        while process.poll() is None:
            samples.append([resident(pid) for pid in tree(process.pid)])
            time.sleep(0.25)
    totals = [sum(sample) for sample in samples if len(sample) >= 3]
    warm = len(totals) // 10
    seconds = time.perf_counter() - began
    print(f"\nMemory, {count:,} documents of 2 to 4 sentences, 2 workers, {count / seconds:,.0f} docs/s: MB of all")
    print("  " + ", ".join(f"{share} %: {totals[min(share * len(totals) // 100, len(totals) - 1)]:.0f}" for share in
                           (10, 25, 50, 75, 90, 99)))  # fmt: skip
    print(f"  highest after the first tenth: {max(totals[warm:]) - totals[warm]:+.1f} MB (aim < 50)")
    print(
        "  reading and writing process, workers: " + ", ".join(f"{part:.0f}" for part in max(samples, key=sum)) + " MB"
    )


def report_tiny(model: str, folder: Path, count: int) -> None:
    """Records of two sentences, where what a record costs whatever its size is nearly all."""
    texts = [
        f"The harbour of town {n} was closed for {n % 9 + 2} days in March. Repairs of the pier cost {n * 3} euros."
        for n in range(1000)
    ]
    short = count // 10
    files = {size: write_lines(folder / f"tiny-{size}.jsonl", texts, size) for size in (short, count)}
    spent = time_command(command(files[count], 2, model)) - time_command(command(files[short], 2, model))
    each = Seconds(spent.clock / (count - short), spent.cpu / (count - short))
    print(f"\nTiny records, {count:,} of two sentences, 2 workers: {1 / each.clock:,.0f} per second (aim 800),")
    print(f"  {1000 * each.cpu:.2f} ms of CPU each in all processes: {2 / each.cpu:,.0f} per second on two idle cores")


@dataclass
class Stub:
    """An engine without a model: does documents at once until there are enough, and notes when the first one came."""

    line: str
    most: int
    first: float = 0.0

    def check(self, source: Input) -> None:
        pass

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        pending = (item for item in source.items() if item.position not in done)
        for number, item in enumerate(pending):
            if not number:
                self.first = time.process_time()
            if number == self.most:
                raise KeyboardInterrupt
            yield item.position, Outcome(self.line)


def report_resume(model: str, folder: Path, count: int = 4000) -> None:
    settings = BatchSettings(model)
    texts = make_texts(model, SIZES)
    worker = Worker(settings)
    outcomes = [worker(Row(number, {"text": text})) for number, text in enumerate(texts)]
    began = time.process_time()
    for text in texts:
        worker(Row(0, {"text": text}))
    work = (time.process_time() - began) / len(texts)
    line = sorted((outcome.line for outcome in outcomes), key=len)[len(outcomes) // 2]
    plain = write_lines(folder / "resume.jsonl", texts, count)
    print(f"\nResuming, all but one of {count:,} documents of 90 sentences done ({1000 * work:.1f} ms of CPU each)")
    for source in (plain, _compressed(plain), _table(plain)):
        output = Path(f"{source}.out")

        def run(most: int, source: Path = source, output: Path = output) -> tuple[float, float]:
            engine = Stub(line, most)
            began = time.process_time()
            with suppress(KeyboardInterrupt):
                run_batch(find_documents(str(source)), str(output), settings, Run(engine))
            return engine.first - began, time.process_time() - engine.first

        fresh, _ = run(count - 1)
        skipped, published = run(count)
        skip, publish = (skipped - fresh) / count, published / count
        print(
            f"  {source.name:18} {1e6 * skip:6.1f} µs a document to skip: {skip / work:.3%} of the work on it", end=""
        )
        print(f" (aim < 1 %); {1e6 * publish:6.1f} µs to write the output")


def _compressed(path: Path) -> Path:
    import zstandard

    target = Path(f"{path}.zst")
    target.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    return target


def _table(path: Path) -> Path:
    import pyarrow
    import pyarrow.parquet

    target = path.with_suffix(".parquet")
    texts = [json.loads(line)["text"] for line in path.read_text().splitlines()]
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), target, row_group_size=1000)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="speed, resume, capacity (all three if none is named), memory, tiny")
    parser.add_argument("--model", default="default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--documents", type=int, default=200, help="for each figure of the measurement of speed")
    parser.add_argument("--count", type=int, default=100_000, help="documents for the measurement of memory")
    parser.add_argument("--loop", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.loop:
        loop(arguments.model, arguments.loop)
        return
    parts = arguments.parts or ["speed", "resume", "capacity"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if "speed" in parts:
            report_speed(arguments.model, folder, arguments.rounds, arguments.documents)
        if "resume" in parts:
            report_resume(arguments.model, folder)
        if "capacity" in parts:
            report_capacity(arguments.model, folder)
        if "tiny" in parts:
            report_tiny(arguments.model, folder, min(arguments.count, 20_000))
        if "memory" in parts:
            report_memory(arguments.model, folder, arguments.count)


if __name__ == "__main__":
    main()
