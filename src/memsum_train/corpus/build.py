"""Make a corpus of documents with summaries: the kind of each source is recognized by what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from memsum.batch.inputs import File, Input, Item, Several, find_input
from memsum.batch.run import JobResult, Run, refuse_overwriting
from memsum.errors import CorpusError
from memsum.files import listing
from memsum.jsonl import Line
from memsum_train.corpus.convert import convert
from memsum_train.corpus.records import ORIGIN, Example
from memsum_train.corpus.sources import (
    DOCUMENT_SUFFIXES,
    HUB_DATASETS,
    HubDataset,
    HubInput,
    HubRow,
    example_from_document,
    example_from_pair,
    example_from_paper,
    is_dataset,
)
from memsum_train.corpus.variants import begins_with_summary, keep_introduction
from memsum_train.paper.episodes import EpisodeSearch, with_episodes

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
    search: EpisodeSearch | None = None  # for the episodes of documents that have none


def find_sources(sources: Sequence[str], conversion: Conversion) -> Several:
    """Find out what each source is before any work starts: a path that exists, `-`, or the name of a dataset.

    A folder may be a dataset, too, as one gets it from the Hub.
    """
    found: list[Input] = []
    for source in sources:
        path = Path(source)
        is_named = not path.exists() and _HUB_NAME.fullmatch(source) and not _FILE_NAME.search(source)
        if not (is_named or is_dataset(path)):
            found.append(find_input(source, DOCUMENT_SUFFIXES))
            continue
        known = HUB_DATASETS.get("/".join(path.parts[-2:]), HubDataset(source))
        dataset = replace(
            known,
            name=source,
            config=conversion.config or known.config,
            split=conversion.split,
            text_column=conversion.text_column or known.text_column,
            summary_column=conversion.summary_column or known.summary_column,
        )
        found.append(HubInput(f"{dataset.name} ({dataset.split})", dataset))
    return Several(", ".join(sources), tuple(found))


def build_corpus(sources: Sequence[str], output: str, conversion: Conversion, run: Run) -> JobResult:
    """Write one example for each document of the sources, in their order."""
    found = find_sources(sources, conversion)
    for source in sources:
        refuse_overwriting(source, output)
    settings = {"job": "build", "inputs": [each.fingerprint() for each in found.inputs], **asdict(conversion)}
    return convert(partial(make_example, conversion), found, output, settings, run)


def make_example(conversion: Conversion, item: Item) -> Example:
    """Turn one line, file or row into an example, or raise the reason why not."""
    content = item.content
    if isinstance(content, File):
        example = example_from_document(content.path)
    elif isinstance(content, HubRow):
        columns = content.dataset.text_column, content.dataset.summary_column
        # These datasets end a line where a sentence or a paragraph ends.
        example = example_from_pair(content.record, *columns, str.splitlines)
    else:
        record = content.parse() if isinstance(content, Line) else content.record
        columns = conversion.text_column or "text", conversion.summary_column or "summary"
        if record.keys() >= set(columns):
            example = example_from_pair(record, *columns)
        elif record.keys() >= {"abstract", "sections"}:
            example = example_from_paper(record)
        else:
            raise CorpusError(
                f'The record has neither "{columns[0]}" and "{columns[1]}" nor "abstract" and "sections"; '
                f"its keys are {listing(record)}."
            )
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
    return example
