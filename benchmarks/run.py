"""Run all benchmarks that need no data of others, one after the other.

python benchmarks/run.py [NAME...]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("rouge", "episodes", "corpus", "training", "start", "runtime", "study")


def main() -> None:
    names = sys.argv[1:] or NAMES
    unknown = set(names) - set(NAMES)
    if unknown:
        sys.exit(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(NAMES)}.")
    for name in names:
        print(f"== {name} ==", flush=True)
        subprocess.run([sys.executable, HERE / f"{name}.py"], check=True)


if __name__ == "__main__":
    main()
