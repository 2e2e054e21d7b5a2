"""A corpus as the trainer reads it: word ids, features and episodes of all documents in a few flat arrays.

The arrays are saved once and memory-mapped by every process, so a resumed or parallel training does not encode again,
and several processes share the memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.errors import TrainingError
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.files import json_line
from memsum_train.corpus.records import Example, by_kind, read_corpus


@dataclass(frozen=True)
class Reference:
    """Raw sentences of a document and its human summary, for objectives that score extractions themselves."""

    text: tuple[str, ...]  # the sentences that are encoded
    summary: tuple[str, ...]
    summary_ids: NDArray[np.int32]  # ids of the summary's words, -1 after each sentence


def arrange(
    text: EncodedText, order: NDArray[np.int64], added: Sequence[NDArray[np.int32]] = (), marks: Any = None
) -> EncodedText:
    """Return some of a text's sentences in another order; those beyond its own are `added`, with their `marks`."""
    every = [*(text.sentence(index) for index in range(len(text))), *added]
    chosen = [every[index] for index in order]
    if text.marks is not None:
        marks = (text.marks if marks is None else np.concatenate([text.marks, marks]))[order]
    return EncodedText.from_ids(np.concatenate(chosen), np.cumsum([0, *map(len, chosen[:-1])]), marks, text.title)


@dataclass(frozen=True)
class EncodedDocument:
    """One document to learn from."""

    text: EncodedText
    episodes: Sequence[NDArray[np.int64]]  # positions in `text`
    rewards: NDArray[np.float32]
    raw: Reference | None = None  # only in corpora of objectives that need it

    @property
    def best(self) -> NDArray[np.int64]:
        return self.episodes[int(self.rewards.argmax())]

    @property
    def reference(self) -> Reference:
        """Return the raw text of a corpus that was encoded with it."""
        if self.raw is None:
            raise ValueError("The corpus was encoded without its raw text.")
        return self.raw

    @cached_property
    def meanings(self) -> NDArray[np.int64]:
        """Return a number for each sentence, equal for those of the same words."""
        first: dict[bytes, int] = {}
        words = (self.text.sentence(i).tobytes() for i in range(len(self.text)))
        return np.array([first.setdefault(said, i) for i, said in enumerate(words)], np.int64)


class EncodedCorpus:
    """Documents with episodes: of each column, the values of all documents, and the bounds between them."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays["starts_bounds"]) - 1

    @property
    def sentences(self) -> NDArray[np.int64]:
        return np.diff(self._arrays["starts_bounds"])

    @property
    def sources(self) -> NDArray[np.int64]:
        """Return a number for each document, equal for those of one source."""
        return np.asarray(self._arrays["sources"], np.int64)

    def __getitem__(self, index: int) -> EncodedDocument:
        def column(name: str) -> NDArray[Any]:
            low, high = self._arrays[f"{name}_bounds"][index : index + 2]
            return np.asarray(self._arrays[name][low:high])

        starts = column("starts")
        text = EncodedText(column("ids"), starts, column("features").astype(np.float32), np.arange(len(starts)))
        if "marks" in self._arrays:
            text = replace(text, marks=column("marks").astype(np.float32), title=column("title"))
        raw = None
        if "raw" in self._arrays:
            said = json.loads(column("raw").tobytes())
            raw = Reference(tuple(said["text"]), tuple(said["summary"]), column("summary"))
        ends = np.cumsum(column("episode_lengths"))
        episodes = np.split(column("episodes").astype(np.int64), ends[:-1])
        return EncodedDocument(text, episodes, column("rewards"), raw)

    def save(self, folder: Path) -> None:
        """Write the arrays; the last file written, `done.json`, says that all are there."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self._arrays.items():
            np.save(folder / f"{name}.npy", array)
        (folder / "done.json").write_text(json.dumps({"documents": len(self), "arrays": sorted(self._arrays)}))

    @classmethod
    def load(cls, folder: Path) -> EncodedCorpus:
        names = json.loads((folder / "done.json").read_text())["arrays"]
        return cls({name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names})

    @staticmethod
    def saved(folder: Path) -> bool:
        return (folder / "done.json").exists()


def encode_corpus(
    examples: Iterable[Example],
    encoder: TextEncoder,
    *,
    keep_raw_text: bool = False,
    advance: Callable[[int], None] = lambda count: None,
) -> EncodedCorpus:
    """Encode examples; those without episodes have nothing to teach and are left out."""
    rows: list[dict[str, NDArray[Any]]] = []
    sources: list[str] = []
    seen = 0
    for example in examples:
        seen += 1
        advance(1)
        if not example.indices:
            continue
        text = encoder.encode(example.text, example.sections, example.title)
        within = list(_episodes_within(example, text))
        if not within:
            continue
        episodes, rewards = zip(*within, strict=True)
        row: dict[str, NDArray[Any]] = {
            "ids": text.ids,
            "starts": text.starts,
            "features": text.features.astype(np.float16),
            "episodes": np.concatenate(episodes),
            "episode_lengths": np.array([*map(len, episodes)]),
            "rewards": np.array(rewards, np.float32),
        }
        if text.marks is not None and text.title is not None:
            row |= {"marks": text.marks.astype(np.float16), "title": text.title}
        if keep_raw_text:
            said = json_line({"text": [example.text[i] for i in text.indices], "summary": example.summary})
            row |= {"raw": np.frombuffer(said.encode(), np.uint8), "summary": encoder.summary_ids(example.summary)}
        rows.append(row)
        sources.append(example.kind)
    if not rows:
        raise TrainingError(
            f"None of the corpus's {seen} documents has episodes." if seen else "The corpus has no documents.",
            "Create them first: memsum corpus episodes IN.jsonl OUT.jsonl",
        )
    arrays = {"sources": np.unique(sources, return_inverse=True)[1].astype(np.int32)}
    for name in rows[0]:
        values = [row[name] for row in rows]
        arrays |= {name: np.concatenate(values), f"{name}_bounds": np.cumsum([0, *map(len, values)])}
    return EncodedCorpus(arrays)


def _episodes_within(example: Example, text: EncodedText) -> Iterator[tuple[NDArray[np.int32], float]]:
    """Yield episodes and rewards, in positions of the encoded text; what was cut off with its end is left out."""
    position = {int(original): i for i, original in enumerate(text.indices)}
    first = {sentence: i for i, sentence in reversed(list(enumerate(example.text)))}
    for indices, score in zip(example.indices or (), example.scores or (), strict=True):
        known = (i if i in position else first[example.text[i]] for i in indices)
        kept = dict.fromkeys(position[i] for i in known if i in position)
        if kept or not indices:
            yield np.fromiter(kept, np.int32), score


def sample_corpus(path: Path, most: int, temperature: float, seed: int) -> list[Example]:
    """Draw at most so many examples, a source of n documents by n ** temperature, so that none is drowned or empty."""
    rng = np.random.default_rng(seed)
    kinds = by_kind(read_corpus(path))
    sizes = {kind: len(numbers) ** temperature for kind, numbers in kinds.items()}
    kept: set[int] = set()
    for kind, numbers in kinds.items():
        share = min(len(numbers), math.ceil(most * sizes[kind] / sum(sizes.values())))
        kept.update(rng.choice(numbers, share, replace=False).tolist())
    return [example for number, example in enumerate(read_corpus(path)) if number in kept]
