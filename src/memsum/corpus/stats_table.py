"""How corpus statistics are shown: a table for people, Markdown for documents, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memsum.corpus.stats import Statistics
from memsum.report.table import Table, as_markdown, as_text, terminal


@dataclass(frozen=True)
class Row:
    """One line of the table: which mean it shows, its name, and how it is written."""

    key: str
    title: str
    form: str


ROWS = (
    Row("text_words", "words a document", ",.0f"),
    Row("text_sentences", "sentences a document", ",.1f"),
    Row("summary_words", "words a summary", ",.0f"),
    Row("summary_sentences", "sentences a summary", ",.1f"),
    Row("coverage", "extractive coverage", ".3f"),
    Row("density", "extractive density", ".2f"),
    Row("compression", "compression", ".1f"),
    Row("novel_bigrams", "novel bigrams", ".1%"),
    Row("repeated_sentences", "repeated sentences", ".2%"),
    Row("oracle_score", "oracle: mean ROUGE-1/2/L", ".4f"),
    Row("oracle_sentences", "oracle: sentences", ".2f"),
)


def render(corpora: Sequence[Statistics], form: str) -> None:
    """Print statistics as `table`, `markdown` or `json`."""
    if form == "json":
        print(as_json(corpora))
    else:
        table = as_table(corpora)
        print(as_markdown(table).rstrip("\n") if form == "markdown" else as_text(table, **terminal()))


def as_table(corpora: Sequence[Statistics]) -> Table:
    """A table with one column per corpus."""
    head = ("", *(statistics.name for statistics in corpora))
    return Table("statistics", "", head, tuple(tuple(row) for row in _cells(corpora)))


def as_json(corpora: Sequence[Statistics]) -> str:
    """All numbers, unrounded."""
    rows = [
        {"corpus": one.name, "pairs": one.pairs, "bad_lines": one.bad_lines, **asdict(one.means)} for one in corpora
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def _cells(corpora: Sequence[Statistics]) -> list[list[str]]:
    rows = [["pairs", *(f"{statistics.pairs:,}" for statistics in corpora)]]
    means = [asdict(statistics.means) for statistics in corpora]
    rows += [
        [row.title, *("–" if mean[row.key] is None else format(mean[row.key], row.form) for mean in means)]
        for row in ROWS
        if any(mean[row.key] is not None for mean in means)
    ]
    if any(statistics.bad_lines for statistics in corpora):
        rows.append(["bad lines", *(f"{statistics.bad_lines:,}" for statistics in corpora)])
    return rows
