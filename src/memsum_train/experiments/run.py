"""Run experiments by name in one folder: finished ones are left alone, interrupted ones are resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from memsum._version import __version__
from memsum_train.experiments import comparisons, examples, positions, redundancy, timing
from memsum_train.experiments.config import Config, digest
from memsum_train.experiments.context import Context
from memsum_train.experiments.reports import ExperimentReport, read_metrics, write_index, write_report
from memsum_train.run_folder import hold_folder

EXPERIMENTS: dict[str, Callable[[Context], ExperimentReport]] = {
    "ablation": comparisons.run_ablation,
    "redundancy": redundancy.run,
    "comparison": comparisons.run_comparison,
    "stopping": comparisons.run_stopping,
    "validation": comparisons.run_validation,
    "positions": positions.run,
    "timing": timing.run,
    "examples": examples.run,
}


def run_experiments(
    names: Sequence[str], config: Config, output: Path, *, jobs: int = 1, say: Callable[[str], None] = lambda what: None
) -> list[Path]:
    """Run experiments, and return the folders of their reports."""
    with hold_folder(output):
        context = Context(config, output, jobs, say)
        # What tells this run's reports from those of other settings or data.
        data = [f"{corpus.sha256}|{corpus.data('test').sha256}" for corpus in context.corpora]
        data += [hashlib.sha256(path.read_bytes()).hexdigest() for path in config.predictions.values()]
        key = digest(json.dumps([__version__, asdict(config), data], sort_keys=True, default=str))
        for name in names:
            if read_metrics(output / name).get("key") == key:
                say(f"{name} is done already")
            else:
                context.say = lambda what, name=name: say(f"{name}: {what}")  # type: ignore[misc]
                report = EXPERIMENTS[name](context)
                write_report(name, report, output, config, _stamp(context), key)
                say(f"{name} is done")
            write_index(output, tuple(EXPERIMENTS))
    return [output / name for name in names]


def _stamp(context: Context) -> str:
    """Return the version and the sizes of a run; toy sizes are called so."""
    sizes = []
    for corpus in context.corpora:
        counts = (len(corpus.data(split)) for split in ("train", "valid", "test"))
        sizes.append("{} ({:,} documents to learn from, {:,} to validate, {:,} to test)".format(corpus.name, *counts))
    network, training = context.config.network, context.config.training
    settings = f"width {network.dimension}, batches of {training.batch}, at most {training.epochs:g} passes"
    stamp = f"memsum {__version__}: {'; '.join(sizes)}; {settings}; {len(context.config.seeds)} training(s) each."
    toy = "**Toy sizes: everything runs, and the numbers mean nothing.** " if context.config.scale == "toy" else ""
    return toy + stamp
