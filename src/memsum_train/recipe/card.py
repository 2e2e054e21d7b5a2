"""The card of a trained model: what it learned from, how, and what it scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.model import ModelConfig
from memsum_train.corpus.records import Example, by_kind
from memsum_train.recipe.corpora import group_files
from memsum_train.recipe.settings import SETTINGS_FILE, Recipe
from memsum_train.report.statistics import estimate_mean
from memsum_train.report.table import Number, Row, Table, as_markdown
from memsum_train.rouge import rouge_signature

CARD_FILE = "README.md"


def make_card(
    recipe: Recipe,
    config: ModelConfig,
    documents: int,
    examples: Sequence[Example],
    scores: Sequence[tuple[NDArray[np.float64], int]],
    chosen_by: int,
) -> str:
    """Write a model's card; `chosen_by` of the judged documents also chose weights and threshold."""
    corpus, stop, penalties = recipe.corpus, config.stop, config.penalties
    files = group_files(corpus.train)
    names = ", ".join(sorted(files)) if len(files) > 1 else ", ".join(Path(file).name for file in files[""])
    start = f"It starts from the model {Path(recipe.init).name}." if recipe.init else "It was trained from scratch."
    steps = []
    for stage in recipe.stages:
        one, runs = stage.config, f", average of {stage.runs} runs" if stage.runs > 1 else ""
        updates = one.updates(documents)
        passes = f"{updates:,} updates, {updates * one.batch / documents:.1f} passes"
        steps.append(f"- {stage.name}: {passes}, learning rate {one.learning_rate:g}, batch {one.batch}{runs}")
    steps.append(
        f"- stops where p(stop) by {stop.by} is at least {stop.threshold:g}, at most {stop.max_sentences} sentences"
    )
    steps.append(
        f"- penalties: brevity {penalties.brevity:g}, needs context {penalties.needs_context:g}, "
        f"low value {penalties.low_value:g}"
    )
    if corpus.keys:
        steps.append(f"- what readers must know learned from {Path(corpus.keys).name}")
    lines = [
        "# A model trained by memsum",
        "",
        f"Trained by `memsum train` (memsum {__version__}) on {documents:,} documents: {names}. {start}",
        f"All settings are in `{SETTINGS_FILE}`, beside this folder; `memsum train --config {SETTINGS_FILE}` trains "
        "another one alike.",
        "",
        "## Recipe",
        "",
        *steps,
        "",
        "## Scores",
        "",
        as_markdown(_scores(examples, scores)),
        f"{rouge_signature('rouge1/2/Lsum')}; 95 % bootstrap intervals over documents, which were not trained on.",
    ]
    if chosen_by:
        lines.append(f"{chosen_by} of them also chose the weights and the threshold: their scores are too high.")
    return "\n".join([*lines, ""])


def _scores(examples: Sequence[Example], scores: Sequence[tuple[NDArray[np.float64], int]]) -> Table:
    rows: list[Row] = []
    for kind, numbers in sorted(by_kind(examples).items()):
        columns = np.array([scores[number][0] for number in numbers]).T
        found = (Number.estimate(estimate_mean(column), 100) for column in columns)
        sentences = float(np.mean([scores[number][1] for number in numbers]))
        rows.append((f"{len(numbers)} {kind or 'all'}", *found, Number(sentences, digits=1)))
    return Table("scores", "", ("documents", "R-1", "R-2", "R-Lsum", "sentences"), tuple(rows))
