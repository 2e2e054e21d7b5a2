"""A small corpus to try everything on: the documentation of numpy, which is installed with memsum.

A document is what the reference of a function says of its parameters, its results and its mathematics; its summary is
the description that stands above that. numpy is openly licensed (BSD), and its documentation with it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from memsum.document.sentences import split_sentences
from memsum_train.corpus.check import is_copy
from memsum_train.corpus.records import Example, write_examples

SIZES = {"train": 160, "valid": 30, "test": 40}
_MODULES = (np, np.linalg, np.fft, np.random, np.ma, np.polynomial, np.char, np.testing)
_HEAD = re.compile(r"^([A-Z][\w ]+)\n[-=]{3,}\n", re.MULTILINE)
_KEPT = ("Parameters", "Other Parameters", "Returns", "Notes", "Raises", "Attributes", "Yields", "Warnings")
_FORMULA = re.compile(r"\.\. (?:math|plot|code|index|note|versionadded|versionchanged).*?(?=\n\S|\Z)", re.DOTALL)
_CODE = re.compile(r"::\n\s*\n(?:[ ]{2,}.*\n|\s*\n)+")
_MARKUP = re.compile(r":\w+:(?=`)|`~?")
_PARAMETER = re.compile(r"^[\w*{][\w*, {}.=/]* ?: .*$|^[\w.]+$", re.MULTILINE)  # `axis : int, optional`
_SIGNATURE = re.compile(r"\A\w[\w.]*\(.*?\)\s*\n", re.DOTALL)
_FEWEST = 6  # sentences of a text


def write_sample(folder: Path, seed: int = 0) -> dict[str, int]:
    """Write train.jsonl, valid.jsonl and test.jsonl; return how many documents each has."""
    examples = list(read_documentation())
    Random(seed).shuffle(examples)
    folder.mkdir(parents=True, exist_ok=True)
    counts, low = {}, 0
    for name, size in SIZES.items():
        counts[name] = write_examples(folder / f"{name}.jsonl", examples[low : low + size])
        low += size
    return counts


def read_documentation() -> Iterator[Example]:
    """Yield the references that are long enough, each text once."""
    seen: set[str] = set()
    for module in _MODULES:
        for name in sorted(vars(module)):
            thing = getattr(module, name)
            if name.startswith("_") or not (callable(thing) or inspect.isclass(thing)):
                continue
            summary, *sections = _HEAD.split(_plain(inspect.getdoc(thing) or ""))
            parts = dict(zip(sections[::2], sections[1::2], strict=True))
            text = _sentences("\n\n".join(parts[title] for title in _KEPT if title in parts))
            said = _sentences(_SIGNATURE.sub("", summary))
            example = Example(tuple(text), tuple(said), extra={"title": name})
            if len(text) >= _FEWEST and said and text[0] not in seen and not is_copy(example):
                seen.add(text[0])
                yield example


def _plain(documentation: str) -> str:
    return _MARKUP.sub(
        lambda match: next(filter(None, match.groups()), ""), _CODE.sub(".\n\n", _FORMULA.sub("", documentation))
    )


def _sentences(text: str) -> list[str]:
    """Split paragraphs into sentences, without names of parameters and lists of few words."""
    joined = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", _PARAMETER.sub("\n\n", text)))
    sentences = (paragraph[start:end] for paragraph in joined for start, end in split_sentences(paragraph))
    return [sentence for sentence in sentences if len(sentence.split()) > 3]
