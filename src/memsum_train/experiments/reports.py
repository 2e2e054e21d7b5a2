"""The report of an experiment, and its files: tables, figures, pages, metrics, and a README with all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum._version import __version__
from memsum.files import write_atomically
from memsum_train.experiments.config import PAPER, Config
from memsum_train.report.figures import write_figure
from memsum_train.report.table import Table, as_csv, as_latex, as_markdown, as_records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS_FILE = "metrics.json"
README = "README.md"


@dataclass
class ExperimentReport:
    """The findings of an experiment: numbers, pictures, and sentences that follow from intervals."""

    tables: list[Table] = field(default_factory=list)
    figures: dict[str, tuple[str, Figure]] = field(default_factory=dict)  # captions and drawings by name
    pages: dict[str, str] = field(default_factory=dict)  # whole files by name, such as an HTML page
    conclusions: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)  # all that is needed to compute the numbers again


def write_report(name: str, report: ExperimentReport, output: Path, config: Config, stamp: str, key: str) -> None:
    """Write all files of a report; the metrics come last and mark it complete."""
    folder, title, question = output / name, PAPER[name]["title"], f"{PAPER[name]['question']}\n\n{stamp}"
    (folder / METRICS_FILE).unlink(missing_ok=True)
    for inner, found in (("tables", report.tables), ("figures", report.figures)):
        if found:
            (folder / inner).mkdir(parents=True, exist_ok=True)
    blocks = [f"# {title}", question, _listed(report.conclusions)]
    for table in report.tables:
        for suffix, form in (("md", as_markdown), ("tex", as_latex), ("csv", as_csv)):
            _write(folder / "tables" / f"{table.name}.{suffix}", form(table))
        blocks.append(as_markdown(table).rstrip("\n"))
    for picture, (caption, figure) in report.figures.items():
        for kind in ("png", "svg"):
            write_figure(figure, folder / "figures" / f"{picture}.{kind}")
        blocks.append(f"![{caption}](figures/{picture}.png)\n\n*{caption}*")
    for page, content in report.pages.items():
        _write(folder / page, content)
        blocks.append(f"[{page}]({page})")
    blocks.append(_listed([f"`{signature}`" for signature in report.signatures]))
    _write(folder / README, "\n\n".join(filter(None, blocks)) + "\n")
    _write(folder / "config.json", json.dumps(asdict(config), indent=2, default=str) + "\n")
    metrics = {
        "key": key,
        "memsum": __version__,
        "title": title,
        "question": question,
        "conclusions": report.conclusions,
        "tables": {table.name: as_records(table) for table in report.tables},
        "signatures": report.signatures,
    }
    _write(folder / METRICS_FILE, json.dumps(metrics, indent=2, ensure_ascii=False) + "\n")


def read_metrics(folder: Path) -> dict[str, Any]:
    """Return the metrics of a complete report; empty if there is none."""
    path = folder / METRICS_FILE
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def write_index(output: Path, names: Sequence[str]) -> None:
    """Write one page that links all reports, with their conclusions."""
    blocks = ["# Experiments"]
    for name in names:
        if metrics := read_metrics(output / name):
            blocks += [
                f"## [{metrics['title']}]({name}/{README})",
                metrics["question"],
                _listed(metrics["conclusions"]),
            ]
    _write(output / README, "\n\n".join(filter(None, blocks)) + "\n")


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _write(path: Path, content: str) -> None:
    write_atomically(path, content.encode())
