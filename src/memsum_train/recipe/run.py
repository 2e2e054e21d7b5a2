"""A recipe run in a folder: phase after phase, each once; killed at any moment, the same call resumes it."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memsum._version import __version__
from memsum.batch.inputs import fingerprint
from memsum.errors import TrainingError
from memsum.files import hold_folder, write_atomically
from memsum.model import ModelConfig, resolve_model
from memsum.text.vectors import EMBEDDINGS_FILE
from memsum_train.corpus.build import Conversion, find_sources
from memsum_train.learning.config import require_blocks
from memsum_train.learning.distributed import join_world
from memsum_train.learning.objectives import OBJECTIVES
from memsum_train.learning.signals import Report
from memsum_train.learning.trainer import MODEL_FOLDER
from memsum_train.policy import PolicyConfig
from memsum_train.policy.folder import POLICY_FILE
from memsum_train.recipe.corpora import find_files
from memsum_train.recipe.phases import Job, Say, list_phases
from memsum_train.recipe.settings import SETTINGS_FILE, Recipe

PHASES_FOLDER = "phases"
_RUN_FILE = "run.json"


@dataclass(frozen=True)
class Listener:
    """Functions that a run calls to report its progress."""

    phase: Callable[[int, int, str], None] = lambda number, count, about: None
    report: Report = lambda what, done, total: None
    say: Say = lambda what: None


def run_recipe(
    recipe: Recipe,
    output: Path,
    *,
    device: str = "auto",
    processes: int = 0,
    restart: bool = False,
    listener: Listener | None = None,
) -> Path:
    """Train a model from corpora and return its folder; phases that are done are not done again."""
    _check(recipe)
    listener = listener or Listener()
    with join_world(device) as world:  # of torchrun, if it has started this process
        is_main = world.is_main
        with hold_folder(output) if is_main else nullcontext():
            if is_main:
                _claim(recipe, output, restart)
            world.barrier()
            job = Job(recipe, output / PHASES_FOLDER, world, device, processes)
            if is_main:
                job = replace(job, report=listener.report, say=listener.say)
            phases = list_phases(recipe)
            for number, phase in enumerate(phases, start=1):
                if is_main:
                    listener.phase(number, len(phases), phase.about)
                folder, done = job.folder / phase.name, job.folder / f"{phase.name}.done.json"
                if not done.exists() and (is_main or phase.shared):  # the first process does alone what is not shared
                    began = time.monotonic()
                    folder.mkdir(parents=True, exist_ok=True)
                    phase.work(job, folder)
                    if is_main:
                        write_atomically(done, f'{{"seconds": {time.monotonic() - began:.1f}}}\n'.encode())
                world.barrier()
            if is_main:  # to where it is used from, at once
                model, fresh = output / MODEL_FOLDER, output / f".{MODEL_FOLDER}.tmp"
                shutil.rmtree(fresh, ignore_errors=True)
                shutil.copytree(job.folder / phases[-1].name, fresh)
                shutil.rmtree(model, ignore_errors=True)
                fresh.replace(model)
            world.barrier()
    return output / MODEL_FOLDER


def _check(recipe: Recipe) -> None:
    """Refuse what would fail only after hours."""
    if not recipe.corpus.train or not recipe.corpus.valid:
        raise TrainingError(
            "There is nothing to train on, or nothing to validate on.", "memsum train TRAIN VALID --output run"
        )
    network = PolicyConfig.from_dict(dict(recipe.network))
    if recipe.init:
        if recipe.vectors.path:
            raise TrainingError("A model to start from has its own word vectors.", "Give either --init or --vectors.")
        start = PolicyConfig.from_dict(ModelConfig.load(resolve_model(recipe.init)).policy)
        network = replace(start, history="counted") if recipe.is_counted else start
        require_blocks(network, recipe.network)
    for stage in recipe.stages:
        OBJECTIVES[stage.config.objective].check(stage.config, network)
    if recipe.corpus.keys and network.history != "counted":
        raise TrainingError("Keys are learned from by a model with a count-based history.", "Use the recipe default.")


def _claim(recipe: Recipe, output: Path, restart: bool) -> None:
    """Write what the run is made of; a folder of another run is refused, or emptied."""
    if restart and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0")):
        raise TrainingError(
            "--restart would discard the training each time torchrun restarts it.",
            "Leave out --restart or torchrun's --max-restarts.",
        )
    mine: dict[str, Any] = {"memsum": __version__}
    for name, value in recipe.to_dict().items():  # by whole names, such as ngram_gain.epochs
        mine |= {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
    mine["inputs"] = _inputs(recipe)
    path = output / _RUN_FILE
    if restart:
        path.unlink(missing_ok=True)
        for name in (PHASES_FOLDER, MODEL_FOLDER):
            if (output / name).is_symlink():
                raise TrainingError(f"{output / name} is a link; remove it by hand.")
            shutil.rmtree(output / name, ignore_errors=True)
    if path.exists():
        before = json.loads(path.read_text())
        after = json.loads(json.dumps(mine))
        differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
        if differing:
            raise TrainingError(
                f"{output} holds a training with other settings ({', '.join(differing)}).",
                "Resume with the same settings, choose another folder, or start again with --restart.",
            )
    elif (output / PHASES_FOLDER).exists() or (output / MODEL_FOLDER).exists():
        raise TrainingError(f"{output} holds something else.", "Choose another folder, or add --restart to replace it.")
    (output / PHASES_FOLDER).mkdir(parents=True, exist_ok=True)
    write_atomically(output / SETTINGS_FILE, recipe.to_toml().encode())
    write_atomically(path, (json.dumps(mine, indent=2) + "\n").encode())


def _inputs(recipe: Recipe) -> dict[str, Any]:
    """Return what changes when an input does."""
    corpus = recipe.corpus
    inputs: dict[str, Any] = {
        name: [one.fingerprint() for one in find_sources(find_files(sources), Conversion()).inputs]
        for name, sources in (("train", corpus.train), ("valid", corpus.valid))
    }
    if corpus.keys:
        inputs["keys"] = fingerprint(corpus.keys)
    if recipe.vectors.path and not recipe.init:
        vectors = Path(recipe.vectors.path)
        inputs["vectors"] = fingerprint(str(vectors / EMBEDDINGS_FILE if vectors.is_dir() else vectors))
    if recipe.init:
        inputs["init"] = fingerprint(str(resolve_model(recipe.init) / POLICY_FILE)).rpartition(" ")[2]
    return inputs
