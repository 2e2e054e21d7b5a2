"""The server against the library: throughput with the same threads, overload, memory over many requests.

    python benchmarks/server.py [--model DIR] [--workers 2] [--clients 3] [--documents 40] [--rounds 5] [--requests 400]

Without a model, one is made up with the paper's sizes and random weights: the time does not depend on what the weights
are. Documents are made up, of PubMed's size: 90 sentences. The server runs in a process of its own, the clients and
the library's loop in this one, in turns; the ratio is that of the medians of all rounds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from runtime import SENTENCES, make_models, make_text, make_words

QUEUE = 8
OVERLOAD = 4


@contextmanager
def serving(model: Path, workers: int) -> Iterator[tuple[tuple[str, int], int]]:
    """A server in its own process; gives host and port, and the process."""
    command = [sys.executable, "-m", "memsum", "serve", "--port", "0", "--model", str(model)]
    command += ["--workers", str(workers), "--queue", str(QUEUE)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"http://([\d.]+):(\d+)/", line)
        if not found:
            sys.exit(f"The server did not start: {line}{process.stderr.read()}")
        try:
            yield (found[1], int(found[2])), process.pid
        finally:
            process.terminate()


class Client:
    """One connection that is kept, one request at a time."""

    def __init__(self, place: tuple[str, int]) -> None:
        self._connection = http.client.HTTPConnection(*place, timeout=120)

    def summarize(self, body: bytes) -> int:
        """The status of the answer, or 0 if the connection broke."""
        try:
            self._connection.request("POST", "/v1/summarize", body, {"Content-Type": "application/json"})
            response = self._connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return 0
        return response.status


def cpu_seconds(process: int) -> float:
    """What a process has used so far; waiting for a busy machine does not count."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(place: tuple[str, int]) -> float:
    """MB that the server holds."""
    connection = http.client.HTTPConnection(*place, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(r"^process_resident_memory_bytes (\S+)$", text, re.MULTILINE)
    return float(found[1]) / 2**20 if found else 0.0


def rate(count: int, threads: int, make: Callable[[], Callable[[int], None]]) -> float:
    """Jobs a second of `count`, done by threads that each make their own worker."""
    jobs = iter(range(count))
    lock = threading.Lock()

    def work() -> None:
        do = make()
        while True:
            with lock:
                job = next(jobs, None)
            if job is None:
                return
            do(job)

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(work) for _ in range(threads)]:
            future.result()
    return count / (time.perf_counter() - began)


def throughput(
    model: Path, place: tuple[str, int], process: int, texts: list[str], workers: int, clients: int, rounds: int
) -> None:
    from memsum import Summarizer

    summarizer = Summarizer.load(model, threads=1)
    bodies = [json.dumps({"text": text}).encode() for text in texts]

    def by_library() -> Callable[[int], None]:
        return lambda job: json.dumps(summarizer.summarize(texts[job]).to_dict()) and None

    def by_server() -> Callable[[int], None]:
        client = Client(place)

        def ask(job: int) -> None:
            status = client.summarize(bodies[job])
            assert status == 200, status

        return ask

    library, server, library_cpu, server_cpu = [], [], [], []
    for number in range(rounds + 1):
        began = time.process_time()
        by_loop = rate(len(texts), workers, by_library)
        loop_cpu = time.process_time() - began
        began = cpu_seconds(process)
        by_requests = rate(len(texts), clients, by_server)
        if number:  # the first is to warm up
            library.append(by_loop)
            library_cpu.append(loop_cpu)
            server.append(by_requests)
            server_cpu.append(cpu_seconds(process) - began)
    fast, slow = statistics.median(library), statistics.median(server)
    ratios = sorted(one / other for one, other in zip(server, library, strict=True))
    print(f"throughput, {workers} workers, {clients} clients, {SENTENCES} sentences a document, {rounds} rounds:")
    print(f"  library {fast:.1f} documents/s, server {slow:.1f} documents/s, ratio {slow / fast:.2f}", end=" ")
    print(f"(of single rounds {ratios[0]:.2f} to {ratios[-1]:.2f})")
    costs = [1000 * statistics.median(cpu) / len(texts) for cpu in (library_cpu, server_cpu)]
    print(f"  CPU a document: library {costs[0]:.1f} ms, server {costs[1]:.1f} ms, ratio {costs[0] / costs[1]:.2f}")


def overload(place: tuple[str, int], text: str, workers: int) -> None:
    """Clients that ask all the time, four times as many as the server takes."""
    clients = OVERLOAD * (workers + QUEUE)
    body = json.dumps({"text": text}).encode()
    statuses: Counter[int] = Counter()

    def make() -> Callable[[int], None]:
        client = Client(place)
        return lambda job: statuses.update([client.summarize(body)])

    rate(clients * 8, clients, make)
    unexpected = {status: count for status, count in statuses.items() if status not in (200, 429, 503)}
    print(f"overload, {clients} clients for {workers} workers and a queue of {QUEUE}: {dict(sorted(statuses.items()))}")
    print(f"  anything but 200, 429 and 503: {unexpected or 'none'}")


def flatness(place: tuple[str, int], texts: list[str], requests: int, workers: int) -> None:
    """Memory after each tenth of the requests."""
    bodies = [json.dumps({"text": text, "sentences": 5}).encode() for text in texts]
    held = []
    for tenth in range(10):
        client_statuses: Counter[int] = Counter()

        def make(statuses: Counter[int] = client_statuses) -> Callable[[int], None]:
            client = Client(place)
            return lambda job: statuses.update([client.summarize(bodies[job % len(bodies)])])

        rate(requests // 10, workers + 1, make)
        assert set(client_statuses) == {200}, client_statuses
        held.append(memory(place))
        print(f"  {(tenth + 1) * (requests // 10):6} requests: {held[-1]:.0f} MB", flush=True)
    print(f"memory over {requests} requests: {held[0]:.0f} MB after a tenth, {held[-1]:.0f} MB at the end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clients", type=int, help="that ask at once; one more than workers, so that none waits")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=400)
    arguments = parser.parse_args()
    words = make_words()
    texts = [make_text(words, SENTENCES, seed) for seed in range(arguments.documents)]
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            make_models(Path(folder), words)
            model = Path(folder) / "pooled-int8"
        with serving(model, arguments.workers) as (place, process):
            clients = arguments.clients or arguments.workers + 1
            throughput(model, place, process, texts, arguments.workers, clients, arguments.rounds)
            overload(place, texts[0], arguments.workers)
            short = [make_text(words, 12, seed) for seed in range(50)]
            flatness(place, short, arguments.requests, arguments.workers)


if __name__ == "__main__":
    main()
