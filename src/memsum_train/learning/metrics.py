"""What is written down of a training: `metrics.jsonl`, one line a moment, and the plot of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memsum.files import write_atomically
from memsum_train.learning.learner import TrainingProgress
from memsum_train.learning.validation import Validation
from memsum_train.report.figures import COLORS, drawing, series, write_figure

METRICS_FILE = "metrics.jsonl"
PLOT_FILE = "curves.png"
_EVERY = 20  # updates per line


class Metrics:
    """Appends lines; a resumed training first takes back what came after its checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / METRICS_FILE

    def rewind(self, update: int) -> None:
        """Drop the lines of updates that will be made again, and a line that was cut off."""
        kept = [json.dumps(line) for line in read_metrics(self.path) if line["update"] <= update]
        write_atomically(self.path, "".join(f"{line}\n" for line in kept).encode())

    def training(self, progress: TrainingProgress, loss: float, rate: float, last: bool) -> None:
        progress.losses.append(loss)
        if progress.update % _EVERY == 0 or last:
            mean = sum(progress.losses) / len(progress.losses)
            progress.losses.clear()
            self._append(progress, {"loss": mean, "learning_rate": rate})

    def validation(self, progress: TrainingProgress, result: Validation) -> None:
        self._append(progress, {"validation": result.to_dict()})

    def _append(self, progress: TrainingProgress, values: dict[str, Any]) -> None:
        line = {
            "update": progress.update,
            "documents": progress.documents,
            "seconds": round(progress.seconds, 1),
            **values,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read all whole lines."""
    lines: list[dict[str, Any]] = []
    for raw in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(raw))
        except json.JSONDecodeError:
            break
    return lines


def plot_metrics(folder: Path) -> Path:
    """Draw loss and validation ROUGE over the documents seen."""
    lines = read_metrics(folder / METRICS_FILE)
    losses = [(line["documents"], line["loss"]) for line in lines if "loss" in line]
    validations = [(line["documents"], line["validation"]) for line in lines if "validation" in line]
    with drawing(1, 2) as (figure, (left, right)):
        if losses:
            left.plot(*zip(*losses, strict=True), color=COLORS[0], linewidth=1)
        left.set(xlabel="documents seen", ylabel="loss", title="Training loss")
        for number, source in enumerate(validations[0][1]["sources"] if validations else []):
            points = [(seen, 100 * result["sources"][source]["rouge1"]) for seen, result in validations]
            right.plot(*zip(*points, strict=True), label=source, **series(number))
        if validations:
            right.legend()
        right.set(xlabel="documents seen", ylabel="ROUGE-1 F1", title="Validation, at the best stop")
    write_figure(figure, folder / PLOT_FILE)
    return folder / PLOT_FILE
