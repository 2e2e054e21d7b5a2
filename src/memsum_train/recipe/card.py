"""The card of a trained model: what it learned from, how, and what it scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.model import ModelConfig
from memsum.training.corpus.records import Example
from memsum.training.recipe.corpora import group_files
from memsum.training.recipe.settings import SETTINGS_FILE, Recipe
from memsum.training.report.statistics import estimate_mean
from memsum.training.rouge import rouge_signature

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
    return "\n".join([*_head(recipe, config, documents), *_table(examples, scores), "", *_remarks(chosen_by), ""])


def _head(recipe: Recipe, config: ModelConfig, documents: int) -> list[str]:
    corpus, stop, penalties = recipe.corpus, config.stop, config.penalties
    files = group_files(corpus.train)
    names = ", ".join(sorted(files)) if len(files) > 1 else ", ".join(Path(file).name for file in files[""])
    start = f"It starts from the model {Path(recipe.init).name}." if recipe.init else "It was trained from scratch."
    lines = [
        "# A model trained by memsum",
        "",
        f"Trained by `memsum train` (memsum {__version__}) on {documents:,} documents: {names}. {start}",
        f"All settings are in `{SETTINGS_FILE}`, beside this folder; `memsum train --config {SETTINGS_FILE}` trains "
        "another one alike.",
        "",
        "## Recipe",
        "",
    ]
    for stage in recipe.stages:
        one = stage.config
        updates, runs = one.updates(documents), f", average of {stage.runs} runs" if stage.runs > 1 else ""
        passes = f"{updates:,} updates, {updates * one.batch / documents:.1f} passes"
        lines.append(f"- {stage.name}: {passes}, learning rate {one.learning_rate:g}, batch {one.batch}{runs}")
    lines += [
        f"- stops where p(stop) by {stop.by} is at least {stop.threshold:g}, at most {stop.max_sentences} sentences",
        f"- penalties: brevity {penalties.brevity:g}, fullness {penalties.fullness:g}, short {penalties.short:g}, "
        f"needs context {penalties.needs_context:g}, low value {penalties.low_value:g}",
    ]
    if config.reader is not None:
        lines.append(f"- value for readers of everyday documents learned from {Path(corpus.keys).name}")
    return [*lines, ""]


def _table(examples: Sequence[Example], scores: Sequence[tuple[NDArray[np.float64], int]]) -> list[str]:
    kinds: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        kinds.setdefault(str(example.extra.get("source", "all")), []).append(number)
    lines = ["## Scores", "", "| documents | R-1 | R-2 | R-Lsum | sentences |", "|---|---:|---:|---:|---:|"]
    for kind, rows in sorted(kinds.items()):
        cells = []
        for column in np.array([scores[row][0] for row in rows]).T:
            interval = estimate_mean(100 * column)
            cells.append(f"{100 * column.mean():.2f} ({interval.low:.1f}–{interval.high:.1f})")
        sentences = np.mean([scores[row][1] for row in rows])
        lines.append(f"| {len(rows)} {kind} | {' | '.join(cells)} | {sentences:.1f} |")
    return lines


def _remarks(chosen_by: int) -> list[str]:
    lines = [f"{rouge_signature('rouge1/2/Lsum')}; 95 % bootstrap intervals over documents, which were not trained on."]
    if chosen_by:
        lines.append(f"{chosen_by} of them also chose the weights and the threshold: their scores are too high.")
    return lines
