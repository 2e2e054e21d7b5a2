"""The report of an experiment, and its files: tables, figures, pages, metrics, and a README with all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum._version import __version__
from memsum.files import write_atomically
from memsum_train.experiments.config import Config
from memsum_train.report.figures import save_figure
from memsum_train.report.table import Table, as_csv, as_latex, as_markdown, as_records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS_FILE = "metrics.json"
CONFIG_FILE = "config.json"
README = "README.md"


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib (as `report.figures.drawing` gives it), written as PNG and SVG under its name."""

    name: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Page:
    """A whole file, such as an HTML page, written as it is under its name."""

    name: str
    caption: str
    content: str


@dataclass(frozen=True)
class ExperimentReport:
    """The findings of an experiment: numbers, pictures, and sentences that follow from intervals."""

    title: str
    question: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Picture, ...] = ()
    pages: tuple[Page, ...] = ()
    conclusions: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()  # of data, models, metric: all that is needed to compute the numbers again


def write_report(report: ExperimentReport, folder: Path, config: Config, key: str, seconds: float) -> None:
    """Write all files of a report; the metrics come last and mark it complete."""
    (folder / METRICS_FILE).unlink(missing_ok=True)
    for name, content in (("tables", report.tables), ("figures", report.figures)):
        if content:
            (folder / name).mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for table in report.tables:
        for suffix, form in (("md", as_markdown), ("tex", as_latex), ("csv", as_csv)):
            _write(folder / "tables" / f"{table.name}.{suffix}", form(table))
    for picture in report.figures:
        save_figure(picture.figure, folder / "figures" / picture.name)
    for page in report.pages:
        _write(folder / page.name, page.content)
    _write(folder / README, as_readme(report))
    _write(folder / CONFIG_FILE, json.dumps(config.to_dict(), indent=2) + "\n")
    metrics = {
        "key": key,
        "memsum": __version__,
        "title": report.title,
        "question": report.question,
        "seconds": round(seconds, 1),
        "conclusions": list(report.conclusions),
        "tables": {table.name: as_records(table) for table in report.tables},
        "signatures": list(report.signatures),
    }
    _write(folder / METRICS_FILE, json.dumps(metrics, indent=2, ensure_ascii=False) + "\n")


def read_metrics(folder: Path) -> dict[str, Any]:
    """Return the metrics of a complete report; empty if there is none."""
    try:
        metrics = json.loads((folder / METRICS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return metrics if isinstance(metrics, dict) else {}


def as_readme(report: ExperimentReport) -> str:
    """Return a report as one page of Markdown."""
    blocks = [f"# {report.title}", report.question]
    if report.conclusions:
        blocks.append("\n".join(f"- {conclusion}" for conclusion in report.conclusions))
    blocks += [as_markdown(table).rstrip("\n") for table in report.tables]
    blocks += [f"![{picture.caption}](figures/{picture.name}.png)\n\n*{picture.caption}*" for picture in report.figures]
    blocks += [f"[{page.caption}]({page.name})" for page in report.pages]
    if report.signatures:
        blocks.append("\n".join(f"- `{signature}`" for signature in report.signatures))
    return "\n\n".join(blocks) + "\n"


def write_index(output: Path, names: Sequence[str]) -> None:
    """Write one page that links all reports, with their conclusions."""
    blocks = ["# Experiments"]
    for name in names:
        metrics = read_metrics(output / name)
        if metrics:
            conclusions = "\n".join(f"- {conclusion}" for conclusion in metrics["conclusions"])
            title = f"## [{metrics['title']}]({name}/{README})"
            blocks.append(f"{title}\n\n{metrics['question']}\n\n{conclusions}".rstrip("\n"))
    _write(output / README, "\n\n".join(blocks) + "\n")


def _write(path: Path, content: str) -> None:
    write_atomically(path, content.encode())
