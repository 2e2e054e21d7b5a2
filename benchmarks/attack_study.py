"""A study attacked by an annotator who wants to know which system is which.

    python benchmarks/attack_study.py [--annotators 12]

The annotator has the links of all, asks for everything that a browser can ask for, and tries to tell which of two
systems stands on the left: by names and numbers in answers, heads and cookies, by the size of the page, and by the time
that an answer takes. The share of right guesses is told with the range that chance would give (95 %); the guesses by
size and time choose the better direction afterwards, which favors the attacker a little.
"""

from __future__ import annotations

import argparse
import math
import re
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx

from memsum_study.store import Study
from study import DOCUMENTS, Server, make_study

PAGES = ("", "?source=1", "?query=ba", "/source", "/relevant?query=ba")
ROUNDS = 3


def chance(count: int) -> str:
    """The range of the better of two opposite guesses by chance."""
    return f"50.0 to {100 * (0.5 + 1.96 / (2 * math.sqrt(count))):.1f} %"


def share(values: list[float], lefts: list[int]) -> float:
    """Share of right guesses if what is above the median is one system, whichever serves better."""
    middle = median(values)
    right = sum((value > middle) == bool(left) for value, left in zip(values, lefts, strict=True))
    return max(right, len(values) - right) / len(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotators", type=int, default=12)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "study.db"
        make_study(path, arguments.annotators)
        with Study(path) as study:
            names = {name for (name,) in study.rows("SELECT name FROM systems")}
            rows = study.rows("SELECT annotator, number, left_system FROM assignments ORDER BY annotator, number")
            [(secret,)] = study.rows("SELECT value FROM secret")
        annotators = sorted({annotator for annotator, _, _ in rows})
        server = Server(path)
        server.start()
        answers = 0
        found: set[str] = set()
        sizes: list[float] = []
        times: list[float] = []
        lefts: list[int] = []
        words = [*names, secret, "system_", "left_system", "lead", "random", "baseline"]
        pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in words), re.IGNORECASE)
        try:
            for annotator, link in zip(annotators, server.links, strict=True):
                with httpx.Client(base_url=server.address, timeout=60) as client:
                    code, origin = link.rpartition("/")[2], {"origin": server.address}
                    client.post("/join", data={"code": code}, headers=origin, follow_redirects=True)
                    for _, number, left in (row for row in rows if row[0] == annotator):
                        for page in PAGES:
                            answer = client.get(f"/pairs/{number}{page}")
                            answers += 1
                            told = f"{dict(answer.headers)} {dict(client.cookies)} {answer.text}"
                            found |= {one.lower() for one in pattern.findall(told)}
                        took = []
                        for _ in range(ROUNDS):
                            began = time.perf_counter()
                            size = len(client.get(f"/pairs/{number}").content)
                            took.append(time.perf_counter() - began)
                            answers += 1
                        sizes.append(size)
                        times.append(min(took))
                        lefts.append(left)
        finally:
            server.kill()
    count = len(lefts)
    asked = f"{arguments.annotators} annotators, {DOCUMENTS} documents | {answers:,} answers, {count} pairs"
    by_size, by_time = (f"{100 * share(values, lefts):.1f} %" for values in (sizes, times))
    guessed = f"left or right guessed by size {by_size}, by time {by_time} (chance: {chance(count)})"
    print(f"| a study, {asked} | names and secrets found: {sorted(found) or 'none'}; {guessed} |")


if __name__ == "__main__":
    main()
