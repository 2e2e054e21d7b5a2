"""Pairs of a text and its summary: strings are split into sentences, lists of sentences are kept as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memsum.corpus.records import Example
from memsum.corpus.sources.splitting import sentences_of
from memsum.errors import CorpusError


def is_pair(record: Mapping[str, object], text_column: str, summary_column: str) -> bool:
    """Recognise a record of this kind."""
    return text_column in record and summary_column in record


def example_from_pair(
    record: Mapping[str, object],
    text_column: str,
    summary_column: str,
    paragraphs: Callable[[str], list[str]] = lambda text: [text],
) -> Example:
    """Make an example of two columns; the others are kept. `paragraphs` cuts a string where sentences must end."""
    text, summary = record[text_column], record[summary_column]
    rest = {key: value for key, value in record.items() if key not in (text_column, summary_column)}
    if isinstance(text, str):
        # Whatever pointed to sentences pointed to those of somebody else's splitting.
        rest = {key: value for key, value in rest.items() if key not in ("indices", "score")}
        text = sentences_of(paragraphs(text))
        if not text:
            raise CorpusError(f'"{text_column}" holds no sentence.')
    if isinstance(summary, str):
        summary = sentences_of(paragraphs(summary))
        if not summary:
            raise CorpusError(f'"{summary_column}" holds no sentence.')
    return Example.from_json({**rest, "text": text, "summary": summary})
