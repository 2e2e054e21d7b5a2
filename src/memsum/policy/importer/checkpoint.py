"""From the authors' files to a model folder of ours."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from torch import Tensor

from memsum.errors import ModelError
from memsum.models import ModelConfig, StopSettings, write_manifest
from memsum.models.verify import FileRecord
from memsum.policy.export import export_policy
from memsum.policy.folder import new_policy, save_policy
from memsum.policy.importer.files import read_weights, read_words
from memsum.policy.importer.weights import EMBEDDING, describe, fill
from memsum.text.encoding import TextEncoder, TextSettings
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import EOS, PAD, UNK, Vocabulary


def import_checkpoint(
    model: Path,
    vocabulary: Path,
    output: Path,
    *,
    stop: StopSettings,
    max_tokens: int = 100,
    max_sentences: int = 500,
) -> None:
    """Write the model folder that selects what the authors' code selects with these files, graphs included.

    `max_tokens` of a sentence and `max_sentences` of a document are what the model pads to and reads.
    """
    weights = read_weights(model)
    network = describe(weights)
    vectors = _word_vectors(read_words(vocabulary), weights[EMBEDDING])
    text = TextSettings(max_tokens, collapse_repeats=False, padded_to=max_sentences)
    encoder = TextEncoder(vectors, text)
    policy = new_policy(network, encoder).eval()
    fill(policy, weights)
    # They stop when p_stop is greater than the threshold, we when it is as great.
    stop = StopSettings(math.nextafter(stop.threshold, math.inf), stop.max_sentences)
    files = {path.name: FileRecord.of(path).sha256 for path in (model, vocabulary)}
    save_policy(output, policy, ModelConfig(network.to_dict(), text, stop, {"imported": files}), encoder)
    export_policy(policy, output)
    write_manifest(output)


def _word_vectors(words: list[str], embedding: Tensor) -> WordVectors:
    """Their words and vectors in our order: padding first, and nothing that splitting at white space cannot give."""
    if len(words) != len(embedding):
        raise ModelError(f"The vocabulary has {len(words):,} words, the checkpoint vectors of {len(embedding):,}.")
    # Of a repeated word the last one counts.
    rows = {word: row for row, word in enumerate(words) if word.split() == [word]}
    missing = [mark for mark in (PAD, UNK, EOS) if mark not in rows]
    if missing:
        raise ModelError(f"The vocabulary lacks {' and '.join(missing)}.")
    ordered = {PAD: rows.pop(PAD), **rows}
    vectors = embedding.numpy()[np.fromiter(ordered.values(), np.int64)]
    # How frequent the words are is not known, and no part of this network asks for it.
    return WordVectors.exact(Vocabulary(list(ordered), "drop"), vectors, np.zeros(len(ordered), np.float32))
