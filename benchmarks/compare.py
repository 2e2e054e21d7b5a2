"""Compare the working tree with another commit: time, memory, PDFs, starts, batch and quality, side by side.

    make bench-compare [BASE=5da95df73d] [ARGUMENTS="--rounds 3 --parts time pdf start batch quality"]

Each version is installed in an environment of its own in .venv-compare/; that of a commit is kept for the next time.
They take turns; the least CPU time of all rounds counts, which other work disturbs least. The documents are those of
tests/quality, the PDFs those of tests/data. "!" marks what is worse than noise explains.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".venv-compare"
BASE = "5da95df73d"  # version 0.3
PARTS = ("time", "pdf", "start", "batch", "quality")
NOISE, SLACK = 0.12, 0.01  # of times and memory: a share; of quality
SELF, CHILD = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
MEMSUM = Path(sys.executable).with_name("memsum")
LOOP = """import json, sys, memsum
texts = (json.loads(line)["text"] for line in open(sys.argv[1]))
[json.dumps(one.to_dict()) for one in memsum.Summarizer.load(threads=1).summarize_many(texts)]"""
sys.path.insert(0, str(ROOT / "tests" / "quality"))


def install(name: str, source: Path) -> Path:
    """Install a version, not editable, and return its Python; that of a commit is there already if it ever was."""
    python = HOME / name / "bin" / "python"
    is_new = not python.with_name("memsum").exists()
    if is_new:
        subprocess.run([sys.executable, "-m", "venv", HOME / name], check=True)
    if is_new or source == ROOT:
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", source], check=True)
    return python


def output(*command: object) -> bytes:
    """Run a command that sees no source folder."""
    bare = {"OMP_NUM_THREADS": "1", **os.environ, "PYTHONPATH": ""}
    return subprocess.run([*map(str, command)], env=bare, check=True, cwd=ROOT, capture_output=True).stdout


def ms(run: Callable[[], object], rounds: int = 1, who: int = SELF) -> float:
    """Milliseconds of CPU, the least of some rounds."""
    least = float("inf")
    for _ in range(rounds):
        before = sum(resource.getrusage(who)[:2])
        run()
        least = min(least, sum(resource.getrusage(who)[:2]) - before)
    return 1000 * least


def measure(part: str) -> dict[str, float]:
    """Measure one part, in a process of the version that is measured."""
    from score import KEYS, covered

    from memsum import Summarizer, read_document

    def hits(summary: Iterable[Any], wanted: dict[str, Any]) -> bool:
        return covered([quote.text for quote in summary], wanted["sentences"])

    if part == "start":
        os.environ["OMP_NUM_THREADS"] = ""  # as it is for a user
        return {f"memsum {one}, ms": ms(partial(output, MEMSUM, one), 5, CHILD) for one in ("README.md", "--help")}
    texts = [path.read_text() for key in KEYS.values() if (path := ROOT / key["document"]).suffix in (".md", ".txt")]
    summarizer = Summarizer.load(threads=1)
    seven = partial(summarizer.summarize, sentences=7)
    seven(texts[0])  # what is done once
    if part == "time":
        found = {"time: 7 quotes of an everyday document, ms": ms(lambda: [*map(seven, texts)], 2) / len(texts)}
        found[f"time: 7 quotes of all {len(texts)} as one, ms"] = ms(lambda: seven("\n\n".join(texts)), 3)
        return {**found, "memory: MB of this process": resource.getrusage(SELF).ru_maxrss / 1024}
    if part == "pdf":
        from pypdfium2 import PdfDocument

        files = [*ROOT.glob("tests/data/**/*.pdf")]
        ours = ms(lambda: [read_document(path, isolated=False) for path in files], 5)
        raw = ms(lambda: [page.get_textpage().get_text_bounded() for path in files for page in PdfDocument(path)], 5)
        return {"PDF: reading, times pdfium's own text": ours / raw}
    if part == "batch":

        def run(command: tuple[object, ...], repeats: int) -> None:
            with tempfile.TemporaryDirectory() as folder:
                lines = Path(folder, "lines.jsonl")
                lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts * repeats))
                output(*command, lines, f"{lines}.out")

        # CPU of all processes, without what a start costs.
        commands = (sys.executable, "-c", LOOP), (MEMSUM, "batch", "--workers", 1)
        loop, batch = (ms(partial(run, one, 10), 1, CHILD) - ms(partial(run, one, 2), 1, CHILD) for one in commands)
        return {"batch: one document, ms": batch / 8 / len(texts), "batch: share of the plain loop": loop / batch}

    scores: dict[str, list[float]] = {}
    for key in KEYS.values():
        ask = partial(summarizer.summarize, read_document(ROOT / key["document"], isolated=False))
        short, own = ask(sentences=7), ask()
        asked = [(ask(about=one["question"], sentences=3, order="extraction"), one) for one in key["questions"]]
        shares = {
            "points in seven quotes": [hits(short, one) for one in key["points"]],
            "points at its own length": [hits(own, one) for one in key["points"]],
            "first quote answers": [hits(got.sentences[:1], one) for got, one in asked],
            "one of three answers": [hits(got, one) for got, one in asked],
            "rightly refused": [not ask(about=one).sentences for one in key["unanswered"]],
        }
        for name, values in shares.items():
            scores.setdefault(name, []).append(fmean(values))
    return {f"quality: {name}": fmean(values) for name, values in scores.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", default=BASE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.parts[0])))
        return
    found: dict[str, dict[str, list[float]]] = {}
    base = output("git", "rev-parse", "--short=10", f"{given.base}^{{commit}}").decode().strip()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-xC", folder], input=output("git", "archive", base), check=True)
        versions = {base: install(base, Path(folder)), "tree": install("tree", ROOT)}
    for part in given.parts:
        for _ in range(1 if part == "quality" else given.rounds):
            for version, python in versions.items():
                for row, value in json.loads(output(python, __file__, "--measure", "--parts", part)).items():
                    found.setdefault(row, {}).setdefault(version, []).append(value)
    print(f"| | {base} | tree | |\n|---|---:|---:|---|")
    for row, values in found.items():
        more_is_better = "share" in row or "quality" in row
        old, new = ((max if more_is_better else min)(values[version]) for version in versions)
        is_worse = new < old - SLACK if more_is_better else new > old * (1 + NOISE)
        print(f"| {row} | {old:.3g} | {new:.3g} | {'!' * is_worse} |")


if __name__ == "__main__":
    main()
