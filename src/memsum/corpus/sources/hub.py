"""Datasets of the Hugging Face Hub by name, streamed row by row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memsum.errors import CorpusError, MissingExtraError, reason_of


@dataclass(frozen=True)
class HubDataset:
    """Which part of a dataset to read, and which of its columns are the pair."""

    name: str
    config: str | None = None
    split: str = "train"
    text_column: str = "text"
    summary_column: str = "summary"


# The paper's corpora as they are published there; "document" is the whole text in one string.
HUB_DATASETS = {
    dataset.name: dataset
    for dataset in (
        HubDataset("ccdv/pubmed-summarization", "document", "train", "article", "abstract"),
        HubDataset("ccdv/arxiv-summarization", "document", "train", "article", "abstract"),
        HubDataset("ccdv/govreport-summarization", "document", "train", "report", "summary"),
    )
}


def hub_rows(dataset: HubDataset) -> Iterator[dict[str, object]]:
    """Stream the rows of a dataset; nothing is kept on disk."""
    try:
        from datasets import load_dataset
    except ImportError:
        raise MissingExtraError(f"Reading {dataset.name} from the Hugging Face Hub", "hub") from None
    with _explained(dataset):
        rows = load_dataset(dataset.name, dataset.config, split=dataset.split, streaming=True)
        columns = list(rows.features or {})
    for column in (dataset.text_column, dataset.summary_column):
        if columns and column not in columns:
            raise CorpusError(
                f"The dataset {dataset.name} has no column {column!r}; it has {', '.join(columns)}.",
                "Name them with --text-column and --summary-column.",
            )
    stream = iter(rows)
    while True:
        with _explained(dataset):
            row = next(stream, None)
        if row is None:
            return
        yield dict(row)


@contextmanager
def _explained(dataset: HubDataset) -> Iterator[None]:
    """Make one sentence of the dozen unrelated errors the library raises: no such dataset, split, config, network."""
    try:
        yield
    except Exception as error:
        raise CorpusError(
            f"The dataset {dataset.name} cannot be read: {reason_of(error)}.",
            "Check its name, --split, and the network.",
        ) from None
