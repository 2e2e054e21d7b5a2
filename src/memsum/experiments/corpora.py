"""The corpora of a run: cut to the budget, with episodes, and their variants, each written once into the folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import get_args

from memsum.corpus.records import BadLine, Example, read_examples, write_examples
from memsum.errors import CorpusError
from memsum.evaluation.data import Data, load_data
from memsum.experiments.config import Config, ExperimentError, Files, Split

Transform = Callable[[Example], Example | None]
_HASHED = 16


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from (with episodes), to validate on and to test on."""

    name: str
    train: Path
    valid: Path
    test: Path
    sha256: str  # of what models are made from: train and valid

    def data(self, split: Split) -> Data:
        """The documents of a split, to measure systems on."""
        return replace(load_data(getattr(self, split)), name=f"{self.name}-{split}")


@dataclass(frozen=True)
class Library:
    """Prepares corpora in a folder; what is already there is not made again."""

    config: Config
    folder: Path
    say: Callable[[str], None]

    @cached_property
    def corpora(self) -> tuple[Corpus, ...]:
        """All corpora of the config."""
        return tuple(self._prepare(files) for files in self.config.corpora)

    def derive(self, corpus: Corpus, what: str, transform: Transform) -> Corpus:
        """A corpus of changed documents; to learn from, they get episodes where the change took them away."""

        def changed(split: Split) -> Iterator[Example]:
            for example in _read(getattr(corpus, split)):
                if (new := transform(example)) is not None:
                    yield new

        name, key = f"{corpus.name}-{what}", f"{corpus.train.parent.name}-{what}"
        return self._write(name, key, changed)

    def _prepare(self, files: Files) -> Corpus:
        splits = get_args(Split)
        limits = {split: getattr(self.config.documents, split) for split in splits}
        key = _digest(part for split in splits for part in _identity(getattr(files, split), limits[split]))
        corpus = self._write(files.name, key, lambda split: islice(_read(getattr(files, split)), limits[split]))
        _refuse_overlap(corpus)
        return corpus

    def _write(self, name: str, key: str, examples: Callable[[Split], Iterable[Example]]) -> Corpus:
        """Write what is missing. The key stands for where the examples come from."""
        most = self.config.training.max_sentences
        folder = self.folder / f"{name}-{_digest([name.encode(), key.encode(), str(most).encode()])[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = {split: folder / f"{split}.jsonl" for split in get_args(Split)}
        for split, path in paths.items():
            if not path.exists():
                self.say(f"preparing {name}, {split}")
                chosen = examples(split)
                write_examples(path, (_with_episodes(e, most) for e in chosen) if split == "train" else chosen)
            if not path.stat().st_size:
                raise ExperimentError(f"The corpus {name} has no documents to {split} on.")
        train, valid, test = paths.values()
        return Corpus(name, train, valid, test, _digest(path.read_bytes() for path in (train, valid)))


def _with_episodes(example: Example, most: int) -> Example:
    if example.indices is not None:
        return example
    from memsum.corpus.episodes import search_episodes

    episodes = search_episodes(example.text, example.summary, maximum=most)
    indices, scores = tuple(e.indices for e in episodes), tuple(e.score for e in episodes)
    return replace(example, indices=indices, scores=scores)


def _read(path: Path) -> Iterator[Example]:
    for example in read_examples(path):
        if isinstance(example, BadLine):
            raise CorpusError(f"{path}, line {example.number}: {example.reason}", "Remove or mend the line.")
        yield example


def _refuse_overlap(corpus: Corpus) -> None:
    """A document to test on that was learned from would be no test."""
    seen: dict[tuple[str, ...], Split] = {}
    for split in get_args(Split):
        texts = {example.text for example in _read(getattr(corpus, split))}
        both = texts & seen.keys()
        if both:
            other = seen[both.pop()]
            raise ExperimentError(
                f"The corpus {corpus.name} has a document both in {other} and in {split}.",
                "Divide the documents anew: each belongs to one of train, valid and test.",
            )
        seen |= dict.fromkeys(texts, split)


def _identity(path: Path, limit: int | None) -> Iterator[bytes]:
    """What tells a file from others without reading it."""
    status = path.stat()
    yield f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}|{limit}".encode()


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:_HASHED]
