"""Appendix C: the time of one summary, against the length of the document and the number of extracted sentences.

One core, one document at a time, the model loaded and warm; processor time, which is the same on a busy machine. Times
of another machine are others: that they grow with both, and how, is what can be compared with the paper.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.model import StopSettings, list_models
from memsum.model.registry import DEFAULT
from memsum.model.runtime import Runtime
from memsum.select import begin
from memsum_train.corpus.stats import words_of
from memsum_train.experiments.config import FULL
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import RESAMPLES, SEED, Estimate, resampled_estimate
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memsum_train.evaluation.playing import Model

Floats = NDArray[np.float64]
Document = tuple[Sequence[str], int]  # sentences, and how many of them are extracted
Engine = Callable[[Sequence[str], int], object]
Growth = dict[str, Floats]  # of each engine, ms (values, documents)

SIZES = (50, 100, 200, 400, 800, 1200)  # sentences of a document, of which COUNT are extracted
COUNTS = (1, 4, 7, 11, 16, 22)  # extracted sentences, of documents of SIZE; the paper's corpora have 5 to 22
SIZE, COUNT = 200, 7
REPEATS = 10  # different documents for each of these

PUBLISHED = {  # Table 9: words per document, extracted sentences, ms ± sd
    "PubMed": (2730, 6, 91.7, 8.6),
    "arXiv": (5206, 5, 114.0, 5.0),
    "PubMed-trunc": (408, 5, 27.7, 4.6),
    "GovReport": (7932, 22, 197.0, 14.8),
}


def run(context: Context) -> ExperimentReport:
    """Time documents as long as the paper's, then documents and summaries of several lengths."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with TemporaryDirectory() as folder:
            return _report(context, Path(folder))
    finally:
        torch.set_num_threads(threads)


def _report(context: Context, folder: Path) -> ExperimentReport:
    from memsum_train.evaluation.playing import open_model

    data = context.main.data("test")
    engines = _engines(open_model(context.model(FULL), "cpu"), folder)
    pool = list(dict.fromkeys(chain.from_iterable(example.text for example in data.examples)))
    each = len(words_of(pool)) / len(pool)  # words of a sentence
    like = {name: (max(1, round(words / each)), count) for name, (words, count, _, _) in PUBLISHED.items()}
    like = {name: lengths for name, lengths in like.items() if lengths[0] <= len(pool)}
    sizes = [size for size in SIZES if size <= len(pool)]
    if len(sizes) < 2:  # nothing could grow with one length
        sizes = sorted({max(1, len(pool) // part) for part in (4, 2, 1)})
    size = min(SIZE, len(pool))
    counts = [count for count in COUNTS if count < size] or [1]
    context.say("timing documents of several lengths")
    planned = [*like.values(), *((one, COUNT) for one in sizes), *((size, count) for count in counts)]
    measured = measure(engines, [(text, count) for one, count in planned for text in windows(pool, one)])
    rows: list[Row] = []
    for name, (words, count, *spread) in PUBLISHED.items():
        rows.append((f"{name}, published", f"{words:,} words", str(count), *(Number(one, digits=1) for one in spread)))
    by_size, by_count, conclusions = {}, {}, []
    for engine, flat in measured.items():
        times = flat.reshape(-1, REPEATS)
        names = [*(f"{engine}, as long as {name}" for name in like), *[engine] * (len(sizes) + len(counts))]
        for name, (sentences, count), one in zip(names, planned, times, strict=True):
            lengths = (f"{sentences:,} sentences", str(min(count, sentences)))
            rows.append((name, *lengths, *(Number(value, digits=1) for value in (one.mean(), one.std()))))
        _, by_size[engine], by_count[engine] = np.split(times, [len(like), len(like) + len(sizes)])
        per_size, per_count = slope(sizes, 100 * by_size[engine]), slope(counts, by_count[engine])
        conclusions.append(conclude(engine, per_size, "100 sentences of the document"))
        conclusions.append(conclude(engine, per_count, "extracted sentence"))
    note = (
        f"Processor time on one core; {REPEATS} documents each, made of neighboring sentences of the test documents. "
        "The published times are of other data and of another machine."
    )
    caption = (
        f"Left: {COUNT} sentences extracted from documents of several lengths. Right: summaries of several lengths of "
        f"documents of {size} sentences. Mean ± standard deviation of {REPEATS} documents."
    )
    signature, head = _signature(context), ("engine", "document", "extracted", "ms", "sd of ms")
    return ExperimentReport(
        title="Summarization time",
        question="How does the time of one summary grow with the document and with the summary? (Appendix C)",
        tables=(Table("timing", "Time of a summary", head, tuple(rows), (note,)),),
        figures=(Picture("timing", caption, draw_timing((sizes, by_size), (counts, by_count), signature)),),
        conclusions=tuple(conclusions),
        signatures=(signature, data.signature),
    )


def _engines(model: Model, folder: Path) -> dict[str, Engine]:
    """Return what is timed: the runtime of `memsum summarize`, PyTorch, and the model that ships."""
    from memsum_train.policy.batch import collate
    from memsum_train.policy.export import export_policy
    from memsum_train.policy.folder import save_policy
    from memsum_train.policy.greedy import play

    # How it stops does not matter: the number of sentences is given.
    save_policy(folder, model.policy, replace(model.config, stop=StopSettings()), model.encoder)
    export_policy(model.policy, folder)

    def in_runtime(folder: Path) -> Engine:
        runtime = Runtime.load(folder, threads=1)

        def extract(sentences: Sequence[str], count: int) -> object:
            episode = begin(runtime, sentences)
            episode.extend(count)
            return episode.stop(len(episode.choices))  # a step more, to see whether to stop

        return extract

    engines: dict[str, Engine] = {
        "ONNX Runtime": in_runtime(folder),
        "PyTorch": lambda sentences, count: play(model.policy, collate([model.encoder.encode(sentences)]), count),
    }
    for source in list_models():
        if source.name == DEFAULT:
            engines["ONNX Runtime, default model"] = in_runtime(source.folder)
    return engines


def measure(engines: Mapping[str, Engine], documents: Sequence[Document]) -> Growth:
    """Return ms (documents,) of engines in turn, so that what slows the machine slows all; each warms up first."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    for extract in engines.values():
        extract(*documents[0])
    for document in documents:
        for name, extract in engines.items():
            began = process_time()
            extract(*document)
            times[name].append(1e3 * (process_time() - began))
    return {name: np.array(values) for name, values in times.items()}


def windows(pool: Sequence[str], size: int) -> list[list[str]]:
    """Return documents of neighboring sentences, each beginning elsewhere."""
    starts = [i * len(pool) // REPEATS for i in range(REPEATS)]
    return [[pool[(start + offset) % len(pool)] for offset in range(size)] for start in starts]


def slope(values: Sequence[int], times: Floats, seed: int = SEED) -> Estimate:
    """Fit a line to times (values, documents) by least squares; the interval resamples documents at each value."""
    x = np.array(values, np.float64) - np.mean(values)
    x /= float(x @ x) or 1.0  # of one value, there is no slope
    drawn = np.random.default_rng(seed).integers(times.shape[1], size=(RESAMPLES, *times.shape))
    means = np.take_along_axis(np.broadcast_to(times, drawn.shape), drawn, axis=2).mean(axis=2)  # (R, values)
    return resampled_estimate(float(times.mean(axis=1) @ x), means @ x)


def conclude(engine: str, found: Estimate, what: str) -> str:
    """State whether the time grows."""
    numbers = f"{found.mean:+.2f} ms for every {what}, 95 % interval {found.low:+.2f} to {found.high:+.2f}"
    if found.low <= 0 <= found.high:
        return f"{engine}: {numbers}: no growth could be measured; the paper finds one."
    return f"{engine}: {numbers}, {'as' if found.mean > 0 else 'unlike'} in the paper."


def draw_timing(by_size: tuple[Sequence[int], Growth], by_count: tuple[Sequence[int], Growth], note: str) -> Figure:
    """Draw means and standard deviations, one color per engine."""
    with drawing(1, 2, height=3.3, note=note) as (figure, (left, right)):
        for axes, (values, growth) in ((left, by_size), (right, by_count)):
            for i, (engine, times) in enumerate(growth.items()):
                axes.errorbar(values, times.mean(axis=1), times.std(axis=1), capsize=2.5, label=engine, **series(i))
            axes.set_ylim(bottom=0)
            axes.set_xlim(left=0)
        left.set(xlabel="sentences of the document", ylabel="processor time, ms")
        right.set(xlabel="extracted sentences")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _signature(context: Context) -> str:
    import onnxruntime  # type: ignore[import-untyped]
    import torch

    network = f"network:{context.config.network.local}, {context.config.network.dimension} dimensions"
    versions = f"memsum:{__version__}|onnxruntime:{onnxruntime.__version__}|torch:{torch.__version__}"
    return f"{versions}|{network}|threads:1|system:{platform.system()}-{platform.machine()}"
