"""Import of the checkpoints that the paper's authors published: their weights and words, read with their padding.

Their two files are pickles. They are read so that nothing in them is run: weights and a list of words, or an error.
"""

from __future__ import annotations

import math
import pickle
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor

from memsum.errors import ModelError
from memsum.features.encoding import TextEncoder, TextSettings
from memsum.files import is_list_of
from memsum.model import ModelConfig, StopSettings, write_manifest
from memsum.model.verify import FileRecord
from memsum.text.vectors import WordVectors
from memsum.text.vocabulary import EOS, PAD, UNK, Vocabulary
from memsum_train.policy.config import PolicyConfig
from memsum_train.policy.export import export_policy
from memsum_train.policy.folder import new_policy, save_policy
from memsum_train.policy.network import Policy

_HINT = "Give the authors' model.pt and vocabulary_200dim.pkl, in this order."

PARTS = ("local_sentence_encoder", "global_context_encoder", "extraction_context_decoder", "extractor")
LOCAL, CONTEXT, HISTORY, EXTRACTOR = PARTS
EMBEDDING = f"{LOCAL}.word_embedding"

# Their names of our weights, one after the other.
_RENAMED = (
    (r"^local\.", f"{LOCAL}."),
    (r"^context\.", f"{CONTEXT}."),
    (r"^history\.layers\.", f"{HISTORY}.layer_list."),
    (r"rnn\.forwards\.(\d+)\.(\w+)_l0$", r"rnn.\2_l\1"),
    (r"rnn\.backwards\.(\d+)\.(\w+)_l0$", r"rnn.\2_l\1_reverse"),
    (r"encoder\.norm\.", "encoder.norm_out."),
    (r"encoder\.out\.", "encoder.ln_out."),
    (r"extractor\.stop\.norm\.", "extractor.norm_pool."),
    (r"extractor\.stop\.out\.", "extractor.ln_stop."),
    (r"(\.stop)?\.pool\.", ".mh_pool."),
    (r"mh_pool\.attention\.", "mh_pool.ln_attention_score."),
    (r"mh_pool\.(value|out)\.", r"mh_pool.ln_\1."),
    (r"among_remaining\.", "masked_mha."),
    (r"to_extracted\.", "mha."),
    (r"mha\.([qkv])\w+\.", r"mha.ln_\1."),
    (r"mha\.out\.", "mha.ln_out."),
    (r"feed_forward\.0\.", "feed_forward.ln1."),
    (r"feed_forward\.2\.", "feed_forward.ln2."),
    (r"extractor\.hidden", "extractor.ln_hidden"),
    (r"extractor\.norm(\d)", r"extractor.norm_hidden\1"),
    (r"extractor\.score\.", "extractor.ln_out."),
)
# The baseline of the returns, which the loss of the release does not use.
_UNUSED = re.compile(rf"{EXTRACTOR}\.(mh_pool_2|norm_pool_2|ln_baseline)\..+")


def import_checkpoint(
    model: Path, vocabulary: Path, output: Path, *, stop: StopSettings, max_tokens: int = 100, max_sentences: int = 500
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
    """Return their words and vectors in our order: padding first, and nothing that white space parts."""
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


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights of `model.pt` by name, each with its part's in front, without what a training added."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from None
    except Exception:  # whatever a damaged or malicious file can provoke
        raise ModelError(f"{path} is not a checkpoint of nothing but weights.", _HINT) from None
    parts = content if isinstance(content, Mapping) else {}
    missing = next((part for part in PARTS if not isinstance(parts.get(part), Mapping)), None)
    if missing:
        raise ModelError(f"{path} is not a checkpoint of MemSum: it has no {missing}.", _HINT)
    weights = {f"{part}.{name}": weight for part in PARTS for name, weight in parts[part].items()}
    odd = next((name for name, weight in weights.items() if not _is_weight(weight)), None)
    if odd:
        raise ModelError(f"{path} is damaged: {odd} is not a weight.")
    return {name: weight.float() for name, weight in weights.items()}


def read_words(path: Path) -> list[str]:
    """Return the words of the vocabulary, whose rows in the word embedding are in the same order."""
    try:
        with path.open("rb") as file:
            words = _Unpickler(file).load()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from None
    except Exception:  # whatever a damaged or malicious file can provoke
        words = None
    if not is_list_of(words, str):
        raise ModelError(f"{path} is not a pickled list of words.", _HINT)
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise ModelError(f"{path} is damaged: one of its words is not text.") from None
    return words


def _is_weight(value: object) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value.is_floating_point() and value.layout == torch.strided and value.device.type == "cpu"


class _Unpickler(pickle.Unpickler):
    """Knows lists and strings, and no classes or functions."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")

    def persistent_load(self, identity: Any) -> NoReturn:
        raise pickle.UnpicklingError("references are not allowed")


def describe(weights: Mapping[str, Tensor]) -> PolicyConfig:
    """Describe the network that the weights are of; its sizes are theirs."""
    return PolicyConfig(
        local="lstm",
        word_dimension=_size(weights, EMBEDDING, 1),
        dimension=_size(weights, f"{LOCAL}.ln_out.weight", 0),
        heads=_size(weights, f"{LOCAL}.mh_pool.ln_attention_score.weight", 0),
        local_layers=_count(weights, rf"{LOCAL}\.rnn\.weight_ih_l\d+"),
        context_layers=_count(weights, rf"{CONTEXT}\.rnn\.weight_ih_l\d+"),
        history_layers=_count(weights, rf"{HISTORY}\.layer_list\.\d+\.norm1\.weight"),
        feed_forward=_size(weights, f"{HISTORY}.layer_list.0.feed_forward.ln1.weight", 0),
    )


def fill(policy: Policy, weights: Mapping[str, Tensor]) -> None:
    """Give a policy the weights; each must be there with its shape, and none may be left over."""
    names = {ours: _theirs(ours) for ours in policy.state_dict()}
    left = weights.keys() - names.values() - {EMBEDDING}
    unknown = next((name for name in sorted(left) if not _UNUSED.fullmatch(name)), None)
    if unknown:
        raise ModelError(f"The checkpoint has a weight that MemSum does not have: {unknown}.")
    for ours, weight in policy.state_dict().items():
        theirs = _weight(weights, names[ours])
        if theirs.shape != weight.shape:
            raise ModelError(f"The weight {names[ours]} is {_shape(theirs)}, where {_shape(weight)} would fit.")
    policy.load_state_dict({ours: weights[theirs] for ours, theirs in names.items()})


def _theirs(name: str) -> str:
    for ours, theirs in _RENAMED:
        name = re.sub(ours, theirs, name)
    return name


def _weight(weights: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in weights:
        raise ModelError(f"The checkpoint lacks the weight {name}.")
    return weights[name]


def _size(weights: Mapping[str, Tensor], name: str, axis: int) -> int:
    weight = _weight(weights, name)
    if weight.ndim != 2:
        raise ModelError(f"The weight {name} is {_shape(weight)}, where rows and columns would fit.")
    return weight.shape[axis]


def _count(weights: Mapping[str, Tensor], pattern: str) -> int:
    return max(1, sum(re.fullmatch(pattern, name) is not None for name in weights))


def _shape(weight: Tensor) -> str:
    return " × ".join(map(str, weight.shape)) or "a single number"
