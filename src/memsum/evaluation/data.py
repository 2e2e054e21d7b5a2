"""What systems are measured on: the documents of a corpus with human summaries, under a name that can be checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memsum.corpus.records import BadLine, Example, read_examples
from memsum.errors import CorpusError
from memsum.jobs.lines import STANDARD

NO_SOURCE = "without a source"


@dataclass(frozen=True)
class Data:
    """Documents with human summaries; `sha256` is of their texts and summaries, however the file is compressed."""

    name: str
    examples: tuple[Example, ...]
    sha256: str
    limited: bool = False  # whether there may be more documents in the file

    def __len__(self) -> int:
        return len(self.examples)

    def __str__(self) -> str:
        return f"data:{self.name}|sha256:{self.sha256}|n:{len(self)}"

    def by_source(self) -> dict[str, list[int]]:
        """The places of each source's documents; those without a source come under a name of their own."""
        places: dict[str, list[int]] = {}
        for place, example in enumerate(self.examples):
            places.setdefault(str(example.extra.get("source", NO_SOURCE)), []).append(place)
        if places.keys() == {NO_SOURCE}:
            raise CorpusError(f'No record of {self.name} has a "source".', "Leave --by-source out.")
        return dict(sorted(places.items()))


def load_data(path: str | Path, limit: int | None = None) -> Data:
    """Read a corpus, or its first documents; a bad line is an error, because scores of less data do not compare."""
    examples = []
    for example in islice(read_examples(path), limit):
        if isinstance(example, BadLine):
            raise CorpusError(f"{path}, line {example.number}: {example.reason}", "Remove or mend the line.")
        examples.append(example)
    if not examples:
        raise CorpusError(f"There is no document in {path}.")
    name = "stdin" if str(path) == STANDARD else Path(path).name.split(".")[0]
    return make_data(name, examples, limited=limit is not None)


def make_data(name: str, examples: Sequence[Example], *, limited: bool = False) -> Data:
    """Name examples and compute what tells them from others."""
    digest = fingerprint(part for example in examples for part in (example.text, example.summary))
    return Data(name, tuple(examples), digest, limited)


def fingerprint(texts: Iterable[Sequence[str]]) -> str:
    """A short name of texts, given as sentences: the same for the same ones."""
    digest = hashlib.sha256()
    for sentences in texts:
        digest.update("\n".join(sentences).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:12]
