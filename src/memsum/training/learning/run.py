"""A training from files to a model folder: open what it starts from, encode the corpora once, and run the loop."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from memsum._version import __version__
from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.features.expected_length import LengthModel
from memsum.features.salience import SalienceModel
from memsum.files import write_atomically
from memsum.model import SelectionPenalties, StopSettings, resolve_model
from memsum.text.vectors import fingerprint, open_vectors
from memsum.training.corpus.records import Example, read_corpus
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.augment import Augmentation
from memsum.training.learning.checkpoint import CHECKPOINT_FILE, TrainingProgress, read_progress
from memsum.training.learning.config import RunSettings, TrainingConfig, require_blocks
from memsum.training.learning.data import Advance, EncodedCorpus, encode_corpus, sample_corpus
from memsum.training.learning.distributed import World, join_world
from memsum.training.learning.length import fit_length, measure_lengths
from memsum.training.learning.metrics import METRICS_FILE, PLOT_FILE
from memsum.training.learning.objectives import OBJECTIVES
from memsum.training.learning.salience import fit_salience
from memsum.training.learning.trainer import MODEL_FOLDER, Callbacks, Trainer, run_settings
from memsum.training.learning.validation import ValidationSet
from memsum.training.policy import Policy, PolicyConfig
from memsum.training.policy.device import require_bf16
from memsum.training.policy.folder import load_policy, new_policy, with_counted_history
from memsum.training.policy.paper.network import PaperNetwork

CONFIG_FILE = "training.json"
# Documents to learn salience and lengths from, and the temperature that mixes their sources: twice as many tell hardly
# more of salience. Lengths differ by source and year, and take more.
_SALIENCE_DOCUMENTS = (6_000, 0.5)
_LENGTH_DOCUMENTS = (16_000, 0.75)


def run_training(
    train: Path,
    valid: Path,
    folder: Path,
    config: TrainingConfig | None = None,
    *,
    vectors: Path | None = None,
    init: str | None = None,
    network: Mapping[str, Any] | None = None,
    keep_repeats: bool = False,
    restart: bool = False,
    world: World | None = None,
    callbacks: Callbacks | None = None,
) -> TrainingProgress:
    """Train on a corpus with episodes, from word vectors or from another model; the best model is kept in `model`.

    `network` are the chosen fields of `PolicyConfig`; a model to go on from must have them, but for a count-based
    history, which can replace another one.
    """
    if (vectors is None) == (init is None):
        raise TrainingError("A training needs either --vectors or --init.", "See: memsum train --help")
    config, callbacks, network = config or TrainingConfig(), callbacks or Callbacks(), network or {}
    with join_world() if world is None else nullcontext(world) as processes:
        length, penalties = None, SelectionPenalties()
        if init is not None:
            start = resolve_model(init)
            policy, encoder, model = load_policy(start)
            length = model.open_length(start, encoder)
            penalties = SelectionPenalties(brevity=model.penalties.brevity)
            if network.get("history") == "counted" != policy.config.history:
                policy, encoder = with_counted_history(policy, encoder, config.seed)
            require_blocks(policy.config, network)
        else:
            assert vectors is not None  # noqa: S101
            words = open_vectors(vectors)
            blocks = PolicyConfig.from_dict({**network, "word_dimension": words.dimension})
            text = TextSettings(
                collapse_repeats=not keep_repeats, signals=True if blocks.history == "counted" else None
            )
            encoder = TextEncoder(words, text)
            policy = new_policy(blocks, encoder, config.seed)
        if policy.config.history == "counted":
            learn_signals(encoder, train, folder, processes, seed=config.seed, advance=callbacks.reading)
            # Its own stop is learned by rehearsal; before that, it stops by length.
            length, penalties = None if config.objective == "rehearsal" else encoder.length, SelectionPenalties()
        return prepare(
            policy,
            encoder,
            train,
            read_corpus(valid),
            config,
            folder,
            processes,
            init=init,
            length=length,
            penalties=penalties,
            restart=restart,
            callbacks=callbacks,
        ).run()


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
) -> Trainer:
    """Set up a training in a folder; the encoded corpus is kept there for other processes and for resuming."""
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
    encoded = folder / "encoded"
    if world.is_main:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        if restart:
            _clear(folder)
        read_from = {name: provenance[name] for name in ("memsum", "train", "vectors", "text")}
        key = json.dumps({**read_from, "wording": objective.needs_raw_text}, sort_keys=True)
        stamp = folder / "encoded.json"
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
        chosen = {name: value for name, value in policy.config.to_dict().items() if name != "word_dimension"}
        RunSettings(config, chosen, not encoder.settings.collapse_repeats).save(folder)
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
    encoder: TextEncoder,
    train: Path,
    folder: Path,
    world: World,
    *,
    seed: int = 0,
    advance: Advance = lambda what: None,
) -> None:
    """Teach an encoder that reads signals which words matter and how long summaries are, unless it knows already.

    What was learned is kept in the training's folder, for the other processes and for resuming.
    """
    if not encoder.settings.signals or encoder.salience:
        return
    learned, stamp = folder / "signals", folder / "signals" / "learned.json"
    key = json.dumps({"train": train.name, "bytes": train.stat().st_size, "vectors": fingerprint(encoder.vectors)})
    if world.is_main and not (stamp.exists() and stamp.read_text() == key):
        learned.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        examples = sample_corpus(train, *_SALIENCE_DOCUMENTS, seed, advance)
        fit_salience(examples, encoder, seed, lambda done: advance("learning which words matter")).save(learned)
        examples = sample_corpus(train, *_LENGTH_DOCUMENTS, seed, advance)
        lengths = measure_lengths(examples, encoder, lambda done: advance("learning how long summaries are"))
        fit_length(lengths, seed).save(learned)
        write_atomically(stamp, key.encode())
    world.barrier()
    encoder.salience = SalienceModel.load(learned, len(encoder.vectors.vocabulary))
    encoder.length = LengthModel.load(learned, encoder)


def _sweep(folder: Path) -> None:
    """Remove what a killed training left half written."""
    for written in (folder, folder / MODEL_FOLDER):
        for half in written.glob(".*.*.tmp"):
            half.unlink()


def _clear(folder: Path) -> None:
    """Remove an earlier training, but nothing that memsum did not write."""
    for name in (CHECKPOINT_FILE, METRICS_FILE, PLOT_FILE, "encoded.json"):
        (folder / name).unlink(missing_ok=True)
    for name in ("encoded", "signals", MODEL_FOLDER):
        if (folder / name).is_symlink():
            raise TrainingError(f"{folder / name} is a link; remove it by hand.")
        shutil.rmtree(folder / name, ignore_errors=True)
