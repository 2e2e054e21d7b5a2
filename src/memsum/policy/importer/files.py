"""The authors' two pickles, read so that nothing in them is run: weights and a list of words, or an error."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor

from memsum.errors import ModelError

PARTS = ("local_sentence_encoder", "global_context_encoder", "extraction_context_decoder", "extractor")

_HINT = "Give the authors' model.pt and vocabulary_200dim.pkl, in this order."


def read_weights(path: Path) -> dict[str, Tensor]:
    """The weights of `model.pt` by name, each with its part's in front; what a training added to them is left out."""
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
        raise ModelError(f"{path} is damaged: {odd} is no weight.")
    return {name: weight.float() for name, weight in weights.items()}


def read_words(path: Path) -> list[str]:
    """The words of the vocabulary, whose rows in the word embedding are in the same order."""
    try:
        with path.open("rb") as file:
            words = _Unpickler(file).load()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from None
    except Exception:  # whatever a damaged or malicious file can provoke
        words = None
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        raise ModelError(f"{path} is not a pickled list of words.", _HINT)
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise ModelError(f"{path} is damaged: a word of it is no text.") from None
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
