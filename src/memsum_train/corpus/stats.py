"""The paper's dataset table for any corpus file, with measures of how far extraction can get there.

Coverage, density and compression (Grusky et al., 2018) measure how much of a summary is in its text word by word.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from memsum.errors import CorpusError
from memsum.printable import escaped
from memsum_train.corpus.records import BadLine, Example, read_examples
from memsum_train.report.table import Table, as_markdown, as_text, terminal

# The paper counts "only strings composed of letters and numbers".
_WORD = re.compile(r"[^\W_]+")
SHOWN_BAD_LINES = 5


def _mean(title: str, form: str) -> Any:
    return field(default=None, metadata={"title": title, "format": form})


@dataclass(frozen=True)
class CorpusMeasures:
    """The numbers of a document, or their means over a corpus; None where there is nothing to measure.

    `coverage` is the share of summary words in fragments of the text, `density` the mean length of a word's fragment,
    `compression` the number of text words per summary word.
    """

    text_words: float | None = _mean("words per document", ",.0f")
    text_sentences: float | None = _mean("sentences per document", ",.1f")
    summary_words: float | None = _mean("words per summary", ",.0f")
    summary_sentences: float | None = _mean("sentences per summary", ",.1f")
    coverage: float | None = _mean("extractive coverage", ".3f")
    density: float | None = _mean("extractive density", ".2f")
    compression: float | None = _mean("compression", ".1f")
    novel_bigrams: float | None = _mean("novel bigrams", ".1%")
    repeated_sentences: float | None = _mean("repeated sentences", ".2%")
    oracle_score: float | None = _mean("oracle: mean ROUGE-1/2/L", ".4f")
    oracle_sentences: float | None = _mean("oracle: sentences", ".2f")


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
    def means(self) -> CorpusMeasures:
        return CorpusMeasures(**{key: self._totals[key] / count for key, count in self._counts.items()})

    def add(self, record: Example | BadLine) -> None:
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


def measure_example(example: Example) -> CorpusMeasures:
    """Measure one document; the oracle is its best episode, and worth nothing if the search found none."""
    text, summary = words_of(example.text), words_of(example.summary)
    overlap = measure(text, summary) if summary else CorpusMeasures()
    best: tuple[float, tuple[int, ...]] | None = None
    if example.indices is not None and example.scores is not None:
        best = max(zip(example.scores, example.indices, strict=True), default=(0.0, ()))
    return replace(
        overlap,
        text_words=len(text),
        text_sentences=len(example.text),
        summary_words=len(summary),
        summary_sentences=len(example.summary),
        repeated_sentences=1 - len(set(example.text)) / len(example.text),
        oracle_score=best[0] if best else None,
        oracle_sentences=len(best[1]) if best else None,
    )


def words_of(sentences: Iterable[str]) -> list[str]:
    """Return the words of some sentences, lower-cased."""
    return [word for sentence in sentences for word in _WORD.findall(sentence.lower())]


def measure(text: Sequence[str], summary: Sequence[str]) -> CorpusMeasures:
    """Compare the words of a text with those of its summary, of which there must be some."""
    positions: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, pair in enumerate(pairwise(text)):
        positions[pair].append(position)
    words, lengths, start = set(text), [], 0
    while start < len(summary):  # the fragments, from left to right: the longest run that is also in the text
        length = 1 if summary[start] in words else 0
        # Whatever is longer than a word begins with its first two.
        for position in positions.get(tuple(summary[start : start + 2]), ()):  # type: ignore[arg-type]
            length = max(length, common_run(summary, start, text, position))
        if length:
            lengths.append(length)
        start += length or 1
    pairs = list(pairwise(summary))
    return CorpusMeasures(
        coverage=sum(lengths) / len(summary),
        density=sum(length * length for length in lengths) / len(summary),
        compression=len(text) / len(summary),
        novel_bigrams=sum(pair not in positions for pair in pairs) / len(pairs) if pairs else 0.0,
    )


def common_run(first: Sequence[str], start: int, second: Sequence[str], there: int) -> int:
    """Return how many words two texts share from an index of each on."""
    length, most = 0, min(len(first) - start, len(second) - there)
    while length < most and first[start + length] == second[there + length]:
        length += 1
    return length


def render(corpora: Sequence[Statistics], form: str) -> None:
    """Print statistics as `table`, `markdown` or `json`."""
    if form == "json":
        print(as_json(corpora))
    else:
        table = as_table(corpora)
        print(as_markdown(table).rstrip("\n") if form == "markdown" else as_text(table, **terminal()))


def as_table(corpora: Sequence[Statistics]) -> Table:
    """Return a table with one column per corpus."""
    rows = [("pairs", *(f"{statistics.pairs:,}" for statistics in corpora))]
    means = [asdict(statistics.means) for statistics in corpora]
    for one in fields(CorpusMeasures):
        values, form = [mean[one.name] for mean in means], one.metadata["format"]
        if any(value is not None for value in values):
            rows.append((one.metadata["title"], *("–" if value is None else format(value, form) for value in values)))
    if any(statistics.bad_lines for statistics in corpora):
        rows.append(("bad lines", *(f"{statistics.bad_lines:,}" for statistics in corpora)))
    return Table("statistics", "", ("", *(statistics.name for statistics in corpora)), tuple(rows))


def as_json(corpora: Sequence[Statistics]) -> str:
    """Return all numbers, unrounded."""
    rows = [
        {"corpus": one.name, "pairs": one.pairs, "bad_lines": one.bad_lines, **asdict(one.means)} for one in corpora
    ]
    return escaped(json.dumps(rows, indent=2, ensure_ascii=False))
