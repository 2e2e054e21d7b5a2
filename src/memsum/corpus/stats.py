"""The paper's dataset table for any corpus file, with what tells how far extraction can get there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memsum.corpus.extractiveness import measure, words_of
from memsum.corpus.records import BadLine, Example, read_examples
from memsum.errors import CorpusError

SHOWN_BAD_LINES = 5


@dataclass(frozen=True)
class Measures:
    """The numbers of a document, or their means over a corpus; None where there is nothing to measure."""

    text_words: float | None = None
    text_sentences: float | None = None
    summary_words: float | None = None
    summary_sentences: float | None = None
    coverage: float | None = None
    density: float | None = None
    compression: float | None = None
    novel_bigrams: float | None = None
    repeated_sentences: float | None = None
    oracle_score: float | None = None
    oracle_sentences: float | None = None


@dataclass
class Statistics:
    """Means over a corpus that is read once, in constant memory."""

    name: str
    pairs: int = 0
    bad_lines: int = 0
    complaints: list[str] = field(default_factory=list)
    _totals: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def means(self) -> Measures:
        """The means so far."""
        return Measures(**{key: self._totals[key] / count for key, count in self._counts.items()})

    def add(self, record: Example | BadLine) -> None:
        """Take one more record in."""
        if isinstance(record, BadLine):
            self.bad_lines += 1
            if len(self.complaints) < SHOWN_BAD_LINES:
                self.complaints.append(f"{self.name}, line {record.number}: {record.reason}")
            return
        self.pairs += 1
        for key, value in asdict(measure_example(record)).items():
            if value is not None:
                self._totals[key] += value
                self._counts[key] += 1

    def merge(self, other: Statistics) -> None:
        """Take another corpus in as a whole."""
        self.pairs += other.pairs
        self.bad_lines += other.bad_lines
        for key, count in other._counts.items():
            self._totals[key] += other._totals[key]
            self._counts[key] += count


def corpus_statistics(path: str, name: str) -> Statistics:
    """Read a corpus file and average over its documents."""
    statistics = Statistics(name)
    for record in read_examples(path):
        statistics.add(record)
    if not statistics.pairs and not statistics.bad_lines:
        raise CorpusError(f"There is no record in {path}.")
    if not statistics.pairs:
        raise CorpusError(
            f"None of the {statistics.bad_lines:,} lines of {path} is a record.", statistics.complaints[0]
        )
    return statistics


def all_statistics(paths: Sequence[str]) -> list[Statistics]:
    """Average over each corpus file, and over all of them if there are several."""
    names = [Path(path).name.split(".")[0] for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    corpora = [corpus_statistics(path, name) for path, name in zip(paths, names, strict=True)]
    if len(corpora) > 1:
        together = Statistics("all")
        for statistics in corpora:
            together.merge(statistics)
        corpora.append(together)
    return corpora


def measure_example(example: Example) -> Measures:
    """Measure one document; the oracle is its best episode, and worth nothing if the search found none."""
    text, summary = words_of(example.text), words_of(example.summary)
    overlap = measure(text, summary) if summary else None
    best: tuple[float, tuple[int, ...]] | None = None
    if example.indices is not None and example.scores is not None:
        best = max(zip(example.scores, example.indices, strict=True), default=(0.0, ()))
    return Measures(
        text_words=len(text),
        text_sentences=len(example.text),
        summary_words=len(summary),
        summary_sentences=len(example.summary),
        coverage=overlap.coverage if overlap else None,
        density=overlap.density if overlap else None,
        compression=overlap.compression if overlap else None,
        novel_bigrams=overlap.novel_bigrams if overlap else None,
        repeated_sentences=1 - len(set(example.text)) / len(example.text),
        oracle_score=best[0] if best else None,
        oracle_sentences=len(best[1]) if best else None,
    )
