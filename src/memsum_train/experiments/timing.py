"""Appendix C: the time of one summary, against the length of the document and the number of extracted sentences.

One core, one document at a time, the model loaded and warm. Times of another machine are others; that they grow with
both, and how, is what can be compared with the paper.

One summary runs in ONNX Runtime or in PyTorch, stage by stage. Time is the processor's: the time one waits on an idle
machine, and the same on a busy one.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.model import StopSettings, list_models
from memsum.model.registry import DEFAULT
from memsum.model.runtime import Runtime
from memsum_train.corpus.stats import words_of
from memsum_train.experiments.config import FULL, Corpus
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, Picture
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import RESAMPLES, SEED, interval
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memsum_train.evaluation.playing import Model

Floats = NDArray[np.float64]

SIZES = (50, 100, 200, 400, 800, 1200)  # sentences of a document, of which COUNT are extracted
COUNTS = (1, 4, 7, 11, 16, 22)  # extracted sentences, of documents of SIZE; the paper's corpora have 5 to 22
SIZE, COUNT = 200, 7
REPEATS = 5  # different documents for each of these
DOCUMENTS = 20  # of each corpus, as they are

# Table 7: words per document, extracted sentences ± sd, ms ± sd.
PUBLISHED = {
    "PubMed": (2730, 6.0, 1.2, 91.7, 8.6),
    "arXiv": (5206, 4.8, 0.5, 114.0, 5.0),
    "PubMed-trunc": (408, 5.3, 1.4, 27.7, 4.6),
    "GovReport": (7932, 21.7, 1.8, 197.0, 14.8),
}
STAGES = ("text", "encoding", "steps")


@dataclass(frozen=True)
class Timing:
    """Milliseconds of one summary: words to numbers, sentences and document through the network, the episode."""

    sentences: int
    extracted: int
    text: float
    encoding: float
    steps: float

    @property
    def total(self) -> float:
        return self.text + self.encoding + self.steps


class Engine(Protocol):
    """Something that summarizes, and can be timed."""

    name: str

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        """Time an episode: `count` steps, and one more to see whether to stop."""


@dataclass
class OnnxEngine:
    """The runtime of `memsum summarize`."""

    runtime: Runtime
    name: str = "ONNX Runtime"

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        # The text is encoded twice: its time alone is measured, and subtracted from that of the whole.
        began = process_time()
        self.runtime.encoder.encode(sentences)
        read = process_time()
        episode = self.runtime.begin(sentences)
        encoded = process_time()
        episode.extend(count)
        episode.stop(len(episode.choices))
        ended = process_time()
        text = read - began
        encoding = max(0.0, encoded - read - text)
        return Timing(len(sentences), len(episode.choices), 1e3 * text, 1e3 * encoding, 1e3 * (ended - encoded))


@dataclass
class TorchEngine:
    """The network of trainings and evaluations, one document per batch."""

    model: Model
    name: str = "PyTorch"

    def time(self, sentences: Sequence[str], count: int) -> Timing:
        from memsum_train.evaluation.playing import Observed
        from memsum_train.policy.batch import collate
        from memsum_train.policy.greedy import play

        observed = Observed(self.model.policy)
        began = process_time()
        text = self.model.encoder.encode(sentences)
        read = process_time()
        [extraction] = play(observed.policy, collate([text]), count)
        ended = process_time()
        encoding, steps = observed.encoded - read, ended - observed.encoded
        return Timing(len(sentences), len(extraction.choices), 1e3 * (read - began), 1e3 * encoding, 1e3 * steps)


def export_engine(model: Model, folder: Path) -> OnnxEngine:
    """Export a policy into a folder, and open it in ONNX Runtime."""
    from memsum_train.policy.export import export_policy
    from memsum_train.policy.folder import save_policy

    # How it stops does not matter: the number of sentences is given.
    save_policy(folder, model.policy, replace(model.config, stop=StopSettings()), model.encoder)
    export_policy(model.policy, folder)
    return OnnxEngine(Runtime.load(folder, threads=1))


@contextmanager
def one_core() -> Iterator[None]:
    """Keep PyTorch to one thread for a while, as the runtime is."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class Growth:
    """Times of one engine at some values of what is varied, each of several documents."""

    engine: str
    values: tuple[int, ...]
    timings: tuple[tuple[Timing, ...], ...]  # for each value

    @property
    def totals(self) -> Floats:
        return np.array([[timing.total for timing in row] for row in self.timings])


@dataclass(frozen=True)
class Fit:
    """A line through the means: ms = start + slope · value."""

    start: float
    slope: float
    low: float  # interval of the slope
    high: float
    explained: float  # share of the variance of the means


def run(context: Context) -> ExperimentReport:
    """Time documents as they are, then documents of given lengths and summaries of given lengths."""
    from memsum_train.evaluation.playing import open_model

    with one_core(), TemporaryDirectory() as folder:
        rows: list[Row] = []
        growths: tuple[list[Growth], list[Growth]] = ([], [])
        for number, corpus in enumerate(context.corpora):
            model = open_model(context.model(FULL, corpus), "cpu")
            engines: list[Engine] = [export_engine(model, Path(folder, str(number))), TorchEngine(model)]
            for source in list_models():
                if source.name == DEFAULT:
                    runtime = Runtime.load(source.folder, threads=1)
                    engines.append(OnnxEngine(runtime, "ONNX Runtime, default model"))
            rows += _corpus_rows(context, corpus, engines)
            if corpus == context.main:
                context.say("timing documents of several lengths")
                sentences = (sentence for example in corpus.data("test").examples for sentence in example.text)
                # Distinct ones: repeats, encoded once, would make documents shorter.
                growths = time_growth(engines, list(dict.fromkeys(sentences)))
    for name, (words, extracted, extracted_sd, time, time_sd) in PUBLISHED.items():
        numbers = (Number(value, digits=1) for value in (extracted, extracted_sd, time, time_sd))
        rows.append((name, "published", Number(words, digits=0), None, *numbers))
    note = (
        f"Means over at most {DOCUMENTS} documents; processor time on one core. The published times are of other data "
        "and of another machine."
    )
    head = ("documents", "engine", "words", "sentences", "extracted", "sd of extracted", "ms", "sd of ms")
    table = Table("timing", "Time of a summary of documents as they are", head, tuple(rows), (note,))
    signature = _signature(context)
    by_size, by_count = growths
    return ExperimentReport(
        title="Summarization time",
        question="How does the time of one summary grow with the document and with the summary? (Appendix C)",
        tables=(table, _growth_table(by_size, by_count)),
        figures=(
            Picture(
                "timing",
                f"Left: {COUNT} sentences extracted from documents of several lengths. Right: summaries of several "
                f"lengths of documents of {by_count[0].timings[0][0].sentences} sentences. Mean ± standard deviation "
                f"of {REPEATS} documents, and lines of least squares.",
                draw_timing(by_size, by_count, signature),
            ),
        ),
        conclusions=(
            *(_conclude(growth, "sentences of the document", 100) for growth in by_size),
            *(_conclude(growth, "extracted sentences", 1) for growth in by_count),
        ),
        signatures=(signature, context.main.data("test").signature),
    )


def time_growth(engines: Sequence[Engine], pool: Sequence[str]) -> tuple[list[Growth], list[Growth]]:
    """Time all engines on documents of SIZES sentences, and on summaries of COUNTS; as far as there are sentences."""
    sizes = [size for size in SIZES if size <= len(pool)] or [len(pool)]
    size = min(SIZE, len(pool))
    counts = [count for count in COUNTS if count < size] or [1]
    by_size = [[(document, COUNT) for document in windows(pool, size)] for size in sizes]
    by_count = [[(document, count) for document in windows(pool, size)] for count in counts]
    return _grow(engines, sizes, by_size), _grow(engines, counts, by_count)


def windows(pool: Sequence[str], size: int) -> list[list[str]]:
    """Return documents of neighboring sentences, each beginning elsewhere."""
    starts = [i * len(pool) // REPEATS for i in range(REPEATS)]
    return [[pool[(start + offset) % len(pool)] for offset in range(size)] for start in starts]


def fit(values: Sequence[int], totals: Floats, seed: int = SEED) -> Fit:
    """Fit a line by least squares; the slope's interval resamples documents at each value."""
    x = np.array(values, np.float64) - np.mean(values)
    spread = float(x @ x) or 1.0  # of one value, there is no slope
    drawn = np.random.default_rng(seed).integers(totals.shape[1], size=(RESAMPLES, *totals.shape))
    means = np.take_along_axis(np.broadcast_to(totals, drawn.shape), drawn, axis=2).mean(axis=2)  # (R, values)
    observed = totals.mean(axis=1)
    slope = float(observed @ x / spread)
    deviations = observed - observed.mean()
    rest = deviations - slope * x
    explained = 1 - float(rest @ rest) / (float(deviations @ deviations) or 1.0)
    start = float(observed.mean() - slope * np.mean(values))
    low, high = interval(means @ x / spread).tolist()
    return Fit(start, slope, low, high, explained)


def draw_timing(by_size: Sequence[Growth], by_count: Sequence[Growth], note: str) -> Figure:
    """Draw means, standard deviations and lines, one color per engine."""
    with drawing(1, 2, height=3.3, note=note) as (figure, (left, right)):
        for axes, growths in ((left, by_size), (right, by_count)):
            for i, growth in enumerate(growths):
                style, values = series(i), growth.values
                color, marker, means = style["color"], style["marker"], growth.totals.mean(axis=1)
                deviations = growth.totals.std(axis=1)
                axes.errorbar(values, means, deviations, fmt=marker, color=color, capsize=2.5, label=growth.engine)
                line, ends = fit(values, growth.totals), np.array([0, max(values)])
                axes.plot(ends, line.start + line.slope * ends, color=color, linestyle=style["linestyle"])
            axes.set_ylim(bottom=0)
            axes.set_xlim(left=0)
        left.set(xlabel="sentences of the document", ylabel="processor time, ms")
        right.set(xlabel="extracted sentences")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3)
    return figure


def _corpus_rows(context: Context, corpus: Corpus, engines: Sequence[Engine]) -> list[Row]:
    """Time documents as they are, with as many sentences as the policy extracts."""
    data = corpus.data("test")
    predictions = context.summarize(context.system(FULL, corpus), data).predictions[:DOCUMENTS]
    documents = [(example.text, len(p.sentences)) for example, p in zip(data.examples, predictions, strict=False)]
    context.say(f"timing {len(documents)} documents of {corpus.name}")
    words, sentences = ([count(text) for text, _ in documents] for count in (lambda text: len(words_of(text)), len))
    lengths = [Number(float(np.mean(counts)), digits=0) for counts in (words, sentences)]
    rows: list[Row] = []
    for engine, timings in zip(engines, _measure(engines, documents), strict=True):
        varied = (np.array([float(count) for _, count in documents]), np.array([timing.total for timing in timings]))
        spreads = [Number(value, digits=1) for values in varied for value in (values.mean(), values.std())]
        rows.append((corpus.name, engine.name, *lengths, *spreads))
    return rows


def _grow(
    engines: Sequence[Engine], values: Sequence[int], documents: Sequence[Sequence[tuple[Sequence[str], int]]]
) -> list[Growth]:
    measured = [_measure(engines, some) for some in documents]  # (values, engines, documents)
    return [
        Growth(engine.name, tuple(values), tuple(tuple(rows[i]) for rows in measured))
        for i, engine in enumerate(engines)
    ]


def _measure(engines: Sequence[Engine], documents: Sequence[tuple[Sequence[str], int]]) -> list[list[Timing]]:
    """Time engines in turn, so that what slows the machine down slows all; each warms up first."""
    for engine in engines:
        engine.time(*documents[0])
    rounds = [[engine.time(*document) for engine in engines] for document in documents]
    return [list(timings) for timings in zip(*rounds, strict=True)]


def _growth_table(by_size: Sequence[Growth], by_count: Sequence[Growth]) -> Table:
    rows: list[Row] = []
    for growth in (*by_size, *by_count):
        for timings in growth.timings:
            stages = (float(np.mean([getattr(timing, stage) for timing in timings])) for stage in STAGES)
            totals = np.array([timing.total for timing in timings])
            shown = (Number(value, digits=1) for value in (*stages, totals.mean(), totals.std()))
            rows.append((growth.engine, str(timings[0].sentences), str(timings[0].extracted), *shown))
    return Table(
        name="timing-growth",
        title="Where the time goes, in ms",
        head=("engine", "sentences", "extracted", *STAGES, "total", "sd of total"),
        rows=tuple(rows),
        notes=(
            f"Processor time on one core, means of {REPEATS} documents made of neighboring sentences of the test "
            "documents. The stages are: words to numbers; sentences and document through the network; the steps of "
            "the episode.",
        ),
    )


def _conclude(growth: Growth, what: str, unit: int) -> str:
    line = fit(growth.values, growth.totals)
    slope, low, high = (unit * value for value in (line.slope, line.low, line.high))
    numbers = f"{slope:+.2f} ms for every {unit if unit > 1 else 'one'}, 95 % interval {low:.2f} to {high:.2f}"
    if low > 0:
        return (
            f"{growth.engine}: the time grows with the number of {what} ({numbers}; a line explains "
            f"{100 * line.explained:.0f} % of the variance of the means), as in the paper."
        )
    if high < 0:
        return f"{growth.engine}: the time falls with the number of {what} ({numbers}), unlike in the paper."
    return f"{growth.engine}: no growth with the number of {what} could be measured ({numbers}); the paper finds one."


def _signature(context: Context) -> str:
    import onnxruntime  # type: ignore[import-untyped]
    import torch

    network = context.config.network
    parts = {
        "memsum": __version__,
        "network": f"{network.local}, {network.dimension} dimensions",
        "threads": 1,
        "cores": os.cpu_count(),
        "onnxruntime": onnxruntime.__version__,
        "torch": torch.__version__,
        "system": f"{platform.system()}-{platform.machine()}",
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())
