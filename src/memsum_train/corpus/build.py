"""Make a corpus of documents with summaries: the kind of each source is recognized by what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from memsum.batch.inputs import Content, File, Input, Item, Several, find_input
from memsum.batch.run import Counts, Run, refuse_overwriting
from memsum.errors import CorpusError
from memsum.files import listing
from memsum.jsonl import Line
from memsum.training.corpus.convert import Result, convert
from memsum.training.corpus.oracle import Search, with_episodes
from memsum.training.corpus.records import ORIGIN, Example
from memsum.training.corpus.sources import (
    DOCUMENT_SUFFIXES,
    HUB_DATASETS,
    HubDataset,
    HubInput,
    HubRow,
    example_from_document,
    example_from_pair,
    example_from_paper,
    is_pair,
    is_paper,
)
from memsum.training.corpus.variants import begins_with_summary, keep_introduction

_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_FILE_NAME = re.compile(r"\.(jsonl?|zst|gz|xml|txt)$")


@dataclass(frozen=True)
class Conversion:
    """How documents become examples; columns, config and split choose what is read of JSONL files and datasets."""

    introduction_only: bool = False
    min_sentences: int = 1
    reject_copies: bool = False
    text_column: str | None = None
    summary_column: str | None = None
    config: str | None = None
    split: str = "train"
    source: str | None = None  # replaces the records' own source
    sources: Mapping[str, str] = field(default_factory=dict)  # likewise, for the records of some inputs
    keep_origins: bool = False  # where each record is, its file and line
    search: Search | None = None  # for the episodes of documents that have none


def find_sources(sources: Sequence[str], conversion: Conversion) -> Several:
    """Find out what each source is before any work starts: a path that exists, `-`, or the name of a dataset."""
    return Several(", ".join(sources), tuple(_find_source(source, conversion) for source in sources))


def build_corpus(sources: Sequence[str], output: str, conversion: Conversion, run: Run) -> Counts:
    """Write one example for each document of the sources, in their order."""
    found = find_sources(sources, conversion)
    for source in sources:
        refuse_overwriting(source, output)
    settings = {"job": "build", "inputs": [each.fingerprint() for each in found.inputs], **asdict(conversion)}
    return convert(partial(make_example, conversion), found, output, settings, run)


def make_example(conversion: Conversion, item: Item) -> Result:
    """Turn one line, file or row into an example, or raise the reason why not."""
    example = _convert(conversion, item.content)
    if conversion.introduction_only:
        example = keep_introduction(example)
    if len(example.text) < conversion.min_sentences:
        raise CorpusError(f"The text is shorter than {conversion.min_sentences} sentences: it has {len(example.text)}.")
    if conversion.reject_copies and begins_with_summary(example.text, example.summary):
        raise CorpusError("The text begins with its own summary.")
    source = conversion.sources.get(item.input, conversion.source)
    if source:
        example = replace(example, extra={**example.extra, "source": source})
    if conversion.keep_origins:
        example = replace(example, extra={**example.extra, ORIGIN: item.name})
    if conversion.search:
        example = with_episodes(example, conversion.search)
    return Result(example)


def _convert(conversion: Conversion, content: Content) -> Example:
    if isinstance(content, File):
        return example_from_document(content.path)
    if isinstance(content, HubRow):
        dataset = content.dataset
        # These datasets end a line where a sentence or a paragraph ends.
        return example_from_pair(content.record, dataset.text_column, dataset.summary_column, str.splitlines)
    record = content.parse() if isinstance(content, Line) else content.record
    text_column, summary_column = conversion.text_column or "text", conversion.summary_column or "summary"
    if is_pair(record, text_column, summary_column):
        return example_from_pair(record, text_column, summary_column)
    if is_paper(record):
        return example_from_paper(record)
    raise CorpusError(
        f'The record has neither "{text_column}" and "{summary_column}" nor "abstract" and "sections"; '
        f"its keys are {listing(record)}."
    )


def _find_source(source: str, conversion: Conversion) -> Input:
    if Path(source).exists() or not _HUB_NAME.fullmatch(source) or _FILE_NAME.search(source):
        return find_input(source, DOCUMENT_SUFFIXES)
    known = HUB_DATASETS.get(source, HubDataset(source))
    dataset = replace(
        known,
        config=conversion.config or known.config,
        split=conversion.split,
        text_column=conversion.text_column or known.text_column,
        summary_column=conversion.summary_column or known.summary_column,
    )
    return HubInput(f"{dataset.name} ({dataset.split})", dataset)
