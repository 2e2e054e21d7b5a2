"""A training of the network in a folder: encode the corpus once, learn its signals, and set up the loop."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

import torch

from memsum._version import __version__
from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum.features.expected_length import LengthModel
from memsum.features.salience import SalienceModel
from memsum.files import write_atomically
from memsum.model import SelectionPenalties, StopSettings
from memsum.text.vectors import fingerprint
from memsum.training.corpus.records import Example, read_corpus
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.augment import Augmentation
from memsum.training.learning.checkpoint import CHECKPOINT_FILE, read_progress
from memsum.training.learning.config import TrainingConfig
from memsum.training.learning.data import EncodedCorpus, encode_corpus, sample_corpus
from memsum.training.learning.distributed import World
from memsum.training.learning.length import fit_length, measure_lengths
from memsum.training.learning.metrics import METRICS_FILE, PLOT_FILE
from memsum.training.learning.objectives import OBJECTIVES
from memsum.training.learning.salience import fit_salience
from memsum.training.learning.trainer import MODEL_FOLDER, Callbacks, Trainer, run_settings
from memsum.training.learning.validation import ValidationSet
from memsum.training.policy import Policy
from memsum.training.policy.device import require_bf16
from memsum.training.policy.paper.network import PaperNetwork

Report = Callable[[str, int, int], None]  # what is done, how much of it, and of how much (0: nobody knows)

CONFIG_FILE = "training.json"
# Documents to learn salience and lengths from, and the temperature that mixes their sources. Of salience, more passes
# over the same documents tell as much as more documents. Lengths differ by source and year, and take more.
_SALIENCE_DOCUMENTS = (3_000, 0.5)
_SALIENCE_SHOWN = 24_000  # documents in all passes
_MOST_PASSES = 12  # over a small corpus; more were not tried
_LENGTH_DOCUMENTS = (16_000, 0.75)


def prepare(
    policy: Policy,
    encoder: TextEncoder,
    train: Path,
    valid: Iterable[Example] | None,
    config: TrainingConfig,
    folder: Path,
    world: World,
    *,
    init: str | None = None,
    length: LengthModel | None = None,
    stop: StopSettings | None = None,
    penalties: SelectionPenalties | None = None,
    restart: bool = False,
    callbacks: Callbacks | None = None,
    encoded: Path | None = None,
) -> Trainer:
    """Set up a training in a folder; the encoded corpus is kept for other processes and for resuming.

    It is kept in the training's folder, or in `encoded`, which several trainings may share.
    """
    callbacks = callbacks or Callbacks()
    objective = OBJECTIVES[config.objective]
    objective.check(config, policy.config)
    validation = None if valid is None else ValidationSet(valid, encoder, length, stop, penalties)
    provenance: dict[str, Any] = {
        "memsum": __version__,
        "train": {"name": train.name, "bytes": train.stat().st_size},
        "validation": validation.describe() if validation else None,
        "vectors": fingerprint(encoder.vectors),
        "text": encoder.settings.to_dict(),
        "init": init,
    }
    if restart and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0")):
        raise TrainingError(
            "--restart would discard the training each time torchrun restarts it.",
            "Leave out --restart or torchrun's --max-restarts.",
        )
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists() and not restart:
        read_progress(checkpoint, run_settings(config, policy, provenance))  # before anything is written over
    encoded = encoded or folder / "encoded"
    if world.is_main:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        if restart:
            _clear(folder)
        read_from = {name: provenance[name] for name in ("memsum", "train", "vectors", "text")}
        key = json.dumps({**read_from, "wording": objective.needs_raw_text}, sort_keys=True)
        stamp = encoded.with_name(f"{encoded.name}.json")
        if not (EncodedCorpus.saved(encoded) and stamp.exists() and stamp.read_text() == key):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(encoded, ignore_errors=True)
            examples = read_corpus(train, callbacks.reading)
            # Signals are computed when a document is shown: to save them would take longer than to count them.
            plain = TextEncoder(encoder.vectors, encoder.settings)
            encode_corpus(examples, plain, keep_raw_text=objective.needs_raw_text).save(encoded)
            write_atomically(stamp, key.encode())
        settings = {"training": config.to_dict(), "policy": policy.config.to_dict(), **provenance}
        write_atomically(folder / CONFIG_FILE, (json.dumps(settings, indent=2) + "\n").encode())
    world.barrier()
    if not EncodedCorpus.saved(encoded):
        raise TrainingError(
            f"The first process has written to {folder}, and this one does not see it.",
            "All machines of a training need the same folder: one on a shared file system.",
        )
    if config.precision == "bf16":
        require_bf16(world.device)
    if config.repeats and config.objective == "episodes" and isinstance(policy, PaperNetwork):
        torch.manual_seed(config.seed)  # the same in all processes
        policy.add_marker()
    augment = Augmentation(config, encoder)
    learner = Learner(policy, EncodedCorpus.load(encoded), augment, objective.loss, config, world)
    return Trainer(learner, encoder, validation, folder, provenance, callbacks)


def learn_signals(
    encoder: TextEncoder, train: Path, folder: Path, *, seed: int = 0, report: Report = lambda what, done, total: None
) -> None:
    """Learn which words matter and how long summaries are, and keep it in a folder."""

    def counter(what: str, total: int) -> Callable[[int], None]:
        steps = count(1)
        return lambda done: report(what, next(steps), total)

    folder.mkdir(parents=True, exist_ok=True)
    report("reading the corpus", 0, 0)
    examples = sample_corpus(train, *_SALIENCE_DOCUMENTS, seed)
    passes = max(1, min(_MOST_PASSES, round(_SALIENCE_SHOWN / max(1, len(examples)))))
    advance = counter("learning which words matter", (1 + passes) * len(examples))
    fit_salience(examples, encoder, seed, advance, passes).save(folder)
    report("reading the corpus", 0, 0)
    examples = sample_corpus(train, *_LENGTH_DOCUMENTS, seed)
    lengths = measure_lengths(examples, encoder, counter("measuring summaries", len(examples)))
    report("learning how long summaries are", 0, 0)
    fit_length(lengths, seed).save(folder)


def open_signals(encoder: TextEncoder, folder: Path) -> None:
    """Give an encoder what was learned in a folder."""
    encoder.salience = SalienceModel.load(folder, len(encoder.vectors.vocabulary))
    encoder.length = LengthModel.load(folder, encoder)


def _sweep(folder: Path) -> None:
    """Remove what a killed training left half written."""
    for written in (folder, folder / MODEL_FOLDER):
        for half in written.glob(".*.*.tmp"):
            half.unlink()


def _clear(folder: Path) -> None:
    """Remove an earlier training, but nothing that memsum did not write."""
    for name in (CHECKPOINT_FILE, METRICS_FILE, PLOT_FILE, "encoded.json"):
        (folder / name).unlink(missing_ok=True)
    for name in ("encoded", MODEL_FOLDER):
        if (folder / name).is_symlink():
            raise TrainingError(f"{folder / name} is a link; remove it by hand.")
        shutil.rmtree(folder / name, ignore_errors=True)
