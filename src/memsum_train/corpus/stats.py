"""The paper's dataset table for any corpus file, with measures of how far extraction can get there.

Coverage, density and compression (Grusky et al., 2018) measure how much of a summary is in its text word by word.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from memsum.errors import CorpusError
from memsum.printable import escaped
from memsum_train.corpus.records import BadLine, Example, read_examples
from memsum_train.report.table import Table, as_markdown, as_text, terminal

# The paper counts "only strings composed of letters and numbers".
_WORD = re.compile(r"[^\W_]+")
SHOWN_BAD_LINES = 5

MEASURES = {  # of a document, or their means over a corpus, and how they are shown
    "text_words": ("words per document", ",.0f"),
    "text_sentences": ("sentences per document", ",.1f"),
    "summary_words": ("words per summary", ",.0f"),
    "summary_sentences": ("sentences per summary", ",.1f"),
    "coverage": ("extractive coverage", ".3f"),  # share of summary words in fragments of the text
    "density": ("extractive density", ".2f"),  # mean length of a word's fragment
    "compression": ("compression", ".1f"),  # text words per summary word
    "novel_bigrams": ("novel bigrams", ".1%"),
    "repeated_sentences": ("repeated sentences", ".2%"),
    "oracle_score": ("oracle: mean ROUGE-1/2/L", ".4f"),
    "oracle_sentences": ("oracle: sentences", ".2f"),
}


@dataclass
class Statistics:
    """Means over a corpus that is read once, in constant memory."""

    name: str
    pairs: int = 0
    bad_lines: int = 0
    complaints: list[str] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)  # documents that there is something to measure in

    @property
    def means(self) -> dict[str, float | None]:
        return {key: self.totals[key] / self.counts[key] if self.counts[key] else None for key in MEASURES}

    def add(self, record: Example | BadLine) -> None:
        if isinstance(record, BadLine):
            self.bad_lines += 1
            if len(self.complaints) < SHOWN_BAD_LINES:
                self.complaints.append(f"{self.name}, line {record.number}: {record.reason}")
            return
        self.pairs += 1
        measured = measure_example(record)
        self.totals.update(measured)
        self.counts.update(measured.keys())

    def merge(self, other: Statistics) -> None:
        self.pairs += other.pairs
        self.bad_lines += other.bad_lines
        self.totals.update(other.totals)
        self.counts.update(other.counts)


def all_statistics(paths: Sequence[str]) -> list[Statistics]:
    """Average over each corpus file, and over all of them if there are several."""
    names = [Path(path).name.split(".")[0] for path in paths]
    if len(set(names)) < len(names):
        names = list(paths)
    corpora, together = [], Statistics("all")
    for path, name in zip(paths, names, strict=True):
        statistics = Statistics(name)
        for record in read_examples(path):
            statistics.add(record)
        if not statistics.pairs and not statistics.bad_lines:
            raise CorpusError(f"There is no record in {path}.")
        if not statistics.pairs:
            raise CorpusError(
                f"None of the {statistics.bad_lines:,} lines of {path} is a record.", statistics.complaints[0]
            )
        corpora.append(statistics)
        together.merge(statistics)
    return [*corpora, together] if len(corpora) > 1 else corpora


def measure_example(example: Example) -> dict[str, float]:
    """Measure one document; the oracle is its best episode, and worth nothing if the search found none."""
    text, summary = words_of(example.text), words_of(example.summary)
    measures = {
        "text_words": len(text),
        "text_sentences": len(example.text),
        "summary_words": len(summary),
        "summary_sentences": len(example.summary),
        "repeated_sentences": 1 - len(set(example.text)) / len(example.text),
    }
    if summary:
        measures |= measure(text, summary)
    if example.indices is not None and example.scores is not None:
        score, episode = max(zip(example.scores, example.indices, strict=True), default=(0.0, ()))
        measures |= {"oracle_score": score, "oracle_sentences": len(episode)}
    return measures


def words_of(sentences: Iterable[str]) -> list[str]:
    """Return the words of some sentences, lower-cased."""
    return [word for sentence in sentences for word in _WORD.findall(sentence.lower())]


def measure(text: Sequence[str], summary: Sequence[str]) -> dict[str, float]:
    """Compare the words of a text with those of its summary, of which there must be some."""
    positions: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, pair in enumerate(pairwise(text)):
        positions[pair].append(position)
    words, lengths, start = set(text), [], 0
    while start < len(summary):  # the fragments, from left to right: the longest run that is also in the text
        length = 1 if summary[start] in words else 0
        # Whatever is longer than a word begins with its first two.
        for position in positions.get(tuple(summary[start : start + 2]), ()):
            run, most = 2, min(len(summary) - start, len(text) - position)
            while run < most and summary[start + run] == text[position + run]:
                run += 1
            length = max(length, run)
        if length:
            lengths.append(length)
        start += length or 1
    pairs = list(pairwise(summary))
    return {
        "coverage": sum(lengths) / len(summary),
        "density": sum(length * length for length in lengths) / len(summary),
        "compression": len(text) / len(summary),
        "novel_bigrams": sum(pair not in positions for pair in pairs) / len(pairs) if pairs else 0.0,
    }


def render(corpora: Sequence[Statistics], form: str) -> None:
    """Print statistics as `table`, `markdown` or `json`, which is unrounded."""
    if form == "json":
        rows = [{"corpus": one.name, "pairs": one.pairs, "bad_lines": one.bad_lines, **one.means} for one in corpora]
        print(escaped(json.dumps(rows, indent=2, ensure_ascii=False)))
        return
    shown = [("pairs", *(f"{one.pairs:,}" for one in corpora))]
    for name, (title, digits) in MEASURES.items():
        values = [one.means[name] for one in corpora]
        if any(value is not None for value in values):
            shown.append((title, *("–" if value is None else format(value, digits) for value in values)))
    if any(one.bad_lines for one in corpora):
        shown.append(("bad lines", *(f"{one.bad_lines:,}" for one in corpora)))
    table = Table("statistics", "", ("", *(one.name for one in corpora)), tuple(shown))
    print(as_markdown(table).rstrip("\n") if form == "markdown" else as_text(table, **terminal()))
