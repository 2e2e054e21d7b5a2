"""Running experiments by name into one folder: what is finished is left alone, what was interrupted goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import monotonic

from memsum._version import __version__
from memsum.experiments.config import Config, ExperimentError
from memsum.experiments.context import Context, Report
from memsum.experiments.corpora import Library
from memsum.experiments.workshop import Workshop
from memsum.experiments.writing import read_metrics, write_index, write_report

try:
    import fcntl
except ImportError:  # Windows: two runs in one folder are the user's own affair
    fcntl = None  # type: ignore[assignment]

NAMES = ("ablation", "redundancy", "comparison", "stopping", "validation", "positions", "timing", "examples")


def run_experiments(
    names: Sequence[str],
    config: Config,
    output: Path,
    *,
    jobs: int = 1,
    say: Callable[[str], None] = lambda what: None,
) -> list[Path]:
    """Run experiments, and give the folders of their reports."""
    with _alone_in(output):
        return _run(names, config, output, jobs, say)


def _run(names: Sequence[str], config: Config, output: Path, jobs: int, say: Callable[[str], None]) -> list[Path]:
    library = Library(config, output / "corpora", say)
    workshop = Workshop(config, output, library, jobs, say)
    key = _key(config, library)
    folders = []
    for name in names:
        folder = output / name
        folders.append(folder)
        if read_metrics(folder).get("key") == key:
            say(f"{name} is done already")
            write_index(output, NAMES)
            continue
        began = monotonic()
        run: Callable[[Context], Report] = import_module(f"memsum.experiments.{name}").run
        report = run(Context(config, folder, library, workshop, lambda what, name=name: say(f"{name}: {what}")))  # type: ignore[misc]
        write_report(report, folder, config, key, monotonic() - began)
        write_index(output, NAMES)
        say(f"{name} is done")
    return folders


@contextmanager
def _alone_in(output: Path) -> Iterator[None]:
    """Refuse a second run in a folder while the first goes on: both would train the same models."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / ".lock").open("w") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ExperimentError(
                f"Another memsum experiment is running in {output}.", "Wait for it, or choose another --output."
            ) from None
        yield


def _key(config: Config, library: Library) -> str:
    """What tells this run's reports from those of other settings or data."""
    data = [f"{corpus.sha256}|{corpus.data('test').sha256}" for corpus in library.corpora]
    data += [hashlib.sha256(path.read_bytes()).hexdigest() for path in config.predictions.values()]
    content = json.dumps([__version__, config.to_dict(), data], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]
