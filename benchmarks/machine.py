"""Measure this machine: start-up, milliseconds per document, documents per second, memory. Takes about ten seconds.

    python benchmarks/machine.py [FILE...] [--model MODEL] [--threads N] [--json]

Without files, texts of 30, 90 and 300 sentences are generated from the model's own words.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

import onnxruntime

from memsum._version import __version__
from memsum.document import read_document
from memsum.errors import MemsumError
from memsum.summarizer import Summarizer
from memsum.text import Vocabulary

SENTENCES = 7  # of each summary: what models find long enough differs
TYPICAL = "90 sentences"
_SIZES = {"30 sentences": 30, TYPICAL: 90, "300 sentences": 300}
_WORDS_A_SENTENCE = 35  # so that the typical document has the 3,200 words of a PubMed paper
_PROCESSES = 3  # starts, of which the fastest counts: the first one warms the disk
_SECONDS = 1.0  # of measuring for each document


@dataclass(frozen=True)
class Measures:
    """Numbers of one machine, and what they were measured with."""

    signature: str
    import_ms: float  # import memsum
    help_ms: float  # memsum --help, from start to exit
    cold_ms: float  # memsum summarize of one document, from start to exit
    document_ms: dict[str, float]  # text to summary with the model loaded, by document
    documents_per_second: float
    peak_mb: float | None  # of the process that makes one summary


def generate_texts(vocabulary: Vocabulary) -> dict[str, str]:
    """Texts of three sizes by name."""
    return {name: generate_text(vocabulary, size) for name, size in _SIZES.items()}


def generate_text(vocabulary: Vocabulary, sentences: int) -> str:
    """A text of the model's own words, always the same; as varied as papers are, of which 3,200 words are 850 ones."""
    draw = random.Random(sentences)
    words = [word for word in vocabulary.words if word.isalpha()] or ["word"]
    used: list[str] = []

    def word() -> str:
        """A frequent or a rare word, as often as not one that this text has already."""
        again = used and draw.random() < 0.5
        used.append(draw.choice(used) if again else words[int(len(words) ** draw.random()) - 1])
        return used[-1]

    def sentence() -> str:
        chosen = [word() for _ in range(_WORDS_A_SENTENCE)]
        chosen.append(max(chosen, key=len))  # the period is not one of an abbreviation
        return f"{' '.join(chosen[1:]).capitalize()}."

    paragraphs = [" ".join(sentence() for _ in range(min(6, sentences - low))) for low in range(0, sentences, 6)]
    return "\n\n".join(paragraphs)


def measure(summarizer: Summarizer, texts: Mapping[str, str], model: str, threads: int | None) -> Measures:
    """Measure with some texts; processes are started with the same model and number of threads."""
    typical = TYPICAL if TYPICAL in texts else next(iter(texts))
    times = {name: _times(partial(summarizer.summarize, text, sentences=SENTENCES)) for name, text in texts.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document.txt")
        path.write_bytes(texts[typical].encode("utf-8", "replace"))
        command = ["-m", "memsum", "summarize", str(path), "--model", model, "--sentences", str(SENTENCES)]
        cold = _fastest_start([*command, *(["--threads", str(threads)] if threads else [])])
    return Measures(
        signature=_signature(summarizer.name, threads),
        import_ms=round(_import_time(), 1),
        help_ms=round(_fastest_start(["-m", "memsum", "--help"]), 1),
        cold_ms=round(cold, 1),
        document_ms={name: round(1000 * median(runs), 2) for name, runs in times.items()},
        documents_per_second=round(len(times[typical]) / sum(times[typical]), 1),
        peak_mb=_peak_of_children(),
    )


def table(measures: Measures) -> str:
    """The numbers for a reader."""
    rows = [
        ("import memsum", f"{measures.import_ms:,.0f} ms"),
        ("memsum --help", f"{measures.help_ms:,.0f} ms"),
        ("memsum summarize, start to exit", f"{measures.cold_ms:,.0f} ms"),
        *((f"{SENTENCES} sentences of {name}", f"{value:,.1f} ms") for name, value in measures.document_ms.items()),
        ("documents per second, one after the other", f"{measures.documents_per_second:,.1f}"),
        ("peak memory of one summary", "unknown" if measures.peak_mb is None else f"{measures.peak_mb:,.0f} MB"),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join([*(f"{name:{width}}  {value:>9}" for name, value in rows), "", measures.signature])


def _times(run: Callable[[], object]) -> list[float]:
    """Seconds of each run, after one to warm up, for about a second."""
    run()
    times: list[float] = []
    while sum(times) < _SECONDS:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def _fastest_start(arguments: list[str]) -> float:
    """Milliseconds of a fresh process."""
    times = []
    for _ in range(_PROCESSES):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def _import_time() -> float:
    """Milliseconds of `import memsum` in a fresh process."""
    code = "import time; t = time.perf_counter(); import memsum; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, check=True, capture_output=True) for _ in range(_PROCESSES)]
    return 1000 * min(float(run.stdout) for run in runs)


def _peak_of_children() -> float | None:
    """Megabytes of the largest process that was started here; Windows does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6, 1)


def _signature(model: str, threads: int | None) -> str:
    parts = {
        "memsum": __version__,
        "model": model,
        "threads": threads or "auto",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "onnxruntime": onnxruntime.__version__,
        "system": f"{platform.system()}-{platform.machine()}",
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    try:
        summarizer = Summarizer.load(given.model, threads=given.threads)
        texts = {path.name: read_document(path).text for path in given.files}
    except MemsumError as error:
        sys.exit(error.message)
    texts = texts or generate_texts(summarizer.runtime.encoder.vectors.vocabulary)
    measures = measure(summarizer, texts, given.model, given.threads)
    print(json.dumps(asdict(measures), indent=2) if given.json else table(measures))


if __name__ == "__main__":
    main()
