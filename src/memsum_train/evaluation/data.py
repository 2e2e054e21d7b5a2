"""Documents with human summaries that systems are measured on, and anyone's predictions for them.

A predictions file has one JSON object per line and document: `summary` (a list of sentences, or a string) or `indices`
(positions of the document's sentences), or what `memsum batch` writes. Lines belong to documents by `id`, or else by
their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from memsum.errors import CorpusError
from memsum.files import is_list_of, json_line, listing
from memsum.jsonl import STANDARD, located, open_output, read_lines
from memsum_train.corpus.records import Example, read_corpus
from memsum_train.corpus.sources import sentences_of

_HINT = "Predictions are one object per line, in the corpus' order or with its ids."


@dataclass(frozen=True)
class Data:
    """Documents with human summaries; `sha256` is of their texts and summaries, however the file is compressed."""

    name: str
    examples: tuple[Example, ...]
    sha256: str
    limited: bool = False  # whether there may be more documents in the file

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def signature(self) -> str:
        """Return what tells these documents from others, in one line."""
        return f"data:{self.name}|sha256:{self.sha256}|n:{len(self)}"


def load_data(path: str | Path, limit: int | None = None) -> Data:
    """Read a corpus, or its first documents; a bad line is an error, because scores of less data do not compare."""
    examples = list(islice(read_corpus(path), limit))
    if not examples:
        raise CorpusError(f"There is no document in {path}.")
    name = "stdin" if str(path) == STANDARD else Path(path).name.split(".")[0]
    return make_data(name, examples, limited=limit is not None)


def make_data(name: str, examples: Sequence[Example], *, limited: bool = False) -> Data:
    """Name examples and compute their fingerprint."""
    digest = fingerprint(part for example in examples for part in (example.text, example.summary))
    return Data(name, tuple(examples), digest, limited)


def fingerprint(texts: Iterable[Sequence[str]]) -> str:
    """Return a digest of texts, given as sentences."""
    digest = hashlib.sha256()
    for sentences in texts:
        digest.update("\n".join(sentences).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Prediction:
    """The sentences of a summary, and their indices in the document if they were taken from it."""

    sentences: tuple[str, ...]
    indices: tuple[int, ...] | None = None

    @classmethod
    def extract(cls, text: Sequence[str], indices: Iterable[int]) -> Prediction:
        """Take sentences from a document, in the order given."""
        indices = tuple(indices)
        return cls(tuple(text[index] for index in indices), indices)


def read_predictions(path: str | Path, examples: Sequence[Example], *, limited: bool = False) -> list[Prediction]:
    """Read one prediction per example; if `limited`, lines for other documents than these are passed over."""
    lines: dict[int, dict[str, Any]] = {}  # by their numbers
    for raw in read_lines(path):
        with located(path, raw.number):
            lines[raw.number] = raw.parse()
    predictions = []
    for number, example in zip(_match(path, lines, examples, limited), examples, strict=True):
        with located(path, number):
            predictions.append(parse_prediction(lines[number], example.text))
    return predictions


def write_predictions(path: str | Path, examples: Iterable[Example], predictions: Iterable[Prediction]) -> None:
    """Write a file that `read_predictions` reads: ids where the corpus has them, positions where they are known."""
    with open_output(path) as stream:
        for example, prediction in zip(examples, predictions, strict=True):
            record: dict[str, object] = {} if example.id is None else {"id": example.id}
            if prediction.indices is not None:
                record["indices"] = list(prediction.indices)
            record["summary"] = list(prediction.sentences)
            stream.write(json_line(record).encode() + b"\n")


def parse_prediction(record: Mapping[str, object], text: Sequence[str]) -> Prediction:
    """Read the prediction of one document, whose sentences are `text`; positions are preferred to sentences."""
    if "indices" in record:
        indices = record["indices"]
        if not is_list_of(indices, int):
            raise CorpusError('"indices" must be a list of positions, such as [0, 4, 17].')
        if wrong := [index for index in indices if not 0 <= index < len(text)]:
            raise CorpusError(f'"indices" points to sentence {wrong[0]} of a document of {len(text)}.')
        return Prediction.extract(text, indices)
    if "summary" in record:
        summary = record["summary"]
        if isinstance(summary, str):  # a sentence per line, or split into sentences if it is one line
            lines = summary.strip().splitlines()
            summary = lines if len(lines) > 1 else sentences_of(lines)
        if not is_list_of(summary, str):
            raise CorpusError('"summary" must be a list of sentences or a string.')
        return Prediction(tuple(sentence for sentence in summary if sentence.strip()))
    if "sentences" in record:
        quotes = record["sentences"]
        if not is_list_of(quotes, dict) or not all(isinstance(quote.get("text"), str) for quote in quotes):
            raise CorpusError('"sentences" must be a list of objects with "text", as `memsum batch` writes them.')
        return Prediction(tuple(quote["text"] for quote in quotes))
    if "error" in record:
        raise CorpusError(f"The system has no summary of this document: {str(record['error']).rstrip('.')}.")
    raise CorpusError(f'The prediction has neither "summary" nor "indices"; its keys are {listing(record)}.')


def _match(
    path: str | Path, lines: Mapping[int, Mapping[str, Any]], examples: Sequence[Example], limited: bool
) -> list[int]:
    """Return the line of each example: by ids if each has its own and the lines have any, otherwise by order."""
    known = dict.fromkeys(str(example.id) for example in examples if example.id is not None)
    if len(known) < len(examples) or all(line.get("id") is None for line in lines.values()):
        if len(lines) < len(examples) or (len(lines) > len(examples) and not limited):
            raise CorpusError(f"{path} has {len(lines):,} predictions for {len(examples):,} documents.", _HINT)
        return list(lines)[: len(examples)]
    by_id: dict[str, int] = {}
    for number, line in lines.items():
        with located(path, number):
            if (id_ := line.get("id")) is None:
                raise CorpusError("The prediction has no id, and others have.", _HINT)
            if (first := by_id.setdefault(str(id_), number)) != number:
                raise CorpusError(f"Line {first} is also for document {str(id_)!r}.")
            if not limited and str(id_) not in known:
                raise CorpusError(f"The corpus has no document {str(id_)!r}.", _HINT)
    if missing := [id_ for id_ in known if id_ not in by_id]:
        lacking = f"{len(missing):,} of {len(examples):,} documents, {missing[0]!r} the first of them"
        raise CorpusError(f"{path} lacks {lacking}.", _HINT)
    return [by_id[id_] for id_ in known]
