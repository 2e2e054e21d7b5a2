"""The server against the library: throughput with the same threads, overload, memory over many requests.

    python benchmarks/server.py [--model DIR] [--workers 2] [--clients 6] [--documents 40] [--rounds 5] [--requests 400]

Without a model, one is made up with the paper's sizes and random weights: the time does not depend on what the weights
are. Documents are made up, of PubMed's size: 90 sentences. The server, its clients and the library's loop each have
their process, and run in turns; the ratio is that of the medians of all rounds. On a machine that does other things,
only CPU times can be compared.
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
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from runtime import SENTENCES, make_models, make_text, make_words
from server_client import Place, load

QUEUE = 8
OVERLOAD = 4


@contextmanager
def serving(model: str | Path, workers: int) -> Iterator[tuple[Place, int]]:
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


def cpu_seconds(process: int) -> float:
    """What a process and all that it started have used so far; waiting for a busy machine does not count."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = [
        int(one) for task in Path(f"/proc/{process}/task").iterdir() for one in (task / "children").read_text().split()
    ]
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, children))


def memory(place: Place) -> float:
    """MB that the server and its workers hold."""
    connection = http.client.HTTPConnection(*place, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(r"^memsum_resident_bytes (\S+)$", text, re.MULTILINE)
    return float(found[1]) / 2**20 if found else 0.0


def library_loop(model: str | Path, texts: list[str], threads: int) -> Callable[[], tuple[float, list[str]]]:
    """A loop over all texts by threads that share a summarizer; calling it gives texts a second, and summaries."""
    from memsum import Summarizer

    summarizer = Summarizer.load(model, threads=1)

    def run() -> tuple[float, list[str]]:
        began = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            summaries = list(pool.map(lambda text: json.dumps(summarizer.summarize(text).to_dict()), texts))
        return len(texts) / (time.perf_counter() - began), summaries

    return run


def quoted(summary: str | bytes) -> list[str]:
    """The sentences of a summary."""
    return [sentence["text"] for sentence in json.loads(summary)["sentences"]]


def throughput(
    model: str | Path, place: Place, process: int, texts: list[str], workers: int, clients: int, rounds: int
) -> None:
    """The library and the server in turns."""
    bodies = [json.dumps({"text": text}).encode() for text in texts]
    by_library = library_loop(model, texts, workers)
    library, server, library_cpu, server_cpu, client_cpu = [], [], [], [], []
    for number in range(rounds + 1):
        began = time.process_time()
        by_loop, summaries = by_library()
        loop_cpu = time.process_time() - began
        began = cpu_seconds(process)
        answered = load(place, bodies, clients, len(bodies))
        used = cpu_seconds(process) - began
        assert set(answered.statuses) == {200}, answered.statuses
        assert list(map(quoted, answered.answers)) == list(map(quoted, summaries)), "The server answers otherwise."
        if number:  # the first is to warm up
            library.append(by_loop)
            library_cpu.append(loop_cpu)
            server.append(answered.rate)
            server_cpu.append(used)
            client_cpu.append(answered.cpu_seconds)
    fast, slow = statistics.median(library), statistics.median(server)
    ratios = sorted(one / other for one, other in zip(server, library, strict=True))
    print(f"throughput, {workers} workers, {clients} clients, {SENTENCES} sentences per document, {rounds} rounds:")
    print(f"  library {fast:.1f} documents/s, server {slow:.1f} documents/s, ratio {slow / fast:.2f}", end=" ")
    print(f"(of single rounds {ratios[0]:.2f} to {ratios[-1]:.2f})")
    a, b, c = (1000 * statistics.median(cpu) / len(texts) for cpu in (library_cpu, server_cpu, client_cpu))
    print(f"  CPU a document: library {a:.1f} ms, server {b:.1f} ms, ratio {a / b:.2f}; its clients {c:.2f} ms")


def overload(place: Place, text: str, workers: int) -> None:
    """Clients that ask all the time, four times as many as the server takes."""
    clients = OVERLOAD * (workers + QUEUE)
    statuses = load(place, [json.dumps({"text": text}).encode()], clients, clients * 8).statuses
    unexpected = {status: count for status, count in statuses.items() if status not in (200, 429, 503)}
    print(f"overload, {clients} clients for {workers} workers and a queue of {QUEUE}: {dict(sorted(statuses.items()))}")
    print(f"  anything but 200, 429 and 503: {unexpected or 'none'}")


def flatness(place: Place, texts: list[str], requests: int, workers: int) -> None:
    """Memory after each tenth of the requests."""
    bodies = [json.dumps({"text": text, "sentences": 5}).encode() for text in texts]
    held = []
    for tenth in range(10):
        statuses = load(place, bodies, workers + 1, requests // 10).statuses
        assert set(statuses) == {200}, statuses
        held.append(memory(place))
        print(f"  {(tenth + 1) * (requests // 10):6} requests: {held[-1]:.0f} MB", flush=True)
    print(f"memory over {requests} requests: {held[0]:.0f} MB after a tenth, {held[-1]:.0f} MB at the end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a folder, or `default`")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clients", type=int, help="that ask at once; by default three a worker, so that none waits")
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
            clients = arguments.clients or 3 * arguments.workers
            throughput(model, place, process, texts, arguments.workers, clients, arguments.rounds)
            overload(place, texts[0], arguments.workers)
            short = [make_text(words, 12, seed) for seed in range(50)]
            flatness(place, short, arguments.requests, arguments.workers)


if __name__ == "__main__":
    main()
