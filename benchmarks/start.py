"""How long a start takes, and how much of it is not memsum: the budget of `--help` and of a cold `memsum summarize`.

    python benchmarks/start.py [FILE] [--rounds 15]

Each row is a process from start to exit, the least of all rounds, which take turns: wall time, and CPU time (user and
system), which a busy machine disturbs less; `compare.py` measures another version beside it. Bytecode is cached, as it
is for an installed package.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "src" / "memsum" / "model" / "embedded" / "default"
GRAPHS = f"""
import onnxruntime
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
for path in {[str(path) for path in MODEL.glob("*.onnx")]!r}:
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
"""
BUDGET_MS = {"memsum --help": 150, "memsum summarize": 350}


def run(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Milliseconds of wall and of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * wall, 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "docs" / "demo" / "harbour-meeting.txt")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()

    python = sys.executable
    rows = {
        "Python": [python, "-c", "pass"],
        "Python and numpy": [python, "-c", "import numpy"],
        "Python and onnxruntime with the graphs": [python, "-c", GRAPHS],
        "memsum --help": [python, "-m", "memsum", "--help"],
        "memsum summarize": [python, "-m", "memsum", "summarize", str(arguments.file)],
    }
    best: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(arguments.rounds + 1):  # the first one warms the disk and the bytecode
            for name, command in rows.items():
                wall, cpu = run(command, environment)
                least = best.get(name, (wall, cpu))
                best[name] = (min(wall, least[0]), min(cpu, least[1]))
    print("| process | wall, ms | CPU, ms | budget, ms |\n|---|---:|---:|---:|")
    for name, (wall, cpu) in best.items():
        print(f"| {name} | {wall:.0f} | {cpu:.0f} | {BUDGET_MS.get(name, '')} |")


if __name__ == "__main__":
    main()
