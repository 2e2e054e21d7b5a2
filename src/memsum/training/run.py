"""A training from files to a model folder: encode the corpora once, then hand over to the loop."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from memsum._version import __version__
from memsum.corpus.records import BadLine, Example, read_examples
from memsum.errors import CorpusError, ModelError, TrainingError
from memsum.files import write_atomically
from memsum.models import StopSettings
from memsum.policy import Policy, PolicyConfig
from memsum.policy.folder import load_policy, new_policy
from memsum.text.encoding import TextEncoder, TextSettings
from memsum.text.length import LengthModel
from memsum.text.salience import SalienceModel
from memsum.text.vectors import EMBEDDINGS_FILE, WordVectors, read_text_vectors
from memsum.training.checkpoint import CHECKPOINT_FILE, read_progress
from memsum.training.config import TrainingConfig
from memsum.training.data import EncodedCorpus, encode_corpus
from memsum.training.distributed import World
from memsum.training.length import fit_length, measure_lengths
from memsum.training.loop import MODEL_FOLDER, Trainer, run_settings
from memsum.training.metrics import METRICS_FILE, PLOT_FILE
from memsum.training.objectives import OBJECTIVES
from memsum.training.salience import fit_salience
from memsum.training.validation import ValidationSet

CONFIG_FILE = "training.json"
MOST_FOR_SIGNALS = 6_000  # documents: twice as many tell hardly more
Advance = Callable[[str], None]


def open_vectors(path: Path) -> WordVectors:
    """Word vectors from a folder of ours or from a text file of GloVe, word2vec or fastText."""
    if (path / EMBEDDINGS_FILE).exists():
        return WordVectors.load(path)
    if path.is_file():
        return read_text_vectors(path)
    raise ModelError(f"{path} is neither a folder with {EMBEDDINGS_FILE} nor a file of word vectors.")


def fresh_policy(
    config: PolicyConfig, vectors: WordVectors, text: TextSettings, seed: int
) -> tuple[Policy, TextEncoder]:
    """A new policy as wide as the vectors; the seed gives its first weights."""
    encoder = TextEncoder(vectors, text)
    torch.manual_seed(seed)
    return new_policy(replace(config, word_dimension=vectors.dimension), encoder), encoder


def read_corpus(path: Path, advance: Advance = lambda what: None) -> Iterator[Example]:
    """The good examples of a corpus; the first bad line is an error, because a training should not lose data."""
    for example in read_examples(path):
        if isinstance(example, BadLine):
            raise CorpusError(f"{path}, line {example.number}: {example.reason}", "Remove or mend the line.")
        advance(f"reading {path.name}")
        yield example


def prepare(
    policy: Policy,
    encoder: TextEncoder,
    train: Path,
    valid: Iterable[Example],
    config: TrainingConfig,
    folder: Path,
    world: World,
    *,
    init: str | None = None,
    length: LengthModel | None = None,
    stop: StopSettings | None = None,
    brevity: float = 0.0,
    restart: bool = False,
    advance: Advance = lambda what: None,
) -> Trainer:
    """Set up a training in a folder; the encoded corpus is kept there for other processes and for resuming."""
    objective = OBJECTIVES[config.objective]
    objective.check(config, policy.config)
    validation = ValidationSet(valid, encoder, length, stop, brevity)
    provenance: dict[str, Any] = {
        "memsum": __version__,
        "train": {"name": train.name, "bytes": train.stat().st_size},
        "validation": {"documents": len(validation), "sentences": sum(len(text) for text in validation.texts)},
        "vectors": fingerprint(encoder.vectors),
        "text": encoder.settings.to_dict(),
        "init": init,
    }
    if restart and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0")):
        raise TrainingError(
            "--restart would throw the training away each time that torchrun restarts it.",
            "Leave out --restart or torchrun's --max-restarts.",
        )
    checkpoint = folder / CHECKPOINT_FILE
    if checkpoint.exists() and not restart:
        read_progress(checkpoint, run_settings(config, policy, provenance))  # before anything is written over
    encoded = folder / "encoded"
    if world.leads:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        if restart:
            _clear(folder)
        read_from = {name: provenance[name] for name in ("memsum", "train", "vectors", "text")}
        key = json.dumps({**read_from, "wording": objective.needs_wording}, sort_keys=True)
        stamp = folder / "encoded.json"
        if not (EncodedCorpus.saved(encoded) and stamp.exists() and stamp.read_text() == key):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(encoded, ignore_errors=True)
            examples = read_corpus(train, advance)
            # Signals are computed when a document is shown: to save them would take longer than to count them.
            plain = TextEncoder(encoder.vectors, encoder.settings)
            encode_corpus(examples, plain, keep_wording=objective.needs_wording).save(encoded)
            write_atomically(stamp, key.encode())
        settings = {"training": config.to_dict(), "policy": policy.config.to_dict(), **provenance}
        write_atomically(folder / CONFIG_FILE, (json.dumps(settings, indent=2) + "\n").encode())
    world.barrier()
    if not EncodedCorpus.saved(encoded):
        raise TrainingError(
            f"The first process has written to {folder}, and this one does not see it.",
            "All machines of a training need the same folder: one on a shared file system.",
        )
    corpus = EncodedCorpus.load(encoded)
    return Trainer(policy, encoder, corpus, validation, config, folder, world, provenance)


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
    place, stamp = folder / "signals", folder / "signals" / "learned.json"
    key = json.dumps({"train": train.name, "bytes": train.stat().st_size, "vectors": fingerprint(encoder.vectors)})
    if world.leads and not (stamp.exists() and stamp.read_text() == key):
        place.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        examples = sample_corpus(train, MOST_FOR_SIGNALS, seed, advance)
        fit_salience(examples, encoder, seed, lambda done: advance("learning which words matter")).save(place)
        fit_length(measure_lengths(examples, encoder), seed).save(place)
        write_atomically(stamp, key.encode())
    world.barrier()
    encoder.salience = SalienceModel.load(place, len(encoder.vectors.vocabulary))
    encoder.length = LengthModel.load(place, encoder)


def sample_corpus(path: Path, most: int, seed: int, advance: Advance = lambda what: None) -> list[Example]:
    """At most so many examples, each source by the root of its size, so that none is drowned and none is empty."""
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[int]] = {}
    for number, example in enumerate(read_corpus(path, advance)):
        by_source.setdefault(str(example.extra.get("source", "")), []).append(number)
    roots = {source: math.sqrt(len(numbers)) for source, numbers in by_source.items()}
    kept: set[int] = set()
    for source, numbers in by_source.items():
        share = min(len(numbers), math.ceil(most * roots[source] / sum(roots.values())))
        kept.update(rng.choice(numbers, share, replace=False).tolist())
    return [example for number, example in enumerate(read_corpus(path)) if number in kept]


def open_init(folder: Path) -> tuple[Policy, TextEncoder, StopSettings, LengthModel | None]:
    """A trained policy to go on from, and what it knows of the length of summaries."""
    policy, encoder, config = load_policy(folder)
    return policy, encoder, config.stop, config.open_length(folder, encoder)


def fingerprint(vectors: WordVectors) -> str:
    """A short name of word vectors: the same for the same words and values."""
    digest = hashlib.sha256("\n".join(vectors.vocabulary.words).encode())
    digest.update(vectors.rows.tobytes())
    return digest.hexdigest()[:16]


def _sweep(folder: Path) -> None:
    """Remove what a killed training left half written."""
    for place in (folder, folder / MODEL_FOLDER):
        for half in place.glob(".*.*.tmp"):
            half.unlink()


def _clear(folder: Path) -> None:
    """Remove an earlier training, but nothing that memsum did not write."""
    for name in (CHECKPOINT_FILE, METRICS_FILE, PLOT_FILE, "encoded.json"):
        (folder / name).unlink(missing_ok=True)
    for name in ("encoded", "signals", MODEL_FOLDER):
        if (folder / name).is_symlink():
            raise TrainingError(f"{folder / name} is a link; remove it by hand.")
        shutil.rmtree(folder / name, ignore_errors=True)
