"""A study under load: many annotators at once, query highlighting, and a server that is killed again and again.

    python benchmarks/study.py [--annotators 50] [--seconds 15]

Prints the time of pages, votes and queries while nothing is killed, then votes under `kill -9` and counts what is lost.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np

from memsum_study.plan import StudyOptions, plan_study
from memsum_study.store import Study, write_study
from memsum_train.corpus.records import Example
from memsum_train.evaluation.baselines import parse_baseline
from memsum_train.evaluation.data import make_data

DOCUMENTS, SENTENCES = 40, 200
WARM_UP = 5  # seconds that are not counted: everyone's first page at once, documents read for the first time
THINK = 1.0  # mean seconds between what an annotator does: people take dozens
SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"]


def make_study(path: Path, annotators: int) -> None:
    """Documents of made-up words, as long as papers; two systems that never agree."""
    chance = random.Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(4000)]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(8, 35))).capitalize() + "."

    def sentences(count: int) -> tuple[str, ...]:
        return tuple(sentence() for _ in range(count))

    examples = [Example(sentences(SENTENCES), sentences(8), id=str(i)) for i in range(DOCUMENTS)]
    systems = [parse_baseline("lead-7"), parse_baseline("random-7")]
    options = StudyOptions(annotators=annotators, overlap=annotators)
    write_study(path, plan_study("Benchmark", make_data("made-up", examples), systems, options))


class Server:
    """The study's server as a process."""

    def __init__(self, path: Path) -> None:
        self.path, self.port = path, 0

    def start(self) -> None:
        command = [sys.executable, "-m", "memsum", "study", "serve", str(self.path), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        with Study(self.path) as study:
            lines = [self.process.stdout.readline() for _ in study.annotators()]
        self.links = [re.search(r"http://\S+", line)[0] for line in lines]
        self.address = self.links[0].split("/join/")[0]
        self.port = int(self.address.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@dataclass
class Annotator:
    """Someone who reads, asks, votes, and remembers what was acknowledged."""

    address: str
    code: str
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sent: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    acknowledged: dict[int, int] = field(default_factory=dict)
    failures: int = 0

    async def work(self, until: float) -> None:
        chance = random.Random(self.code)
        headers = {"origin": self.address}
        async with httpx.AsyncClient(
            # Without TLS there is nothing to verify, and loading certificates 50 times would block this process.
            base_url=self.address,
            cookies={"annotator": self.code},
            headers=headers,
            timeout=10,
            verify=False,
        ) as client:
            await asyncio.sleep(chance.random() * THINK)
            while time.monotonic() < until:
                number = chance.randint(1, DOCUMENTS)
                try:
                    page = await self._timed("page", client.get(f"/pairs/{number}"))
                    await asyncio.sleep(chance.expovariate(1 / THINK))
                    query = re.search(r'name="query" value="(\w[^"]+)" title', page.text)[1]
                    address = f"/pairs/{number}/relevant"
                    await self._timed("query", client.get(address, params={"query": query}))
                    await asyncio.sleep(chance.expovariate(1 / THINK))
                    await self._vote(client, number)
                except httpx.TransportError:
                    self.failures += 1
                    await asyncio.sleep(0.2)

    async def _vote(self, client: httpx.AsyncClient, number: int) -> None:
        self.sent[number] += 1
        turn = self.sent[number]
        side = "left" if turn % 2 else "right"
        ballot = {"overall": side, "coverage": side, "non-redundancy": side, "action": "submit", "comment": str(turn)}
        answer = await self._timed("vote", client.post(f"/pairs/{number}", data=ballot))
        assert answer.status_code == 303, answer.text
        self.acknowledged[number] = turn

    async def _timed(self, kind: str, request: object) -> httpx.Response:
        start = time.perf_counter()
        answer = await request  # type: ignore[misc]
        self.times[kind].append(time.perf_counter() - start)
        return answer


async def run(annotators: list[Annotator], seconds: float) -> None:
    until = time.monotonic() + seconds
    await asyncio.gather(*(annotator.work(until) for annotator in annotators))


async def run_with_kills(server: Server, annotators: list[Annotator], seconds: float) -> int:
    """Kill the server every three seconds or so, and start it again at once."""
    kills = 0

    async def chaos() -> None:
        nonlocal kills
        end = time.monotonic() + seconds - 2
        while time.monotonic() < end:
            await asyncio.sleep(random.uniform(2, 4))
            await asyncio.to_thread(server.kill)
            kills += 1
            await asyncio.to_thread(server.start)

    await asyncio.gather(run(annotators, seconds), chaos())
    return kills


def count_lost(path: Path, annotators: list[Annotator]) -> tuple[int, int]:
    """How many acknowledged votes are not in the file, or older there than acknowledged; and how many there were."""
    lost = total = 0
    with Study(path) as study:
        for one in annotators:
            person = study.annotator(one.code)
            for number, turn in one.acknowledged.items():
                total += 1
                ballot = study.task(person, number).ballot
                lost += ballot is None or not turn <= int(ballot.comment) <= one.sent[number]
    return lost, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        make_study(path, options.annotators)
        server = Server(path)
        server.start()
        try:
            people = [Annotator(server.address, link.rsplit("/", 1)[1]) for link in server.links]
            asyncio.run(run(people, WARM_UP))
            for one in people:
                one.times.clear()
            asyncio.run(run(people, options.seconds))
            for kind in ("page", "query", "vote"):
                times = np.array([value for one in people for value in one.times[kind]]) * 1000
                median, p95, p99 = np.percentile(times, [50, 95, 99])
                print(f"{kind:6} n {len(times):5}  median {median:6.1f} ms  p95 {p95:6.1f} ms  p99 {p99:6.1f} ms")
            kills = asyncio.run(run_with_kills(server, people, options.seconds))
        finally:
            server.kill()
        lost, total = count_lost(path, people)
        failures = sum(one.failures for one in people)
        print(f"kill -9: {kills} times, {failures} requests failed, {lost} of {total} acknowledged votes lost")
        sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
