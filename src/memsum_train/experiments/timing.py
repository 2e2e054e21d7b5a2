"""Table 9: the time of one summary, against the length of the document and the number of extracted sentences.

The trained network in PyTorch, as in the paper: one core, one document at a time, the model loaded and warm; processor
time, which is the same on a busy machine. Times of another machine are others: that they grow with both, and how, is
what can be compared with the paper.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from itertools import chain
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum_train.corpus.stats import words_of
from memsum_train.experiments.config import FULL, PAPER
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport
from memsum_train.report.figures import drawing, series
from memsum_train.report.statistics import estimate_mean
from memsum_train.report.table import Number, Row, Table

if TYPE_CHECKING:
    from memsum_train.evaluation.playing import Model

Floats = NDArray[np.float64]

SIZES = (50, 100, 200, 400, 800, 1200)  # sentences of a document, of which COUNT are extracted
COUNTS = (1, 4, 7, 11, 16, 22)  # extracted sentences, of documents of SIZE; the paper's corpora have 5 to 22
SIZE, COUNT = 200, 7
REPEATS = 20  # different documents for each of these; as many as an interval needs


def run(context: Context) -> ExperimentReport:
    """Time documents as long as the paper's, then documents and summaries of several lengths."""
    corpus, published = context.main, PAPER["timing"]["published"]
    data = corpus.data("test")
    context.train([FULL], corpus)
    model = context.model(FULL, corpus, device="cpu")
    pool = list(dict.fromkeys(chain.from_iterable(example.text for example in data.examples)))
    each = len(words_of(pool)) / len(pool)  # words of a sentence
    like = [(max(1, round(words / each)), count) for words, count, *_ in published.values()]
    planned = [*like, *((size, COUNT) for size in SIZES), *((SIZE, count) for count in COUNTS)]
    context.say("timing documents of several lengths")
    times = measure(model, pool, planned)
    rows: list[Row] = []
    for name, (words, count, *spread) in published.items():
        rows.append((f"{name}, published", f"{words:,} words", str(count), *(Number(one, digits=1) for one in spread)))
    names = [*(f"as long as {name}" for name in published), *[FULL.name] * (len(SIZES) + len(COUNTS))]
    for name, (size, count), one in zip(names, planned, times, strict=True):
        spread = [Number(float(value), digits=1) for value in (one.mean(), one.std())]
        rows.append((name, f"{size:,} sentences", str(min(count, size)), *spread))
    note = (
        f"Processor time on one core; {REPEATS} documents each, made of neighboring sentences of the test documents, "
        "over again where these have too few. The published times are of other data and of another machine."
    )
    head = ("documents", "length", "extracted", "ms", "sd of ms")
    caption = (
        f"Left: {COUNT} sentences extracted from documents of several lengths. Right: summaries of several lengths of "
        f"documents of {SIZE} sentences. Mean ± standard deviation of {REPEATS} documents."
    )
    _, by_size, by_count = np.split(times, [len(like), len(like) + len(SIZES)])
    network = f"network:{context.config.network.local}, {context.config.network.dimension} dimensions"
    signature = f"memsum:{__version__}|{network}|threads:1|system:{platform.system()}-{platform.machine()}"
    with drawing(1, 2, height=3.3, note=signature) as (figure, panels):
        for axes, values, some in zip(panels, (SIZES, COUNTS), (by_size, by_count), strict=True):
            axes.errorbar(values, some.mean(axis=1), some.std(axis=1), capsize=2.5, **series(0))
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
        panels[0].set(xlabel="sentences of the document", ylabel="processor time, ms")
        panels[1].set(xlabel="extracted sentences")
    return ExperimentReport(
        tables=[Table("timing", "Time of a summary", head, tuple(rows), (note,))],
        figures={"timing": (caption, figure)},
        conclusions=[
            conclude(np.array(SIZES) / 100, by_size, "100 sentences of the document"),
            conclude(COUNTS, by_count, "extracted sentence"),
        ],
        signatures=[signature, data.signature],
    )


def measure(model: Model, pool: Sequence[str], planned: Sequence[tuple[int, int]]) -> Floats:
    """Return ms (planned, REPEATS) of extracting so many sentences from documents of so many sentences."""
    import torch

    from memsum_train.paper.model import extract
    from memsum_train.policy.batch import collate

    threads, times = torch.get_num_threads(), []
    torch.set_num_threads(1)
    try:
        for size, count in [planned[0], *planned]:  # the first one warms up
            for start in (i * len(pool) // REPEATS for i in range(REPEATS)):
                document = [pool[(start + offset) % len(pool)] for offset in range(size)]
                began = process_time()
                extract(model.policy, collate([model.encoder.encode(document)]), count)
                times.append(1e3 * (process_time() - began))
    finally:
        torch.set_num_threads(threads)
    return np.array(times).reshape(-1, REPEATS)[1:]


def conclude(values: Sequence[float] | Floats, times: Floats, what: str) -> str:
    """State whether times (values, documents) grow: the slope of a line for each document, and its interval."""
    found = estimate_mean(np.polyfit(values, times, 1)[0])
    numbers = f"{found.mean:+.2f} ms for every {what}, 95 % interval {found.low:+.2f} to {found.high:+.2f}"
    if found.low <= 0 <= found.high:
        return f"{numbers}: no growth could be measured; the paper finds one."
    return f"{numbers}, {'as' if found.mean > 0 else 'unlike'} in the paper."
