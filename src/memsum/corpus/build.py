"""Make a corpus of documents with summaries: the kind of each source is recognised by what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from memsum.corpus.copies import begins_with_summary
from memsum.corpus.inputs import HubRow, Input, find_input
from memsum.corpus.jobs import Counts, Item, Result, Run, refuse_overwriting, run_job
from memsum.corpus.records import Example
from memsum.corpus.sources.documents import example_from_document
from memsum.corpus.sources.hub import HUB_DATASETS, HubDataset
from memsum.corpus.sources.pairs import example_from_pair, is_pair
from memsum.corpus.sources.papers import example_from_paper, is_paper
from memsum.corpus.truncation import keep_introduction
from memsum.errors import CorpusError
from memsum.files import listing
from memsum.jobs.lines import Line


@dataclass(frozen=True)
class Recipe:
    """What becomes of each document; columns, config and split say what to read of JSONL files and datasets."""

    introduction_only: bool = False
    min_sentences: int = 1
    reject_copies: bool = False
    text_column: str | None = None
    summary_column: str | None = None
    config: str | None = None
    split: str = "train"
    source: str | None = None  # what the records say they come from, instead of what they said


def find_inputs(sources: Sequence[str], recipe: Recipe) -> list[Input]:
    """Find out what each source is before any work starts."""
    return [find_input(source, _dataset(source, recipe)) for source in sources]


def count_documents(sources: Sequence[str], recipe: Recipe) -> int | None:
    """Count what there is to do, if all sources can tell."""
    counts = [source.count() for source in find_inputs(sources, recipe)]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def build_corpus(sources: Sequence[str], output: str, recipe: Recipe, run: Run) -> Counts:
    """Write one example for each document of the sources, in their order."""
    inputs = find_inputs(sources, recipe)
    for source in sources:
        refuse_overwriting(source, output)
    settings = {"job": "build", "inputs": [source.fingerprint() for source in inputs], **asdict(recipe)}
    items = (item for source in inputs for item in source.items())
    return run_job(partial(make_example, recipe), items, output, settings, run)


def make_example(recipe: Recipe, item: Item) -> Result:
    """Turn one line, file or row into an example, or raise the reason why not."""
    example = _convert(recipe, item.content)
    if recipe.introduction_only:
        example = keep_introduction(example)
    if len(example.text) < recipe.min_sentences:
        raise CorpusError(f"The text is shorter than {recipe.min_sentences} sentences: it has {len(example.text)}.")
    if recipe.reject_copies and begins_with_summary(example.text, example.summary):
        raise CorpusError("The text begins with its own summary.")
    if recipe.source:
        example = replace(example, extra={**example.extra, "source": recipe.source})
    return Result(example)


def _convert(recipe: Recipe, content: object) -> Example:
    if isinstance(content, Path):
        return example_from_document(content)
    if isinstance(content, HubRow):
        dataset = content.dataset
        # These datasets end a line where a sentence or a paragraph ends.
        return example_from_pair(content.record, dataset.text_column, dataset.summary_column, str.splitlines)
    if not isinstance(content, Line):
        raise TypeError(type(content))
    record = content.parse()
    text_column, summary_column = recipe.text_column or "text", recipe.summary_column or "summary"
    if is_pair(record, text_column, summary_column):
        return example_from_pair(record, text_column, summary_column)
    if is_paper(record):
        return example_from_paper(record)
    raise CorpusError(
        f'The record has neither "{text_column}" and "{summary_column}" nor "abstract" and "sections"; '
        f"its keys are {listing(record)}."
    )


def _dataset(source: str, recipe: Recipe) -> HubDataset:
    known = HUB_DATASETS.get(source, HubDataset(source))
    return replace(
        known,
        config=recipe.config or known.config,
        split=recipe.split,
        text_column=recipe.text_column or known.text_column,
        summary_column=recipe.summary_column or known.summary_column,
    )
