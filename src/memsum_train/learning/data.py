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
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memsum.errors import TrainingError
from memsum.features.encoding import EncodedText, TextEncoder
from memsum.files import json_line
from memsum.training.corpus.records import Example, read_corpus

Advance = Callable[[str], None]  # called with the name of what is being read, once per document


@dataclass(frozen=True)
class Reference:
    """Raw sentences of a document and its human summary, for objectives that score extractions themselves."""

    text: tuple[str, ...]  # the sentences that are encoded
    summary: tuple[str, ...]
    summary_ids: NDArray[np.int32]  # ids of the summary's words, -1 after each sentence


@dataclass(frozen=True)
class EncodedDocument:
    """One document to learn from."""

    text: EncodedText
    episodes: Sequence[NDArray[np.int64]]  # positions in `text`
    rewards: NDArray[np.float32]
    raw: Reference | None = None  # only in corpora of objectives that need it
    alike: NDArray[np.int64] | None = None  # (N,) equal for duplicates; None: those of the same words

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
        """Return a number for each sentence, equal for duplicates."""
        if self.alike is not None:
            return self.alike
        first: dict[bytes, int] = {}
        words = (self.text.sentence(i).tobytes() for i in range(len(self.text)))
        return np.array([first.setdefault(said, i) for i, said in enumerate(words)], np.int64)


class EncodedCorpus:
    """Documents with episodes; one at a time is cut out of the flat arrays."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays["document_sentences"]) - 1

    @property
    def sentences(self) -> NDArray[np.int64]:
        return np.diff(self._arrays["document_sentences"])

    def __getitem__(self, index: int) -> EncodedDocument:
        a = self._arrays
        first, last = a["document_sentences"][index : index + 2]
        begin, end = a["sentence_words"][first], a["sentence_words"][last]
        text = EncodedText(
            ids=np.asarray(a["ids"][begin:end]),
            starts=np.asarray(a["sentence_words"][first:last]) - begin,
            features=np.asarray(a["features"][first:last], np.float32),
            indices=np.arange(last - first),
        )
        if "marks" in a:
            low, high = a["title_bounds"][index : index + 2]
            marks = np.asarray(a["marks"][first:last], np.float32)
            text = replace(text, marks=marks, title=np.asarray(a["titles"][low:high]))
        low, high = a["document_episodes"][index : index + 2]
        bounds = a["episode_bounds"][low : high + 1]
        episodes = [np.asarray(a["episodes"][x:y], np.int64) for x, y in pairwise(bounds)]
        rewards = np.asarray(a["rewards"][low:high])
        return EncodedDocument(text, episodes, rewards, self._reference(index))

    @property
    def sources(self) -> NDArray[np.int64]:
        """Return a number for each document, equal for those of one source."""
        return np.asarray(self._arrays["sources"], np.int64)

    def _reference(self, index: int) -> Reference | None:
        a = self._arrays
        if "texts" not in a:
            return None
        begin, end = a["text_bounds"][index : index + 2]
        raw = json.loads(a["texts"][begin:end].tobytes())
        begin, end = a["summary_bounds"][index : index + 2]
        return Reference(tuple(raw["text"]), tuple(raw["summary"]), np.asarray(a["summaries"][begin:end]))

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


def encode_corpus(examples: Iterable[Example], encoder: TextEncoder, *, keep_raw_text: bool = False) -> EncodedCorpus:
    """Encode examples; those without episodes have nothing to teach and are left out."""
    ids: list[NDArray[np.int32]] = []
    features: list[NDArray[np.float16]] = []
    sentence_words: list[NDArray[np.int64]] = []
    episodes: list[NDArray[np.int32]] = []
    rewards: list[float] = []
    raw_texts: list[bytes] = []
    summaries: list[NDArray[np.int32]] = []
    marks: list[NDArray[np.float16]] = []
    titles: list[NDArray[np.int32]] = []
    sources: list[str] = []
    document_sentences, document_episodes, episode_bounds = [0], [0], [0]
    words = seen = 0
    for example in examples:
        seen += 1
        if not example.indices:
            continue
        text = encoder.encode(example.text, example.sections, example.title)
        within = list(_episodes_within(example, text))
        if not within:
            continue
        for episode, score in within:
            episodes.append(episode)
            episode_bounds.append(episode_bounds[-1] + len(episode))
            rewards.append(score)
        ids.append(text.ids)
        features.append(text.features.astype(np.float16))
        sentence_words.append(text.starts + words)
        words += len(text.ids)
        document_sentences.append(document_sentences[-1] + len(text))
        document_episodes.append(len(rewards))
        sources.append(str(example.extra.get("source", "")))
        if text.marks is not None and text.title is not None:
            marks.append(text.marks.astype(np.float16))
            titles.append(text.title)
        if keep_raw_text:
            kept_text = [example.text[i] for i in text.indices]
            raw_texts.append(json_line({"text": kept_text, "summary": example.summary}).encode())
            summaries.append(encoder.summary_ids(example.summary))
    if not ids:
        raise TrainingError(
            f"None of the corpus's {seen} documents has episodes." if seen else "The corpus has no documents.",
            "Create them first: memsum corpus episodes IN.jsonl OUT.jsonl",
        )
    arrays: dict[str, NDArray[Any]] = {
        "ids": np.concatenate(ids),
        "features": np.concatenate(features),
        "sentence_words": np.append(np.concatenate(sentence_words), words),
        "document_sentences": np.array(document_sentences, np.int64),
        "document_episodes": np.array(document_episodes, np.int64),
        "episodes": np.concatenate(episodes),
        "episode_bounds": np.array(episode_bounds, np.int64),
        "rewards": np.array(rewards, np.float32),
        "sources": np.unique(sources, return_inverse=True)[1].astype(np.int32),
    }
    if marks:
        arrays |= {"marks": np.concatenate(marks), "titles": np.concatenate(titles)}
        arrays["title_bounds"] = np.cumsum([0, *map(len, titles)])
    if keep_raw_text:
        arrays["texts"] = np.frombuffer(b"".join(raw_texts), np.uint8)
        arrays["text_bounds"] = np.cumsum([0, *map(len, raw_texts)])
        arrays["summaries"] = np.concatenate(summaries)
        arrays["summary_bounds"] = np.cumsum([0, *map(len, summaries)])
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


def sample_corpus(
    path: Path, most: int, temperature: float, seed: int, advance: Advance = lambda what: None
) -> list[Example]:
    """Draw at most so many examples, a source of n documents by n ** temperature, so that none is drowned or empty."""
    rng = np.random.default_rng(seed)
    by_source: dict[str, list[int]] = {}
    for number, example in enumerate(read_corpus(path, advance)):
        by_source.setdefault(str(example.extra.get("source", "")), []).append(number)
    sizes = {source: len(numbers) ** temperature for source, numbers in by_source.items()}
    kept: set[int] = set()
    for source, numbers in by_source.items():
        share = min(len(numbers), math.ceil(most * sizes[source] / sum(sizes.values())))
        kept.update(rng.choice(numbers, share, replace=False).tolist())
    return [example for number, example in enumerate(read_corpus(path)) if number in kept]
